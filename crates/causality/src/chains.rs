//! Chains: what each thread does to a lock or a cell, in its order.
//!
//! In: a trace. Out: per lock the scopes of each thread, per cell the accesses of each thread, and the
//! writes among them. Within a thread these are totally ordered, so that a rule about all of them is a rule about the last one
//! before, or the first one behind, a certain point. Cells that only one thread touches have no
//! chains; no rule asks about them.

use raddle_trace::{CellId, EventId, LockId, ScopeId, ThreadId, Trace};

/// Scopes by lock and thread, writes by cell and thread.
#[derive(Clone, Debug)]
pub struct Chains {
    scopes: Grouped<ScopeId>,
    accesses: Grouped<EventId>,
    writes: Grouped<EventId>,
}

impl Chains {
    /// Collects the chains of a trace.
    pub fn new(trace: &Trace) -> Chains {
        let mut scopes = Grouped::default();
        for lock in (0..trace.tables.locks.len() as u32).map(LockId) {
            let thread = |s: ScopeId| trace.scopes()[s.index()].thread;
            scopes.push(trace.lock_scopes(lock).iter().map(|&s| (thread(s), s)));
        }
        let (mut of_cells, mut writes) = (Grouped::default(), Grouped::default());
        for cell in (0..trace.n_cells() as u32).map(CellId) {
            let accesses = trace.accesses(cell);
            let first = accesses.first().map(|&e| trace.thread(e));
            let shared = accesses.iter().any(|&e| Some(trace.thread(e)) != first);
            let of_cell = accesses.iter().filter(|_| shared).map(|&e| (trace.thread(e), e));
            of_cells.push(of_cell.clone());
            writes.push(of_cell.filter(|&(_, e)| trace.code(e).writes()));
        }
        Chains { scopes, accesses: of_cells, writes }
    }

    /// The scopes of a lock, thread by thread.
    pub fn scopes(&self, lock: LockId) -> impl Iterator<Item = (ThreadId, &[ScopeId])> {
        self.scopes.rows(lock.index())
    }

    /// The accesses of a cell, thread by thread; none if only one thread touches the cell.
    pub fn accesses(&self, cell: CellId) -> impl Iterator<Item = (ThreadId, &[EventId])> {
        self.accesses.rows(cell.index())
    }

    /// The writes of a cell, thread by thread; none if only one thread touches the cell.
    pub fn writes(&self, cell: CellId) -> impl Iterator<Item = (ThreadId, &[EventId])> {
        self.writes.rows(cell.index())
    }
}

/// Items grouped by owner, and by thread within.
#[derive(Clone, Debug)]
struct Grouped<T> {
    /// Per owner, where its groups end.
    ends: Vec<u32>,
    /// Per group, its thread and where its items end.
    groups: Vec<(ThreadId, u32)>,
    items: Vec<T>,
}

impl<T> Default for Grouped<T> {
    fn default() -> Grouped<T> {
        Grouped { ends: Vec::new(), groups: Vec::new(), items: Vec::new() }
    }
}

impl<T: Copy> Grouped<T> {
    /// Adds the next owner.
    fn push(&mut self, items: impl Iterator<Item = (ThreadId, T)>) {
        let mut items: Vec<(ThreadId, T)> = items.collect();
        items.sort_by_key(|&(thread, _)| thread);
        for group in items.chunk_by(|a, b| a.0 == b.0) {
            self.items.extend(group.iter().map(|&(_, item)| item));
            self.groups.push((group[0].0, self.items.len() as u32));
        }
        self.ends.push(self.groups.len() as u32);
    }

    fn rows(&self, owner: usize) -> impl Iterator<Item = (ThreadId, &[T])> {
        let start = owner.checked_sub(1).map_or(0, |before| self.ends[before]) as usize;
        let groups = start..self.ends[owner] as usize;
        groups.map(move |group| {
            let from = group.checked_sub(1).map_or(0, |before| self.groups[before].1) as usize;
            let (thread, to) = self.groups[group];
            (thread, &self.items[from..to as usize])
        })
    }
}
