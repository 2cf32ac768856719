//! Indexes: what every analysis asks of a trace, computed once.
//!
//! In: well-formed events. Out: events by thread and by cell, reads-from, lock scopes, waits,
//! transactions, barrier generations. Where an event has exactly one partner (a read its writer,
//! a lock operation its scope, …) the partner is kept in one column, `links`.

use crate::cells::Cells;
use crate::csr::Rows;
use crate::events::Events;
use crate::id::{
    BarrierId, CellId, CondId, EventId, LockId, NONE, ScopeId, ThreadId, TransactionId, VarId,
};
use crate::op::{Kind, LockMode, ObjectClass};
use crate::readers::Readers;

/// The critical section between an acquire and its release.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Scope {
    /// The lock.
    pub lock: LockId,
    /// Who holds it.
    pub thread: ThreadId,
    /// Alone or with other readers.
    pub mode: LockMode,
    /// Where it begins.
    pub acquire: EventId,
    release: u32,
}

impl Scope {
    /// Where it ends; `None` if the lock is still held at the end of the trace.
    #[inline]
    pub fn release(&self) -> Option<EventId> {
        (self.release != NONE).then_some(EventId(self.release))
    }
}

/// One wait on a condition variable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Wait {
    /// The condition variable.
    pub cond: CondId,
    /// From here on a notify can wake the thread.
    pub wait: EventId,
    /// Where the thread goes on; `None` if it never does.
    pub wake: Option<EventId>,
    /// The notify that woke it; `None` for a timeout, a spurious wake-up or no wake-up.
    pub notify: Option<EventId>,
}

/// A block of one thread that is meant to be atomic.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Transaction {
    /// Its label.
    pub label: TransactionId,
    /// Where it begins.
    pub begin: EventId,
    /// Where it ends; `None` if the trace ends first.
    pub end: Option<EventId>,
    /// The transaction it is nested in, an index into [`crate::Trace::transactions`].
    pub parent: Option<u32>,
}

/// One use of a barrier by all of its parties.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Generation {
    /// The barrier.
    pub barrier: BarrierId,
    /// The generation of this barrier before it, an index into [`crate::Trace::generations`].
    pub previous: Option<u32>,
    /// Who arrived, in order.
    pub arrivals: Vec<EventId>,
    /// Who left, in order; empty if the generation was not completed.
    pub leaves: Vec<EventId>,
}

/// The cells of one read of several cells, with the write each was read from.
type WideRead = (EventId, Vec<(CellId, Option<EventId>)>);

#[derive(Clone, Debug)]
pub(crate) struct Index {
    pub(crate) by_thread: Rows<EventId>,
    pub(crate) positions: Vec<u32>,
    pub(crate) cells: Cells,
    pub(crate) by_cell: Rows<EventId>,
    /// Read: its writer. Acquire, release: scope. Wait, wake: wait. TxBegin, TxEnd: transaction.
    /// Arrive, leave: generation. `NONE`: no partner, for a read the initial value.
    pub(crate) links: Vec<u32>,
    pub(crate) wide_reads: Vec<WideRead>,
    pub(crate) scopes: Vec<Scope>,
    pub(crate) by_lock: Rows<ScopeId>,
    pub(crate) readers: Readers,
    pub(crate) by_semaphore: Rows<EventId>,
    pub(crate) by_condition: Rows<EventId>,
    pub(crate) waits: Vec<Wait>,
    pub(crate) transactions: Vec<Transaction>,
    pub(crate) generations: Vec<Generation>,
    pub(crate) forks: Vec<Option<EventId>>,
    pub(crate) joins: Vec<Option<EventId>>,
}

impl Index {
    pub(crate) fn new(events: &Events) -> Index {
        let n_threads = events.tables.threads.len();
        let cells = Cells::new(&events.tables);
        let (linker, ((by_thread, positions), by_cell)) = join(
            events.len() >= WORTH_A_THREAD,
            || Linker::new(events, &cells).run(),
            || (by_thread(events, n_threads), by_cell(events, &cells)),
        );
        let Linker {
            links,
            wide_reads,
            scopes,
            waits,
            transactions,
            generations,
            forks,
            joins,
            ..
        } = linker;
        let n_locks = events.tables.locks.len();
        let by_lock = Rows::build(n_locks, || {
            scopes.iter().enumerate().map(|(s, scope)| (scope.lock.0, ScopeId(s as u32)))
        });
        Index {
            by_thread,
            positions,
            by_cell,
            links,
            wide_reads,
            readers: Readers::new(n_locks, &by_lock, &scopes),
            by_lock,
            by_condition: by_class(events, ObjectClass::Condition),
            by_semaphore: by_class(events, ObjectClass::Semaphore),
            scopes,
            waits,
            transactions,
            generations,
            forks,
            joins,
            cells,
        }
    }

