//! Witnesses in positions of the input.

use raddle_finding::{Reordering, Witness};
use raddle_trace::{EventId, Sequence, Trace};

/// A witness in positions of the input. Events that reading or repairing added have none and are left
/// out. Where nothing was moved, a run of events is a span of positions, however long.
pub(super) fn witness(trace: &Trace, sequence: &Sequence) -> Witness {
    if trace.source.is_identity() {
        let span = |run: std::ops::Range<u32>| u64::from(run.start)..u64::from(run.end);
        return Reordering::from_spans(sequence.runs().map(span)).into();
    }
    let own = sequence.iter().filter(|&e| !shares_position(trace, e));
    let positions = own.filter_map(|e| trace.source.position(e));
    Reordering::new(positions.map(u64::from)).into()
}

/// True for a wake-up that a reader has made of the acquire before it: both have one position, which
/// stands for the acquire.
fn shares_position(trace: &Trace, event: EventId) -> bool {
    let at = trace.position(event) as usize;
    let before = at.checked_sub(1).map(|at| trace.thread_events(trace.thread(event))[at]);
    let position = trace.source.position(event);
    position.is_some() && before.is_some_and(|before| trace.source.position(before) == position)
}
