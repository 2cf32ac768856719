//! Edges: what must happen directly before an event in every reordering that has the event.
//!
//! Program order aside, by the rules of `docs/src/semantics.md`:
//!
//! - E1 (S1): a fork before the first event of its child.
//! - E2 (S2): the last event of a thread, or its fork if it has none, before its join.
//! - E3 (S5): a notify before the wake-up that it caused. That the wait comes before the notify
//!   holds only in reorderings that have the wake-up, and so is no edge.
//! - E4 (S9): the arrivals of a generation before each leave of it.
//! - E5 (S10): the arrivals of a generation before those of the barrier's next.
//! - E6 (V): the write before a read that reads it, if reads keep their writers.
//!
//! Locks, failed tries and semaphores order events only in one of several ways; they are no edges.

use raddle_trace::{EventId, Kind, Trace};

/// Which edges count.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Relations {
    /// Reads keep their writers (E6).
    pub reads_from: bool,
}

impl Relations {
    /// Synchronisation alone: what must happen before what whatever is read.
    pub const SYNCHRONISATION: Relations = Relations { reads_from: false };
    /// Synchronisation and reads-from.
    pub const ALL: Relations = Relations { reads_from: true };
}

/// Calls `found` for each event of another thread that must happen directly before `event`.
pub fn for_each_source(
    trace: &Trace,
    relations: Relations,
    event: EventId,
    mut found: impl FnMut(EventId),
) {
    if trace.position(event) == 0 {
        trace.fork_of(trace.thread(event)).into_iter().for_each(&mut found);
    }
    match trace.code(event).kind() {
        Kind::Read | Kind::ReadModifyWrite if relations.reads_from => {
            reads_from(trace, event, found);
        }
        Kind::Join => {
            if let raddle_trace::Op::Join { child } = trace.op(event) {
                let last = trace.thread_events(child).last().copied();
                last.or_else(|| trace.fork_of(child)).into_iter().for_each(found);
            }
        }
        Kind::Wake => {
            let wait = trace.partner(event).map(|wait| trace.waits()[wait]);
            wait.and_then(|wait| wait.notify).into_iter().for_each(found);
        }
        Kind::Leave => {
            let generation = trace.partner(event).map(|g| &trace.generations()[g]);
            let arrivals = generation.into_iter().flat_map(|g| g.arrivals.iter().copied());
            arrivals.for_each(found);
        }
        Kind::Arrive => earlier_arrivals(trace, event, found),
        _ => {}
    }
}

fn reads_from(trace: &Trace, read: EventId, mut found: impl FnMut(EventId)) {
    if trace.has_wide_reads() {
        trace.writers(read).into_iter().filter_map(|(_, writer)| writer).for_each(found);
    } else if let Some(writer) = trace.writer(read) {
        found(writer);
    }
}

/// The arrivals of the barrier's generation before that of `arrive`.
fn earlier_arrivals(trace: &Trace, arrive: EventId, found: impl FnMut(EventId)) {
    let Some(own) = trace.partner(arrive) else { return };
    let barrier = trace.generations()[own].barrier;
    let earlier = trace.generations()[..own].iter().rev().find(|g| g.barrier == barrier);
    earlier.into_iter().flat_map(|g| g.arrivals.iter().copied()).for_each(found);
}
