//! Questions: what is open at this point of a run.
//!
//! A thread stops before each visible operation. It can be chosen if the operation can happen
//! (its *gate* is open), if it is timed and timeouts may happen, or if it waits on a condition and
//! may wake up for no reason. A timed operation that cannot happen runs out when its thread is
//! chosen; one that can happen does, since running out now would be running out before it could.
//! Only a wait that was signalled may do either, as POSIX lets a timeout consume a signal.
//!
//! If nothing but spurious wake-ups is possible, the program is stuck, and whether one comes is open:
//! the answer `Spurious(false)` is a deadlock.

use raddle_cfront::ir::{AccessKind, Op, Order, Primitive};

use crate::machine::Machine;
use crate::memory::flag;
use crate::observe::{Observer, What};
use crate::outcome::{Blocked, Outcome};
use crate::site::Site;
use crate::state::Phase;
use crate::sync::{Sync, SyncKind, mutex, once};
use crate::thread::{Core, Gate, NEVER, NONE, Stage, Status, Thread};

/// What has to be decided.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Question<'a> {
    /// Which of these threads goes on: ascending.
    Thread(&'a [u32]),
    /// Which of these threads a signal wakes: the one that waits longest first.
    Waiter(&'a [u32]),
    /// Whether a timed wait that was signalled runs out all the same.
    Timeout,
    /// Whether a timed wait ends for no reason; if not, it runs out.
    Spurious,
    /// Which value in this range the program gets.
    Value {
        /// The smallest.
        low: i64,
        /// The largest.
        high: i64,
    },
    /// Which of these values the program gets: the first answer first.
    Input(&'a [i64]),
}

/// What kind of thing a thread is about to do.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Doing {
    /// Its first transitions.
    Begin,
    /// Going on after many transitions without a point.
    Continue,
    /// An access to memory of so many bytes.
    Access(AccessKind, Order, u32),
    /// A call into the machine.
    Primitive(Primitive),
    /// The end of a wait on a condition.
    Wake,
    /// Taking the mutex after a wait on a condition.
    Reacquire,
    /// Leaving a barrier.
    Leave,
}

/// The operation that a thread stopped before.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Pending {
    /// What it is.
    pub doing: Doing,
    /// The address it concerns; of a join the thread.
    pub address: u64,
    /// Where it is.
    pub site: Site,
    /// Whether it can happen now without a timeout or a spurious wake-up.
    pub ready: bool,
}

