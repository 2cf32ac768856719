//! What threads have seen: an identity of their local states.
//!
//! The states of Rust programs cannot be compared. But the closure of a check does the same whenever its threads
//! see the same, so what a thread has seen since it began says in which local state it is: its *identity* is a
//! hash of that.
//!
//! - I1: a thread begins with the identity that its parent has when it spawns it.
//! - I2: each operation changes it by its place and by its result. What a result is made of that has no value
//!   here (what is in a lock, a cell or a message, what a thread returns) is known by who wrote it: by the
//!   identity that the writer had then.
//! - I3: what is shared without the types of this crate is not seen (a condition of every result).

use super::{Site, World};

/// What the first thread begins with.
pub(super) const FIRST: u64 = 0x5851_f42d_4c95_7f2d;

/// One hash of two.
#[inline(always)]
pub(super) fn mix(one: u64, other: u64) -> u64 {
    let product = u128::from(one.rotate_left(29) ^ other) * 0x9e37_79b9_7f4a_7c15;
    (product as u64) ^ ((product >> 64) as u64)
}

/// The number of a place, the same in all executions of a process.
#[inline(always)]
pub(super) fn number(site: Site) -> u64 {
    std::ptr::from_ref(site) as u64
}

impl World {
    /// The current thread has seen something: the result of its last operation is part of its identity (I2).
    #[inline]
    pub(crate) fn see(&mut self, value: u64) {
        if self.follows_rule {
            let me = self.me();
            me.seen = mix(me.seen, value.wrapping_add(1));
        }
    }

    /// From now on threads are known by what they see: until now the execution was drawn from a seed, which says
    /// all of them have seen.
    pub(super) fn see_from_now_on(&mut self) {
        let drawn = mix(self.drawn_from, self.at as u64);
        for (number, thread) in (0..).zip(&mut self.threads[..self.n_threads as usize]) {
            (thread.identity, thread.seen) = (mix(drawn, number), 0);
        }
    }

    /// The identity of the current thread, with all that it has seen.
    #[inline]
    pub(crate) fn identity(&self) -> u64 {
        let me = &self.threads[self.current as usize];
        mix(me.identity, me.seen)
    }

    /// The current thread has seen what is in an object.
    #[inline]
    pub(crate) fn see_data(&mut self, object: u32) {
        self.see(self.objects[object as usize].data);
    }

    /// The same of a lock, which may be poisoned.
    #[inline]
    pub(crate) fn see_lock(&mut self, object: u32, is_poisoned: bool) {
        self.see(self.objects[object as usize].data ^ u64::from(is_poisoned));
    }

    /// The current thread has written what is in an object.
    #[inline]
    pub(crate) fn wrote_data(&mut self, object: u32) {
        self.objects[object as usize].data = self.identity();
    }

    /// Time passes since the current thread looks at the clock: faster and faster while nothing changes.
    pub(crate) fn look_at_clock(&mut self) -> u64 {
        let n_changes = self.n_changes;
        let me = self.me();
        if me.clock_since != n_changes {
            (me.clock_since, me.n_clock) = (n_changes, 0);
        }
        let step = 1000 << me.n_clock.min(40);
        me.n_clock += 1;
        self.now = self.now.saturating_add(step);
        self.see(self.now);
        self.now
    }
}
