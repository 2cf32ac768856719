//! Locks: taking, blocking, releasing.

use raddle_trace::{EventId, LocationId, LockId, LockMode, Op, ThreadId};

use super::execution::Execution;
use super::thread::{NONE, State};

/// A lock, with its holders and those who block on it.
#[derive(Default)]
pub(super) struct Lock {
    pub(super) holders: Vec<ThreadId>,
    shared: bool,
    pub(super) queue: Vec<ThreadId>,
}

impl Lock {
    fn is_free(&self, mode: LockMode) -> bool {
        self.holders.is_empty() || self.shared && mode == LockMode::Shared
    }
}

/// What is in a slot of a thread.
#[derive(Clone, Copy)]
pub(super) struct Hold {
    pub(super) lock: LockId,
    pub(super) mode: LockMode,
}

impl Default for Hold {
    fn default() -> Hold {
        Hold { lock: LockId(NONE), mode: LockMode::Exclusive }
    }
}

/// A lock to be taken.
#[derive(Clone, Copy)]
pub(super) struct Want {
    pub(super) slot: u8,
    pub(super) lock: LockId,
    pub(super) mode: LockMode,
    pub(super) location: LocationId,
    /// The request, if there is one, was made.
    pub(super) requested: bool,
    /// For a lock that is taken back after a wait: what ended the wait.
    pub(super) waker: Option<Waker>,
}

impl Default for Want {
    fn default() -> Want {
        let (lock, mode, location) = (LockId(NONE), LockMode::Exclusive, LocationId(NONE));
        Want { slot: 0, lock, mode, location, requested: false, waker: None }
    }
}

/// What ends a wait.
#[derive(Clone, Copy)]
pub(super) enum Waker {
    Notify(EventId),
    Timeout,
}

impl Execution<'_> {
    /// Events to take a lock and release it.
    pub(super) fn lock_cost(&self) -> usize {
        2 + usize::from(self.config.request)
    }

    pub(super) fn hold(&self, me: ThreadId, slot: u8) -> Option<Hold> {
        let hold = self.holds[self.slot(me, slot)];
        (hold.lock.0 != NONE).then_some(hold)
    }

    /// Takes a lock, blocks on it, or goes on without it. There is room for the first two.
    pub(super) fn lock(&mut self, me: ThreadId, want: Want, only_try: bool) {
        let Want { lock, mode, location, .. } = want;
        if self.holds_lock(me, lock) {
            return;
        }
        if self.locks[lock.index()].is_free(mode) {
            if !only_try {
                self.request(me, &want);
            }
            self.owe(1);
            self.acquire(me, &want, only_try);
        } else if only_try {
            self.emit(me, Op::TryFail { lock, mode }, location);
        } else if self.holders_ready(lock) {
            self.request(me, &want);
            self.owe(2);
            self.block(me, Want { requested: true, ..want });
        }
    }

    /// Takes the lock that a thread wants, or blocks again if another thread was faster.
    pub(super) fn retry(&mut self, me: ThreadId) {
        let want = self.threads[me.index()].want;
        if !self.locks[want.lock.index()].is_free(want.mode) {
            self.suspend(me);
            return self.locks[want.lock.index()].queue.push(me);
        }
        if !want.requested {
            self.pay(usize::from(self.config.request));
            self.request(me, &want);
        }
        if self.is_over() {
            return;
        }
        self.threads[me.index()].state = State::Ready;
        self.pay(1);
        self.acquire(me, &want, false);
        if let Some(waker) = want.waker.filter(|_| !self.is_over()) {
            self.wake(me, &want, waker);
        }
    }

    pub(super) fn request(&mut self, me: ThreadId, want: &Want) {
        if self.config.request {
            self.emit(me, Op::Request { lock: want.lock, mode: want.mode }, want.location);
        }
    }

    pub(super) fn acquire(&mut self, me: ThreadId, want: &Want, tried: bool) {
        let &Want { slot, lock, mode, location, .. } = want;
        self.emit(me, Op::Acquire { lock, mode, tried }, location);
        let place = self.slot(me, slot);
        self.holds[place] = Hold { lock, mode };
        self.threads[me.index()].n_held += 1;
        let lock = &mut self.locks[lock.index()];
        lock.holders.push(me);
        lock.shared = mode == LockMode::Shared;
    }

    /// Releases what is in a slot and lets those go on who block on it.
    pub(super) fn release(&mut self, me: ThreadId, slot: u8, location: LocationId) {
        let place = self.slot(me, slot);
        let Hold { lock, mode } = std::mem::take(&mut self.holds[place]);
        self.emit(me, Op::Release { lock, mode }, location);
        self.threads[me.index()].n_held -= 1;
        self.locks[lock.index()].holders.retain(|&holder| holder != me);
        while self.locks[lock.index()].holders.is_empty()
            && let Some(blocked) = self.locks[lock.index()].queue.pop()
        {
            self.resume(blocked);
        }
    }

    fn block(&mut self, me: ThreadId, want: Want) {
        let thread = &mut self.threads[me.index()];
        (thread.state, thread.want) = (State::Wants, want);
        self.suspend(me);
        self.locks[want.lock.index()].queue.push(me);
    }

    /// G1: the thread that holds the lock can act, and waits for no lock itself.
    fn holders_ready(&self, lock: LockId) -> bool {
        let ready = |holder: &ThreadId| self.threads[holder.index()].state == State::Ready;
        self.locks[lock.index()].holders.iter().all(ready)
    }

    fn holds_lock(&self, me: ThreadId, lock: LockId) -> bool {
        let depth = self.config.depth as usize;
        self.holds[me.index() * depth..][..depth].iter().any(|hold| hold.lock == lock)
    }

    fn slot(&self, me: ThreadId, slot: u8) -> usize {
        me.index() * self.config.depth as usize + slot as usize
    }
}
