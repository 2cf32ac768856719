//! Primitives: what the machine does for the embedded library.
//!
//! One file for each family; this one leads to them. A primitive gives a value, or says that the
//! thread stops, that something has to be decided, or what went wrong.

mod barrier;
mod cond;
mod double;
mod heap;
mod math;
mod mutex;
mod nondet;
mod once;
mod process;
mod rwlock;
mod semaphore;
mod stream;
mod threads;

use raddle_cfront::ir::{Primitive, Reg};

use crate::fault::{FaultKind, Misuse};
use crate::interpret::{Flow, Trap};
use crate::machine::Machine;
use crate::memory::flag;
use crate::observe::{Observer, What};
use crate::state::Phase;
use crate::sync::SyncKind;
use crate::thread::{NONE, Stage};

/// The error numbers of Linux.
pub(crate) mod errno {
    pub(crate) const EPERM: u64 = 1;
    pub(crate) const ESRCH: u64 = 3;
    pub(crate) const EAGAIN: u64 = 11;
    pub(crate) const EBUSY: u64 = 16;
    pub(crate) const EINVAL: u64 = 22;
    pub(crate) const EDEADLK: u64 = 35;
    pub(crate) const EOVERFLOW: u64 = 75;
    pub(crate) const ETIMEDOUT: u64 = 110;
}

/// How a primitive ended.
pub(crate) enum Done {
    /// With this value.
    Value(u64),
    /// Its thread stops in the middle of it.
    Stop,
    /// Something has to be decided in the middle of it.
    Ask(Phase),
}

/// How a primitive ended, or what went wrong.
pub(crate) type Result = std::result::Result<Done, Trap>;

/// Success, as POSIX functions report it.
pub(crate) const OK: Result = Ok(Done::Value(0));

/// A failure, as POSIX functions report it.
pub(crate) fn fail(error: u64) -> Result {
    Ok(Done::Value(error))
}

impl Machine {
    /// Does the primitive that the current thread is at.
    pub(crate) fn primitive<O: Observer>(
        &mut self,
        call: Primitive,
        result: Option<Reg>,
        o: &mut O,
    ) -> std::result::Result<Flow, Trap> {
        let current = self.state.counters.current;
        let (_, arguments) = self.primitive_of(current).expect("it is at a primitive");
        match self.dispatch(call, arguments, o)? {
            Done::Value(value) => {
                if let Some(to) = result {
                    self.current_thread_mut().set_register(to.0, value);
                }
                Ok(Flow::Next)
            }
            Done::Stop => Ok(Flow::Stop),
            Done::Ask(phase) => Ok(Flow::Ask(phase)),
        }
    }

    /// Ends an operation of several transitions with this value.
    pub(crate) fn complete(&mut self, value: u64) -> Flow {
        let result = match self.op() {
            raddle_cfront::ir::Op::Primitive { result, .. } => result,
            _ => None,
        };
        let thread = self.current_thread_mut();
        thread.core.stage = Stage::Start;
        if let Some(to) = result {
            thread.set_register(to.0, value);
        }
        Flow::Next
    }

    fn dispatch<O: Observer>(&mut self, call: Primitive, a: [u64; 6], o: &mut O) -> Result {
        use Primitive as P;
        match call {
            P::Malloc => self.malloc(a[0], o),
            P::Free => self.free(a[0], o),
            P::HeapSize => self.heap_size(a[0]),
            P::Exit
            | P::Abort
            | P::AssertFail
            | P::ReachError
            | P::Misuse
            | P::Unsupported
            | P::Assume => self.process(call, a, o),
            P::AtomicBegin => self.atomic_begin(o),
            P::AtomicEnd => self.atomic_end(o),
            P::Write => self.write(a, o),
            P::Read => self.read(a),
            P::FormatDouble => self.format_double(a),
            P::ParseDouble => self.parse_double(a),
            P::ThreadNew => self.thread_new(a),
            P::ThreadStart => self.thread_start(a[0], o),
            P::ThreadJoin | P::ThreadTimedJoin => self.thread_join(a[0], a[1], o),
            P::ThreadTryJoin => self.thread_try_join(a[0], a[1], o),
            P::ThreadExit => self.thread_exit(a[0], o),
            P::ThreadDetach => self.thread_detach(a[0]),
            P::ThreadSelf => Ok(Done::Value(u64::from(self.state.counters.current) + 1)),
            P::Yield | P::Sleep => self.rest(),
            P::Now => Ok(Done::Value(self.state.counters.clock)),
            P::Math(math) => Ok(Done::Value(math::call(math, a[0], a[1]))),
            P::Nondet(nondet) => self.nondet(nondet),
            _ => self.synchronise(call, a, o),
        }
    }

