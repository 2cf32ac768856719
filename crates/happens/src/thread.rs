//! Threads: their time, what they know, and how they begin and end (rule H2).

use crate::table::{Table, Times};
use crate::{Happens, Head, Known, View};

/// What is remembered of a thread.
#[derive(Clone, Copy, Debug, Default)]
pub struct Thread {
    /// Its own time; 0 before it begins.
    pub(crate) time: u32,
    /// Whether something reached it that ends its wait.
    pub(crate) noticed: bool,
    /// The condition it waits on, and the barrier it waits at: addresses, or 0.
    pub(crate) condition: u64,
    pub(crate) barrier: u64,
    pub(crate) knows: Known,
    /// What it knew at its last release fence.
    pub(crate) fenced: Known,
    /// What an acquire fence would teach it.
    pub(crate) overheard: Known,
    /// What the signal that reached it knows.
    pub(crate) notice: Known,
    /// What those knew who left something for it: an unpark.
    pub(crate) left: Known,
}

impl Thread {
    /// All that it knows or may come to know without anybody else, the first being what it knows.
    pub fn knowledge(&self) -> [Known; 5] {
        let notice = if self.noticed { self.notice } else { Known::default() };
        [self.knows, self.fenced, self.overheard, notice, self.left]
    }
}

impl<W: Times, T: Table<Thread>, H: Table<Head>> Happens<W, T, H> {
    /// Whether there is such a thread; it begins, if it has not. False if there is no room for it.
    #[inline]
    pub fn has(&mut self, thread: u32) -> bool {
        self.time(thread) != 0 || self.begin_thread(thread)
    }

    #[cold]
    fn begin_thread(&mut self, thread: u32) -> bool {
        while self.threads.len() <= thread {
            if !self.threads.push(Thread::default()) {
                self.is_full = true;
                return false;
            }
        }
        self.tick(thread);
        true
    }

    /// The time of a thread, by which its accesses are known; 0 before it begins.
    #[inline]
    pub fn time(&self, thread: u32) -> u32 {
        if thread < self.threads.len() { self.threads.get(thread).time } else { 0 }
    }

    /// A thread accesses something: its time, and what it knows. None if there is no room for it.
    #[inline]
    pub fn access(&mut self, thread: u32) -> Option<(u32, View<'_>)> {
        if !self.has(thread) {
            return None;
        }
        let Thread { time, knows, .. } = self.threads.get(thread);
        Some((*time, self.view(*knows)))
    }

    /// What a thread knows that has begun.
    #[inline]
    pub fn view_of(&self, thread: u32) -> View<'_> {
        self.view(self.threads.get(thread).knows)
    }

    /// H2: a thread makes another one. One that makes itself is the first.
    pub fn fork(&mut self, thread: u32, child: u32) {
        if self.has(thread) && self.has(child) && thread != child {
            let parent = self.threads.get(thread).knows;
            self.learn(child, parent);
            self.tick(thread);
        }
    }

    /// H2: a thread has waited for the end of another one.
    pub fn join(&mut self, thread: u32, child: u32) {
        if self.has(thread) && self.has(child) {
            let ended = self.threads.get(child).knows;
            self.learn(thread, ended);
        }
    }

    /// Nothing is remembered of a thread that has ended and was joined.
    pub fn bury(&mut self, thread: u32) {
        if self.time(thread) != 0 {
            let Thread { knows, fenced, overheard, notice, left, .. } = self.threads.change(thread);
            for known in [knows, fenced, overheard, notice, left] {
                self.clocks.discard(&mut known.clock);
                self.clocks.discard(&mut known.older);
            }
        }
    }

    /// A thread learns something.
    #[inline]
    pub fn learn(&mut self, thread: u32, from: Known) {
        let mut knows = self.threads.get(thread).knows;
        let before = knows;
        self.is_full |= !self.clocks.learn(&mut knows, from);
        if knows != before {
            self.threads.change(thread).knows = knows;
        }
    }

    /// What the thread does from now on is later than what others know of it.
    #[inline]
    pub(crate) fn tick(&mut self, thread: u32) {
        let about = self.threads.change(thread);
        about.time = about.time.saturating_add(1);
        let time = about.time;
        self.is_full |= !self.clocks.set(&mut about.knows.clock, thread, time);
    }
}
