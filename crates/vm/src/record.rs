//! The recorder: what an observer sees, as a trace.
//!
//! In: the events of one run. Out: [`Events`] that pass the strict check, with values, locations
//! (of the innermost frame outside the library), names and pieces of memory.
//!
//! - R1: a recursive lock is taken and given back once, by its outermost scope (the machine only
//!   reports that one).
//! - R2: `pthread_once` is a lock that is held while the function runs, and for a moment by those
//!   who come later, and a variable that the first one writes and the others read: they do not come
//!   first in any reordering. Atomic sections hold one lock that all of them share.
//! - R3: an exchange that compares and fails is a read.
//! - R4: objects that had one number or one name after the other are different variables.

mod gather;
mod names;

use raddle_cfront::ir::{Order, Program};
use raddle_trace::{
    BarrierId, CondId, EventId, Events, IsLocal, LocationId, LockId, LockMode, Op, RegionId,
    SemaphoreId, ThreadId, TransactionId, VarId, WakeReason, Wanted, shared, shared_and,
};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::observe::{Event, Observer, What};
use crate::site::Site;
use gather::Gather;
use names::Namer;

/// Makes a trace of a run.
#[derive(Default)]
pub struct Recorder {
    events: Events,
    namer: Namer,
    options: Options,
    /// Who has asked for a lock right before.
    asked: FxHashSet<u32>,
    /// Per waiting thread, its condition and the event that notified it.
    waits: FxHashMap<u32, (u64, Option<EventId>)>,
    /// Per thread, the transactions that are open.
    open: FxHashMap<u32, Vec<u32>>,
    /// Who is in an atomic section.
    atomic: Option<u32>,
    /// What is shown as one step.
    gather: Gather,
    full: bool,
}

/// What a recorder keeps.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Options {
    /// Variables that one thread alone accesses.
    pub local: bool,
    /// Branches.
    pub branches: bool,
    /// Call stacks.
    pub stacks: bool,
    /// What people want to see of a run that is described: the bytes of accesses of many, what `strcpy` does as one
    /// step, and not that `calloc` clears memory.
    pub story: bool,
}

/// Whether it is the library's way to make memory that is zero.
fn clears(event: &Event<'_>) -> bool {
    let innermost = event.view.stack().next();
    innermost.is_some_and(|frame| {
        frame.library && *event.view.program().function(frame.site.function).name == *"calloc"
    })
}

/// The file and line of a transition.
pub(crate) fn locate(program: &Program, site: Site) -> Option<(std::sync::Arc<str>, u32)> {
    let span = program.function(site.function).spans.get(site.op as usize)?;
    let location = program.sources.locate(span.start);
    Some((location.file, location.line))
}

impl Recorder {
    /// A recorder that keeps what most analyses need.
    pub fn new() -> Recorder {
        Recorder::default()
    }

    /// A recorder that keeps more.
    pub fn with(options: Options) -> Recorder {
        Recorder { options, ..Recorder::default() }
    }

    /// Whether there were more events than a trace can hold.
    pub fn is_full(&self) -> bool {
        self.full
    }

    /// The trace.
    pub fn finish(self) -> Events {
        self.finish_with_kept().0
    }

    /// How many events there are so far.
    #[allow(clippy::len_without_is_empty, reason = "it is a position")]
    pub fn len(&self) -> u32 {
        (self.events.len() + self.gather.len()) as u32
    }

    /// The trace, and which of the events so far are in it.
    pub fn finish_with_kept(mut self) -> (Events, Vec<EventId>) {
        self.settle();
        if self.options.local {
            let all = (0..self.len()).map(EventId).collect();
            return (self.events, all);
        }
        let kept = shared(&self.events);
        (self.events.select(&kept), kept)
    }

