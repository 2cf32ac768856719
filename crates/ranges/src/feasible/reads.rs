//! Reads and the writes that they read from (E5).
//!
//! Reads become clauses when a guard or a query first needs their value. Where the global is
//! a counter, a sum says it all (E7). Otherwise there are two encodings:
//!
//! - F1: one other thread writes, without branches. Its last write before the read is the source if
//!   it is behind the last own write; else that is. So the order implies the source: two clauses for
//!   each write. Of a read that does not happen nothing is said: intervals hold for those that do, and
//!   what they rule out must not keep others from happening.
//! - F2: some source is chosen, and implies the order: it happens before the read, and no other write
//!   that happens does in between.

mod last;

use raddle_solve::word::BITS;
use raddle_solve::{Clauses, Lit, Word};
use rustc_hash::FxHashMap;

use super::Solver;
use super::accesses::{Write, last_write};
use super::counters::is_past;
use super::values::narrow;
use crate::ctp::{GlobalId, StateId};
use crate::expr::ExprId;
use crate::interval::Interval;

/// A step that sees a value of a global.
struct Sight<'w> {
    step: StateId,
    /// Whether it does not happen.
    absent: Lit,
    global: GlobalId,
    /// The last write of its own thread.
    own: Option<StateId>,
    word: &'w Word,
    /// What the value can be according to the intervals.
    within: Interval,
    /// Literals that say that it has few bits.
    small: FxHashMap<(usize, bool), Lit>,
}

