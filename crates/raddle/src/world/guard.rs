//! Guards: what must hold before a thread can do what it announced.

use super::{NONE, Thread, World};

/// What must hold.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Guard {
    /// Nothing.
    Open,
    /// No thread has the lock, for reading or writing.
    Free,
    /// Another thread has woken the thread, which waits for a lock.
    Roused,
    /// The thread has ended.
    Ended,
    /// The waker of the task was called.
    Woken,
    /// Another thread has notified the thread, and the mutex is free.
    Notified,
    /// Another thread has unparked the thread.
    Token,
    /// No thread is initialising.
    Settled,
    /// There is something in the channel, or no sender any more.
    Receivable,
    /// There is room in the channel, or no receiver any more.
    Sendable,
    /// The message of a thread was taken, or there is no receiver any more.
    Taken(u32),
    /// Others have arrived at the barrier: another generation than this one.
    Passed(u32),
}

impl Guard {
    /// Whether nothing must hold.
    #[inline]
    pub(crate) fn is_open(self) -> bool {
        matches!(self, Guard::Open)
    }
}

impl World {
    /// Whether a thread can be chosen: it can do what it announced, or it can give up: its time runs out, or it
    /// wakes up for no reason.
    #[inline]
    pub(crate) fn is_enabled(&self, thread: u32) -> bool {
        let at = &self.threads[thread as usize];
        at.is_live() && (at.pending.guard.is_open() || self.holds(thread) || self.gives_up(at))
    }

    fn gives_up(&self, at: &Thread) -> bool {
        let pending = &at.pending;
        pending.is_timed
            && (pending.mutex == NONE || self.objects[pending.mutex as usize].owner == NONE)
    }

    /// Whether no thread has a lock, for reading or writing.
    #[inline]
    pub(crate) fn is_free(&self, object: u32) -> bool {
        let object = &self.objects[object as usize];
        (object.owner == NONE) & (object.count == 0)
    }

    /// Whether a thread that has not ended can do what it announced.
    #[inline]
    pub(super) fn holds(&self, thread: u32) -> bool {
        let at = &self.threads[thread as usize];
        let object = || &self.objects[at.pending.object as usize];
        let is_mutex_free = || self.objects[at.pending.mutex as usize].owner == NONE;
        match at.pending.guard {
            Guard::Open => true,
            Guard::Free => self.is_free(at.pending.object),
            Guard::Roused => at.is_woken,
            Guard::Settled => object().owner == NONE,
            Guard::Ended => !self.threads[at.pending.object as usize].is_live(),
            Guard::Woken => at.is_task_woken,
            Guard::Notified => at.is_woken && is_mutex_free(),
            Guard::Token => at.has_token,
            Guard::Receivable => object().count > 0 || object().n_senders == 0,
            Guard::Sendable => object().count < object().limit || object().is_closed,
            Guard::Taken(message) => object().n_taken > message || object().is_closed,
            Guard::Passed(generation) => object().generation != generation,
        }
    }
}
