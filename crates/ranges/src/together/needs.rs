//! How far another thread must have come for each step of a thread (T2–T6).

use rustc_hash::FxHashSet;

use super::{Lineage, Path};
use crate::ctp::{Action, Ctp, StateId, ThreadId};

/// The position that the other side must have reached for each step of one side.
pub(super) fn needs(ctp: &Ctp, lineage: &Lineage, paths: [&Path; 2], side: usize) -> Vec<usize> {
    let (own, other) = (paths[side], paths[1 - side]);
    let sides = Sides { ctp, lineage, own, other };
    let mut least = sides.start();
    let mut found = Vec::with_capacity(own.n_steps());
    for position in 1..own.states.len() {
        if lineage.ended[own.states[position].0 as usize].contains(&other.thread) {
            least = least.max(other.n_steps());
        }
        least = least.max(sides.step(position));
        found.push(least);
    }
    found
}

struct Sides<'a> {
    ctp: &'a Ctp,
    lineage: &'a Lineage,
    own: &'a Path,
    other: &'a Path,
}

impl Sides<'_> {
    /// T2. A thread that is forked at several places needs one of them; the first will do.
    fn start(&self) -> usize {
        let position = |state: StateId| self.other.states.iter().position(|&s| s == state);
        let mut least = 0;
        let mut thread = self.own.thread;
        for _ in 0..self.ctp.threads.len() {
            let forks = self.lineage.forks(thread);
            let Some(&first) = forks.first() else { break };
            thread = self.ctp.state(first).thread;
            if thread == self.other.thread {
                let places = forks.iter().filter_map(|&fork| position(fork));
                least = least.max(places.min().unwrap_or(self.other.states.len()));
            }
        }
        least
    }

    /// What the step into a position needs by itself.
    fn step(&self, position: usize) -> usize {
        match self.ctp.step(self.own.states[position]).action {
            Action::Acquire { woken: Some(cond), .. } => {
                let only = self.is_up_to_other(self.lineage.notifiers.get(&cond));
                let notifies =
                    |action| matches!(action, Action::Notify { cond: c, .. } if c == cond);
                self.nth(usize::from(only), notifies)
            }
            Action::Passes { lock } => {
                let only = self.is_up_to_other(self.lineage.releasers.get(&lock));
                let releases =
                    |action| matches!(action, Action::Release { lock: l, .. } if l == lock);
                self.nth(usize::from(only), releases)
            }
            Action::Take { semaphore } => {
                let post = Action::Post { semaphore };
                let mut there = self.ctp.semaphores[semaphore.0 as usize].initial as usize;
                for (&(id, thread), &n) in &self.lineage.posts {
                    let counts =
                        id == semaphore && ![self.own.thread, self.other.thread].contains(&thread);
                    there += if counts { n as usize } else { 0 };
                }
                there += self.n_own(position, |action| action == post);
                let taken = self.n_own(position + 1, |action| action == Action::Take { semaphore });
                self.nth(taken.saturating_sub(there), |action| action == post)
            }
            Action::Leave { barrier } => {
                let arrives =
                    |action| matches!(action, Action::Arrive { barrier: b, .. } if b == barrier);
                let parties = self.lineage.parties.get(&barrier);
                let n_parties = self.ctp.barriers[barrier.0 as usize].n_parties as usize;
                let all = parties
                    .is_some_and(|all| all.len() == n_parties && all.contains(&self.other.thread));
                self.nth(if all { self.n_own(position, arrives) } else { 0 }, arrives)
            }
            _ => 0,
        }
    }

    /// Whether there is no thread but the other side, and perhaps this one, among some threads.
    fn is_up_to_other(&self, threads: Option<&FxHashSet<ThreadId>>) -> bool {
        threads.is_some_and(|all| {
            all.iter().all(|&t| t == self.other.thread || t == self.own.thread)
                && all.contains(&self.other.thread)
        })
    }

    /// How many steps before a position are such.
    fn n_own(&self, position: usize, is: impl Fn(Action) -> bool) -> usize {
        let before = &self.own.states[1..position];
        before.iter().filter(|&&state| is(self.ctp.step(state).action)).count()
    }

    /// Where the other side has had n such steps; out of reach if it never has.
    fn nth(&self, n: usize, is: impl Fn(Action) -> bool) -> usize {
        let Some(index) = n.checked_sub(1) else { return 0 };
        let states = self.other.states.iter().enumerate().skip(1);
        let mut such = states.filter(|&(_, &state)| is(self.ctp.step(state).action));
        such.nth(index).map_or(self.other.states.len(), |(position, _)| position)
    }
}
