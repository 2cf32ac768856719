//! Predictions: what a block need not say, because it follows from what it said before.
//!
//! - P1: a thread releases the lock that it took last in this block and still holds.
//! - P2: a lock is released at the location where it was released last in this block. Nothing is
//!   predicted for locks with ids of 2¹⁶ or more.
//!
//! Writer and reader make the same predictions from the same past; the file says only which of
//! them are wrong, and what is right instead.

use crate::id::{NONE, ThreadId};

/// Locks from this id on are not predicted.
const MAX_LOCKS: u32 = 1 << 16;

/// What is known so far in a block.
#[derive(Default)]
pub(super) struct Past {
    /// Per thread, the locks that it took and holds, in the order of taking.
    held: Vec<Vec<u32>>,
    /// Per lock, where it was released last.
    released_at: Vec<u32>,
}

impl Past {
    /// Forgets everything, at the beginning of a block.
    pub(super) fn clear(&mut self) {
        self.held.iter_mut().for_each(Vec::clear);
        self.released_at.clear();
    }

    #[inline]
    pub(super) fn acquire(&mut self, thread: ThreadId, lock: u32) {
        if self.held.len() <= thread.index() {
            self.held.resize(thread.index() + 1, Vec::new());
        }
        self.held[thread.index()].push(lock);
    }

    /// P1, or [`NONE`].
    #[inline]
    pub(super) fn lock(&self, thread: ThreadId) -> u32 {
        self.held.get(thread.index()).and_then(|held| held.last()).map_or(NONE, |&lock| lock)
    }

    /// P2, or [`NONE`].
    #[inline]
    pub(super) fn location(&self, lock: u32) -> u32 {
        self.released_at.get(lock as usize).map_or(NONE, |&location| location)
    }

    #[inline]
    pub(super) fn release(&mut self, thread: ThreadId, lock: u32, location: u32) {
        if let Some(held) = self.held.get_mut(thread.index()) {
            if held.last() == Some(&lock) {
                held.pop();
            } else if let Some(at) = held.iter().rposition(|&l| l == lock) {
                held.remove(at);
            }
        }
        if self.released_at.len() <= lock as usize && lock < MAX_LOCKS {
            self.released_at.resize(lock as usize + 1, NONE);
        }
        if let Some(last) = self.released_at.get_mut(lock as usize) {
            *last = location;
        }
    }
}