    pub(crate) fn memory(&self) -> usize {
        self.by_thread.memory()
            + self.by_cell.memory()
            + self.by_lock.memory()
            + self.readers.memory()
            + self.by_semaphore.memory()
            + self.by_condition.memory()
            + self.cells.memory()
            + 4 * (self.positions.capacity() + self.links.capacity())
            + size_of::<Scope>() * self.scopes.capacity()
            + size_of::<Wait>() * self.waits.capacity()
            + size_of::<Transaction>() * self.transactions.capacity()
            + 8 * (self.forks.capacity() + self.joins.capacity())
    }
}

/// Shorter traces are indexed before a thread has started.
const WORTH_A_THREAD: usize = 1 << 16;

/// Does two things, side by side if that is worth it.
fn join<A: Send, B>(
    parallel: bool,
    first: impl FnOnce() -> A + Send,
    second: impl FnOnce() -> B,
) -> (A, B) {
    if !parallel {
        return (first(), second());
    }
    std::thread::scope(|scope| {
        let first = scope.spawn(first);
        let second = second();
        match first.join() {
            Ok(first) => (first, second),
            Err(panic) => std::panic::resume_unwind(panic),
        }
    })
}

fn ids(events: &Events) -> impl Iterator<Item = EventId> {
    (0..events.len() as u32).map(EventId)
}

fn by_thread(events: &Events, n_threads: usize) -> (Rows<EventId>, Vec<u32>) {
    let rows = Rows::build(n_threads, || ids(events).map(|e| (events.thread(e).0, e)));
    let mut next = vec![0u32; n_threads];
    let position = |thread: &ThreadId| {
        let at = &mut next[thread.index()];
        *at += 1;
        *at - 1
    };
    let positions = events.threads.iter().map(position).collect();
    (rows, positions)
}

fn by_cell(events: &Events, cells: &Cells) -> Rows<EventId> {
    let accesses = || ids(events).filter(|&e| events.code(e).is_access());
    if cells.is_identity() {
        return Rows::build(cells.len(), || accesses().map(|e| (events.objects[e.index()], e)));
    }
    Rows::build(cells.len(), || {
        accesses().flat_map(|e| cells.of(VarId(events.objects[e.index()])).map(move |c| (c.0, e)))
    })
}

fn by_class(events: &Events, class: ObjectClass) -> Rows<EventId> {
    let n_rows = events.tables.names(class).map_or(0, |names| names.len());
    if n_rows == 0 {
        return Rows::build(0, std::iter::empty);
    }
    let of_class = |&e: &EventId| events.code(e).kind().class() == class;
    Rows::build(n_rows, || ids(events).filter(of_class).map(|e| (events.objects[e.index()], e)))
}

/// The pass in trace order that finds the partner of each event.
struct Linker<'a> {
    events: &'a Events,
    cells: &'a Cells,
    links: Vec<u32>,
    wide_reads: Vec<WideRead>,
    scopes: Vec<Scope>,
    waits: Vec<Wait>,
    transactions: Vec<Transaction>,
    generations: Vec<Generation>,
    forks: Vec<Option<EventId>>,
    joins: Vec<Option<EventId>>,
    /// Per cell, the last write.
    last_write: Vec<u32>,
    /// Per thread, the scopes that are open, innermost last.
    open_scopes: Vec<Vec<ScopeId>>,
    /// Per thread, the wait that is under way.
    open_wait: Vec<u32>,
    /// Per thread, the innermost open transaction.
    open_transaction: Vec<Option<u32>>,
    /// Per barrier, the generation that is filling up.
    filling: Vec<u32>,
    /// Per barrier, its last generation so far.
    last_generation: Vec<Option<u32>>,
    /// Per thread, the generation it has arrived in.
    arrived: Vec<u32>,
}

