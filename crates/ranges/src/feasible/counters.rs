//! Counters: globals that are only ever changed by adding constants, in one piece (E7).
//!
//! A read of a counter is its first value and the constants of all changes before it. That says all
//! that sources would, with a list of literals for each thread instead of a source for each write, and
//! proofs about counters become short: from sources, a solver goes through all interleavings of the
//! changes. Only for threads without branches.

use std::rc::Rc;

use raddle_cfront::ir::{Binary, Kind};
use raddle_solve::word;
use raddle_solve::word::BITS;
use raddle_solve::{Clauses, Lit, Word};

use rustc_hash::FxHashMap;

use super::Solver;
use super::reads::carry;
use crate::ctp::{Action, Ctp, Global, GlobalId, StateId, ThreadId};
use crate::expr::{Expr, ExprId, LocalId};
use crate::interval::Interval;
use crate::pairs::Pairs;

/// A counter.
pub(super) struct Counter {
    kind: Kind,
    initial: u64,
    changes: Vec<Changes>,
}

/// The changes of one thread, in order, and what each adds.
struct Changes {
    thread: ThreadId,
    all: Vec<(StateId, u64)>,
}

/// Which globals are counters, if steps belong to these transactions.
pub(super) fn counters(ctp: &Ctp, element: &[u32]) -> Vec<Option<Rc<Counter>>> {
    let begin = |global: &Global| {
        let initial = global.initial.filter(|_| !global.kind.is_float())?;
        Some(Counter { kind: global.kind, initial, changes: Vec::new() })
    };
    let mut found: Vec<Option<Counter>> = match ctp.has_branches() {
        true => ctp.globals.iter().map(|_| None).collect(),
        false => ctp.globals.iter().map(begin).collect(),
    };
    for thread in ctp.thread_ids() {
        let mut last: FxHashMap<GlobalId, (StateId, LocalId)> = FxHashMap::default();
        for id in ctp.paths(thread).into_iter().flatten() {
            let action = ctp.step(id).action;
            if let Some((global, to)) = action.read() {
                last.insert(global, (id, to));
            }
            if let Some((global, value)) = action.written() {
                let counter = &mut found[global.0 as usize];
                let read = last.remove(&global).filter(|(read, _)| {
                    let together = element[read.0 as usize] == element[id.0 as usize];
                    together || matches!(action, Action::Update { .. })
                });
                let kind = ctp.globals[global.0 as usize].kind;
                match read.and_then(|(_, local)| added(ctp, kind, value, local)) {
                    Some(by) => counter.iter_mut().for_each(|known| known.add(thread, id, by)),
                    None => *counter = None,
                }
            }
        }
    }
    found.into_iter().map(|counter| counter.map(Rc::new)).collect()
}

/// What an expression adds to a local, as values of a global.
fn added(ctp: &Ctp, of: Kind, value: ExprId, local: LocalId) -> Option<u64> {
    let Expr::Binary(op, kind, left, right) = ctp.exprs.get(value) else { return None };
    let is_local = |id| ctp.exprs.get(id) == Expr::Local(local);
    let constant = |id| ctp.exprs.constant(id);
    if kind.is_float() || kind.size() < of.size() {
        return None;
    }
    match op {
        Binary::Add if is_local(left) => constant(right),
        Binary::Add if is_local(right) => constant(left),
        Binary::Subtract if is_local(left) => constant(right).map(u64::wrapping_neg),
        _ => None,
    }
}

impl Counter {
    fn add(&mut self, thread: ThreadId, state: StateId, by: u64) {
        match self.changes.iter_mut().find(|changes| changes.thread == thread) {
            Some(changes) => changes.all.push((state, by)),
            None => self.changes.push(Changes { thread, all: vec![(state, by)] }),
        }
    }

    /// What a read can see: which changes must have happened is known, and each thread has made the
    /// first ones of those that may have.
    pub(super) fn bounds(&self, ctp: &Ctp, pairs: &Pairs, read: StateId) -> Option<Interval> {
        let all = self.changes.iter().flat_map(|changes| &changes.all);
        let most: i128 = all.map(|&(_, by)| i128::from(by as i64).abs()).sum();
        let (first, within) = (i128::from(self.initial as i64), Interval::of(self.kind));
        if first - most < i128::from(within.lo) || first + most > i128::from(within.hi) {
            return None;
        }
        let mut values = Interval::one(self.initial as i64);
        for changes in &self.changes {
            let part = changes.part(ctp, pairs, read)?;
            values = Interval { lo: values.lo + part.lo, hi: values.hi + part.hi };
        }
        Some(values)
    }
}

impl Changes {
    /// The changes of its own thread that are before a step.
    fn own(&self, step: StateId) -> u64 {
        let before = self.all.iter().filter(|(state, _)| *state < step);
        before.fold(0, |sum: u64, (_, by)| sum.wrapping_add(*by))
    }

    fn part(&self, ctp: &Ctp, pairs: &Pairs, read: StateId) -> Option<Interval> {
        if self.thread == ctp.state(read).thread {
            return Some(Interval::one(self.own(read) as i64));
        }
        let before = ctp.state(read).parent?;
        let must = self.all.iter().take_while(|(change, _)| is_past(ctp, pairs, read, *change));
        let must = must.count();
        let mut sum = self.all[..must].iter().map(|(_, by)| *by as i64).sum::<i64>();
        let mut values = Interval::one(sum);
        for &(change, by) in &self.all[must..] {
            if !pairs.can_be_past(before, change) {
                break;
            }
            sum += by as i64;
            values = values.join(Interval::one(sum));
        }
        Some(values)
    }
}

/// Whether a step has always happened when another thread has taken one, if threads have no branches.
pub(super) fn is_past(ctp: &Ctp, pairs: &Pairs, taken: StateId, step: StateId) -> bool {
    ctp.state(step).parent.is_some_and(|before| !pairs.can_be_up_to(taken, before))
}

impl Solver<'_> {
    /// A step sees a value of a counter.
    pub(super) fn add_sum(&mut self, read: StateId, counter: &Counter, word: &Word) {
        let reader = self.ctp.state(read).thread;
        // More bits than what is read can have need not be summed up.
        let n_bits = word.width().min(8 * counter.kind.size() as usize);
        let mut sum = Word::constant(counter.initial);
        for changes in &counter.changes {
            let part = match changes.thread == reader {
                true => Word::constant(changes.own(read)),
                false => self.part(read, &changes.all, n_bits),
            };
            sum = word::add(&mut self.clauses, &sum, &part, Lit::FALSE, n_bits);
        }
        let sum = sum.extend(n_bits, counter.kind.is_signed());
        let happens = self.happens(read);
        carry(&mut self.clauses, happens, word, &sum, BITS);
    }

    /// The sum of the changes of another thread that come before a read.
    fn part(&mut self, read: StateId, changes: &[(StateId, u64)], n_bits: usize) -> Word {
        let mut passed = vec![Lit::TRUE];
        let mut sums = vec![0u64];
        for &(change, by) in changes {
            passed.push(match is_past(self.ctp, &self.pairs, read, change) {
                true => Lit::TRUE,
                false => self.has_passed(change, read),
            });
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
