//! Barriers and semaphores.
//!
//! Threads meet at a barrier by appointment: one calls a meeting of as many threads as the
//! barrier waits for, and each of them comes when it is between two calls.

use raddle_trace::{BarrierId, LocationId, Op, SemaphoreId, ThreadId};

use super::execution::Execution;
use super::thread::State;

/// A meeting that was called.
pub(super) struct Meeting {
    barrier: BarrierId,
    members: Vec<ThreadId>,
    n_missing: usize,
}

impl Execution<'_> {
    /// Calls a meeting of this thread and others that can act, unless there is one already.
    pub(super) fn call_meeting(&mut self, me: ThreadId) {
        let n_barriers = self.layout.parties.len();
        if n_barriers == 0 || self.meeting.is_some() {
            return;
        }
        let barrier = BarrierId(self.rng.u32(..n_barriers as u32));
        let n = self.layout.parties[barrier.index()] as usize;
        if self.running.len() < n || self.room < 2 * n {
            return;
        }
        self.owe(2 * n);
        let first = self.rng.usize(..self.running.len());
        let others = self.running[first..].iter().chain(&self.running[..first]);
        let others = others.copied().filter(|&thread| thread != me).take(n - 1);
        let members: Vec<ThreadId> = std::iter::once(me).chain(others).collect();
        for member in &members {
            self.threads[member.index()].due = true;
        }
        self.meeting = Some(Meeting { barrier, members, n_missing: n });
    }

    /// True if the thread is expected and may go (G2).
    pub(super) fn comes_to_meeting(&self, me: ThreadId) -> bool {
        let last = self.meeting.as_ref().is_some_and(|meeting| meeting.n_missing == 1);
        self.threads[me.index()].due && (last || self.others_act())
    }

    /// Arrives; the last to do so lets all leave.
    pub(super) fn arrive(&mut self, me: ThreadId) {
        let Some(meeting) = &mut self.meeting else { return };
        let barrier = meeting.barrier;
        meeting.n_missing -= 1;
        self.pay(1);
        self.emit(me, Op::Arrive { barrier }, self.program.sites.barrier(barrier));
        let thread = &mut self.threads[me.index()];
        (thread.due, thread.state) = (false, State::Arrived);
        self.suspend(me);
        if let Some(meeting) = self.meeting.take_if(|meeting| meeting.n_missing == 0) {
            for member in meeting.members {
                self.threads[member.index()].state = State::Leaving(barrier);
                self.resume(member);
            }
        }
    }

    pub(super) fn leave(&mut self, me: ThreadId, barrier: BarrierId) {
        self.pay(1);
        self.emit(me, Op::Leave { barrier }, self.program.sites.barrier(barrier));
        self.threads[me.index()].state = State::Ready;
    }

    pub(super) fn post(&mut self, me: ThreadId, semaphore: SemaphoreId, location: LocationId) {
        self.counts[semaphore.index()] += 1;
        self.emit(me, Op::Post { semaphore }, location);
    }

    /// Takes a semaphore that is above zero.
    pub(super) fn take(&mut self, me: ThreadId, semaphore: SemaphoreId, location: LocationId) {
        if self.counts[semaphore.index()] > 0 {
            self.counts[semaphore.index()] -= 1;
            self.emit(me, Op::Take { semaphore }, location);
        }
    }

    /// Brings the threads that are still expected to the barrier. All threads are between calls.
    pub(super) fn finish_meeting(&mut self) {
        let Some(meeting) = &self.meeting else { return };
        for member in meeting.members.clone() {
            if self.threads[member.index()].due {
                self.arrive(member);
            }
        }
    }
}