impl Solver<'_> {
    /// The reads whose values matter so far: those of guards and of what was asked for, and those that
    /// the writes which they may read from are computed from.
    pub(super) fn add_reads(&mut self) {
        while let Some(local) = self.values.asked.pop() {
            let Some(id) = self.read_of[local.0 as usize] else { continue };
            let Some((global, _)) = self.ctp.step(id).action.read() else { continue };
            let word = self.values.local(self.ctp, &mut self.clauses, local);
            let within = self.values.interval(local).unwrap_or(Interval::ALL);
            self.see(id, global, &word, within);
        }
    }

    /// The value of a global right behind a step, if it happens. Each step must be a transaction of
    /// its own, unless it accesses the global itself.
    pub(super) fn observe(&mut self, id: StateId, global: GlobalId) -> Word {
        let action = self.ctp.step(id).action;
        if let Some((_, value)) = action.written().filter(|(written, _)| *written == global) {
            return self.value(value).clone();
        }
        if let Some((_, to)) = action.read().filter(|(read, _)| *read == global) {
            return self.values.local(self.ctp, &mut self.clauses, to);
        }
        let word = self.values.of_global(&mut self.clauses, global);
        self.see(id, global, &word, Interval::ALL);
        word
    }

    /// A step sees a value of a global.
    fn see(&mut self, step: StateId, global: GlobalId, word: &Word, within: Interval) {
        if let Some(counter) = self.counters[global.0 as usize].clone() {
            return self.add_sum(step, &counter, word);
        }
        let all = self.writes.clone();
        let thread = self.ctp.state(step).thread;
        let (own, is_last) = self.own_write(step, global);
        let (absent, small) = (!self.happens(step), FxHashMap::default());
        let mut sight = Sight { step, absent, global, own, word, within, small };
        let others = all[global.0 as usize].of.iter().filter(|(other, _)| *other != thread);
        let others: Vec<_> = others.map(|(_, writes)| &writes[..]).collect();
        match others[..] {
            _ if is_last => self.carry_own(&mut sight, Lit::TRUE),
            [] => self.carry_own(&mut sight, Lit::TRUE),
            [writes] if !self.has_branches => self.add_last(&mut sight, writes),
            _ => self.add_sources(&mut sight, &others),
        }
    }

    /// The last write of its own thread before a step, and whether no thread can come in between: the two
    /// are in one transaction.
    pub(super) fn own_write(&self, step: StateId, global: GlobalId) -> (Option<StateId>, bool) {
        let own = last_write(self.ctp, step, global);
        let element = |state: StateId| self.element[state.0 as usize];
        (own, own.is_some_and(|own| element(own) == element(step)))
    }

    /// F2.
    fn add_sources(&mut self, sight: &mut Sight<'_>, others: &[&[Write]]) {
        let own = self.source(sight.step, sight.global, sight.own);
        self.carry_own(sight, own);
        let mut any = vec![sight.absent, own];
        for write in others.iter().copied().flatten() {
            if self.can_be_source(sight, write) {
                let source = self.source(sight.step, sight.global, Some(write.state));
                self.carry_from(sight, write.value, source, sight.within);
                any.push(source);
            }
        }
        self.clauses.clause(&any);
    }

    /// Whether a write of another thread can have happened without being overwritten, with this value.
    fn can_be_source(&self, sight: &Sight<'_>, write: &Write) -> bool {
        let before = self.ctp.state(sight.step).parent;
        let can_happen = before.is_some_and(|before| self.pairs.can_be_past(before, write.state));
        let lost = match write.next[..] {
            [next] => !self.has_branches && is_past(self.ctp, &self.pairs, sight.step, next),
            _ => false,
        };
        can_happen && !lost && self.common(sight, write.value, sight.within).is_some()
    }

    /// A literal that says that a read reads from a write, or from the start.
    pub(super) fn source(&mut self, read: StateId, global: GlobalId, from: Option<StateId>) -> Lit {
        if let Some(&known) = self.sources.get(&(read, global, from)) {
            return known;
        }
        let source = self.clauses.fresh();
        self.sources.insert((read, global, from), source);
        let own = last_write(self.ctp, read, global);
        match from.filter(|_| from != own) {
            Some(write) => {
                let happens = self.happens(write);
                let after = own.map_or(Lit::TRUE, |own| self.before(own, write));
                for needed in [happens, self.before(write, read), after] {
                    self.clauses.clause(&[!source, needed]);
                }
            }
            // The start is overwritten.
            None if from != own => self.clauses.clause(&[!source]),
            None => {}
        }
        let reader = self.ctp.state(read).thread;
        let all = self.writes.clone();
        for (thread, writes) in &all[global.0 as usize].of {
            if *thread != reader {
                self.keep_out(source, read, from, writes);
            }
        }
        source
    }

    /// No write of another thread comes between a read and its source.
    fn keep_out(&mut self, source: Lit, read: StateId, from: Option<StateId>, writes: &[Write]) {
        // Of the thread of the source itself, only those that come next matter.
        if let Some(write) = writes.iter().find(|write| Some(write.state) == from) {
            for &next in &write.next {
                let (happens, behind) = (self.happens(next), self.before(read, next));
                self.clauses.clause(&[!source, !happens, behind]);
            }
            return;
        }
        for write in writes {
            let earlier = from.map_or(Lit::FALSE, |from| self.before(write.state, from));
            let (happens, behind) = (self.happens(write.state), self.before(read, write.state));
            self.clauses.clause(&[!source, !happens, earlier, behind]);
        }
    }

    /// What is seen is what the thread has written itself, or the first value.
    fn carry_own(&mut self, sight: &mut Sight<'_>, source: Lit) {
        let own = sight.own.and_then(|own| self.ctp.step(own).action.written());
        match (own, self.ctp.globals[sight.global.0 as usize].initial) {
            (Some((_, value)), _) => self.carry_from(sight, value, source, sight.within),
            (None, Some(value)) => {
                carry(&mut self.clauses, source, sight.word, &Word::constant(value), BITS);
            }
            (None, None) => {}
        }
    }

    /// The values that are both written and seen according to the intervals.
    fn common(&self, sight: &Sight<'_>, value: ExprId, within: Interval) -> Option<Interval> {
        self.values.held(self.ctp, value, sight.global).meet(within)
    }

    /// What is seen is what was written. It has no more bits than both can have, so that is said once
    /// for all writes that have as few; what is seen is known to be within an interval.
    fn carry_from(&mut self, sight: &mut Sight<'_>, value: ExprId, source: Lit, within: Interval) {
        self.values.make_all(self.ctp, &mut self.clauses, value);
        let common = self.common(sight, value, within);
        let n_known = narrow(within).0.min(sight.word.width());
        let from = self.values.get(value);
        let Some(few) = common.map(narrow).filter(|few| few.0 + 1 < n_known) else {
            return carry(&mut self.clauses, source, sight.word, from, n_known);
        };
        carry(&mut self.clauses, source, sight.word, from, few.0);
        let small = sight.small(&mut self.clauses, few);
        self.clauses.clause(&[!source, small]);
    }
}

impl Sight<'_> {
    /// A literal that says that what is seen has few bits, and whether the highest one is a sign.
    fn small(&mut self, clauses: &mut Clauses, (n_bits, signed): (usize, bool)) -> Lit {
        *self.small.entry((n_bits, signed)).or_insert_with(|| {
            let small = clauses.fresh();
            carry(clauses, small, self.word, &self.word.extend(n_bits, signed), BITS);
            small
        })
    }
}

/// If the source is used, the word has the value, or as many low bits of it. Bits of the word that are no
/// variables are what they are in every execution.
pub(super) fn carry(clauses: &mut Clauses, source: Lit, word: &Word, value: &Word, n_bits: usize) {
    let bits = word.bits().iter().zip(value.bits()).take(n_bits.min(word.width()));
    for (&a, &b) in bits.filter(|(a, _)| !a.is_known()) {
        clauses.clause(&[!source, !a, b]);
        clauses.clause(&[!source, a, !b]);
    }
}
