//! Trace statistics: the leading columns of both tables.
//!
//! A wait is counted as the events that it consists of: `Wait` and `Wake` are wait/notify events,
//! the release and the acquire between them are lock events. The second paper's column of
//! wait/notify *events* shows, for the programs that both papers used, the first paper's numbers of
//! condition *variables*; here both are given.

use raddle_trace::{CellId, EventId, Kind, ObjectClass, Trace};
use rustc_hash::FxHashSet;

/// What the tables say about a trace.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Statistics {
    /// Threads that have at least one event.
    pub n_threads: usize,
    /// Events.
    pub n_events: usize,
    /// Acquires and releases.
    pub n_lock_events: usize,
    /// Locks that are acquired or released.
    pub n_locks: usize,
    /// Waits, wake-ups and notifies.
    pub n_wait_notify_events: usize,
    /// Condition variables with such an event.
    pub n_conditions: usize,
    /// Reads and writes; a read-modify-write is one.
    pub n_read_write_events: usize,
    /// Cells that at least two threads access.
    pub n_shared_variables: usize,
}

/// Counts in one pass over the events and one over the cells.
pub fn statistics(trace: &Trace) -> Statistics {
    let mut found = Statistics { n_events: trace.len(), ..Statistics::default() };
    let (mut locks, mut conditions) = (FxHashSet::default(), FxHashSet::default());
    let mut threads = FxHashSet::default();
    for event in trace.iter() {
        let (code, object) = event.op.encode();
        threads.insert(event.thread);
        match code.kind() {
            Kind::Acquire | Kind::Release => {
                found.n_lock_events += 1;
                locks.insert(object);
            }
            kind if kind.class() == ObjectClass::Condition => {
                found.n_wait_notify_events += 1;
                conditions.insert(object);
            }
            _ => found.n_read_write_events += usize::from(code.is_access()),
        }
    }
    let is_shared = |&cell: &u32| is_shared(trace, trace.accesses(CellId(cell)));
    found.n_threads = threads.len();
    found.n_locks = locks.len();
    found.n_conditions = conditions.len();
    found.n_shared_variables = (0..trace.n_cells() as u32).filter(is_shared).count();
    found
}

fn is_shared(trace: &Trace, accesses: &[EventId]) -> bool {
    accesses.windows(2).any(|pair| trace.thread(pair[0]) != trace.thread(pair[1]))
}