    /// All events, and which of them people want to see: those of such a trace, how an object of the heap comes and goes,
    /// by its name, and what an assertion looks at that fails.
    pub fn finish_about(mut self, object: Option<&str>) -> (Events, Vec<EventId>) {
        self.settle();
        let Recorder { events, namer, .. } = self;
        let region = object.and_then(|name| events.tables.regions.find(name)).map(RegionId);
        let last = (events.len() as u32).checked_sub(1).map(EventId);
        let fails = |&event: &EventId| events.op(event) == Op::Assert { holds: false };
        let is_local =
            |var| events.tables.range(var).is_some_and(|range| namer.is_local(range.region));
        let looking = last.filter(fails).map(|event| (events.thread(event), &is_local as IsLocal));
        let kept = shared_and(&events, Wanted { region, looking });
        (events, kept)
    }

    fn push(&mut self, event: &Event<'_>, op: Op) -> Option<EventId> {
        self.settle();
        if self.events.len() >= Events::MAX_LEN {
            self.full = true;
            return None;
        }
        let tables = &mut self.events.tables;
        let thread = self.namer.thread(tables, event, event.thread)?;
        let location = self.namer.location(tables, event);
        let stack = if self.options.stacks { self.namer.stack(tables, event) } else { None };
        let id = self.events.push(ThreadId(thread), op, location.map(LocationId));
        if let Some(stack) = stack {
            self.events.set_stack(id, stack);
        }
        Some(id)
    }

    fn lock(&mut self, event: &Event<'_>, address: u64, make: impl Fn(LockId) -> Op) {
        if let Some(lock) = self.namer.lock(&mut self.events.tables, event, address) {
            self.push(event, make(LockId(lock)));
        }
    }

    /// An access to what says that the function of a `pthread_once` has run.
    fn done(&mut self, event: &Event<'_>, address: u64, make: impl Fn(VarId) -> Op) {
        let var = self.namer.done(&mut self.events.tables, event, address);
        if let Some(id) = var.and_then(|var| self.push(event, make(var))) {
            self.events.set_value(id, 1);
        }
    }

    fn condition(
        &mut self,
        event: &Event<'_>,
        address: u64,
        make: impl Fn(CondId) -> Op,
    ) -> Option<EventId> {
        let id = self.namer.condition(&mut self.events.tables, event, address)?;
        self.push(event, make(CondId(id)))
    }

    fn access(&mut self, event: &Event<'_>) {
        let (object, offset, size, value) = match event.what {
            What::Read { object, offset, size, value, .. }
            | What::Write { object, offset, size, value, .. } => (object, offset, size, value),
            What::Rmw { object, offset, size, old, value, .. } => {
                (object, offset, size, value.or(Some(old)))
            }
            _ => return,
        };
        if self.options.story && (clears(event) || self.gather(event)) {
            return;
        }
        let tables = &mut self.events.tables;
        let Some(var) = self.namer.variable(tables, event, object, offset, size) else { return };
        let op = match event.what {
            What::Write { order, .. } => Op::Write { var, order },
            What::Rmw { value: Some(_), order, .. } => Op::ReadModifyWrite { var, order },
            What::Rmw { value: None, order, .. } => Op::Read { var, order: read_order(order) },
            What::Read { order, .. } => Op::Read { var, order },
            _ => return,
        };
        let Some(id) = self.push(event, op) else { return };
        if let Some(value) = value {
            self.events.set_value(id, value);
        }
        if self.options.story && !matches!(size, 1 | 2 | 4 | 8) {
            let n = size.min(Events::BLOCK_MAX as u32);
            self.events.set_block(id, event.view.bytes(object, offset, n));
        }
        if let What::Rmw { old, value: Some(_), .. } = event.what {
            self.events.set_found(id, old);
        }
    }

