//! Predictions: what a block need not say, because it follows from what it said before.
//!
//! - P1: a thread releases the lock that it took last in this block and still holds.
//! - P2: a lock is released at the location where it was released last in this block.
//!
//! Writer and reader make the same predictions from the same past; the file says only which of
//! them are wrong, and what is right instead.

use crate::id::{NONE, ThreadId};
use crate::tables::Tables;

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
    pub(super) fn clear(&mut self, tables: &Tables) {
        self.held.iter_mut().for_each(Vec::clear);
        self.held.resize(tables.threads.len(), Vec::new());
        self.released_at.clear();
        self.released_at.resize(tables.locks.len(), NONE);
    }

    pub(super) fn acquire(&mut self, thread: ThreadId, lock: u32) {
        if let Some(held) = self.held.get_mut(thread.index()) {
            held.push(lock);
        }
    }

    /// P1, or [`NONE`].
    pub(super) fn lock(&self, thread: ThreadId) -> u32 {
        self.held.get(thread.index()).and_then(|held| held.last()).map_or(NONE, |&lock| lock)
    }

    /// P2, or [`NONE`].
    pub(super) fn location(&self, lock: u32) -> u32 {
        self.released_at.get(lock as usize).map_or(NONE, |&location| location)
    }

    pub(super) fn release(&mut self, thread: ThreadId, lock: u32, location: u32) {
        if let Some(held) = self.held.get_mut(thread.index())
            && let Some(at) = held.iter().rposition(|&l| l == lock)
        {
            held.remove(at);
        }
        if let Some(last) = self.released_at.get_mut(lock as usize) {
            *last = location;
        }
    }
}
