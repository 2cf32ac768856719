//! Spinning: doing the same again and again until another thread changes something.
//!
//! What a thread sees (where, of what, which value) is remembered, the last few. An operation that
//! changes nothing and sees nothing new is *idle*; after many of them in a row the thread spins and
//! others go first. Plain accesses are too many to be looked at; when a thread has used up its
//! slice, its next few are: one write or one new sight, and it was computing, not spinning.

use core::cell::Cell;

use raddle_wire::{Code, Record};

use crate::record;
use crate::state::State;

const N_SIGHTS: usize = 16;
/// So many accesses are looked at when a slice is used up.
const LOOK_AT: u32 = 256;
/// After so many idle operations in a row a thread spins.
const IDLE_MAX: u32 = 32;
/// What idling for a whole slice counts.
const SLICE_WEIGHT: u32 = 64;

/// What one thread has seen lately.
pub struct Sights {
    recent: [Cell<u64>; N_SIGHTS],
    next: Cell<usize>,
    /// How many accesses are still to be looked at.
    to_look_at: Cell<u32>,
    n_idle: Cell<u32>,
    /// How many changes there had been when that was counted.
    since: Cell<u64>,
    /// The last write to its own stack, and what was there before.
    wrote: Cell<Option<(Record, u64)>>,
}

impl Sights {
    /// Nothing yet.
    pub const fn new() -> Sights {
        Sights {
            recent: [const { Cell::new(0) }; N_SIGHTS],
            next: Cell::new(0),
            to_look_at: Cell::new(0),
            n_idle: Cell::new(0),
            since: Cell::new(0),
            wrote: Cell::new(None),
        }
    }

    /// Whether the thread does nothing but wait for a change.
    pub fn spins(&self, n_changes: u64) -> bool {
        self.n_idle.get() > IDLE_MAX && self.since.get() == n_changes
    }

    /// The thread is about to write to its own stack. Code that is not optimised keeps there what it
    /// has just read; whether that is a change shows at the next step ([`changed`](Self::changed)).
    ///
    /// # Safety
    /// It is on the stack, and has at most 8 bytes.
    pub unsafe fn writes(&self, access: Record) {
        // SAFETY: as the caller says.
        self.wrote.set(Some((access, unsafe { value_at(access) })));
    }

    /// The last write to the own stack, if it has changed something; asked once.
    pub fn changed(&self) -> Option<Record> {
        // SAFETY: nobody else has run since the thread wrote there.
        let changed = |&(access, before): &(Record, u64)| unsafe { value_at(access) } != before;
        self.wrote.take().filter(changed).map(|(access, _)| access)
    }

    /// The thread has changed something on its own stack: what it did without a change still counts. For others it is
    /// a change like any other.
    pub fn changed_own(&self, before: u64, n_changes: u64) {
        if self.since.get() == before {
            self.since.set(n_changes);
        }
    }

    /// Begins anew if anything has changed.
    fn catch_up(&self, n_changes: u64) {
        if self.since.replace(n_changes) != n_changes {
            self.n_idle.set(0);
        }
    }

    /// Whether every access is to be looked at.
    pub fn is_looking(&self) -> bool {
        self.to_look_at.get() > 0
    }

    /// Something was done that changed nothing.
    pub fn idle(&self, n_changes: u64, weight: u32) {
        self.catch_up(n_changes);
        self.n_idle.set(self.n_idle.get().saturating_add(weight));
    }

    /// Something changed.
    #[inline]
    pub fn busy(&self) {
        self.n_idle.set(0);
        self.to_look_at.set(0);
    }

    /// Remembers a sight; whether it is new.
    pub fn is_new(&self, pc: u64, address: u64, value: u64) -> bool {
        let sight = (pc ^ address.rotate_left(21) ^ value.rotate_left(42))
            .wrapping_mul(0x9e37_79b9_7f4a_7c15)
            | 1;
        if self.recent.iter().any(|recent| recent.get() == sight) {
            return false;
        }
        self.recent[self.next.get()].set(sight);
        self.next.set((self.next.get() + 1) % N_SIGHTS);
        true
    }

    /// The slice is used up: from here on accesses are looked at.
    pub fn look(&self) {
        self.to_look_at.set(LOOK_AT);
    }

    /// One of the accesses that are looked at.
    pub fn look_at(&self, state: &State, access: Record) {
        let Some(left) = self.to_look_at.get().checked_sub(1) else { return };
        let is_read = access.code() == Some(Code::Read) && access.detail() <= 8;
        // The first half only fills the memory.
        let is_early = left > LOOK_AT / 2;
        // SAFETY: the program is about to read there itself.
        let is_new =
            is_read && unsafe { self.is_new(access.pc(), access.object(), value_at(access)) };
        if !is_read {
            return crate::sched::busy(state);
        }
        if is_new && !is_early {
            return crate::sched::sees_new(state);
        }
        self.to_look_at.set(left);
        if left == 0 {
            self.idle(state.n_changes.get(), SLICE_WEIGHT);
        }
    }
}

/// What is where an access is.
///
/// # Safety
/// It can be read.
unsafe fn value_at(access: Record) -> u64 {
    // SAFETY: as the caller says.
    unsafe { record::peek(access.object(), access.detail()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_sights_again_are_not_new_and_many_idle_steps_are_spinning() {
        let sights = Sights::new();
        assert!(sights.is_new(1, 2, 3) && sights.is_new(1, 2, 4) && !sights.is_new(1, 2, 3));
        for _ in 0..=IDLE_MAX {
            assert!(!sights.spins(7));
            sights.idle(7, 1);
        }
        assert!(sights.spins(7));
        assert!(!sights.spins(8), "something has changed");
        sights.busy();
        assert!(!sights.spins(7));
    }

    #[test]
    fn a_change_on_the_own_stack_does_not_hide_that_nothing_else_changes() {
        let sights = Sights::new();
        for changes in 0..=u64::from(IDLE_MAX) {
            sights.idle(changes, 1);
            sights.changed_own(changes, changes + 1);
        }
        let last = u64::from(IDLE_MAX) + 1;
        assert!(sights.spins(last) && !sights.spins(last + 1));
        sights.changed_own(last + 1, last + 2);
        assert!(!sights.spins(last + 2), "another thread had changed something");
    }
}
