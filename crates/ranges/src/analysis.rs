//! Everything `raddle ranges` wants to know about a trace program.
//!
//! In: a program, its CTP, a graph, assertions and lines. Out: intervals, verdicts, schedules.
//! Intervals are tried first; what they leave open is asked exactly, and an execution that is found
//! counts when the machine has replayed it.

mod inquiry;

use std::collections::BTreeSet;

use raddle_cfront::ir::Kind;

pub use self::inquiry::{Inquiry, Verdict};

use crate::ctp::{Ctp, Guard, Line, Notice, Otherwise, StateId};
use crate::eval;
use crate::graph::{Graph, GraphKind};
use crate::interval::Interval;
use crate::metric::{self, Bits};
use crate::propagate::{Exhausted, Limit, Ranges, propagate};

/// The interval of a variable at a place: the value that is assigned there.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Row {
    /// The variable.
    pub variable: String,
    /// The thread that assigns it.
    pub thread: String,
    /// Where.
    pub line: Option<Line>,
    /// Its values.
    pub values: Interval,
    /// How its bits are read.
    pub kind: Kind,
    /// Whether it is a shared variable.
    pub shared: bool,
    /// Whether the computation may have wrapped around.
    pub wraps: bool,
}

/// A graph and what propagation along it gives.
#[derive(Clone, Debug)]
pub struct Analysed {
    /// The graph.
    pub graph: Graph,
    /// The intervals.
    pub ranges: Ranges,
    /// The metric.
    pub bits: Bits,
}

/// Builds a graph and propagates intervals along it.
pub fn analyse(
    ctp: &Ctp,
    kind: GraphKind,
    lookahead: usize,
    limit: impl Into<Limit>,
) -> Result<Analysed, Exhausted> {
    let graph = Graph::new(ctp, kind);
    let ranges = propagate(ctp, &graph, lookahead, limit)?;
    let bits = metric::bits(ctp, &graph, &ranges);
    Ok(Analysed { graph, ranges, bits })
}

/// The intervals of all assignments, by thread and position.
pub fn rows(ctp: &Ctp, ranges: &Ranges) -> Vec<Row> {
    let mut rows = Vec::new();
    for id in ctp.state_ids() {
        let (state, at) = (ctp.state(id), id.0 as usize);
        let mut row = |(variable, kind): (&str, Kind), values: Option<Interval>, shared| {
            let Some(values) = values else { return };
            rows.push(Row {
                variable: variable.to_owned(),
                thread: ctp.threads[state.thread.0 as usize].name.clone(),
                line: state.step.line.clone(),
                values,
                kind,
                shared,
                wraps: ranges.wraps[at],
            });
        };
        if let Some((_, to)) = state.step.action.read() {
            let local = &ctp.locals[to.0 as usize];
            row((&local.name, local.kind), ranges.read[at], false);
        }
        if let Some((global, _)) = state.step.action.written() {
            let global = &ctp.globals[global.0 as usize];
            row((&global.name, global.kind), ranges.written[at], true);
        }
    }
    rows
}

/// The lines of states that intervals show to be out of reach.
pub fn unreachable(ctp: &Ctp, ranges: &Ranges) -> Vec<Line> {
    let lost = |id: &StateId| ctp.state(*id).parent.is_some() && !ranges.reached[id.0 as usize];
    let mut lines: Vec<_> =
        ctp.state_ids().filter(lost).filter_map(|id| ctp.step(id).line.clone()).collect();
    lines.sort();
    lines.dedup();
    lines
}

/// Where the trace program keeps to the addresses, sizes and targets of the run, though intervals leave them
/// other values: executions in which they have those are out of sight.
pub fn pinned(ctp: &Ctp, ranges: &Ranges) -> Option<Notice> {
    let mut locals: Vec<_> = ctp.locals.iter().map(|local| Interval::of(local.kind)).collect();
    for id in ctp.state_ids() {
        if let (Some((_, to)), Some(values)) =
            (ctp.step(id).action.read(), ranges.read[id.0 as usize])
        {
            locals[to.0 as usize] = values;
        }
    }
    let values = eval::of_exprs(ctp, &locals);
    let is_open = |(state, _, guard): &(StateId, usize, &Guard)| {
        guard.otherwise == Otherwise::Other
            && ranges.reached[state.0 as usize]
            && values[guard.condition.0 as usize].contains(0)
    };
    let lines: BTreeSet<_> =
        guards(ctp).filter(is_open).map(|(_, _, guard)| guard.line.clone()).collect();
    let line = lines.first()?.clone();
    let text = "addresses and sizes that depend on shared values are those of the run";
    let text = match lines.len() {
        1 => text.to_owned(),
        n => format!("{text}, at {n} places"),
    };
    Some(Notice { text, line })
}

fn guards(ctp: &Ctp) -> impl Iterator<Item = (StateId, usize, &Guard)> {
    ctp.state_ids().flat_map(|id| {
        let guards = ctp.step(id).guards.iter().enumerate();
        guards.map(move |(number, guard)| (id, number, guard))
    })
}
