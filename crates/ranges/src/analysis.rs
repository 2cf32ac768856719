//! Everything `raddle ranges` wants to know about a trace program.
//!
//! In: a program, its CTP, a graph, assertions and lines. Out: intervals, verdicts, schedules.
//! Intervals are tried first; what they leave open is asked exactly, and an execution that is found
//! counts when the machine has replayed it.

use std::collections::BTreeSet;
use std::sync::Arc;

use raddle_cfront::ir::{Kind, Program};
use raddle_finding::Schedule;
use raddle_vm::{Settings, SetupError};

use crate::assertion::{Assertion, Claim, claim};
use crate::ctp::{Ctp, Guard, Line, Notice, Otherwise, StateId};
use crate::eval;
use crate::feasible::{Feasibility, Options, Query, Solver};
use crate::graph::{Graph, GraphKind};
use crate::interval::Interval;
use crate::metric::{self, Bits};
use crate::propagate::{Exhausted, Ranges, propagate};
use crate::record::Failure;
use crate::replay::replay;

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

/// What was found out about an assertion or a place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// It holds, or the place is not reached, in every interleaving of the trace program.
    Proved {
        /// Whether intervals were enough.
        by_intervals: bool,
    },
    /// This schedule breaks it, or comes to the place.
    Refuted(Schedule),
    /// Neither, and why.
    Unknown(String),
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
    limit: u64,
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

/// Answers questions exactly, one after the other.
pub struct Inquiry<'a> {
    program: &'a Arc<Program>,
    settings: &'a Settings,
    ctp: &'a Ctp,
    ranges: &'a Ranges,
    solver: Option<Solver<'a>>,
    /// For conditions on several variables at one moment.
    stepwise: Option<Solver<'a>>,
    options: Options,
    kind: GraphKind,
}

impl<'a> Inquiry<'a> {
    /// One about a trace program; intervals narrow the values.
    pub fn new(
        program: &'a Arc<Program>,
        settings: &'a Settings,
        ctp: &'a Ctp,
        analysed: &'a Analysed,
        options: Options,
    ) -> Inquiry<'a> {
        let (ranges, kind) = (&analysed.ranges, analysed.graph.kind);
        Inquiry { program, settings, ctp, ranges, solver: None, stepwise: None, options, kind }
    }

    /// Whether an assertion holds after every write.
    pub fn check(&mut self, assertion: &Assertion) -> Result<Verdict, SetupError> {
        let condition = match assertion.condition(self.ctp) {
            Ok(condition) => condition,
            Err(name) => {
                return Ok(Verdict::Unknown(format!("the runs use no variable called {name}")));
            }
        };
        match claim(&condition, self.ctp, self.ranges) {
            Claim::Holds => Ok(Verdict::Proved { by_intervals: true }),
            Claim::FailsAtStart => {
                let machine = raddle_vm::Machine::new(self.program.clone(), self.settings)?;
                Ok(Verdict::Refuted(Schedule::new(machine.program_id())))
            }
            Claim::Open(queries) => self.any(&queries),
        }
    }

    /// The assertions of the program itself: where they are, and whether they hold. Those that have
    /// failed in runs of the trace program do not.
    pub fn own_assertions(
        &mut self,
        failures: &[Failure],
    ) -> Result<Vec<(Option<Line>, Verdict)>, SetupError> {
        let failed = failures.iter().map(|failure| (failure.line.clone(), Vec::new()));
        let mut places: Vec<(Option<Line>, Vec<Query>)> = failed.collect();
        for (state, number, guard) in guards(self.ctp) {
            if guard.otherwise != Otherwise::Fails {
                continue;
            }
            let query = Query::Fails(state, number);
            match places.iter_mut().find(|(line, _)| *line == guard.line) {
                Some((_, queries)) => queries.push(query),
                None => places.push((guard.line.clone(), vec![query])),
            }
        }
        places.sort_by(|a, b| a.0.cmp(&b.0));
        places.dedup_by(|a, b| a.0 == b.0);
        let verdict = |(line, queries): (_, Vec<Query>)| {
            let verdict = match failures.iter().find(|failure| failure.line == line) {
                Some(failure) => Verdict::Refuted(failure.schedule.clone()),
                None => self.any(&queries)?,
            };
            Ok((line, verdict))
        };
        places.into_iter().map(verdict).collect()
    }

    /// Whether some interleaving comes to a line: `Refuted` has the schedule that does.
    pub fn reach(&mut self, is_it: &dyn Fn(&Line) -> bool) -> Result<Verdict, SetupError> {
        let here = |line: &Option<Line>| line.as_ref().is_some_and(is_it);
        let mut queries = Vec::new();
        for (state, number, guard) in guards(self.ctp) {
            if matches!(&guard.otherwise, Otherwise::Elsewhere(line) if here(line)) {
                queries.push(Query::Fails(state, number));
            }
        }
        let on_line =
            |id: &StateId| self.ctp.state(*id).parent.is_some() && here(&self.ctp.step(*id).line);
        queries.extend(self.ctp.state_ids().filter(on_line).map(Query::Reaches));
        if queries.is_empty() {
            return Ok(Verdict::Unknown("no branch of the trace program leads there".to_owned()));
        }
        self.any(&queries)
    }

    /// Refuted by the first query that is feasible and replays.
    fn any(&mut self, queries: &[Query]) -> Result<Verdict, SetupError> {
        let mut doubt = None;
        for query in queries {
            match self.answer(query)? {
                Verdict::Proved { .. } => {}
                Verdict::Unknown(why) => doubt = Some(why),
                refuted => return Ok(refuted),
            }
        }
        Ok(doubt.map_or(Verdict::Proved { by_intervals: false }, Verdict::Unknown))
    }

    /// One query.
    pub fn answer(&mut self, query: &Query) -> Result<Verdict, SetupError> {
        let (ctp, ranges, options) = (self.ctp, self.ranges, self.options);
        let is_moment =
            matches!(query, Query::Breaks(_, condition) if condition.globals().len() > 1);
        let kind = self.kind;
        let solver = if is_moment {
            self.stepwise.get_or_insert_with(|| {
                Solver::new(ctp, &Graph::stepwise(ctp), Some(ranges), options)
            })
        } else {
            self.solver.get_or_insert_with(|| {
                Solver::new(ctp, &Graph::with(ctp, kind, true), Some(ranges), options)
            })
        };
        Ok(match solver.ask(query) {
            Feasibility::Infeasible => Verdict::Proved { by_intervals: false },
            Feasibility::Unknown => Verdict::Unknown("the budget of the solver ran out".to_owned()),
            Feasibility::Feasible(steps) => {
                let replayed = replay(self.program, self.settings, self.ctp, &steps, query)?;
                match replayed.confirmed {
                    true => Verdict::Refuted(replayed.schedule),
                    false => Verdict::Unknown("the execution found did not replay".to_owned()),
                }
            }
        })
    }
}

fn guards(ctp: &Ctp) -> impl Iterator<Item = (StateId, usize, &Guard)> {
    ctp.state_ids().flat_map(|id| {
        let guards = ctp.step(id).guards.iter().enumerate();
        guards.map(move |(number, guard)| (id, number, guard))
    })
}
