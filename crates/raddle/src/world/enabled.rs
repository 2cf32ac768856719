//! Who can be chosen.
//!
//! In: what threads announce. Out: the threads that can be chosen, as a set. Of the first 64 threads
//! it is known who waits for nothing and who for a thread that has not ended, so only the others
//! have to be looked at.

use super::{Guard, Pending, World};

/// Of how many threads it is known what they wait for.
pub(super) const N_KNOWN: u32 = u64::BITS;

/// Which of the first threads have not ended, which of them wait for nothing, and which for the end
/// of a thread that has not ended.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Who {
    live: u64,
    open: u64,
    joining: u64,
}

impl Who {
    /// A thread begins, or announces something that waits for nothing, for the end of a thread, or
    /// for something else.
    #[inline]
    pub(super) fn announces(&mut self, thread: u32, is_open: bool, joins: bool) {
        let bit = bit(thread);
        self.live |= bit;
        self.open = self.open & !bit | if is_open { bit } else { 0 };
        self.joining = self.joining & !bit | if joins { bit } else { 0 };
    }

    /// A thread has ended.
    fn ends(&mut self, thread: u32) {
        self.live &= !bit(thread);
        self.open &= self.live;
    }
}

#[inline]
fn bit(thread: u32) -> u64 {
    u64::from(thread < N_KNOWN) << (thread % N_KNOWN)
}

impl World {
    /// The current thread announces something.
    #[inline]
    pub(super) fn note_guard(&mut self, guard: Guard, object: u32) {
        if guard.is_open() {
            return self.who.announces(self.current, true, false);
        }
        let joins = guard == Guard::Ended && self.threads[object as usize].is_live();
        self.who.announces(self.current, false, joins);
    }

    /// A thread has ended: others may have waited for that.
    pub(super) fn note_ended(&mut self, thread: u32) {
        self.who.ends(thread);
        for other in Set(self.who.joining) {
            if self.threads[other as usize].pending.object == thread {
                self.who.joining &= !bit(other);
            }
        }
    }

    /// The threads that can be chosen; none if there are too many for a set.
    #[inline]
    pub(super) fn enabled(&self) -> Option<Set> {
        (self.n_threads <= N_KNOWN).then(|| self.enabled_known())
    }

    /// The same; there must not be too many.
    #[inline(always)]
    pub(super) fn enabled_known(&self) -> Set {
        let Who { live, open, joining } = self.who;
        let mut set = Set(open);
        for thread in Set(live & !open & !joining) {
            let is_enabled = match self.threads[thread as usize].pending {
                // Most of those who wait.
                Pending { guard: Guard::Free, object, is_timed: false, .. } => self.is_free(object),
                _ => self.is_enabled(thread),
            };
            set.0 |= u64::from(is_enabled) << thread;
        }
        set
    }
}

/// A set of threads, which yields them in order.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Set(u64);

impl Set {
    /// How many there are.
    #[inline]
    pub(super) fn n(self) -> usize {
        self.0.count_ones() as usize
    }
}

impl Set {
    /// One of them by its number, which must be below `n`. What is drawn cannot be predicted by the
    /// processor, so few are selected without branches.
    #[inline]
    pub(super) fn at(self, number: usize) -> u32 {
        let mut set = self.0;
        for skipped in 0..3 {
            let rest = set & set.wrapping_sub(1);
            set = if number > skipped { rest } else { set };
        }
        for _ in 3..number {
            set &= set.wrapping_sub(1);
        }
        set.trailing_zeros()
    }
}

impl Iterator for Set {
    type Item = u32;

    #[inline]
    fn next(&mut self) -> Option<u32> {
        let first = (self.0 != 0).then(|| self.0.trailing_zeros());
        self.0 &= self.0.wrapping_sub(1);
        first
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_yields_its_threads_in_order() {
        let set = Set(1 << 63 | 0b101);
        assert_eq!(set.n(), 3);
        assert_eq!(set.collect::<Vec<_>>(), [0, 2, 63]);
    }

    #[test]
    fn a_thread_of_a_set_by_its_number() {
        for set in [Set(1 << 63 | 0b101), Set(u64::MAX), Set(0b1_1101_1000)] {
            for (number, thread) in set.enumerate() {
                assert_eq!(set.at(number), thread);
            }
        }
    }

    #[test]
    fn only_who_lives_can_be_open() {
        let mut who = Who::default();
        (0..3).for_each(|thread| who.announces(thread, thread != 1, false));
        who.ends(2);
        who.announces(64, true, false); // Beyond the first 64, so not kept.
        assert_eq!((who.live, who.open), (0b011, 0b001));
    }
}