    fn synchronise<O: Observer>(&mut self, call: Primitive, a: [u64; 6], o: &mut O) -> Result {
        use Primitive as P;
        match call {
            P::MutexInit => self.mutex_init(a[0], a[1]),
            P::MutexDestroy => self.destroy(a[0], SyncKind::Mutex),
            P::MutexLock | P::MutexTimedLock => self.mutex_lock(a[0], o),
            P::MutexTryLock => self.mutex_try_lock(a[0], o),
            P::MutexUnlock => self.mutex_unlock(a[0], o),
            P::CondInit => self.init(a[0], SyncKind::Cond).and(OK),
            P::CondDestroy => self.destroy(a[0], SyncKind::Cond),
            P::CondWait => self.cond_wait(a[0], a[1], crate::thread::NEVER, o),
            P::CondTimedWait => self.cond_wait(a[0], a[1], a[2], o),
            P::CondSignal => self.cond_signal(a[0], o),
            P::CondBroadcast => self.cond_broadcast(a[0], o),
            P::RwlockInit => self.init(a[0], SyncKind::Rwlock).and(OK),
            P::RwlockDestroy => self.destroy(a[0], SyncKind::Rwlock),
            P::RwlockRead | P::RwlockTimedRead => self.rwlock_read(a[0], true, o),
            P::RwlockTryRead => self.rwlock_read(a[0], false, o),
            P::RwlockWrite | P::RwlockTimedWrite => self.rwlock_write(a[0], true, o),
            P::RwlockTryWrite => self.rwlock_write(a[0], false, o),
            P::RwlockUnlock => self.rwlock_unlock(a[0], o),
            P::SpinInit => self.init(a[0], SyncKind::Spin).and(OK),
            P::SpinDestroy => self.destroy(a[0], SyncKind::Spin),
            P::SpinLock => self.spin_lock(a[0], true, o),
            P::SpinTryLock => self.spin_lock(a[0], false, o),
            P::SpinUnlock => self.spin_unlock(a[0], o),
            P::BarrierInit => self.barrier_init(a[0], a[1], o),
            P::BarrierDestroy => self.destroy(a[0], SyncKind::Barrier),
            P::BarrierWait => self.barrier_wait(a[0], o),
            P::SemInit => self.sem_init(a[0], a[1], o),
            P::SemDestroy => self.destroy(a[0], SyncKind::Semaphore),
            P::SemWait | P::SemTimedWait => self.sem_wait(a[0], errno::ETIMEDOUT, o),
            P::SemTryWait => self.sem_wait(a[0], errno::EAGAIN, o),
            P::SemPost => self.sem_post(a[0], o),
            P::SemValue => self.sem_value(a[0]),
            P::OnceBegin => self.once_begin(a[0], o),
            P::OnceEnd => self.once_end(a[0], o),
            other => unreachable!("{} has been dispatched", other.name()),
        }
    }

    /// A fault that is a misuse of the object at an address.
    pub(crate) fn misuse(&self, make: fn(String) -> Misuse, address: u64) -> Trap {
        FaultKind::Misuse(make(self.name_at(address))).into()
    }

    /// The entry at an address, as something that was initialised and not destroyed.
    pub(crate) fn sync(&mut self, address: u64, kind: SyncKind) -> std::result::Result<u32, Trap> {
        self.state.memory.locate(address, 4)?;
        let index = self.sync_at(address).expect("it was located");
        let entry = *self.state.syncs.get(index);
        if entry.kind == SyncKind::Unknown {
            self.adopt(index, address, kind)?;
        } else if entry.kind != kind {
            return Err(self.misuse(|object| Misuse::WrongKind { object }, address));
        } else if entry.destroyed {
            return Err(self.misuse(|object| Misuse::Destroyed { object }, address));
        }
        Ok(index)
    }

    /// Makes an entry of what was initialised by its bytes alone.
    fn adopt(&mut self, index: u32, address: u64, kind: SyncKind) -> std::result::Result<(), Trap> {
        let flavour_at = if self.state.memory.pointer_size() == 8 { 16 } else { 12 };
        let size = if kind == SyncKind::Mutex { flavour_at + 4 } else { 4 };
        let (object, offset) = self.state.memory.locate(address, size.into())?;
        let bytes = self.state.memory.bytes(object, offset, size);
        let flavour = if kind == SyncKind::Mutex { bytes[flavour_at as usize] } else { 0 };
        let rest = if kind == SyncKind::Mutex { &bytes[..flavour_at as usize] } else { bytes };
        let needs_call = matches!(kind, SyncKind::Semaphore | SyncKind::Barrier);
        if needs_call || flavour > 2 || rest.iter().any(|&byte| byte != 0) {
            return Err(self.misuse(|object| Misuse::Uninitialised { object }, address));
        }
        let entry = self.state.syncs.get_mut(index);
        entry.reset(kind);
        entry.flavour = flavour;
        Ok(())
    }

