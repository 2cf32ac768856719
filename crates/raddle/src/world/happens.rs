//! Happens-before: what threads learn from each other.
//!
//! Nothing is kept up until the program has used a cell: who has none has no race.
//!
//! - H1: who takes a lock learns what everybody knew who gave it back; readers of a lock learn
//!   nothing from each other.
//! - H2: atomics synchronise as their orders say (C++20): an acquire load learns what the releasing
//!   store knew that it reads from, directly or through read-modify-writes; fences do it for what
//!   comes before and after. That executions are sequentially consistent adds nothing.
//! - H3: a message brings what its sender knew, a join all that the thread knew, an unpark what the
//!   unparking thread knew. A condition variable alone orders nothing; its mutex does.

use std::sync::atomic::Ordering;

use raddle_explore::Touch;

use super::{Row, World};

impl World {
    /// The current thread has taken an object that others gave back.
    #[inline]
    pub(crate) fn acquire(&mut self, object: u32) {
        if self.follows_clocks {
            self.clocks.learn(self.current, self.objects[object as usize].clock);
        }
    }

    /// The current thread gives an object back.
    #[inline]
    pub(crate) fn release(&mut self, object: u32) {
        if self.follows_clocks {
            let clock = self.objects[object as usize].clock;
            self.objects[object as usize].clock = self.clocks.teach(clock, self.current);
        }
    }

    /// As `acquire`, from readers.
    pub(crate) fn acquire_from_readers(&mut self, object: u32) {
        if self.follows_clocks {
            self.clocks.learn(self.current, self.objects[object as usize].readers_clock);
        }
    }

    /// As `release`, by a reader.
    pub(crate) fn release_as_reader(&mut self, object: u32) {
        if self.follows_clocks {
            let clock = self.objects[object as usize].readers_clock;
            self.objects[object as usize].readers_clock = self.clocks.teach(clock, self.current);
        }
    }

    /// What the current thread knows, to be sent.
    pub(crate) fn message(&mut self) -> Row {
        match self.follows_clocks {
            true => self.clocks.copy(Row::NONE, self.current),
            false => Row::NONE,
        }
    }

    /// The current thread learns what came with a message.
    pub(crate) fn learn(&mut self, message: Row) {
        if self.follows_clocks {
            self.clocks.learn(self.current, message);
        }
    }

    /// The current thread loads an atomic.
    #[inline]
    pub(crate) fn load(&mut self, object: u32, order: Ordering) {
        if self.follows_clocks {
            self.touch_atomic(object, Touch::AtomicRead);
            let clock = self.objects[object as usize].clock;
            self.clocks.load(self.current, clock, acquires(order));
        }
    }

    /// The current thread stores to an atomic.
    #[inline]
    pub(crate) fn store(&mut self, object: u32, order: Ordering, modifies: bool) {
        if self.follows_clocks {
            self.touch_atomic(object, Touch::AtomicWrite);
            let clock = self.objects[object as usize].clock;
            self.objects[object as usize].clock =
                self.clocks.store(self.current, clock, releases(order), modifies);
        }
    }

    /// An atomic access, where others access atomics in other ways, too.
    fn touch_atomic(&mut self, object: u32, touch: Touch) {
        if self.watches.pointers {
            let site = self.me().pending.site;
            self.touch(object, touch, site);
        }
    }

    /// The current thread does a fence.
    pub(crate) fn fence(&mut self, order: Ordering) {
        if self.follows_clocks {
            self.clocks.fence(self.current, acquires(order), releases(order));
        }
    }
}

fn acquires(order: Ordering) -> bool {
    matches!(order, Ordering::Acquire | Ordering::AcqRel | Ordering::SeqCst)
}

fn releases(order: Ordering) -> bool {
    matches!(order, Ordering::Release | Ordering::AcqRel | Ordering::SeqCst)
}
