//! Semaphores, barriers, failed tries, and what happens once (E8–E10).

use raddle_solve::word::BITS;
use raddle_solve::{Lit, Word};

use super::Solver;
use super::count::Ranks;
use super::reads::carry;
use super::section::Section;
use crate::ctp::{Action, BarrierId, LockId, SemaphoreId, StateId};
use crate::expr::ExprId;

impl Solver<'_> {
    pub(super) fn add_syncs(&mut self) {
        for semaphore in (0..self.ctp.semaphores.len() as u32).map(SemaphoreId) {
            self.add_semaphore(semaphore);
        }
        for barrier in (0..self.ctp.barriers.len() as u32).map(BarrierId) {
            self.add_barrier(barrier);
        }
        for id in self.ctp.state_ids() {
            match self.ctp.step(id).action {
                Action::TryFails { lock, shared } => self.add_try(id, lock, shared),
                Action::Passes { lock } => self.add_pass(id, lock),
                _ => {}
            }
        }
        for &lock in &self.ctp.onces {
            self.add_once(lock);
        }
    }

    /// E8: with every take, there were more posts than takes before it; one that fails finds none
    /// left.
    fn add_semaphore(&mut self, semaphore: SemaphoreId) {
        let initial = i64::from(self.ctp.semaphores[semaphore.0 as usize].initial);
        let (post, take) = (Action::Post { semaphore }, Action::Take { semaphore });
        let posts = Ranks::new(self.ctp, |action| action == post);
        let takes = Ranks::new(self.ctp, |action| action == take);
        for id in self.ctp.state_ids() {
            let action = self.ctp.step(id).action;
            let here = self.happens(id);
            if action == take {
                let (posted, taken) = (self.count(&posts, id), self.count(&takes, id));
                for n in 0..=taken.max() {
                    let enough = posted.at_least(n + 1 - initial);
                    self.clauses.clause(&[!here, !taken.at_least(n), enough]);
                }
            } else if action == (Action::TakeFails { semaphore }) {
                let (posted, taken) = (self.count(&posts, id), self.count(&takes, id));
                for n in 0..=posted.max() {
                    let all = taken.at_least(n + initial);
                    self.clauses.clause(&[!here, !posted.at_least(n), all]);
                }
            }
        }
    }

    /// E9: arrivals form groups, one after the other; who goes on has its group complete.
    fn add_barrier(&mut self, barrier: BarrierId) {
        let arrives = |action| matches!(action, Action::Arrive { barrier: b, .. } if b == barrier);
        let arrivals = Ranks::new(self.ctp, arrives);
        let n_parties = i64::from(self.ctp.barriers[barrier.0 as usize].n_parties);
        for id in self.ctp.state_ids() {
            let action = self.ctp.step(id).action;
            if let Action::Arrive { last, .. } = action
                && arrives(action)
            {
                self.add_arrival(id, last, &arrivals, n_parties);
            }
            if action == (Action::Leave { barrier }) {
                let path = self.ctp.path_to(id);
                let arrival = path.iter().rev().find(|&&s| arrives(self.ctp.step(s).action));
                let Some(&arrival) = arrival else { continue };
                let here = self.happens(id);
                let (before, now) = (self.count(&arrivals, arrival), self.count(&arrivals, id));
                for group in 0..=before.max() / n_parties {
                    let in_it = before.at_least(group * n_parties);
                    let complete = now.at_least((group + 1) * n_parties);
                    self.clauses.clause(&[!here, !in_it, complete]);
                }
            }
        }
    }

    /// What an arrival answers: whether it completes a group.
    fn add_arrival(&mut self, id: StateId, last: ExprId, arrivals: &Ranks, n_parties: i64) {
        let before = self.count(arrivals, id);
        let mut completes = Vec::new();
        for group in 1..=before.max() / n_parties + 1 {
            let n = group * n_parties - 1;
            completes.push(self.clauses.and(before.at_least(n), !before.at_least(n + 1)));
        }
        let completes = self.clauses.any(&completes);
        let (here, word) = (self.happens(id), self.value(last));
        for (is_last, value) in [(completes, -1), (!completes, 0)] {
            let source = self.clauses.and(here, is_last);
            carry(&mut self.clauses, source, &word, &Word::constant(value as u64), BITS);
        }
    }

    /// E10: a try fails while a thread has the lock.
    fn add_try(&mut self, id: StateId, lock: LockId, shared: bool) {
        let rules = self.rules.clone();
        let against = |s: &&Section| s.lock == lock && !(shared && s.shared);
        let mut lits = vec![!self.happens(id)];
        for section in rules.sections.iter().filter(against) {
            let mut open = vec![self.has_passed(section.taken, id)];
            for &end in &section.ends {
                open.push(!self.has_passed(end, id));
            }
            lits.push(self.clauses.all(&open));
        }
        self.clauses.clause(&lits);
    }

    /// E10: what happens once has happened.
    fn add_pass(&mut self, id: StateId, lock: LockId) {
        let ends = self.ctp.state_ids().filter(|&state| {
            matches!(self.ctp.step(state).action, Action::Release { lock: l, .. } if l == lock)
        });
        let mut lits: Vec<Lit> = vec![!self.happens(id)];
        for end in ends.collect::<Vec<_>>() {
            lits.push(self.has_passed(end, id));
        }
        self.clauses.clause(&lits);
    }

    /// E10: what happens once does not happen twice.
    fn add_once(&mut self, lock: LockId) {
        let rules = self.rules.clone();
        let taken = rules.sections.iter().filter(|s| s.lock == lock).map(|s| s.taken);
        let taken: Vec<_> = taken.map(|taken| self.happens(taken)).collect();
        for (n, &one) in taken.iter().enumerate() {
            taken[..n].iter().for_each(|&other| self.clauses.clause(&[!one, !other]));
        }
    }
}
