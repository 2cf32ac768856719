//! The end of a trace: everything that is open is brought to its end, with the events that were
//! put aside for it (G3).
//!
//! By G1 and G2 the order below works: once the threads that can act have released their locks, the threads
//! that wait for these can act; then no lock is held, so waiting threads can be woken; then no thread is left
//! that could not come to the barrier.

use raddle_trace::{CondId, LockId, LockMode, ThreadId};

use super::execution::Execution;
use super::lock::Want;
use super::program::{Act, Line};
use super::thread::State;

impl Execution<'_> {
    pub(super) fn close(&mut self) {
        self.wind_up();
        self.shut_down();
        self.wind_up();
        self.finish_meeting();
        self.wind_up();
        self.finish_threads();
    }

    /// Lets every thread that can act end the function it is in.
    fn wind_up(&mut self) {
        let mut at = 0;
        // A thread that is resumed comes to the end of the list, and so is not missed.
        while let Some(&thread) = self.running.get(at) {
            self.return_from_call(thread);
            at += usize::from(self.running.get(at) == Some(&thread));
        }
    }

    /// Executes the rest of a function, as far as it ends something.
    fn return_from_call(&mut self, me: ThreadId) {
        match self.threads[me.index()].state {
            State::Wants => self.retry(me),
            State::Leaving(barrier) => self.leave(me, barrier),
            _ => self.ready(me),
        }
        if self.threads[me.index()].state == State::Wants {
            return;
        }
        let thread = &mut self.threads[me.index()];
        let rest = thread.pc..thread.function.end;
        thread.pc = rest.end;
        for pc in rest {
            let Line { act, location } = self.program.code[pc as usize];
            if matches!(act, Act::Unlock { .. } | Act::Close(_)) {
                self.finish(me, act, location);
            }
        }
    }

    /// Wakes all waiting threads.
    fn shut_down(&mut self) {
        let me = self.running[0];
        let sites = &self.program.sites;
        for cond in (0..self.waiters.len() as u32).map(CondId) {
            if self.waiters[cond.index()].is_empty() {
                continue;
            }
            let (lock, mode) = (LockId(cond.0), LockMode::Exclusive);
            let location = sites.shutdown_lock;
            let want = Want { slot: 0, lock, mode, location, requested: false, waker: None };
            self.pay(self.shutdown_cost());
            self.request(me, &want);
            self.acquire(me, &want, false);
            self.notify_all(me, cond, sites.shutdown_notify);
            self.release(me, 0, sites.shutdown_unlock);
        }
    }
}
