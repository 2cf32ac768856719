//! Condition variables: the first locks have one each, of the same number.

use raddle_trace::{CondId, EventId, LocationId, LockMode, Op, ThreadId, WakeReason};

use super::execution::Execution;
use super::lock::{Hold, Waker, Want};
use super::thread::State;

impl Execution<'_> {
    /// Waits with the lock in a slot, if it is the only one held and others can act (G2); no more
    /// threads wait than can act, so that the trace does not run dry.
    pub(super) fn wait(&mut self, me: ThreadId, slot: u8, location: LocationId) {
        let alone = self.threads[me.index()].n_held == 1 && self.others_act();
        let room = self.room >= 2 + self.wake_cost() + self.shutdown_cost();
        if !alone || !room || self.n_waiting >= self.running.len() {
            return;
        }
        let Some((Hold { lock, mode }, cond)) = self.monitor(me, slot) else { return };
        self.n_waiting += 1;
        self.emit(me, Op::Wait { cond }, location);
        // The release is paid for, and will be once more after the lock was taken back.
        self.owe(self.wake_cost());
        if self.waiters[cond.index()].is_empty() {
            self.owe(self.shutdown_cost());
        }
        self.pay(1);
        self.release(me, slot, location);
        self.owe(1);
        let want = Want { slot, lock, mode, location, requested: false, waker: None };
        let thread = &mut self.threads[me.index()];
        (thread.state, thread.want) = (State::Waiting, want);
        self.suspend(me);
        self.waiters[cond.index()].push(me);
        if self.chance(self.config.timeout) {
            self.sleepers.push(me);
        }
    }

    /// Wakes one or all waiting threads; rarely made where none waits.
    pub(super) fn notify(&mut self, me: ThreadId, slot: u8, all: bool, location: LocationId) {
        let Some((_, cond)) = self.monitor(me, slot) else { return };
        let heard = !self.waiters[cond.index()].is_empty();
        if !heard && self.rng.u8(..16) > 0 {
            return;
        }
        if all {
            self.notify_all(me, cond, location);
        } else {
            let notify = self.emit(me, Op::Notify { cond }, location);
            let waiters = &mut self.waiters[cond.index()];
            if heard {
                let woken = waiters.swap_remove(self.rng.usize(..waiters.len()));
                self.notified(woken, notify);
            }
        }
        if heard {
            self.settle_account(cond);
        }
    }

    /// Wakes all who wait. The lock is held.
    pub(super) fn notify_all(&mut self, me: ThreadId, cond: CondId, location: LocationId) {
        let notify = self.emit(me, Op::NotifyAll { cond }, location);
        while let Some(woken) = self.waiters[cond.index()].pop() {
            self.notified(woken, notify);
        }
    }

    /// Now and then lets the time of a wait run out.
    pub(super) fn expire(&mut self) {
        if self.sleepers.is_empty() || self.rng.u8(..8) > 0 {
            return;
        }
        let woken = self.sleepers.swap_remove(self.rng.usize(..self.sleepers.len()));
        let cond = CondId(self.threads[woken.index()].want.lock.0);
        self.waiters[cond.index()].retain(|&waiter| waiter != woken);
        self.settle_account(cond);
        self.let_want(woken, Waker::Timeout);
        self.resume(woken);
    }

    /// The last event of a wait, after the lock was taken back.
    pub(super) fn wake(&mut self, me: ThreadId, want: &Want, waker: Waker) {
        let reason = match waker {
            Waker::Notify(_) => WakeReason::Notified,
            Waker::Timeout => WakeReason::Timeout,
        };
        self.pay(1);
        let wake = self.emit(me, Op::Wake { cond: CondId(want.lock.0), reason }, want.location);
        if let Waker::Notify(notify) = waker {
            self.events.set_waker(wake, notify);
        }
    }

    /// Events to wake those who wait on one condition when the program ends.
    pub(super) fn shutdown_cost(&self) -> usize {
        self.lock_cost() + 1
    }

    /// Events to take the lock back and wake up.
    fn wake_cost(&self) -> usize {
        2 + usize::from(self.config.request)
    }

    /// What a slot holds in exclusive mode, and the condition that goes with it.
    fn monitor(&self, me: ThreadId, slot: u8) -> Option<(Hold, CondId)> {
        let hold = self.hold(me, slot)?;
        let exclusive = hold.mode == LockMode::Exclusive;
        let has_condition = hold.lock.0 < self.layout.n_conditions;
        (exclusive && has_condition).then_some((hold, CondId(hold.lock.0)))
    }

    /// Blocks a thread that was woken on the lock, which the notifier holds.
    fn notified(&mut self, woken: ThreadId, notify: EventId) {
        self.sleepers.retain(|&sleeper| sleeper != woken);
        self.let_want(woken, Waker::Notify(notify));
        let lock = self.threads[woken.index()].want.lock;
        self.locks[lock.index()].queue.push(woken);
    }

    fn let_want(&mut self, woken: ThreadId, waker: Waker) {
        self.n_waiting -= 1;
        let thread = &mut self.threads[woken.index()];
        thread.state = State::Wants;
        thread.want.waker = Some(waker);
    }

    /// When no thread waits any more, none has to be woken at the end.
    fn settle_account(&mut self, cond: CondId) {
        if self.waiters[cond.index()].is_empty() {
            self.pay(self.shutdown_cost());
        }
    }
}
