//! Vector clocks: for each thread, up to when its doings are known.
//!
//! All of them lie in one table, each in a block of a power of two that it leaves for a larger one
//! when it has to grow. Blocks that were left are used again.

/// How many sizes of blocks there are: from 4 times to one for every thread.
const N_CLASSES: usize = 16;

/// Enough for 8192 threads that all know each other.
const N_TIMES: usize = 1 << 26;

/// One vector clock. Threads beyond its end are not known at all; all zero, it knows nobody.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Clock {
    start: u32,
    len: u32,
    /// The size of its block; 0 if it has none.
    class: u32,
}

impl Clock {
    /// Whether it knows nobody.
    pub(super) fn is_empty(self) -> bool {
        self.len == 0
    }

    /// It knows nobody any more, and keeps its block.
    pub(super) fn clear(&mut self) {
        self.len = 0;
    }
}

/// All vector clocks of an execution.
pub(super) struct Clocks {
    /// Whether somebody could not learn something: nothing is known to be unordered any more.
    pub(super) is_full: bool,
    n_used: u32,
    /// Of each size, the first block that was left, plus one; its first time is the next of them.
    spare: [u32; N_CLASSES],
    times: [u32; N_TIMES],
}

impl Clocks {
    /// There are no clocks.
    pub(super) fn reset(&mut self) {
        self.is_full = false;
        self.n_used = 0;
        self.spare = [0; N_CLASSES];
    }

    /// Up to when it knows each thread.
    #[inline]
    pub(super) fn times(&self, clock: Clock) -> &[u32] {
        &self.times[clock.start as usize..][..clock.len as usize]
    }

    /// A clock gets to know what another one knows.
    pub(super) fn join(&mut self, clock: &mut Clock, other: Clock) {
        if other.is_empty() || !self.extend(clock, other.len) || clock.start == other.start {
            return;
        }
        let (to, from) = (clock.start as usize, other.start as usize);
        let (low, high) = self.times.split_at_mut(to.max(from));
        let (to, from) = if to < from { (&mut low[to..], &*high) } else { (high, &low[from..]) };
        for (time, &other) in to.iter_mut().zip(&from[..other.len as usize]) {
            *time = other.max(*time);
        }
    }

    /// A clock knows what another one knows and nothing else.
    pub(super) fn copy(&mut self, clock: &mut Clock, other: Clock) {
        clock.clear();
        self.join(clock, other);
    }

    /// A clock knows a thread up to a time.
    pub(super) fn set(&mut self, clock: &mut Clock, thread: u32, time: u32) {
        if self.extend(clock, thread + 1) {
            self.times[(clock.start + thread) as usize] = time;
        }
    }

    /// A clock knows nobody any more and leaves its block.
    pub(super) fn discard(&mut self, clock: &mut Clock) {
        let Clock { start, class, .. } = core::mem::take(clock);
        if class != 0 {
            self.times[start as usize] = self.spare[class as usize];
            self.spare[class as usize] = start + 1;
        }
    }

    /// Makes a clock at least so long; false if there is no room.
    fn extend(&mut self, clock: &mut Clock, len: u32) -> bool {
        if len <= clock.len {
            return true;
        }
        if len > room(clock.class) && !self.move_to(clock, len) {
            self.is_full = true;
            return false;
        }
        self.times[clock.start as usize..][clock.len as usize..len as usize].fill(0);
        clock.len = len;
        true
    }

    fn move_to(&mut self, clock: &mut Clock, len: u32) -> bool {
        let Some(class) = (1..N_CLASSES as u32).find(|&class| room(class) >= len) else {
            return false;
        };
        let Some(start) = self.block(class) else { return false };
        let from = clock.start as usize;
        self.times.copy_within(from..from + clock.len as usize, start as usize);
        let moved = Clock { start, class, len: clock.len };
        self.discard(clock);
        *clock = moved;
        true
    }

    fn block(&mut self, class: u32) -> Option<u32> {
        if let Some(start) = self.spare[class as usize].checked_sub(1) {
            self.spare[class as usize] = self.times[start as usize];
            return Some(start);
        }
        let (start, end) = (self.n_used, self.n_used + room(class));
        (end as usize <= N_TIMES).then(|| {
            self.n_used = end;
            start
        })
    }
}

/// How many times a block has.
fn room(class: u32) -> u32 {
    if class == 0 { 0 } else { 2 << class }
}
