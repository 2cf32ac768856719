//! Vector clocks: for each thread, up to when its doings are known.
//!
//! All of them lie in one table, each in a block of its own that moves when it has to grow.

use super::logged::{Logged, Mark};

/// One vector clock. Threads beyond its end are not known at all.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Clock {
    start: u32,
    len: u32,
}

/// All vector clocks.
#[derive(Clone, Debug, Default)]
pub(super) struct Clocks {
    times: Logged<u32>,
}

impl Clocks {
    /// Up to when a clock knows a thread.
    #[inline]
    pub(super) fn time(&self, clock: Clock, thread: u32) -> u32 {
        if thread < clock.len { *self.times.get(clock.start + thread) } else { 0 }
    }

    /// Whether a clock knows anything at all.
    pub(super) fn is_empty(&self, clock: Clock) -> bool {
        self.times.slice(clock.start, clock.len).iter().all(|&time| time == 0)
    }

    /// A clock gets to know what another one knows; answers with where it is now.
    pub(super) fn join(&mut self, clock: Clock, other: Clock) -> Clock {
        let clock = self.at_least(clock, other.len);
        for thread in 0..other.len {
            let time = *self.times.get(other.start + thread);
            if time > *self.times.get(clock.start + thread) {
                self.times.set(clock.start + thread, time);
            }
        }
        clock
    }

    /// A clock knows what another one knows and nothing else; answers with where it is now.
    pub(super) fn copy(&mut self, clock: Clock, other: Clock) -> Clock {
        self.clear(clock);
        self.join(clock, other)
    }

    /// A clock knows nothing.
    pub(super) fn clear(&mut self, clock: Clock) {
        for at in clock.start..clock.start + clock.len {
            if *self.times.get(at) != 0 {
                self.times.set(at, 0);
            }
        }
    }

    /// The time of a thread goes on; answers with where the clock is now.
    pub(super) fn tick(&mut self, clock: Clock, thread: u32) -> Clock {
        let clock = self.at_least(clock, thread + 1);
        let at = clock.start + thread;
        self.times.set(at, self.times.get(at) + 1);
        clock
    }

    fn at_least(&mut self, clock: Clock, len: u32) -> Clock {
        if clock.len >= len {
            return clock;
        }
        let start = self.times.len();
        for thread in 0..len {
            let time = self.time(clock, thread);
            self.times.push(time);
        }
        Clock { start, len }
    }

    pub(super) fn mark(&mut self) -> Mark {
        self.times.mark()
    }

    pub(super) fn rewind(&mut self, mark: Mark) {
        self.times.rewind(mark);
    }

    pub(super) fn size(&self) -> usize {
        self.times.size()
    }
}