    fn lock_event(&mut self, event: &Event<'_>) {
        let mode = |shared| if shared { LockMode::Shared } else { LockMode::Exclusive };
        match event.what {
            What::Request { address, shared } => {
                self.asked.insert(event.thread);
                self.lock(event, address, |lock| Op::Request { lock, mode: mode(shared) });
            }
            What::Acquire { address, shared } => {
                // Who asked waits for it, and so does who takes it back after a wait.
                let asked = self.asked.remove(&event.thread);
                let tried = !asked && !self.waits.contains_key(&event.thread);
                let mode = mode(shared);
                self.lock(event, address, |lock| Op::Acquire { lock, mode, tried });
            }
            What::Release { address, shared } => {
                self.lock(event, address, |lock| Op::Release { lock, mode: mode(shared) });
            }
            What::TryFail { address, shared } => {
                self.asked.remove(&event.thread);
                self.lock(event, address, |lock| Op::TryFail { lock, mode: mode(shared) });
            }
            What::OnceBegin { address } => {
                let (mode, tried) = (mode(false), false);
                self.lock(event, address, |lock| Op::Acquire { lock, mode, tried });
            }
            What::OnceEnd { address } => {
                self.done(event, address, |var| Op::Write { var, order: Order::Release });
                self.lock(event, address, |lock| Op::Release { lock, mode: mode(false) });
            }
            What::OncePassed { address } => {
                let (exclusive, tried) = (mode(false), false);
                self.lock(event, address, |lock| Op::Acquire { lock, mode: exclusive, tried });
                self.done(event, address, |var| Op::Read { var, order: Order::Acquire });
                self.lock(event, address, |lock| Op::Release { lock, mode: mode(false) });
            }
            _ => {}
        }
    }

    fn wait_event(&mut self, event: &Event<'_>) {
        match event.what {
            What::Wait { cond, .. } => {
                self.condition(event, cond, |cond| Op::Wait { cond });
                self.waits.insert(event.thread, (cond, None));
            }
            What::Wake { cond, reason } => self.wake(event, cond, reason),
            What::Signal { cond, woken } => {
                let notify = self.condition(event, cond, |cond| Op::Notify { cond });
                if let Some(wait) = woken.and_then(|thread| self.waits.get_mut(&thread)) {
                    wait.1 = notify;
                }
            }
            What::Broadcast { cond } => {
                let notify = self.condition(event, cond, |cond| Op::NotifyAll { cond });
                let woken = |wait: &&mut (u64, Option<EventId>)| wait.0 == cond && wait.1.is_none();
                self.waits.values_mut().filter(woken).for_each(|wait| wait.1 = notify);
            }
            _ => {}
        }
    }

    fn wake(&mut self, event: &Event<'_>, cond: u64, reason: WakeReason) {
        let notify = self.waits.remove(&event.thread).and_then(|wait| wait.1);
        let reason = match (reason, notify) {
            (WakeReason::Notified, None) => WakeReason::Spurious,
            (reason, _) => reason,
        };
        let wake = self.condition(event, cond, |cond| Op::Wake { cond, reason });
        if let (WakeReason::Notified, Some(wake), Some(notify)) = (reason, wake, notify) {
            self.events.set_waker(wake, notify);
        }
    }

    fn thread_event(&mut self, event: &Event<'_>) {
        let tables = &mut self.events.tables;
        match event.what {
            What::Fork { child } | What::Join { child } => {
                let Some(id) = self.namer.thread(tables, event, child) else { return };
                let child = ThreadId(id);
                let fork = matches!(event.what, What::Fork { .. });
                self.push(event, if fork { Op::Fork { child } } else { Op::Join { child } });
            }
            What::Begin { .. } => {
                self.push(event, Op::Begin);
            }
            What::End => {
                // `pthread_exit` leaves functions without returning from them.
                while self.end_transaction(event) {}
                self.push(event, Op::End);
            }
            _ => {}
        }
    }

