//! The story of a predicted finding: its witness, as far as it matters.
//!
//! In: a finding of a trace. Out: the end of its witness, what is around the events of the claim, the
//! locks that are held there, and the events that are about to happen.

use std::collections::BTreeSet;

use raddle_finding::Story;
use raddle_report::tell::Teller;
use raddle_trace::{EventId, Sequence, Trace};

use super::item::Item;

/// How many events at the end of a witness are told.
const TOLD: usize = 400;

/// How many events around each event of the claim are told.
const AROUND: usize = 20;

/// Tells a finding.
pub fn story(trace: &Trace, item: Item<'_>) -> Story {
    let (witness, next) = (item.witness(), item.next());
    let decisive: BTreeSet<EventId> = item.decisive(trace).into_iter().collect();
    let mut teller = Teller::new();
    let mut told = 0;
    for at in shown(trace, witness, &decisive) {
        teller.leave_out((at - told) as u64);
        told = at + 1;
        if let Some(event) = witness.iter_from(at).next() {
            teller.event(trace, event, decisive.contains(&event));
        }
    }
    teller.leave_out((witness.len() - told) as u64);
    next.iter().for_each(|&event| teller.event(trace, event, true));
    teller.finish(next.len() as u32)
}

/// The positions in a witness that are told.
fn shown(trace: &Trace, witness: &Sequence, decisive: &BTreeSet<EventId>) -> BTreeSet<usize> {
    let n = witness.len();
    let mut shown: BTreeSet<usize> = (n.saturating_sub(TOLD)..n).collect();
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
