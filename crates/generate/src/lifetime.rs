//! The lives of threads: fork, begin, end, join.

use raddle_trace::{LocationId, Op, ThreadId};

use super::execution::Execution;
use super::thread::State;

/// When the next thread is forked, and by which thread.
#[derive(Clone, Copy, Default)]
pub(super) struct NextFork {
    /// The number of events before it.
    at: usize,
    by_any: bool,
}

const MAIN: ThreadId = ThreadId(0);

impl Execution<'_> {
    /// Decides about the next fork.
    pub(super) fn plan_fork(&mut self) {
        let Some(n_forks) = self.config.threads.checked_sub(1).filter(|&n| n > 0) else { return };
        let span = self.config.fork_span * self.config.events as f64;
        let part = f64::from(self.n_forked - 1) / f64::from(n_forks);
        let at = 2 + (span * part) as usize;
        let by_any = self.chance(self.config.fork_tree);
        self.next_fork = NextFork { at, by_any };
    }

    pub(super) fn forks_now(&self, me: ThreadId) -> bool {
        self.events.len() >= self.next_fork.at
            && self.n_forked < self.config.threads
            && (self.next_fork.by_any || me == MAIN)
            && self.threads[me.index()].n_held == 0
    }

    pub(super) fn fork(&mut self, me: ThreadId) {
        let child = ThreadId(self.n_forked);
        self.n_forked += 1;
        self.pay(1);
        self.emit(me, Op::Fork { child }, of(me, self.program.sites.fork));
        let retires = self.chance(self.config.retire);
        let left = self.config.events - self.events.len();
        let thread = &mut self.threads[child.index()];
        (thread.state, thread.parent) = (State::Fresh, me);
        if retires && left > 0 {
            thread.retires_at = self.events.len() + self.rng.usize(..left);
        }
        self.resume(child);
        self.plan_fork();
    }

    pub(super) fn begin(&mut self, me: ThreadId) {
        self.threads[me.index()].state = State::Ready;
        if self.config.begin_end {
            self.pay(1);
            self.emit(me, Op::Begin, of(me, self.program.sites.begin));
        }
    }

    pub(super) fn retires_now(&self, me: ThreadId) -> bool {
        let thread = &self.threads[me.index()];
        self.events.len() >= thread.retires_at && !thread.due && self.others_act()
    }

    /// Ends a thread; its parent, or else the first thread, will join it.
    pub(super) fn retire(&mut self, me: ThreadId) {
        self.suspend(me);
        self.end(me);
        if self.config.join {
            let guardian = self.guardian(me);
            self.threads[guardian.index()].zombies.push(me);
        }
        let orphans = std::mem::take(&mut self.threads[me.index()].zombies);
        self.threads[MAIN.index()].zombies.extend(orphans);
    }

    pub(super) fn join(&mut self, me: ThreadId, child: ThreadId) {
        self.threads[child.index()].joined = true;
        self.pay(1);
        self.emit(me, Op::Join { child }, of(me, self.program.sites.join));
    }

    /// Forks the threads that are missing and ends all. No thread is in the middle of anything.
    pub(super) fn finish_threads(&mut self) {
        while self.n_forked < self.config.threads {
            let parent = ThreadId(self.rng.u32(..self.n_forked));
            let fit = self.next_fork.by_any && self.threads[parent.index()].state != State::Ended;
            let parent = if fit { parent } else { MAIN };
            self.ready(parent);
            self.fork(parent);
        }
        for child in (1..self.config.threads).rev().map(ThreadId) {
            if self.threads[child.index()].state != State::Ended {
                self.ready(child);
                self.end(child);
            }
            if self.config.join && !self.threads[child.index()].joined {
                let guardian = self.guardian(child);
                self.ready(guardian);
                self.join(guardian, child);
            }
        }
        self.ready(MAIN);
        self.end(MAIN);
    }

    /// Begins a thread if it has not begun.
    pub(super) fn ready(&mut self, me: ThreadId) {
        if self.threads[me.index()].state == State::Fresh {
            self.begin(me);
        }
    }

    fn end(&mut self, me: ThreadId) {
        self.threads[me.index()].state = State::Ended;
        if self.config.begin_end {
            self.pay(1);
            self.emit(me, Op::End, of(me, self.program.sites.end));
        }
    }

    /// Who joins a thread: its parent, while that lives. Parents have lower numbers.
    fn guardian(&self, child: ThreadId) -> ThreadId {
        let parent = self.threads[child.index()].parent;
        if self.threads[parent.index()].state == State::Ended { MAIN } else { parent }
    }
}

/// The place of the first thread, or of the others.
fn of(thread: ThreadId, sites: [LocationId; 2]) -> LocationId {
    sites[usize::from(thread != MAIN)]
}
