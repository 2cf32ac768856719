//! Vector clocks: for each thread, up to when its doings are known.
//!
//! All of them lie in one table of numbers, each in a block of a power of two that it leaves for a larger one when it
//! has to grow. A block begins with its size and the length of its clock. Blocks that were left are used again. The
//! table begins with the empty clock, and then, for each size, the first block that was left.

use crate::table::Times;

/// How many sizes of blocks there are: from 3 times to one for every thread.
const N_CLASSES: u32 = 16;
const LEN: u32 = (1 << 24) - 1;

/// One vector clock: where its block is; 0 while it has none. Threads beyond its end are not known at all.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Clock(u32);

impl Clock {
    /// The clock that knows nobody.
    pub const NONE: Clock = Clock(0);
}

/// All vector clocks.
#[derive(Clone, Debug, Default)]
pub(crate) struct Clocks<W> {
    pub(crate) times: W,
}

impl<W: Times> Clocks<W> {
    /// There are no clocks.
    pub(crate) fn begin(&mut self) {
        self.times.grow(1 + N_CLASSES);
        (0..=N_CLASSES).for_each(|index| self.times.set(index, 0));
    }

    /// Up to when it knows each thread.
    #[inline]
    pub(crate) fn times(&self, clock: Clock) -> &[u32] {
        self.times.slice(clock.0 + 1, self.len(clock))
    }

    /// Up to when it knows a thread.
    #[inline]
    pub(crate) fn time(&self, clock: Clock, thread: u32) -> u32 {
        if thread < self.len(clock) { *self.times.get(clock.0 + 1 + thread) } else { 0 }
    }

    /// Whether it knows nobody.
    #[inline]
    pub(crate) fn is_empty(&self, clock: Clock) -> bool {
        self.len(clock) == 0
    }

    /// A clock gets to know what another one knows; false if there is no room.
    #[must_use]
    #[inline]
    pub(crate) fn join(&mut self, clock: &mut Clock, other: Clock) -> bool {
        let n = self.len(other);
        if n == 0 || *clock == other {
            return true;
        }
        if !self.extend(clock, n) {
            return false;
        }
        self.times.raise(clock.0 + 1, other.0 + 1, n);
        true
    }

    /// A clock knows what another one knows, and nothing else; false if there is no room.
    #[must_use]
    #[inline]
    pub(crate) fn copy(&mut self, clock: &mut Clock, other: Clock) -> bool {
        let n = self.len(other);
        if *clock == other {
            return true;
        }
        let class = *self.times.get(clock.0) >> 24;
        if n > room(class) || *clock == Clock::NONE {
            self.clear(*clock);
            return self.join(clock, other);
        }
        self.times.copy(clock.0 + 1, other.0 + 1, n);
        self.times.set(clock.0, class << 24 | n);
        true
    }

    /// A clock knows a thread up to a time; false if there is no room.
    #[must_use]
    #[inline]
    pub(crate) fn set(&mut self, clock: &mut Clock, thread: u32, time: u32) -> bool {
        let has_room = self.extend(clock, thread + 1);
        if has_room {
            self.times.set(clock.0 + 1 + thread, time);
        }
        has_room
    }

    /// A clock knows nobody any more, and keeps its block.
    #[inline]
    pub(crate) fn clear(&mut self, clock: Clock) {
        if clock != Clock::NONE {
            let header = *self.times.get(clock.0);
            self.times.set(clock.0, header & !LEN);
        }
    }

    /// A clock knows nobody any more and leaves its block.
    pub(crate) fn discard(&mut self, clock: &mut Clock) {
        let Clock(start) = *clock;
        if start != 0 {
            *clock = Clock::NONE;
            let class = *self.times.get(start) >> 24;
            let next = *self.times.get(1 + class);
            self.times.set(start, next);
            self.times.set(1 + class, start);
        }
    }

    #[inline]
    fn len(&self, clock: Clock) -> u32 {
        *self.times.get(clock.0) & LEN
    }

    /// Makes a clock at least so long; false if there is no room.
    #[inline]
    fn extend(&mut self, clock: &mut Clock, len: u32) -> bool {
        let header = *self.times.get(clock.0);
        len <= header & LEN || self.lengthen(clock, header, len)
    }

    fn lengthen(&mut self, clock: &mut Clock, header: u32, len: u32) -> bool {
        let (old, mut class) = (header & LEN, header >> 24);
        if *clock == Clock::NONE || len > room(class) {
            class = match (0..N_CLASSES).find(|&class| room(class) >= len) {
                Some(class) => class,
                None => return false,
            };
            let Some(start) = self.block(class) else { return false };
            for thread in 0..old {
                let time = *self.times.get(clock.0 + 1 + thread);
                self.times.set(start + 1 + thread, time);
            }
            self.discard(clock);
            *clock = Clock(start);
        }
        for thread in old..len {
            self.times.set(clock.0 + 1 + thread, 0);
        }
        self.times.set(clock.0, class << 24 | len);
        true
    }

    fn block(&mut self, class: u32) -> Option<u32> {
        let spare = *self.times.get(1 + class);
        if spare != 0 {
            let next = *self.times.get(spare);
            self.times.set(1 + class, next);
            return Some(spare);
        }
        let start = self.times.len();
        self.times.grow(room(class) + 1).then_some(start)
    }
}

/// How many times a block has.
const fn room(class: u32) -> u32 {
    (4 << class) - 1
}
