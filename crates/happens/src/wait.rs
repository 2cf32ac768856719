//! Who waits: on conditions, at barriers, for what others leave for a thread (rules H3 and H4).

use crate::table::{Table, Times};
use crate::{Happens, Head, Known, Thread};

impl<W: Times, T: Table<Thread>, H: Table<Head>> Happens<W, T, H> {
    /// H4: a thread begins to wait on a condition, which has some address.
    pub fn wait(&mut self, thread: u32, condition: u64) {
        if self.has(thread) {
            self.threads.change(thread).condition = condition;
        }
    }

    /// H4: a thread waits no more, be it that a signal or broadcast ended that or not.
    pub fn wake(&mut self, thread: u32, is_notified: bool) {
        if !self.has(thread) {
            return;
        }
        let about = self.threads.change(thread);
        let learns = is_notified && about.noticed;
        (about.condition, about.noticed) = (0, false);
        let notice = about.notice;
        if learns {
            self.learn(thread, notice);
        }
    }

    /// H4: a thread signals, and wakes this one.
    pub fn notify(&mut self, thread: u32, woken: Option<u32>) {
        if !self.has(thread) {
            return;
        }
        if let Some(woken) = woken.filter(|&woken| self.has(woken)) {
            self.notice(thread, woken);
        }
        self.tick(thread);
    }

    /// H4: a thread wakes all that wait on a condition.
    pub fn notify_all(&mut self, thread: u32, condition: u64) {
        if !self.has(thread) {
            return;
        }
        for waiter in 0..self.threads.len() {
            let about = self.threads.get(waiter);
            if about.condition == condition && !about.noticed {
                self.notice(thread, waiter);
            }
        }
        self.tick(thread);
    }

    fn notice(&mut self, thread: u32, woken: u32) {
        let knows = self.threads.get(thread).knows;
        let about = self.threads.change(woken);
        about.noticed = true;
        self.is_full |= !self.clocks.replace(&mut about.notice, knows);
    }

    /// H3: a thread leaves something for another one, beside what is there.
    pub fn leave_for(&mut self, thread: u32, other: u32) {
        if self.has(thread) && self.has(other) {
            let mut left = self.threads.get(other).left;
            self.give(thread, &mut left);
            self.threads.change(other).left = left;
        }
    }

    /// H3: a thread takes what others left for it.
    pub fn take_left(&mut self, thread: u32) {
        if self.has(thread) {
            let left = self.threads.get(thread).left;
            self.learn(thread, left);
        }
    }

    /// H3: a thread arrives at a barrier, which has some address.
    pub fn arrive(&mut self, thread: u32, barrier: u64, known: &mut Known) {
        if self.has(thread) {
            self.give(thread, known);
            self.threads.change(thread).barrier = barrier;
        }
    }

    /// Whether a thread has arrived at a barrier that nobody has left since.
    pub fn is_at(&self, thread: u32, barrier: u64) -> bool {
        thread < self.threads.len() && self.threads.get(thread).barrier == barrier
    }

    /// H3: all that have arrived may leave a barrier. They do nothing until they do, so they learn now what they will
    /// know then.
    pub fn depart(&mut self, barrier: u64, known: Known) {
        for thread in 0..self.threads.len() {
            if self.threads.get(thread).barrier == barrier {
                self.threads.change(thread).barrier = 0;
                self.learn(thread, known);
            }
        }
        self.forget(known);
    }
}
