//! What is given and taken: locks, semaphores, messages and the like (rules H1 and H3).

use crate::table::{Table, Times};
use crate::{Happens, Head, Known, Thread};

/// A lock for writing and reading, or for one at a time only.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Lock {
    /// What is known to those who gave it back, posted, arrived, ….
    pub given: Known,
    /// What is known to those who read under it.
    pub readers: Known,
}

impl<W: Times, T: Table<Thread>, H: Table<Head>> Happens<W, T, H> {
    /// A thread takes a lock.
    #[inline]
    pub fn acquire(&mut self, thread: u32, lock: &Lock, shared: bool) {
        self.take(thread, lock.given);
        if !shared {
            self.take(thread, lock.readers);
        }
    }

    /// A thread gives a lock back. A writer knows what the readers before it knew.
    #[inline]
    pub fn release(&mut self, thread: u32, lock: &mut Lock, shared: bool) {
        if shared {
            return self.give(thread, &mut lock.readers);
        }
        self.forget(lock.readers);
        self.give(thread, &mut lock.given);
    }

    /// A thread takes what others gave.
    #[inline]
    pub fn take(&mut self, thread: u32, from: Known) {
        if self.has(thread) {
            self.learn(thread, from);
        }
    }

    /// A thread gives something that others take.
    #[inline]
    pub fn give(&mut self, thread: u32, to: &mut Known) {
        if self.has(thread) {
            let knows = self.threads.get(thread).knows;
            self.is_full |= !self.clocks.learn(to, knows);
            self.tick(thread);
        }
    }

    /// What a thread knows, to be sent to one other.
    pub fn message(&mut self, thread: u32) -> Known {
        let mut message = Known::default();
        self.give(thread, &mut message);
        message
    }
}
