//! Conditions. A wait is three transitions: release the mutex and start to wait; wake up; take
//! the mutex again.

use raddle_trace::WakeReason;

use super::{Done, OK, Result, errno, fail};
use crate::fault::Misuse;
use crate::interpret::{Flow, Trap};
use crate::machine::Machine;
use crate::observe::{Observer, What};
use crate::state::Phase;
use crate::sync::{SyncKind, mutex};
use crate::thread::{Gate, NEVER, Stage};

impl Machine {
    pub(super) fn cond_wait<O: Observer>(
        &mut self,
        cond: u64,
        mutex: u64,
        deadline: u64,
        o: &mut O,
    ) -> Result {
        let cond_index = self.sync(cond, SyncKind::Cond)?;
        let mutex_index = self.sync(mutex, SyncKind::Mutex)?;
        let entry = *self.state.syncs.get(mutex_index);
        if entry.owner != self.state.counters.current {
            return match entry.flavour {
                mutex::NORMAL => {
                    Err(self.misuse(|object| Misuse::WaitWithoutMutex { object }, mutex))
                }
                _ => fail(errno::EPERM),
            };
        }
        self.state.counters.n_waits += 1;
        let ticket = self.state.counters.n_waits;
        let core = &mut self.current_thread_mut().core;
        core.stage = Stage::Waiting;
        core.gate = Gate::Signalled;
        (core.signalled, core.deadline, core.ticket) = (false, deadline, ticket);
        (core.cond, core.mutex, core.held) = (cond_index, mutex_index, entry.count);
        self.emit(o, What::Wait { cond, mutex });
        self.gave_back(mutex_index, o);
        Ok(Done::Stop)
    }

    /// The last part of a wait: the mutex is free, and taken.
    pub(crate) fn reacquire<O: Observer>(&mut self, o: &mut O) -> std::result::Result<Flow, Trap> {
        let core = self.current_thread().core;
        let address = self.state.syncs.get(core.mutex).address;
        let index = self.sync(address, SyncKind::Mutex)?;
        self.took(index, true, o);
        self.state.syncs.get_mut(index).count = core.held;
        let cond = self.state.syncs.get(core.cond).address;
        self.emit(o, What::Wake { cond, reason: core.reason.0 });
        let timeout = core.reason.0 == WakeReason::Timeout;
        Ok(self.complete(if timeout { errno::ETIMEDOUT } else { 0 }))
    }

    pub(super) fn cond_signal<O: Observer>(&mut self, cond: u64, o: &mut O) -> Result {
        let index = self.sync(cond, SyncKind::Cond)?;
        self.find_waiters(index);
        self.busy();
        match *self.state.options.as_slice() {
            [] => self.signalled(None, o),
            [waiter] => {
                self.wake(waiter);
                self.signalled(Some(waiter), o);
            }
            _ => return Ok(Done::Ask(Phase::Waiter)),
        }
        OK
    }

    pub(super) fn cond_broadcast<O: Observer>(&mut self, cond: u64, o: &mut O) -> Result {
        let index = self.sync(cond, SyncKind::Cond)?;
        self.find_waiters(index);
        self.busy();
        for waiter in std::mem::take(&mut self.state.options) {
            self.wake(waiter);
        }
        self.emit(o, What::Broadcast { cond });
        OK
    }

    /// A signal of the current thread reaches a waiter.
    pub(crate) fn wake(&mut self, waiter: u32) {
        self.state.threads[waiter as usize].core.signalled = true;
    }

    /// Shows the observer which thread the current thread's signal has woken, which completes it.
    pub(crate) fn signalled<O: Observer>(&mut self, woken: Option<u32>, o: &mut O) {
        let current = self.state.counters.current;
        let (_, arguments) = self.primitive_of(current).expect("it is at a signal");
        self.emit(o, What::Signal { cond: arguments[0], woken });
        self.complete(0);
    }

    /// Lists the threads that a signal can wake, the one that waits longest first.
    fn find_waiters(&mut self, cond: u32) {
        let threads = &self.state.threads;
        let waits = |&thread: &u32| {
            let core = &threads[thread as usize].core;
            core.stage == Stage::Waiting && core.cond == cond && !core.signalled
        };
        self.state.options.clear();
        self.state.options.extend((0..threads.len() as u32).filter(waits));
        self.state.options.sort_by_key(|&thread| threads[thread as usize].core.ticket);
    }

    /// Yields, or sleeps until the time that was fixed when the thread came here.
    pub(super) fn rest(&mut self) -> Result {
        let deadline = self.current_thread().core.deadline;
        if deadline != NEVER {
            self.state.counters.clock = self.state.counters.clock.max(deadline);
        }
        self.idle();
        OK
    }
}
