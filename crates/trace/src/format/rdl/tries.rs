//! Tries in old files, which do not say of an acquire that it was only tried.
//!
//! In: events of a file without the flag for marked tries. Out: the same events, with marks. Who wrote
//! such files wrote a request before every acquire that waits, or no request at all; so where there are
//! requests, an acquire was tried if its thread neither asked right before it nor wakes up right after it.

use crate::events::Events;
use crate::id::EventId;
use crate::op::{Kind, Op};

pub(super) fn mark(events: &mut Events) {
    if !events.codes.iter().any(|code| code.kind() == Kind::Request) {
        return;
    }
    // Per thread, its last event.
    let mut last: Vec<Option<EventId>> = vec![None; events.tables.threads.len()];
    let mut tried = vec![false; events.len()];
    for e in (0..events.len() as u32).map(EventId) {
        // Whether ids make sense is looked at later.
        let Some(last) = last.get_mut(events.thread(e).index()) else { continue };
        let kind = |e: EventId| events.code(e).kind();
        let before = last.replace(e);
        match (before.map(kind), kind(e)) {
            (Some(Kind::Request), Kind::Acquire) => {}
            (_, Kind::Acquire) => tried[e.index()] = true,
            (Some(Kind::Acquire), Kind::Wake) => {
                before.into_iter().for_each(|acquire| tried[acquire.index()] = false);
            }
            _ => {}
        }
    }
    for e in (0..events.len() as u32).map(EventId).filter(|e| tried[e.index()]) {
        if let Op::Acquire { lock, mode, .. } = events.op(e) {
            (events.codes[e.index()], _) = Op::Acquire { lock, mode, tried: true }.encode();
        }
    }
}