impl<'a> Linker<'a> {
    fn new(events: &'a Events, cells: &'a Cells) -> Linker<'a> {
        let n_threads = events.tables.threads.len();
        Linker {
            events,
            cells,
            links: vec![NONE; events.len()],
            wide_reads: Vec::new(),
            scopes: Vec::new(),
            waits: Vec::new(),
            transactions: Vec::new(),
            generations: Vec::new(),
            forks: vec![None; n_threads],
            joins: vec![None; n_threads],
            last_write: vec![NONE; cells.len()],
            open_scopes: vec![Vec::new(); n_threads],
            open_wait: vec![NONE; n_threads],
            open_transaction: vec![None; n_threads],
            filling: vec![NONE; events.tables.barriers.len()],
            last_generation: vec![None; events.tables.barriers.len()],
            arrived: vec![NONE; n_threads],
        }
    }

    fn run(mut self) -> Self {
        for e in ids(self.events) {
            let code = self.events.code(e);
            let object = self.events.objects[e.index()];
            match code.kind() {
                Kind::Read | Kind::Write | Kind::ReadModifyWrite => self.access(e, VarId(object)),
                Kind::Acquire => self.acquire(e, LockId(object)),
                Kind::Release => self.release(e, LockId(object)),
                Kind::Fork => self.forks[object as usize] = Some(e),
                Kind::Join => self.joins[object as usize] = Some(e),
                Kind::Wait => self.wait(e, CondId(object)),
                Kind::Wake => self.wake(e),
                Kind::TxBegin => self.begin(e, TransactionId(object)),
                Kind::TxEnd => self.end(e),
                Kind::Arrive => self.arrive(e, BarrierId(object)),
                Kind::Leave => self.leave(e, BarrierId(object)),
                _ => {}
            }
        }
        self.scopes.shrink_to_fit();
        self
    }

    #[inline]
    fn access(&mut self, e: EventId, var: VarId) {
        if !self.cells.is_identity() {
            return self.wide_access(e, var);
        }
        let code = self.events.code(e);
        let last = &mut self.last_write[var.index()];
        if code.reads() {
            self.links[e.index()] = *last;
        }
        if code.writes() {
            *last = e.0;
        }
    }

    fn wide_access(&mut self, e: EventId, var: VarId) {
        let code = self.events.code(e);
        let mut n_cells = 0;
        for cell in self.cells.of(var) {
            n_cells += 1;
            let last = self.last_write[cell.index()];
            if code.reads() {
                if n_cells == 2 {
                    let first = self.cells.of(var).next().expect("a variable has a cell");
                    let writer = optional(self.links[e.index()]);
                    self.wide_reads.push((e, vec![(first, writer)]));
                }
                match self.wide_reads.last_mut().filter(|_| n_cells > 1) {
                    Some((_, writers)) => writers.push((cell, optional(last))),
                    None => self.links[e.index()] = last,
                }
            }
        }
        if code.writes() {
            self.cells.of(var).for_each(|cell| self.last_write[cell.index()] = e.0);
        }
    }

    fn acquire(&mut self, e: EventId, lock: LockId) {
        let thread = self.events.thread(e);
        let id = ScopeId(self.scopes.len() as u32);
        let mode = self.events.code(e).mode();
        self.scopes.push(Scope { lock, thread, mode, acquire: e, release: NONE });
        self.open_scopes[thread.index()].push(id);
        self.links[e.index()] = id.0;
    }

    fn release(&mut self, e: EventId, lock: LockId) {
        let open = &mut self.open_scopes[self.events.thread(e).index()];
        let at = open.iter().rposition(|s| self.scopes[s.index()].lock == lock);
        let id = open.remove(at.expect("M2: a release has its acquire"));
        self.scopes[id.index()].release = e.0;
        self.links[e.index()] = id.0;
    }

    fn wait(&mut self, e: EventId, cond: CondId) {
        let id = self.waits.len() as u32;
        self.waits.push(Wait { cond, wait: e, wake: None, notify: None });
        self.open_wait[self.events.thread(e).index()] = id;
        self.links[e.index()] = id;
    }

    fn wake(&mut self, e: EventId) {
        let id = std::mem::replace(&mut self.open_wait[self.events.thread(e).index()], NONE);
        let wait = &mut self.waits[id as usize];
        wait.wake = Some(e);
        wait.notify = self.events.waker(e);
        self.links[e.index()] = id;
    }

    fn begin(&mut self, e: EventId, label: TransactionId) {
        let id = self.transactions.len() as u32;
        let open = &mut self.open_transaction[self.events.thread(e).index()];
        self.transactions.push(Transaction { label, begin: e, end: None, parent: *open });
        *open = Some(id);
        self.links[e.index()] = id;
    }

    fn end(&mut self, e: EventId) {
        let open = &mut self.open_transaction[self.events.thread(e).index()];
        let id = open.expect("T1: a transaction's end has its begin");
        self.transactions[id as usize].end = Some(e);
        *open = self.transactions[id as usize].parent;
        self.links[e.index()] = id;
    }

    fn arrive(&mut self, e: EventId, barrier: BarrierId) {
        let id = match self.filling[barrier.index()] {
            NONE => self.new_generation(barrier),
            id => id,
        };
        let generation = &mut self.generations[id as usize];
        generation.arrivals.push(e);
        if self.events.tables.parties(barrier) == Some(generation.arrivals.len() as u32) {
            self.filling[barrier.index()] = NONE;
        }
        self.arrived[self.events.thread(e).index()] = id;
        self.links[e.index()] = id;
    }

    fn leave(&mut self, e: EventId, barrier: BarrierId) {
        let id = self.arrived[self.events.thread(e).index()];
        if self.filling[barrier.index()] == id {
            self.filling[barrier.index()] = NONE;
        }
        self.generations[id as usize].leaves.push(e);
        self.links[e.index()] = id;
    }

    fn new_generation(&mut self, barrier: BarrierId) -> u32 {
        let id = self.generations.len() as u32;
        let previous = self.last_generation[barrier.index()].replace(id);
        let (arrivals, leaves) = (Vec::new(), Vec::new());
        self.generations.push(Generation { barrier, previous, arrivals, leaves });
        self.filling[barrier.index()] = id;
        id
    }
}

fn optional(event: u32) -> Option<EventId> {
    (event != NONE).then_some(EventId(event))
}
