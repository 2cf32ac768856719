//! Who can be chosen.
//!
//! In: what threads announce. Out: the threads that can be chosen, as a set. Of the first 64 threads
//! it is known who waits for nothing, so only those have to be looked at who wait for something.

use super::World;

/// Of how many threads it is known who waits for nothing.
const N_KNOWN: u32 = u64::BITS;

/// Which of the first threads have not ended, and which of them wait for nothing.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Who {
    live: u64,
    open: u64,
}

impl Who {
    /// A thread begins, or announces something.
    #[inline]
    pub(super) fn announces(&mut self, thread: u32, is_open: bool) {
        let bit = bit(thread);
        self.live |= bit;
        self.open = if is_open { self.open | bit } else { self.open & !bit };
    }

    /// A thread has ended.
    pub(super) fn ends(&mut self, thread: u32) {
        self.live &= !bit(thread);
        self.open &= self.live;
    }
}

#[inline]
fn bit(thread: u32) -> u64 {
    1_u64.checked_shl(thread).unwrap_or(0)
}

impl World {
    /// The threads that can be chosen; none if there are too many for a set.
    #[inline]
    pub(super) fn enabled(&self) -> Option<Set> {
        if self.n_threads > N_KNOWN {
            return None;
        }
        let Who { live, open } = self.who;
        let mut set = Set(open);
        for thread in Set(live & !open) {
            if self.is_enabled(thread) {
                set.0 |= bit(thread);
            }
        }
        Some(set)
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
    fn only_who_lives_can_be_open() {
        let mut who = Who::default();
        (0..3).for_each(|thread| who.announces(thread, thread != 1));
        who.ends(2);
        who.announces(64, true); // Nobody knows of this one.
        assert_eq!((who.live, who.open), (0b011, 0b001));
    }
}
