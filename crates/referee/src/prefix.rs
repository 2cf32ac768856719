//! Prefix: the state after the first events of the trace, in the observed order.
//!
//! In: how many events. Out: what has happened, who holds a lock, who wrote a cell last and so on,
//! each when it is asked for, from the indexes of the trace.
//!
//! A trace is well-formed, and the rules P, S1 to S10 and V hold for the observed order of every
//! well-formed trace; a property test replays such orders step by step. A witness that begins with
//! them is in order up to their end, so the replay begins behind them. That is what makes witnesses
//! in the middle of a long trace cheap to judge.

use raddle_trace::{CellId, EventId, LockId, LockMode, Op, SemaphoreId, ThreadId, Trace};

/// The first events of a trace.
#[derive(Clone, Copy)]
pub(crate) struct Prefix<'a> {
    trace: &'a Trace,
    /// The first event that is not one of them.
    end: EventId,
}

impl<'a> Prefix<'a> {
    /// The first `n_events` of a trace, or all.
    pub(crate) fn new(trace: &'a Trace, n_events: u32) -> Self {
        let end = usize::min(n_events as usize, trace.len());
        Prefix { trace, end: EventId(end as u32) }
    }

    /// How many events they are.
    pub(crate) fn len(&self) -> usize {
        self.end.index()
    }

    /// Whether an event is one of them. If so, its place is its number.
    pub(crate) fn has(&self, event: EventId) -> bool {
        event < self.end
    }

    /// How many of these ascending events are among them.
    pub(crate) fn n_of(&self, events: &[EventId]) -> usize {
        events.partition_point(|&event| self.has(event))
    }

    /// How many events of a thread are among them.
    pub(crate) fn n_happened(&self, thread: ThreadId) -> usize {
        self.n_of(self.trace.thread_events(thread))
    }

    /// Who holds a lock after them and how, in the order of taking it.
    pub(crate) fn holders(&self, lock: LockId) -> Vec<(ThreadId, LockMode)> {
        let scopes = self.trace.open_scopes(lock, self.end).into_iter();
        let scopes = scopes.map(|scope| self.trace.scopes()[scope.index()]);
        scopes.map(|scope| (scope.thread, scope.mode)).collect()
    }

    /// The posts less the takes of a semaphore among them.
    pub(crate) fn balance(&self, semaphore: SemaphoreId) -> i64 {
        let events = self.trace.semaphore_events(semaphore);
        let change = |&event: &EventId| match self.trace.op(event) {
            Op::Post { .. } => 1,
            Op::Take { .. } => -1,
            _ => 0,
        };
        events[..self.n_of(events)].iter().map(change).sum()
    }

    /// How many arrivals of a generation are among them.
    pub(crate) fn n_arrived(&self, generation: usize) -> usize {
        self.n_of(&self.trace.generations()[generation].arrivals)
    }

    /// Whether the write that a later read saw is still the last of its cell after them. No other
    /// write stands between the two, so it is if it is one of them; and so is the initial value.
    pub(crate) fn ends_with(&self, seen: Option<EventId>) -> bool {
        seen.is_none_or(|write| self.has(write))
    }

    /// The last write of a cell among them: the last access, or what that read.
    pub(crate) fn last_write(&self, cell: CellId) -> Option<EventId> {
        let accesses = self.trace.accesses(cell);
        let &last = accesses[..self.n_of(accesses)].last()?;
        if self.trace.code(last).writes() {
            return Some(last);
        }
        let writers = self.trace.writers(last).into_iter();
        writers.filter(|&(other, _)| other == cell).find_map(|(_, write)| write)
    }
}
