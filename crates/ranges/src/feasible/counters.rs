//! Counters: globals that are only ever changed by adding constants, in one piece (E7).
//!
//! A read of a counter is its first value and the constants of all changes before it. That follows
//! from E5, but only by going through all interleavings of the changes, which solvers do one by
//! one; said aloud, it makes proofs about counters short. Only for threads without branches.

use std::rc::Rc;

use raddle_cfront::ir::Binary;
use raddle_solve::word;
use raddle_solve::{Clauses, Lit, Word};

use super::Solver;
use crate::ctp::{Action, GlobalId, StateId, ThreadId};
use crate::expr::{Expr, ExprId, LocalId};

/// The changes of one thread, in order, and what each adds.
pub(super) struct Changes {
    thread: ThreadId,
    all: Vec<(StateId, u64)>,
}

impl Solver<'_> {
    /// What is known of a read if its global is a counter.
    pub(super) fn add_count(&mut self, read: StateId, global: GlobalId, to: LocalId) {
        let Some(initial) = self.ctp.globals[global.0 as usize].initial else { return };
        if let Some(changes) = self.counters[global.0 as usize].clone() {
            self.add_sum(read, to, initial, &changes);
        }
    }

    /// The changes of each global that is a counter.
    pub(super) fn counters(&self) -> Vec<Option<Rc<Vec<Changes>>>> {
        let globals = (0..self.ctp.globals.len() as u32).map(GlobalId);
        let changes = |global| {
            let changes = self.changes(global).filter(|changes| changes.len() > 1);
            changes.filter(|_| !self.has_branches).map(Rc::new)
        };
        globals.map(changes).collect()
    }

    /// The changes of a counter; none if it is no counter.
    fn changes(&self, global: GlobalId) -> Option<Vec<Changes>> {
        let mut found = Vec::new();
        for thread in self.ctp.thread_ids() {
            let mut all = Vec::new();
            let mut last: Option<(StateId, LocalId)> = None;
            for &state in &self.ctp.paths(thread)[0][1..] {
                let action = self.ctp.step(state).action;
                if let Some((read, to)) = action.read()
                    && read == global
                {
                    last = Some((state, to));
                }
                let Some((_, value)) = action.written().filter(|(g, _)| *g == global) else {
                    continue;
                };
                let (read, local) = last.take()?;
                let together = self.element[read.0 as usize] == self.element[state.0 as usize];
                if !together && !matches!(action, Action::Update { .. }) {
                    return None;
                }
                all.push((state, self.added(global, value, local)?));
            }
            if !all.is_empty() {
                found.push(Changes { thread, all });
            }
        }
        Some(found)
    }

    /// What an expression adds to a local, as values of the global.
    fn added(&self, global: GlobalId, value: ExprId, local: LocalId) -> Option<u64> {
        let size = self.ctp.globals[global.0 as usize].kind.size();
        let Expr::Binary(op, kind, left, right) = self.ctp.exprs.get(value) else { return None };
        let is_local = |id| self.ctp.exprs.get(id) == Expr::Local(local);
        let constant = |id| self.ctp.exprs.constant(id);
        if kind.is_float() || kind.size() < size {
            return None;
        }
        match op {
            Binary::Add if is_local(left) => constant(right),
            Binary::Add if is_local(right) => constant(left),
            Binary::Subtract if is_local(left) => constant(right).map(u64::wrapping_neg),
            _ => None,
        }
    }

    fn add_sum(&mut self, read: StateId, to: LocalId, initial: u64, changes: &[Changes]) {
        let reader = self.ctp.state(read).thread;
        let kind = self.ctp.locals[to.0 as usize].kind;
        let n_bits = 8 * kind.size() as usize;
        let mut sum = Word::constant(initial);
        for thread in changes {
            let part = match thread.thread == reader {
                true => {
                    let before = thread.all.iter().filter(|(state, _)| *state < read);
                    Word::constant(before.fold(0, |sum: u64, (_, by)| sum.wrapping_add(*by)))
                }
                false => self.part(read, &thread.all, n_bits),
            };
            sum = word::add(&mut self.clauses, &sum, &part, Lit::FALSE, n_bits);
        }
        let sum = sum.extend(n_bits, kind.is_signed());
        let happens = self.happens(read);
        let word = self.values.local(to).clone();
        self.carry(happens, &word, Some(sum));
    }

    /// The sum of the changes of another thread that come before a read.
    fn part(&mut self, read: StateId, changes: &[(StateId, u64)], n_bits: usize) -> Word {
        let mut passed = vec![Lit::TRUE];
        let mut sums = vec![0u64];
        for &(change, by) in changes {
            let (happens, before) = (self.happens(change), self.before(change, read));
            passed.push(self.clauses.and(happens, before));
            sums.push(sums[sums.len() - 1].wrapping_add(by));
        }
        passed.push(Lit::FALSE);
        let bits = (0..n_bits).map(|bit| chosen(&mut self.clauses, &passed, &sums, bit));
        Word::of(bits.collect(), false)
    }
}

/// One bit of the sum at the place up to which changes have passed.
fn chosen(clauses: &mut Clauses, passed: &[Lit], sums: &[u64], bit: usize) -> Lit {
    let is_set = |n: usize| sums[n] >> bit & 1 == 1;
    let mut runs = Vec::new();
    let mut start = None;
    for n in 0..=sums.len() {
        let set = n < sums.len() && is_set(n);
        match (start, set) {
            (None, true) => start = Some(n),
            (Some(first), false) => {
                runs.push(clauses.and(passed[first], !passed[n]));
                start = None;
            }
            _ => {}
        }
    }
    clauses.any(&runs)
}
