//! Happens-before: what threads learn from each other, by the rules of `raddle_happens` (H1 to H6).
//!
//! Nothing is kept up until the program has used a cell: who has none has no race. A condition variable alone orders
//! nothing; its mutex does. That executions are sequentially consistent adds nothing.

use std::sync::atomic::Ordering;

use raddle_explore::Touch;
use raddle_happens::{Known, Order};

use super::World;

impl World {
    /// The current thread has taken an object that others gave back.
    #[inline]
    pub(crate) fn acquire(&mut self, object: u32) {
        if self.follows_clocks {
            self.orders.take(self.current, self.objects[object as usize].lock.given);
        }
    }

    /// The current thread gives an object back.
    #[inline]
    pub(crate) fn release(&mut self, object: u32) {
        if self.follows_clocks {
            self.orders.give(self.current, &mut self.objects[object as usize].lock.given);
        }
    }

    /// As `acquire`, from readers.
    pub(crate) fn acquire_from_readers(&mut self, object: u32) {
        if self.follows_clocks {
            self.orders.take(self.current, self.objects[object as usize].lock.readers);
        }
    }

    /// As `release`, by a reader.
    pub(crate) fn release_as_reader(&mut self, object: u32) {
        if self.follows_clocks {
            self.orders.give(self.current, &mut self.objects[object as usize].lock.readers);
        }
    }

    /// What the current thread knows, to be sent.
    pub(crate) fn message(&mut self) -> Known {
        match self.follows_clocks {
            true => self.orders.message(self.current),
            false => Known::default(),
        }
    }

    /// The current thread learns what came with a message.
    pub(crate) fn learn(&mut self, message: Known) {
        if self.follows_clocks {
            self.orders.take(self.current, message);
        }
    }

    /// The current thread loads an atomic.
    #[inline]
    pub(crate) fn load(&mut self, object: u32, order: Ordering) {
        if self.follows_clocks {
            self.touch_atomic(object, Touch::AtomicRead);
            let location = &self.objects[object as usize].location;
            self.orders.load(self.current, location, self::order(order));
        }
    }

    /// The current thread stores to an atomic.
    #[inline]
    pub(crate) fn store(&mut self, object: u32, order: Ordering, modifies: bool) {
        if self.follows_clocks {
            self.touch_atomic(object, Touch::AtomicWrite);
            let (thread, order) = (self.current, self::order(order));
            let location = &mut self.objects[object as usize].location;
            match modifies {
                true => self.orders.modify(thread, location, order),
                false => self.orders.store(thread, location, order),
            }
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
            self.orders.fence(self.current, self::order(order));
        }
    }
}

/// What an order of Rust means.
fn order(order: Ordering) -> Order {
    match order {
        Ordering::Acquire => Order::Acquire,
        Ordering::Release => Order::Release,
        Ordering::AcqRel => Order::AcqRel,
        Ordering::SeqCst => Order::SeqCst,
        _ => Order::Relaxed,
    }
}
