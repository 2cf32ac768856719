//! Memory: who wrote each cell last, who holds each lock, what each semaphore counts.
//!
//! It begins as it was after the first events of the trace, whichever these are, without looking at
//! them: an entry is computed when it is first touched, by binary search in the indexes of the
//! trace. Entries carry the number of the query they belong to, so that the next query starts with
//! a clean memory at no cost.

use raddle_trace::{CellId, EventId, LockId, LockMode, Op, SemaphoreId, Trace};

use crate::causes::Causes;

/// The state of shared objects.
pub(crate) struct Memory {
    query: u32,
    base: EventId,
    cells: Vec<Entry<Option<EventId>>>,
    locks: Vec<Entry<Holders>>,
    semaphores: Vec<Entry<i64>>,
}

#[derive(Clone, Copy, Default)]
struct Entry<T> {
    query: u32,
    value: T,
}

/// Who holds a lock.
#[derive(Clone, Copy, Default)]
struct Holders {
    exclusive: bool,
    n_shared: u32,
}

impl Memory {
    pub(crate) fn new(trace: &Trace) -> Memory {
        Memory {
            query: 0,
            base: EventId(0),
            cells: vec![Entry::default(); trace.n_cells()],
            locks: vec![Entry::default(); trace.tables.locks.len()],
            semaphores: vec![Entry::default(); trace.tables.semaphores.len()],
        }
    }

    /// Makes it what it was before the event `base` of the trace.
    pub(crate) fn reset(&mut self, base: EventId) {
        self.base = base;
        self.query = match self.query.checked_add(1) {
            Some(next) => next,
            None => {
                self.cells.fill(Entry::default());
                self.locks.fill(Entry::default());
                self.semaphores.fill(Entry::default());
                1
            }
        };
    }

    /// Who wrote a cell last.
    #[inline]
    pub(crate) fn last_write(&mut self, trace: &Trace, cell: CellId) -> Option<EventId> {
        let entry = &mut self.cells[cell.index()];
        if entry.query != self.query {
            *entry = Entry { query: self.query, value: last_write_before(trace, cell, self.base) };
        }
        entry.value
    }

    /// Makes `writer` the last to have written a cell; answers who was before.
    pub(crate) fn write(
        &mut self,
        trace: &Trace,
        cell: CellId,
        writer: Option<EventId>,
    ) -> Option<EventId> {
        let before = self.last_write(trace, cell);
        self.cells[cell.index()].value = writer;
        before
    }

    /// True if a lock is held so that it cannot be taken in this mode.
    pub(crate) fn is_held(&mut self, causes: &Causes, lock: LockId, mode: LockMode) -> bool {
        let holders = *self.holders(causes, lock);
        holders.exclusive || mode == LockMode::Exclusive && holders.n_shared > 0
    }

    /// Takes a lock, or releases it.
    pub(crate) fn hold(&mut self, causes: &Causes, lock: LockId, mode: LockMode, takes: bool) {
        let holders = self.holders(causes, lock);
        match (mode, takes) {
            (LockMode::Exclusive, takes) => holders.exclusive = takes,
            (LockMode::Shared, true) => holders.n_shared += 1,
            (LockMode::Shared, false) => holders.n_shared -= 1,
        }
    }

    fn holders(&mut self, causes: &Causes, lock: LockId) -> &mut Holders {
        let entry = &mut self.locks[lock.index()];
        if entry.query != self.query {
            *entry = Entry { query: self.query, value: holders_before(causes, lock, self.base) };
        }
        &mut entry.value
    }

    /// The count of a semaphore.
    pub(crate) fn count(&mut self, trace: &Trace, semaphore: SemaphoreId) -> &mut i64 {
        let entry = &mut self.semaphores[semaphore.index()];
        if entry.query != self.query {
            *entry = Entry { query: self.query, value: count_before(trace, semaphore, self.base) };
        }
        &mut entry.value
    }
}

/// The last write of a cell before an event of the trace.
fn last_write_before(trace: &Trace, cell: CellId, base: EventId) -> Option<EventId> {
    let accesses = trace.accesses(cell);
    let at = accesses.partition_point(|&e| e < base).checked_sub(1)?;
    let last = accesses[at];
    if trace.code(last).writes() {
        return Some(last);
    }
    if !trace.has_wide_reads() {
        return trace.writer(last);
    }
    trace.writers(last).into_iter().find(|&(c, _)| c == cell).and_then(|(_, writer)| writer)
}

fn holders_before(causes: &Causes, lock: LockId, base: EventId) -> Holders {
    let trace = causes.trace;
    let mut holders = Holders::default();
    for chain in causes.chains.scopes(lock) {
        let begun = chain.items.partition_point(|s| trace.scopes()[s.index()].acquire < base);
        let last = begun.checked_sub(1).map(|at| &trace.scopes()[chain.items[at].index()]);
        let open = last.filter(|scope| scope.release().is_none_or(|release| release >= base));
        match open.map(|scope| scope.mode) {
            Some(LockMode::Exclusive) => holders.exclusive = true,
            Some(LockMode::Shared) => holders.n_shared += 1,
            None => {}
        }
    }
    holders
}

fn count_before(trace: &Trace, semaphore: SemaphoreId, base: EventId) -> i64 {
    let events = trace.semaphore_events(semaphore).iter().take_while(|&&e| e < base);
    let change = |&e: &EventId| if matches!(trace.op(e), Op::Post { .. }) { 1 } else { -1 };
    i64::from(trace.tables.initial(semaphore).unwrap_or(0)) + events.map(change).sum::<i64>()
}
