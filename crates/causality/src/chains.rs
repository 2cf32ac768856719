//! Chains: what each thread does to a lock or a cell, in its order.
//!
//! In: a trace. Out: per lock the scopes of each thread, per cell the accesses of each thread, and the
//! writes among them. Within a thread these are totally ordered, so that a rule about all of them is a rule about the last one
//! before, or the first one behind, a certain point. Cells that only one thread touches have no
//! chains; no rule asks about them.

use raddle_trace::{CellId, EventId, LockId, LockMode, Scope, ScopeId, ThreadId, Trace};

/// Scopes by lock and thread, accesses by cell and thread.
#[derive(Clone, Debug)]
pub struct Chains {
    scopes: Grouped<ScopeId>,
    accesses: Grouped<EventId>,
    writes: Grouped<EventId>,
}

/// What one thread does to a lock or a cell, in its order.
#[derive(Clone, Copy, Debug)]
pub struct Chain<'a, T> {
    /// The thread.
    pub thread: ThreadId,
    /// Where in the thread: the positions of accesses, or of acquires.
    positions: &'a [u32],
    /// What.
    pub items: &'a [T],
}

impl Chains {
    /// Collects the chains of a trace.
    pub fn new(trace: &Trace) -> Chains {
        let mut scopes = Grouped::default();
        for lock in (0..trace.tables.locks.len() as u32).map(LockId) {
            let acquire = |s: ScopeId| trace.scopes()[s.index()].acquire;
            scopes.push(trace, trace.lock_scopes(lock).iter().map(|&s| (acquire(s), s)));
        }
        let (mut of_cells, mut writes) = (Grouped::default(), Grouped::default());
        for cell in (0..trace.n_cells() as u32).map(CellId) {
            let accesses = trace.accesses(cell);
            let first = accesses.first().map(|&e| trace.thread(e));
            let shared = accesses.iter().any(|&e| Some(trace.thread(e)) != first);
            let of_cell = accesses.iter().filter(|_| shared).map(|&e| (e, e));
            of_cells.push(trace, of_cell.clone());
            writes.push(trace, of_cell.filter(|&(_, e)| trace.code(e).writes()));
        }
        Chains { scopes, accesses: of_cells, writes }
    }

    /// True if several threads touch a cell.
    #[inline]
    pub fn is_shared(&self, cell: CellId) -> bool {
        self.accesses.has_rows(cell.index())
    }

    /// The scopes of a lock, thread by thread.
    pub fn scopes(&self, lock: LockId) -> impl Iterator<Item = Chain<'_, ScopeId>> {
        self.scopes.rows(lock.index())
    }

    /// The accesses of a cell, thread by thread; none if only one thread touches the cell.
    pub fn accesses(&self, cell: CellId) -> impl Iterator<Item = Chain<'_, EventId>> {
        self.accesses.rows(cell.index())
    }

    /// The writes of a cell, thread by thread; none if only one thread touches the cell.
    pub fn writes(&self, cell: CellId) -> impl Iterator<Item = Chain<'_, EventId>> {
        self.writes.rows(cell.index())
    }
}

impl<'a, T: Copy> Chain<'a, T> {
    /// What is among the first `n` events of the thread; of scopes, what begins there.
    #[inline]
    pub fn before(&self, n: u32) -> &'a [T] {
        &self.items[..self.positions.partition_point(|&p| p < n)]
    }

    /// The last of [`Chain::before`].
    #[inline]
    pub fn last_before(&self, n: u32) -> Option<T> {
        self.before(n).last().copied()
    }

    /// The rest.
    #[inline]
    pub fn from(&self, n: u32) -> &'a [T] {
        &self.items[self.positions.partition_point(|&p| p < n)..]
    }
}

impl Chain<'_, ScopeId> {
    /// The last scope that begins among the first `n` events of the thread and excludes another.
    pub fn last_excluding<'t>(&self, trace: &'t Trace, n: u32, other: &Scope) -> Option<&'t Scope> {
        if self.thread == other.thread {
            return None;
        }
        let begun = self.before(n).iter().rev().map(|s| &trace.scopes()[s.index()]);
        begun.into_iter().find(|scope| excludes(scope, other))
    }
}

/// True for scopes of different threads that cannot both be open.
#[inline]
pub fn excludes(a: &Scope, b: &Scope) -> bool {
    a.thread != b.thread && (a.mode == LockMode::Exclusive || b.mode == LockMode::Exclusive)
}

/// Items grouped by owner, and by thread within.
#[derive(Clone, Debug)]
struct Grouped<T> {
    /// Per owner, where its groups end.
    ends: Vec<u32>,
    /// Per group, its thread and where its items end.
    groups: Vec<(ThreadId, u32)>,
    positions: Vec<u32>,
    items: Vec<T>,
}

impl<T> Default for Grouped<T> {
    fn default() -> Grouped<T> {
        Grouped { ends: vec![], groups: vec![], positions: vec![], items: vec![] }
    }
}

impl<T: Copy> Grouped<T> {
    /// Adds the next owner: items, each with its event, in the observed order.
    fn push(&mut self, trace: &Trace, items: impl Iterator<Item = (EventId, T)>) {
        let mut items: Vec<(EventId, T)> = items.collect();
        items.sort_by_key(|&(event, _)| trace.thread(event));
        for group in items.chunk_by(|a, b| trace.thread(a.0) == trace.thread(b.0)) {
            self.items.extend(group.iter().map(|&(_, item)| item));
            self.positions.extend(group.iter().map(|&(event, _)| trace.position(event)));
            self.groups.push((trace.thread(group[0].0), self.items.len() as u32));
        }
        self.ends.push(self.groups.len() as u32);
    }

    #[inline]
    fn has_rows(&self, owner: usize) -> bool {
        owner.checked_sub(1).map_or(0, |before| self.ends[before]) < self.ends[owner]
    }

    fn rows(&self, owner: usize) -> impl Iterator<Item = Chain<'_, T>> {
        let start = owner.checked_sub(1).map_or(0, |before| self.ends[before]) as usize;
        let groups = start..self.ends[owner] as usize;
        groups.map(move |group| {
            let from = group.checked_sub(1).map_or(0, |before| self.groups[before].1) as usize;
            let (thread, to) = self.groups[group];
            let range = from..to as usize;
            Chain { thread, positions: &self.positions[range.clone()], items: &self.items[range] }
        })
    }
}