    /// Initialises an entry by a call.
    pub(crate) fn init(&mut self, address: u64, kind: SyncKind) -> std::result::Result<u32, Trap> {
        self.state.memory.locate_mut(address, 4)?;
        let index = self.sync_at(address).expect("it was located");
        if self.state.syncs.get(index).is_held() || self.is_waited_for(index) {
            return Err(self.misuse(|object| Misuse::InitUsed { object }, address));
        }
        self.state.syncs.get_mut(index).reset(kind);
        self.busy();
        Ok(index)
    }

    fn destroy(&mut self, address: u64, kind: SyncKind) -> Result {
        let index = self.sync(address, kind)?;
        if self.state.syncs.get(index).is_held() {
            return Err(self.misuse(|object| Misuse::DestroyHeld { object }, address));
        }
        if self.is_waited_for(index) {
            return Err(self.misuse(|object| Misuse::DestroyWaited { object }, address));
        }
        self.state.syncs.get_mut(index).destroyed = true;
        self.busy();
        OK
    }

    /// Whether a thread is blocked on the entry, in a wait, at a barrier, before a semaphore.
    fn is_waited_for(&self, index: u32) -> bool {
        use crate::thread::Gate;
        let current = self.state.counters.current;
        let waits = |thread: u32| {
            let core = &self.state.threads[thread as usize].core;
            let on = match core.gate {
                Gate::Exclusive(i) | Gate::Shared(i) | Gate::Positive(i) | Gate::Settled(i) => {
                    i == index && !self.is_gate_open(thread)
                }
                Gate::Signalled => core.cond == index && !core.signalled,
                Gate::Passed(i, _) => i == index && !self.is_gate_open(thread),
                Gate::Open | Gate::Ended(_) => false,
            };
            on && thread != current
        };
        let running = |&thread: &u32| self.state.threads[thread as usize].is_running();
        (0..self.n_threads()).filter(running).any(waits)
    }

    /// Forgets the locks and the like in an object whose life ends.
    pub(crate) fn forget_syncs(&mut self, object: u32) -> std::result::Result<(), Trap> {
        let about = *self.state.memory.object(object);
        if about.flags & flag::SYNC == 0 {
            return Ok(());
        }
        let start = self.state.memory.address(object, 0);
        let end = start + u64::from(about.size);
        for &(address, index) in self.state.syncs.within(start, end) {
            let entry = self.state.syncs.get(index);
            // A lock may end with its function while it is held: nobody else can know of it.
            if about.kind == crate::ObjectKind::Heap && !entry.destroyed && entry.is_held() {
                return Err(self.misuse(|object| Misuse::FreeHeld { object }, address));
            }
            if entry.kind != SyncKind::Unknown && self.is_waited_for(index) {
                return Err(self.misuse(|object| Misuse::FreeWaited { object }, address));
            }
        }
        self.state.syncs.forget(start, end);
        self.state.memory.objects[object as usize].flags &= !flag::SYNC;
        Ok(())
    }

    /// The current thread takes a lock.
    pub(crate) fn took<O: Observer>(&mut self, index: u32, asked: bool, o: &mut O) {
        let current = self.state.counters.current;
        let entry = self.state.syncs.get_mut(index);
        (entry.owner, entry.count) = (current, if entry.kind == SyncKind::Rwlock { 0 } else { 1 });
        let address = entry.address;
        self.busy();
        if asked {
            self.emit(o, What::Request { address, shared: false });
        }
        self.emit(o, What::Acquire { address, shared: false });
    }

    /// The current thread gives an exclusive lock back.
    pub(crate) fn gave_back<O: Observer>(&mut self, index: u32, o: &mut O) {
        let entry = self.state.syncs.get_mut(index);
        (entry.owner, entry.count) = (NONE, 0);
        let address = entry.address;
        self.busy();
        self.emit(o, What::Release { address, shared: false });
    }

    /// A timed operation of the current thread runs out.
    pub(crate) fn run_out(&mut self) -> Result {
        let deadline = self.current_thread().core.deadline;
        if deadline != crate::thread::NEVER {
            self.state.counters.clock = self.state.counters.clock.max(deadline);
        }
        self.idle();
        fail(errno::ETIMEDOUT)
    }
}