impl Machine {
    /// What has to be decided; nothing if the run is over.
    pub fn question(&self) -> Option<Question<'_>> {
        let options = &self.state.options;
        match self.state.counters.phase {
            Phase::Thread => Some(Question::Thread(options)),
            Phase::Waiter => Some(Question::Waiter(options)),
            Phase::Timeout => Some(Question::Timeout),
            Phase::Spurious => Some(Question::Spurious),
            Phase::Value { low, high } => Some(Question::Value { low, high }),
            Phase::Input(set) => Some(Question::Input(self.image.inputs.at(set))),
            Phase::Over => None,
        }
    }

    /// What a thread is about to do; none if it has not started or has ended.
    pub fn pending(&self, thread: u32) -> Option<Pending> {
        let at = self.state.threads.get(thread as usize).filter(|t| t.is_running())?;
        let frame = at.frames.last()?;
        let op = self.image.function(frame.function).code[frame.pc as usize];
        let address = |sync: u32| self.state.syncs.get(sync).address;
        let (doing, address) = match at.core.stage {
            Stage::Begin => (Doing::Begin, 0),
            Stage::Pause => (Doing::Continue, 0),
            Stage::Waiting => (Doing::Wake, address(at.core.cond)),
            Stage::Reacquire => (Doing::Reacquire, address(at.core.mutex)),
            Stage::Arrived => (Doing::Leave, self.primitive_of(thread)?.1[0]),
            Stage::Queued => {
                let (call, arguments) = self.primitive_of(thread)?;
                (Doing::Primitive(call), arguments[0])
            }
            Stage::Start => match (op.access(), self.primitive_of(thread)) {
                (Some(access), _) => {
                    let (address, size) = self.address_of(thread, access);
                    (Doing::Access(access.kind, access.order, size as u32), address)
                }
                (None, Some((call, arguments))) => (Doing::Primitive(call), arguments[0]),
                (None, None) => (Doing::Continue, 0),
            },
        };
        Some(Pending { doing, address, site: at.site(), ready: self.is_gate_open(thread) })
    }

    /// How many visible operations in a row of a thread have changed nothing.
    pub(crate) fn n_idle(&self, thread: u32) -> u32 {
        self.state.threads.get(thread as usize).map_or(0, |t| t.core.n_idle)
    }

    /// Finds out what the current thread needs before it can do what it stopped before.
    pub(crate) fn arm(&mut self) {
        let (gate, deadline) = match self.op() {
            Op::Primitive { call, arguments, .. } => self.needs(call, &self.arguments(arguments)),
            _ => (Gate::Open, NEVER),
        };
        let core = &mut self.current_thread_mut().core;
        core.stage = Stage::Start;
        core.gate = gate;
        core.deadline = deadline;
    }

    fn needs(&mut self, call: Primitive, arguments: &[u64; 6]) -> (Gate, u64) {
        use Primitive as P;
        let deadline = match call {
            P::MutexTimedLock | P::RwlockTimedRead | P::RwlockTimedWrite | P::SemTimedWait => {
                time(arguments[1])
            }
            P::ThreadTimedJoin => time(arguments[2]),
            P::Sleep => self.state.counters.clock.saturating_add(time(arguments[0])),
            _ => NEVER,
        };
        let gate = match call {
            P::RwlockWrite | P::RwlockTimedWrite if self.lets_writers_first(arguments[0]) => None,
            P::MutexLock
            | P::MutexTimedLock
            | P::SpinLock
            | P::RwlockWrite
            | P::RwlockTimedWrite => self.sync_at(arguments[0]).map(Gate::Exclusive),
            P::RwlockRead | P::RwlockTimedRead => self.sync_at(arguments[0]).map(Gate::Shared),
            P::SemWait | P::SemTimedWait => self.sync_at(arguments[0]).map(Gate::Positive),
            P::OnceBegin => self.sync_at(arguments[0]).map(Gate::Settled),
            P::ThreadJoin | P::ThreadTimedJoin => Some(self.join_gate(arguments[0])),
            _ => None,
        };
        (gate.unwrap_or(Gate::Open), deadline)
    }

    /// Whether a writer that waits for the lock at an address keeps readers from it.
    pub(crate) fn lets_writers_first(&self, address: u64) -> bool {
        let index = self.state.syncs.find(address);
        index.is_some_and(|index| self.state.syncs.get(index).lets_writers_first())
    }

    /// Whether a writer waits for a lock and keeps readers from it.
    pub(crate) fn has_queue(&self, index: u32) -> bool {
        let waits = |thread: &Thread| {
            let core = &thread.core;
            let is_queued = core.stage == Stage::Queued && core.gate == Gate::Exclusive(index);
            is_queued && thread.is_running()
        };
        self.state.syncs.get(index).lets_writers_first() && self.state.threads.iter().any(waits)
    }

    /// Joining itself, nobody or somebody who cannot be joined fails at once.
    fn join_gate(&self, id: u64) -> Gate {
        let index = id.wrapping_sub(1);
        let other = self.state.threads.get(index as usize);
        let can = other.is_some_and(|t| !t.core.detached && t.core.status != Status::Gone);
        match can && index != u64::from(self.state.counters.current) {
            true => Gate::Ended(index as u32),
            false => Gate::Open,
        }
    }

    /// The entry for an address that can be accessed.
    pub(crate) fn sync_at(&mut self, address: u64) -> Option<u32> {
        let (object, _) = self.state.memory.locate(address, 1).ok()?;
        self.state.memory.objects[object as usize].flags |= flag::SYNC;
        Some(self.state.syncs.at(address))
    }

    /// Whether what a thread stopped before can happen.
    #[inline]
    pub(crate) fn is_gate_open(&self, thread: u32) -> bool {
        let core = &self.state.threads[thread as usize].core;
        core.gate == Gate::Open || self.passes(thread, core)
    }

    fn passes(&self, thread: u32, core: &Core) -> bool {
        let sync = |index| self.state.syncs.get(index);
        match core.gate {
            Gate::Open => true,
            Gate::Exclusive(index) => can_take(sync(index), thread),
            Gate::Shared(index) => {
                let lock = sync(index);
                let is_free = lock.owner == NONE && !self.has_queue(index);
                lock.kind != SyncKind::Rwlock || is_free || lock.owner == thread
            }
            Gate::Positive(index) => {
                let semaphore = sync(index);
                semaphore.kind != SyncKind::Semaphore || semaphore.destroyed || semaphore.count > 0
            }
            Gate::Ended(other) => {
                let other = &self.state.threads[other as usize].core;
                other.detached || matches!(other.status, Status::Ended | Status::Gone)
            }
            Gate::Signalled => core.signalled,
            Gate::Passed(index, generation) => sync(index).generation != generation,
            Gate::Settled(index) => sync(index).count != once::RUNNING,
        }
    }

    /// Asks which thread goes on, or ends the run if none can.
    pub(crate) fn ask<O: Observer>(&mut self, o: &mut O) {
        let mut options = std::mem::take(&mut self.state.options);
        options.clear();
        options.extend((0..self.n_threads()).filter(|&thread| self.can_go(thread)));
        if options.is_empty() {
            // Only time can help, whether or not timeouts are wanted.
            options.extend((0..self.n_threads()).filter(|&thread| self.can_run_out(thread)));
        }
        if self.image.settings.symmetry {
            self.drop_symmetric(&mut options);
        }
        let current = self.state.counters.current;
        let at = self.current_thread();
        if at.core.atomic > 0 && at.is_running() && self.is_gate_open(current) {
            options.clear();
            options.push(current);
        }
        self.state.options = options;
        self.state.counters.phase = Phase::Thread;
        if self.state.options.is_empty() {
            self.nobody_can_go(o);
        }
    }

    /// Of threads that have not begun and are alike, keeps the first.
    fn drop_symmetric(&self, options: &mut Vec<u32>) {
        let threads = &self.state.threads;
        let alike = |a: u32, b: u32| {
            let (a, b) = (&threads[a as usize], &threads[b as usize]);
            let unstarted = |thread: &Thread| thread.core.stage == Stage::Begin;
            unstarted(a)
                && unstarted(b)
                && a.core.start == b.core.start
                && a.core.detached == b.core.detached
                && a.registers == b.registers
        };
        let mut kept: Vec<u32> = Vec::with_capacity(options.len());
        options.retain(|&thread| {
            let first = !kept.iter().any(|&other| alike(other, thread));
            kept.extend(first.then_some(thread));
            first
        });
    }

    pub(crate) fn can_go(&self, thread: u32) -> bool {
        let at = &self.state.threads[thread as usize];
        let settings = &self.image.settings;
        at.is_running()
            && (self.is_gate_open(thread)
                || settings.timeouts && self.can_run_out(thread)
                || settings.spurious && at.core.stage == Stage::Waiting)
    }

    pub(crate) fn can_run_out(&self, thread: u32) -> bool {
        let at = &self.state.threads[thread as usize];
        at.is_running() && at.core.deadline != NEVER
    }

    /// Whether no thread can go on unless a wait ends spuriously.
    pub(crate) fn is_stuck(&self) -> bool {
        let able = |&thread: &u32| self.is_gate_open(thread) || self.can_run_out(thread);
        self.state.counters.phase == Phase::Thread && !self.state.options.iter().any(able)
    }

    /// No thread goes on: the run is over.
    pub(crate) fn nobody_can_go<O: Observer>(&mut self, o: &mut O) {
        if self.state.counters.n_running == 0 {
            return self.finish(Outcome::Exited(0));
        }
        let running =
            (0..self.n_threads()).filter(|&t| self.state.threads[t as usize].is_running());
        let blocked: Vec<_> = running.filter_map(|thread| self.blocked(thread)).collect();
        if O::EVENTS {
            blocked.iter().for_each(|blocked| self.show_request(blocked, o));
        }
        self.finish(Outcome::Deadlock(blocked));
    }

    /// What a thread would need to go on; none if it has not started or has ended.
    pub fn blocked(&self, thread: u32) -> Option<Blocked> {
        let pending = self.pending(thread)?;
        let (holder, object) = match self.state.threads[thread as usize].core.gate {
            Gate::Exclusive(sync) | Gate::Shared(sync) => {
                let lock = self.state.syncs.get(sync);
                let reader = self.state.syncs.readers.iter().find(|r| r.sync == sync);
                let holder = Some(lock.owner).filter(|&owner| owner != NONE);
                (holder.or(reader.map(|r| r.thread)), self.name_at(lock.address))
            }
            Gate::Settled(sync) => {
                let entry = self.state.syncs.get(sync);
                (Some(entry.owner).filter(|&owner| owner != NONE), self.name_at(entry.address))
            }
            Gate::Ended(other) => (Some(other), self.thread_name(other)),
            _ => (None, self.name_at(pending.address)),
        };
        Some(Blocked { thread, pending, object, holder })
    }

    fn show_request<O: Observer>(&self, blocked: &Blocked, o: &mut O) {
        let (sync, shared) = match self.state.threads[blocked.thread as usize].core.gate {
            Gate::Exclusive(sync) => (sync, false),
            Gate::Shared(sync) => (sync, true),
            _ => return,
        };
        let lock = self.state.syncs.get(sync);
        if lock.owner != blocked.thread {
            let what = What::Request { address: lock.address, shared };
            self.emit_of(o, blocked.thread, what);
        }
    }
}

/// A signed time as the clock has it; times before the start of the run are the start.
pub(crate) fn time(nanoseconds: u64) -> u64 {
    (nanoseconds as i64).max(0) as u64
}

/// Whether an exclusive lock operation of a thread would not block.
fn can_take(lock: &Sync, thread: u32) -> bool {
    match lock.kind {
        _ if lock.destroyed || lock.owner == NONE && lock.kind != SyncKind::Rwlock => true,
        SyncKind::Mutex => lock.owner == thread && lock.flavour != mutex::NORMAL,
        SyncKind::Spin => false,
        SyncKind::Rwlock => lock.owner == thread || lock.owner == NONE && lock.count == 0,
        _ => true,
    }
}
