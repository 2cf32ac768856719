//! The trace: events that were checked, with their indexes.

use std::ops::Deref;

use crate::cells::CellsOf;
use crate::check::{self, Mode, Repair, Violation};
use crate::events::Events;
use crate::id::{CellId, CondId, EventId, LockId, NONE, ScopeId, SemaphoreId, ThreadId, VarId};
use crate::index::{Generation, Index, Scope, Transaction, Wait};
use crate::op::{Kind, Op};

/// A well-formed trace with its indexes.
///
/// Dereferences to its [`Events`] for everything that needs no index.
#[derive(Clone, Debug)]
pub struct Trace {
    events: Events,
    index: Index,
    repairs: Vec<Repair>,
}

impl Trace {
    /// Checks the events, repairs them if `mode` says so, and builds the indexes.
    pub fn new(events: Events, mode: Mode) -> Result<Trace, Violation> {
        let (mut events, repairs) = check::check(events, mode)?;
        events.shrink();
        let index = Index::new(&events);
        Ok(Trace { events, index, repairs })
    }

    /// What was repaired to make the trace well-formed.
    pub fn repairs(&self) -> &[Repair] {
        &self.repairs
    }

    /// The events without the indexes.
    pub fn into_events(self) -> Events {
        self.events
    }

    /// How many threads there are.
    pub fn n_threads(&self) -> usize {
        self.events.tables.threads.len()
    }

    /// The events of a thread, ascending.
    #[inline]
    pub fn thread_events(&self, thread: ThreadId) -> &[EventId] {
        self.index.by_thread.row(thread.index())
    }

    /// How many events of the same thread come before this one.
    #[inline]
    pub fn position(&self, event: EventId) -> u32 {
        self.index.positions[event.index()]
    }

    /// How many cells the variables of the trace cover.
    pub fn n_cells(&self) -> usize {
        self.index.cells.len()
    }

    /// The cells that a variable covers.
    #[inline]
    pub fn cells(&self, var: VarId) -> CellsOf<'_> {
        self.index.cells.of(var)
    }

    /// The accesses that touch a cell, ascending.
    #[inline]
    pub fn accesses(&self, cell: CellId) -> &[EventId] {
        self.index.by_cell.row(cell.index())
    }

    /// The write that a read of one cell read from, or the first cell of several;
    /// `None` for the initial value.
    #[inline]
    pub fn writer(&self, read: EventId) -> Option<EventId> {
        debug_assert!(self.events.code(read).reads());
        match self.index.links[read.index()] {
            NONE => None,
            writer => Some(EventId(writer)),
        }
    }

    /// True if some read reads several cells, so that [`Trace::writer`] is not all there is to say.
    #[inline]
    pub fn has_wide_reads(&self) -> bool {
        !self.index.wide_reads.is_empty()
    }

    /// Each cell of a read with the write it was read from.
    pub fn writers(&self, read: EventId) -> Vec<(CellId, Option<EventId>)> {
        let wide = &self.index.wide_reads;
        if let Ok(at) = wide.binary_search_by_key(&read, |(e, _)| *e) {
            return wide[at].1.clone();
        }
        match self.events.op(read) {
            Op::Read { var, .. } | Op::ReadModifyWrite { var, .. } => {
                self.cells(var).map(|cell| (cell, self.writer(read))).collect()
            }
            _ => Vec::new(),
        }
    }

    /// Every lock scope, ascending by acquire.
    pub fn scopes(&self) -> &[Scope] {
        &self.index.scopes
    }

    /// The scope that an acquire opens or a release closes.
    #[inline]
    pub fn scope_of(&self, event: EventId) -> Option<ScopeId> {
        let lock_operation =
            matches!(self.events.code(event).kind(), Kind::Acquire | Kind::Release);
        lock_operation.then(|| ScopeId(self.index.links[event.index()]))
    }

    /// The scopes of a lock, ascending by acquire.
    pub fn lock_scopes(&self, lock: LockId) -> &[ScopeId] {
        self.index.by_lock.row(lock.index())
    }

    /// The scopes of a lock that are open right before an event, ascending by acquire; also
    /// before the event that would come next.
    pub fn open_scopes(&self, lock: LockId, before: EventId) -> Vec<ScopeId> {
        self.index.readers.open(self.lock_scopes(lock), self.scopes(), before)
    }

    /// The posts and takes of a semaphore, ascending.
    pub fn semaphore_events(&self, semaphore: SemaphoreId) -> &[EventId] {
        self.index.by_semaphore.row(semaphore.index())
    }

    /// The waits, wake-ups and notifies of a condition variable, ascending.
    pub fn condition_events(&self, cond: CondId) -> &[EventId] {
        self.index.by_condition.row(cond.index())
    }

    /// Every wait on a condition variable, ascending.
    pub fn waits(&self) -> &[Wait] {
        &self.index.waits
    }

    /// Every transaction, ascending by begin.
    pub fn transactions(&self) -> &[Transaction] {
        &self.index.transactions
    }

    /// Every generation of every barrier, in the order of first arrival.
    pub fn generations(&self) -> &[Generation] {
        &self.index.generations
    }

    /// The partner of a wait, wake, transaction or barrier event: an index into
    /// [`Trace::waits`], [`Trace::transactions`] or [`Trace::generations`].
    pub fn partner(&self, event: EventId) -> Option<usize> {
        let has_partner = matches!(
            self.events.code(event).kind(),
            Kind::Wait | Kind::Wake | Kind::TxBegin | Kind::TxEnd | Kind::Arrive | Kind::Leave
        );
        has_partner.then(|| self.index.links[event.index()] as usize)
    }

    /// The event that created a thread.
    #[inline]
    pub fn fork_of(&self, thread: ThreadId) -> Option<EventId> {
        self.index.forks[thread.index()]
    }

    /// The event that waited for the end of a thread.
    #[inline]
    pub fn join_of(&self, thread: ThreadId) -> Option<EventId> {
        self.index.joins[thread.index()]
    }

    /// Bytes of memory in use, indexes included, tables of names aside.
    pub fn memory(&self) -> usize {
        self.events.memory() + self.index.memory()
    }
}

impl Deref for Trace {
    type Target = Events;

    fn deref(&self) -> &Events {
        &self.events
    }
}
