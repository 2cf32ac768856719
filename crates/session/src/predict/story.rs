//! The story of a predicted finding: its witness, as far as it matters.
//!
//! In: a finding of a trace. Out: the end of its witness, what is around the events of the claim, the
//! locks that are held there, and the events that are about to happen.

use std::collections::{BTreeMap, BTreeSet};

use raddle_causality::Edge;
use raddle_finding::Story;
use raddle_predict::{Engine, Goal, Prediction};
use raddle_report::story::{Reads, StoryBuilder};
use raddle_trace::{EventId, Op, Sequence, Trace, VarId};

use super::ruled_out::because;

/// How many events at the end of a witness are shown.
const N_LAST: usize = 400;

/// How many events around each event of the claim are shown.
const AROUND: usize = 20;

/// An order that every interleaving has that shows a finding: two steps of its story, and why.
pub type Order = (u32, u32, String);

/// The story of a finding, with the orders between its steps that locks, reads and the claim make unavoidable.
pub fn story_with_orders(
    trace: &Trace,
    prediction: &dyn Prediction,
    engine: &mut Engine<'_>,
) -> (Story, Vec<Order>) {
    let (story, steps) = numbered(trace, prediction);
    let edges = prediction.query(trace).map_or_else(Vec::new, |query| engine.orders(&query));
    let order = |edge: &Edge| {
        let (before, after) = (*steps.get(&edge.before)?, *steps.get(&edge.after)?);
        let thread = |step: u32| story.steps[step as usize].thread;
        let is_told = thread(before) != thread(after);
        is_told.then(|| (before, after, because(trace, edge.cause)))
    };
    let mut orders: Vec<_> = edges.iter().filter_map(order).collect();
    orders.sort_unstable();
    orders.dedup();
    (story, orders)
}

/// The story of a finding.
pub fn story(trace: &Trace, prediction: &dyn Prediction) -> Story {
    numbered(trace, prediction).0
}

/// The same, and the step that each event is.
fn numbered(trace: &Trace, prediction: &dyn Prediction) -> (Story, BTreeMap<EventId, u32>) {
    let (witness, next) = (prediction.witness(), prediction.next());
    let decisive: BTreeSet<EventId> = prediction.decisive(trace).into_iter().collect();
    let (mut builder, mut steps) = (StoryBuilder::new(), BTreeMap::new());
    let mut add = |builder: &mut StoryBuilder, at: usize, event: EventId, is_decisive: bool| {
        // All others read what they read in the trace.
        let reads = if is_decisive { reads(trace, witness, at, event) } else { Reads::Observed };
        builder.event(trace, event, is_decisive, reads);
        steps.extend(builder.n_steps().checked_sub(1).map(|step| (event, step)));
    };
    let mut shown_to = 0;
    for at in shown(trace, witness, &decisive) {
        builder.leave_out((at - shown_to) as u64);
        shown_to = at + 1;
        if let Some(event) = witness.iter_from(at).next() {
            add(&mut builder, at, event, decisive.contains(&event));
        }
    }
    builder.leave_out((witness.len() - shown_to) as u64);
    let n_done = builder.n_steps();
    let blocks = matches!(prediction.goal(), Goal::Block(_));
    for event in next {
        match blocks {
            true => builder.blocks(trace, event),
            false => add(&mut builder, witness.len(), event, true),
        }
    }
    let pending = builder.n_steps() - n_done;
    let mut story = builder.finish(pending);
    story.why = prediction.why(trace);
    (story, steps)
}

/// What an event reads behind the first `at` events of a witness.
fn reads(trace: &Trace, witness: &Sequence, at: usize, event: EventId) -> Reads {
    if !trace.code(event).reads() {
        return Reads::Observed;
    }
    let mut open = trace.writers(event);
    let (mut is_same, mut writes) = (true, BTreeSet::new());
    for earlier in backwards(witness, at) {
        if open.is_empty() {
            break;
        }
        let Some(var) = variable(trace, earlier).filter(|_| trace.code(earlier).writes()) else {
            continue;
        };
        for cell in trace.cells(var) {
            if let Some(found) = open.iter().position(|&(other, _)| other == cell) {
                is_same &= open.swap_remove(found).1 == Some(earlier);
                writes.insert(earlier);
            }
        }
    }
    is_same &= open.iter().all(|(_, writer)| writer.is_none());
    let write = writes.first().filter(|_| writes.len() == 1 && open.is_empty());
    match write.filter(|&&write| variable(trace, write) == variable(trace, event)) {
        _ if is_same => Reads::Observed,
        Some(&write) => Reads::Written(write),
        None => Reads::Unknown,
    }
}

/// What an event accesses, if it does.
fn variable(trace: &Trace, event: EventId) -> Option<VarId> {
    match trace.op(event) {
        Op::Read { var, .. } | Op::Write { var, .. } | Op::ReadModifyWrite { var, .. } => Some(var),
        _ => None,
    }
}

/// The first `n` events of a sequence, the last one first.
fn backwards(sequence: &Sequence, n: usize) -> impl Iterator<Item = EventId> {
    let runs: Vec<_> = sequence.runs().collect();
    let behind = sequence.len() - n;
    runs.into_iter().rev().flat_map(|run| run.rev()).skip(behind).map(EventId)
}

/// The positions in a witness that are shown.
fn shown(trace: &Trace, witness: &Sequence, decisive: &BTreeSet<EventId>) -> BTreeSet<usize> {
    let n = witness.len();
    let mut shown: BTreeSet<usize> = (n.saturating_sub(N_LAST)..n).collect();
    let encloses = |&event: &EventId| {
        let scopes = trace.scopes().iter();
        scopes.filter(move |scope| {
            let is_open = scope.release().is_none_or(|release| release > event);
            scope.thread == trace.thread(event) && scope.acquire < event && is_open
        })
    };
    let held = decisive.iter().flat_map(encloses).map(|scope| scope.acquire);
    shown.extend(held.filter_map(|event| place(witness, event)));
    for at in decisive.iter().filter_map(|&event| place(witness, event)) {
        shown.extend(at.saturating_sub(AROUND)..(at + AROUND).min(n));
    }
    shown
}

/// Where in a sequence an event is.
pub fn place(sequence: &Sequence, event: EventId) -> Option<usize> {
    let mut before = 0;
    for run in sequence.runs() {
        if run.contains(&event.0) {
            return Some(before + (event.0 - run.start) as usize);
        }
        before += run.len();
    }
    None
}
