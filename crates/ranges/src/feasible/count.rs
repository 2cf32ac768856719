//! How many steps of a kind come before a step, as literals.
//!
//! A count is a list: its k-th literal says that there are at least k. The steps of a thread are in
//! order, so whether its k-th has come is its count already; those of threads are merged (a
//! totalizer: Bailleux and Boufkhad, CP 2003, in both directions).

use raddle_solve::Lit;

use super::Solver;
use crate::ctp::{Action, Ctp, StateId, ThreadId};

/// The steps of a kind: for each thread those that are its first on their paths, its second, and so
/// on.
pub(super) struct Ranks {
    of: Vec<(ThreadId, Vec<Vec<StateId>>)>,
    /// How many there are before each state on its path.
    before: Vec<usize>,
}

impl Ranks {
    pub(super) fn new(ctp: &Ctp, is: impl Fn(Action) -> bool) -> Ranks {
        let mut of: Vec<_> = ctp.thread_ids().map(|thread| (thread, Vec::new())).collect();
        let mut before = vec![0; ctp.states.len()];
        for id in ctp.state_ids() {
            let Some(parent) = ctp.state(id).parent else { continue };
            let at_parent = usize::from(is(ctp.step(parent).action));
            let rank = before[parent.0 as usize] + at_parent;
            before[id.0 as usize] = rank;
            if is(ctp.step(id).action) {
                let ranks: &mut Vec<Vec<StateId>> = &mut of[ctp.state(id).thread.0 as usize].1;
                ranks.resize(ranks.len().max(rank + 1), Vec::new());
                ranks[rank].push(id);
            }
        }
        of.retain(|(_, ranks)| !ranks.is_empty());
        Ranks { of, before }
    }
}

/// A number as literals.
pub(super) struct Count(Vec<Lit>);

impl Count {
    /// Whether it is at least so much.
    pub(super) fn at_least(&self, n: i64) -> Lit {
        match usize::try_from(n - 1) {
            Ok(index) => self.0.get(index).copied().unwrap_or(Lit::FALSE),
            Err(_) => Lit::TRUE,
        }
    }

    /// How much it is at most.
    pub(super) fn max(&self) -> i64 {
        self.0.len() as i64
    }
}

impl Solver<'_> {
    /// How many steps of a kind come before a step, if that happens.
    pub(super) fn count(&mut self, ranks: &Ranks, step: StateId) -> Count {
        let own = self.ctp.state(step).thread;
        let mut others = Vec::new();
        for (thread, ranks) in ranks.of.iter().filter(|(thread, _)| *thread != own) {
            let mut passed: Vec<Lit> = Vec::new();
            for states in ranks {
                let lits: Vec<_> =
                    states.iter().map(|&state| self.has_passed(state, step)).collect();
                let lit = self.clauses.any(&lits);
                if lit == Lit::FALSE {
                    break;
                }
                if let Some(&before) = passed.last() {
                    self.clauses.clause(&[!lit, before]);
                }
                passed.push(lit);
            }
            debug_assert!(ranks.len() >= passed.len(), "{thread:?} has no more");
            others = self.sum(&others, &passed);
        }
        let mut all = vec![Lit::TRUE; ranks.before[step.0 as usize]];
        all.extend(others);
        Count(all)
    }

    /// Whether a step happens before another one.
    pub(super) fn has_passed(&mut self, state: StateId, step: StateId) -> Lit {
        let (happens, before) = (self.happens(state), self.before(state, step));
        self.clauses.and(happens, before)
    }

    fn sum(&mut self, left: &[Lit], right: &[Lit]) -> Vec<Lit> {
        if left.is_empty() || right.is_empty() {
            return [left, right].concat();
        }
        let sum: Vec<_> = (0..left.len() + right.len()).map(|_| self.clauses.fresh()).collect();
        let at_least = |all: &[Lit], n: usize| match n {
            0 => Lit::TRUE,
            _ => all.get(n - 1).copied().unwrap_or(Lit::FALSE),
        };
        for i in 0..=left.len() {
            for j in 0..=right.len() {
                let (a, b) = (at_least(left, i), at_least(right, j));
                self.clauses.clause(&[!a, !b, at_least(&sum, i + j)]);
                let (a, b) = (at_least(left, i + 1), at_least(right, j + 1));
                self.clauses.clause(&[a, b, !at_least(&sum, i + j + 1)]);
            }
        }
        sum
    }
}
