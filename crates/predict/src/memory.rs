//! Memory: who wrote each cell last, who holds each lock, what each semaphore counts.
//!
//! It begins as it was after the first events of the trace, whichever these are, without looking at
//! them. Entries carry the number of the query they belong to, so that the next query starts with a
//! clean memory at no cost. Of a cell that has no entry nothing needs to be known: it holds what it
//! held at the base, and a read behind the base sees its writer if that stands before the base. Cells
//! that only one thread touches are not kept at all.

use raddle_causality::Held;
use raddle_trace::{CellId, EventId, LockId, LockMode, Op, SemaphoreId, ThreadId, Trace};

/// The state of shared objects.
pub(crate) struct Memory {
    query: u32,
    base: EventId,
    cells: Vec<Entry<EventId>>,
    locks: Vec<Entry<Holders>>,
    semaphores: Vec<Entry<i64>>,
}

#[derive(Clone, Copy)]
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
            cells: vec![Entry { query: 0, value: EventId(0) }; trace.n_cells()],
            locks: vec![Entry { query: 0, value: Holders::default() }; trace.tables.locks.len()],
            semaphores: vec![Entry { query: 0, value: 0 }; trace.tables.semaphores.len()],
        }
    }

    /// Makes it what it was before the event `base` of the trace, when threads had got so far.
    pub(crate) fn reset(&mut self, trace: &Trace, held: &Held, base: EventId, positions: &[u32]) {
        self.base = base;
        self.query = self.query.checked_add(1).unwrap_or_else(|| {
            self.cells.iter_mut().for_each(|entry| entry.query = 0);
            self.locks.iter_mut().for_each(|entry| entry.query = 0);
            self.semaphores.iter_mut().for_each(|entry| entry.query = 0);
            1
        });
        for (thread, &n) in positions.iter().enumerate() {
            for scope in held.inside(trace, ThreadId(thread as u32), n) {
                let scope = &trace.scopes()[scope.index()];
                self.hold(scope.lock, scope.mode, true);
            }
        }
    }

    /// Who wrote a cell last since the base; `None` if no event did.
    #[inline]
    pub(crate) fn written(&self, cell: CellId) -> Option<EventId> {
        let entry = &self.cells[cell.index()];
        (entry.query == self.query).then_some(entry.value)
    }

    /// True if a cell holds what a read behind the base saw in the trace.
    #[inline]
    pub(crate) fn holds(&self, cell: CellId, writer: Option<EventId>) -> bool {
        match self.written(cell) {
            Some(last) => writer == Some(last),
            None => writer.is_none_or(|writer| writer < self.base),
        }
    }

    /// Makes `writer` the last to have written a cell since the base; answers who was before.
    pub(crate) fn write(&mut self, cell: CellId, writer: Option<EventId>) -> Option<EventId> {
        let before = self.written(cell);
        self.cells[cell.index()] = match writer {
            Some(value) => Entry { query: self.query, value },
            None => Entry { query: 0, value: EventId(0) },
        };
        before
    }

    /// True if a lock is held so that it cannot be taken in this mode.
    pub(crate) fn is_held(&mut self, lock: LockId, mode: LockMode) -> bool {
        let holders = *self.holders(lock);
        holders.exclusive || mode == LockMode::Exclusive && holders.n_shared > 0
    }

    /// Takes a lock, or releases it.
    pub(crate) fn hold(&mut self, lock: LockId, mode: LockMode, takes: bool) {
        let holders = self.holders(lock);
        match (mode, takes) {
            (LockMode::Exclusive, takes) => holders.exclusive = takes,
            (LockMode::Shared, true) => holders.n_shared += 1,
            (LockMode::Shared, false) => holders.n_shared -= 1,
        }
    }

    fn holders(&mut self, lock: LockId) -> &mut Holders {
        let entry = &mut self.locks[lock.index()];
        if entry.query != self.query {
            *entry = Entry { query: self.query, value: Holders::default() };
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

fn count_before(trace: &Trace, semaphore: SemaphoreId, base: EventId) -> i64 {
    let events = trace.semaphore_events(semaphore).iter().take_while(|&&e| e < base);
    let change = |&e: &EventId| if matches!(trace.op(e), Op::Post { .. }) { 1 } else { -1 };
    i64::from(trace.tables.initial(semaphore).unwrap_or(0)) + events.map(change).sum::<i64>()
}
