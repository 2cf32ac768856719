//! What is known about the causality of a trace; made once, used by every query.

use raddle_causality::{Held, Order, Relations};
use raddle_trace::{EventId, Kind, Trace};
use rustc_hash::FxHashMap;

/// A trace with its order and its lock scopes.
pub struct Causes<'a> {
    pub(crate) trace: &'a Trace,
    pub(crate) order: Order,
    pub(crate) held: Held,
    pub(crate) has_failed_tries: bool,
    /// Per notify, the waits that it ended.
    ended: FxHashMap<EventId, Vec<usize>>,
}

impl<'a> Causes<'a> {
    /// Clocks have an entry a thread, and there is one for each thread: traces with more threads
    /// would take memory with the square of their number.
    pub const MAX_THREADS: usize = 4096;

    /// Computes what every query asks, for at most [`Causes::MAX_THREADS`] threads.
    pub fn new(trace: &'a Trace) -> Causes<'a> {
        let mut ended: FxHashMap<EventId, Vec<usize>> = FxHashMap::default();
        for (wait, notify) in trace.waits().iter().map(|wait| wait.notify).enumerate() {
            notify.into_iter().for_each(|notify| ended.entry(notify).or_default().push(wait));
        }
        let mut events = (0..trace.len() as u32).map(EventId);
        Causes {
            trace,
            order: Order::new(trace, Relations::ALL),
            held: Held::new(trace),
            has_failed_tries: events.any(|e| trace.code(e).kind() == Kind::TryFail),
            ended,
        }
    }

    /// The waits that a notify ended, as indexes into the waits of the trace.
    pub(crate) fn ended_by(&self, notify: EventId) -> &[usize] {
        self.ended.get(&notify).map_or(&[], Vec::as_slice)
    }
}
