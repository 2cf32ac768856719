//! Guards: what must hold before a thread can do what it announced.

use crate::external::External;
use crate::state::State;
use crate::thread::Thread;

/// What must hold before a thread can go on.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Guard {
    /// Nothing.
    #[default]
    Always,
    /// Nothing will do: only time helps.
    Never,
    /// A lock that nobody has.
    Free(u64),
    /// A lock that nobody has for writing, and that no writer waits for before which readers wait.
    Readable(u64),
    /// A lock that nobody has at all.
    Writable(u64),
    /// A semaphore above zero.
    Positive(u64),
    /// A thread that has ended.
    Ended(u32),
    /// Somebody woke this thread.
    Woken,
    /// Somebody woke this thread, and a lock is free.
    WokenAndFree(u64),
    /// A `pthread_once` that nobody is running.
    OnceIdle(u64),
    /// Something outside of the process.
    External(External),
}

impl Guard {
    /// Whether a thread can go on.
    #[inline]
    pub fn holds(self, state: &State, thread: &Thread) -> bool {
        matches!(self, Guard::Always) || self.holds_now(state, thread)
    }

    fn holds_now(self, state: &State, thread: &Thread) -> bool {
        state.objects.with(|objects| match self {
            Guard::Always => true,
            Guard::Never => false,
            Guard::Free(lock) => objects.mutex(lock).owner == 0,
            Guard::Readable(lock) => {
                let lock = objects.rwlock(lock);
                lock.writer == 0 && lock.n_queued == 0
            }
            Guard::Writable(lock) => {
                let lock = objects.rwlock(lock);
                lock.writer == 0 && lock.readers.is_empty()
            }
            Guard::Positive(semaphore) => objects.semaphore(semaphore).count > 0,
            Guard::Ended(number) => state.thread(number).is_none_or(|other| other.is_done.get()),
            Guard::Woken => thread.is_woken.get(),
            Guard::WokenAndFree(lock) => thread.is_woken.get() && objects.mutex(lock).owner == 0,
            Guard::OnceIdle(once) => objects.once(once).runner == 0,
            Guard::External(external) => external.is_ready(thread),
        })
    }

    /// Whether a thread whose time runs out could go on at once.
    pub fn lets_time_out(self, state: &State) -> bool {
        match self {
            Guard::WokenAndFree(lock) => {
                state.objects.with(|objects| objects.mutex(lock).owner == 0)
            }
            _ => true,
        }
    }
}

/// Whether some threads wait for each other in a circle: they will not go on, whatever comes from
/// outside for others.
pub fn has_circle(state: &State) -> bool {
    let awaited = |thread: &'static Thread| {
        let want = thread.want.get();
        let waits = match want.guard {
            Guard::WokenAndFree(_) => thread.is_woken.get(),
            _ => true,
        };
        let is_open = thread.is_done.get() || !waits || want.deadline != 0;
        if is_open || want.guard.holds(state, thread) {
            return None;
        }
        let holder = state.objects.with(|objects| objects.holder(want.guard));
        holder.checked_sub(1).and_then(|holder| state.thread(holder))
    };
    let n = state.n_threads();
    // Whoever comes further than there are threads goes round.
    state.all_threads().any(|first| (0..=n).try_fold(first, |at, _| awaited(at)).is_some())
}