    fn block_event(&mut self, event: &Event<'_>) {
        let Recorder { namer, events, .. } = self;
        let tables = &mut events.tables;
        let op = match event.what {
            What::SemaphoreInit { address, value } => {
                return namer.new_semaphore(tables, event, address, value);
            }
            What::BarrierInit { address, count } => {
                return namer.new_barrier(tables, event, address, count);
            }
            What::Post { address } => namer
                .semaphore(tables, event, address)
                .map(|id| Op::Post { semaphore: SemaphoreId(id) }),
            What::Take { address } => namer
                .semaphore(tables, event, address)
                .map(|id| Op::Take { semaphore: SemaphoreId(id) }),
            What::Arrive { address } => namer
                .barrier(tables, event, address)
                .map(|id| Op::Arrive { barrier: BarrierId(id) }),
            What::Leave { address } => {
                namer.barrier(tables, event, address).map(|id| Op::Leave { barrier: BarrierId(id) })
            }
            What::Alloc { object } => {
                namer.region(tables, event, object).map(|id| Op::Alloc { region: RegionId(id) })
            }
            What::Free { object } => {
                namer.region(tables, event, object).map(|id| Op::Free { region: RegionId(id) })
            }
            What::AssertFailed => Some(Op::Assert { holds: false }),
            _ => None,
        };
        if let Some(op) = op {
            self.push(event, op);
        }
    }

    fn transaction_event(&mut self, event: &Event<'_>) {
        let What::TransactionBegin { name } = event.what else {
            self.end_transaction(event);
            return;
        };
        let tables = &mut self.events.tables;
        if let Some(id) = self.namer.transaction(tables, event, name) {
            self.open.entry(event.thread).or_default().push(id);
            self.push(event, Op::TxBegin { transaction: TransactionId(id) });
        }
    }

    /// Ends the innermost transaction of the thread, if one is open.
    fn end_transaction(&mut self, event: &Event<'_>) -> bool {
        let Some(id) = self.open.get_mut(&event.thread).and_then(Vec::pop) else { return false };
        self.push(event, Op::TxEnd { transaction: TransactionId(id) });
        true
    }

    fn atomic_event(&mut self, event: &Event<'_>) {
        let mode = LockMode::Exclusive;
        let Some(lock) = self.namer.atomic(&mut self.events.tables).map(LockId) else { return };
        match (event.what, self.atomic) {
            (What::AtomicBegin, None) => {
                self.atomic = Some(event.thread);
                // A section that blocks lets others go on: it is nothing to wait for.
                self.push(event, Op::Acquire { lock, mode, tried: true });
            }
            (What::AtomicEnd, Some(holder)) if holder == event.thread => {
                self.atomic = None;
                self.push(event, Op::Release { lock, mode });
            }
            _ => {}
        }
    }
}

impl Observer for Recorder {
    fn event(&mut self, event: &Event<'_>) {
        match event.what {
            What::Read { .. } | What::Write { .. } | What::Rmw { .. } => self.access(event),
            What::Request { .. }
            | What::Acquire { .. }
            | What::Release { .. }
            | What::TryFail { .. }
            | What::OnceBegin { .. }
            | What::OnceEnd { .. }
            | What::OncePassed { .. } => self.lock_event(event),
            What::Wait { .. }
            | What::Wake { .. }
            | What::Signal { .. }
            | What::Broadcast { .. } => self.wait_event(event),
            What::Fork { .. } | What::Join { .. } | What::Begin { .. } | What::End => {
                self.thread_event(event);
            }
            What::Branch { .. } if self.options.branches => {
                self.push(event, Op::Branch);
            }
            What::AtomicBegin | What::AtomicEnd => self.atomic_event(event),
            What::TransactionBegin { .. } | What::TransactionEnd => self.transaction_event(event),
            What::Branch { .. } | What::Fence { .. } | What::Output { .. } => {}
            _ => self.block_event(event),
        }
    }
}

/// The order of a compare-and-exchange that failed: only its reading half counts.
fn read_order(order: Order) -> Order {
    match order {
        Order::AcqRel => Order::Acquire,
        Order::Release => Order::Relaxed,
        other => other,
    }
}
