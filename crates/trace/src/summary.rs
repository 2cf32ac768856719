//! Summary: what a trace consists of, in numbers.

use crate::id::{EventId, ThreadId};
use crate::op::Kind;
use crate::trace::Trace;

/// The numbers that describe a trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Summary {
    /// Events.
    pub n_events: usize,
    /// Threads, those included that never act.
    pub n_threads: usize,
    /// Threads that no fork of the trace created.
    pub n_roots: usize,
    /// Locks.
    pub n_locks: usize,
    /// Variables.
    pub n_variables: usize,
    /// Variables that more than one thread accesses, at least one of them writing.
    pub n_shared: usize,
    /// Source locations.
    pub n_locations: usize,
    /// Critical sections.
    pub n_scopes: usize,
    /// The most locks that one thread holds at once.
    pub max_nesting: usize,
    /// Waits, and how many of them a notify ended.
    pub n_waits: usize,
    /// Waits that a notify ended.
    pub n_notified: usize,
    /// Transactions.
    pub n_transactions: usize,
    /// How often the trace goes from one thread to another.
    pub n_switches: usize,
    /// Events by kind, in the order of [`Kind::ALL`].
    pub by_kind: Vec<(Kind, usize)>,
    /// Bytes of memory for the events and their indexes.
    pub memory: usize,
}

impl Summary {
    /// Counts.
    pub fn new(trace: &Trace) -> Summary {
        let tables = &trace.tables;
        let mut counts = [0; Kind::ALL.len()];
        trace.codes.iter().for_each(|code| counts[code.kind() as usize] += 1);
        let by_kind = Kind::ALL.into_iter().zip(counts).filter(|&(_, n)| n > 0).collect();
        Summary {
            n_events: trace.len(),
            n_threads: tables.threads.len(),
            n_roots: threads(trace).filter(|&t| trace.fork_of(t).is_none()).count(),
            n_locks: tables.locks.len(),
            n_variables: tables.variables.len(),
            n_shared: n_shared(trace),
            n_locations: tables.locations.len(),
            n_scopes: trace.scopes().len(),
            max_nesting: max_nesting(trace),
            n_waits: trace.waits().len(),
            n_notified: trace.waits().iter().filter(|wait| wait.notify.is_some()).count(),
            n_transactions: trace.transactions().len(),
            n_switches: trace.threads.windows(2).filter(|pair| pair[0] != pair[1]).count(),
            by_kind,
            memory: trace.memory(),
        }
    }
}

fn threads(trace: &Trace) -> impl Iterator<Item = ThreadId> {
    (0..trace.n_threads() as u32).map(ThreadId)
}

fn n_shared(trace: &Trace) -> usize {
    let shared = |cell: u32| {
        let accesses = trace.accesses(crate::id::CellId(cell));
        let written = accesses.iter().any(|&e| trace.code(e).writes());
        written && accesses.windows(2).any(|pair| trace.thread(pair[0]) != trace.thread(pair[1]))
    };
    (0..trace.n_cells() as u32).filter(|&cell| shared(cell)).count()
}

fn max_nesting(trace: &Trace) -> usize {
    let mut held = vec![0; trace.n_threads()];
    let mut max = 0;
    for e in (0..trace.len() as u32).map(EventId) {
        match trace.code(e).kind() {
            Kind::Acquire => {
                let n = &mut held[trace.thread(e).index()];
                *n += 1;
                max = max.max(*n);
            }
            Kind::Release => held[trace.thread(e).index()] -= 1,
            _ => {}
        }
    }
    max
}
