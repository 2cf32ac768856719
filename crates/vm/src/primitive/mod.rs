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
mod object;
mod once;
mod process;
mod rwlock;
mod semaphore;
mod stream;
mod threads;

use raddle_cfront::ir::{Operands, Primitive, Reg};

use crate::interpret::{Flow, Trap};
use crate::machine::{Machine, TICK};
use crate::observe::{Observer, What};
use crate::question::time;
use crate::state::Phase;
use crate::sync::SyncKind;
use crate::thread::Stage;

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
        arguments: Operands,
        result: Option<Reg>,
        o: &mut O,
    ) -> std::result::Result<Flow, Trap> {
        match self.dispatch(call, self.arguments(arguments), o)? {
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
            P::Malloc => self.malloc(a[0], a[1], o),
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
            P::TransactionBegin => {
                self.emit(o, What::TransactionBegin { name: a[0] });
                OK
            }
            P::TransactionEnd => {
                self.emit(o, What::TransactionEnd);
                OK
            }
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
            P::Now => {
                self.state.counters.n_clock += 1;
                self.state.counters.clock += TICK;
                Ok(Done::Value(self.state.counters.clock))
            }
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
            P::CondTimedWait => self.cond_wait(a[0], a[1], time(a[2]), o),
            P::CondSignal => self.cond_signal(a[0], o),
            P::CondBroadcast => self.cond_broadcast(a[0], o),
            P::RwlockInit => self.rwlock_init(a[0], a[1]),
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
}
