//! Expressions as words.

use raddle_cfront::ir::{Kind, Unary};
use raddle_solve::word;
use raddle_solve::{Clauses, Word};

use super::operators::{binary, held, is_zero};
use crate::ctp::{Ctp, GlobalId, StateId};
use crate::eval;
use crate::expr::{Expr, ExprId, LocalId};
use crate::interval::Interval;
use crate::pairs::Pairs;
use crate::propagate::Ranges;
use crate::sums::Sums;

/// The words of locals and of what is computed from them, made when they are asked for.
pub(super) struct Values {
    locals: Vec<Option<Word>>,
    words: Vec<Option<Word>>,
    /// Locals that were asked for and whose reads have not been looked at yet.
    pub(super) asked: Vec<LocalId>,
    /// The intervals of locals and of expressions; none if widths are those of types.
    known: Option<Known>,
    /// The interval of each global.
    globals: Vec<Interval>,
}

struct Known {
    locals: Vec<Interval>,
    exprs: Vec<Interval>,
    sums: Sums,
}

impl Values {
    /// Values with as many bits as ranges leave, and what is known of the reads of counters; without
    /// ranges with those of types.
    pub(super) fn new(
        ctp: &Ctp,
        ranges: Option<&Ranges>,
        counted: &dyn Fn(StateId) -> Option<Interval>,
        pairs: &Pairs,
    ) -> Values {
        let known = ranges.map(|ranges| {
            let sums = Sums::new(ctp);
            let locals = of_locals(ctp, ranges, counted, (&sums, pairs));
            let exprs = eval::of_exprs(ctp, &locals);
            Known { locals, exprs, sums }
        });
        let global = |id: u32| match ranges {
            Some(ranges) => ranges.hull(ctp, GlobalId(id)),
            None => Interval::of(ctp.globals[id as usize].kind),
        };
        let globals = (0..ctp.globals.len() as u32).map(global).collect();
        Values {
            locals: vec![None; ctp.locals.len()],
            words: vec![None; ctp.exprs.len()],
            asked: Vec::new(),
            known,
            globals,
        }
    }

    /// Forgets all words.
    pub(super) fn clear(&mut self) {
        self.locals.fill(None);
        self.words.fill(None);
        self.asked.clear();
    }

    /// A new word that has room for all values of a global.
    pub(super) fn of_global(&self, clauses: &mut Clauses, global: GlobalId) -> Word {
        let (n_bits, signed) = narrow(self.globals[global.0 as usize]);
        Word::fresh(clauses, n_bits, signed)
    }

    /// The word of a local, which matters from now on. One that has a single value needs no read.
    pub(super) fn local(&mut self, ctp: &Ctp, clauses: &mut Clauses, local: LocalId) -> Word {
        let index = local.0 as usize;
        if let Some(word) = &self.locals[index] {
            return word.clone();
        }
        let kind = ctp.locals[index].kind;
        let word = match self.known.as_ref().map(|known| known.locals[index]) {
            Some(Interval { lo, hi }) if lo == hi => Word::constant(lo as u64),
            interval => {
                self.asked.push(local);
                let all = (8 * kind.size() as usize, kind.is_signed());
                let (n_bits, signed) = interval.map_or(all, narrow);
                Word::fresh(clauses, n_bits, signed)
            }
        };
        self.locals[index] = Some(word.clone());
        word
    }

    /// What a local can be according to the intervals.
    pub(super) fn interval(&self, local: LocalId) -> Option<Interval> {
        self.known.as_ref().map(|known| known.locals[local.0 as usize])
    }

    /// What a step can read if another thread has not taken these steps yet, according to the sums.
    pub(super) fn until(
        &self,
        ctp: &Ctp,
        pairs: &Pairs,
        read: StateId,
        steps: &[StateId],
    ) -> Option<Vec<Interval>> {
        self.known.as_ref()?.sums.bounds_until(ctp, pairs, read, steps)
    }

    /// The values that a global can have where an expression was written to it.
    pub(super) fn held(&self, ctp: &Ctp, value: ExprId, global: GlobalId) -> Interval {
        let all = Interval::of(ctp.globals[global.0 as usize].kind);
        // What does not fit into memory is cut.
        self.of(value).filter(|values| all.covers(*values)).unwrap_or(all)
    }

    /// Whether an expression is never zero according to the intervals.
    pub(super) fn always_holds(&self, id: ExprId) -> bool {
        self.of(id).is_some_and(|values| !values.contains(0))
    }

    /// Whether intervals leave an expression several values.
    pub(super) fn is_open(&self, id: ExprId) -> bool {
        self.single(id).is_none()
    }

    /// The word of an expression that was asked for before.
    pub(super) fn get(&self, id: ExprId) -> &Word {
        self.words[id.0 as usize].as_ref().expect("it was made before")
    }

    /// Makes the word of an expression, and of what it is computed from.
    pub(super) fn make_all(&mut self, ctp: &Ctp, clauses: &mut Clauses, id: ExprId) {
        for part in self.missing(ctp, id) {
            let word = match (self.single(part), ctp.exprs.get(part)) {
                (Some(value), _) => Word::constant(value as u64),
                (None, Expr::Local(local)) => self.local(ctp, clauses, local),
                _ => self.cut(part, self.make(ctp, clauses, part)),
            };
            self.words[part.0 as usize] = Some(word);
        }
    }

    /// The parts of an expression without a word, children first. What intervals decide has no parts.
    fn missing(&self, ctp: &Ctp, id: ExprId) -> Vec<ExprId> {
        let mut found = Vec::new();
        let mut open = vec![id];
        while let Some(id) = open.pop() {
            if self.words[id.0 as usize].is_none() {
                found.push(id);
                if self.single(id).is_none() {
                    open.extend(ctp.exprs.parts(id));
                }
            }
        }
        found.sort_unstable();
        found.dedup();
        found
    }

    /// The interval of an expression; none if widths are those of types.
    fn of(&self, id: ExprId) -> Option<Interval> {
        self.known.as_ref().map(|known| known.exprs[id.0 as usize])
    }

    fn single(&self, id: ExprId) -> Option<i64> {
        self.of(id).and_then(Interval::single)
    }

    /// Only the bits that the interval of an expression leaves open.
    fn cut(&self, id: ExprId, word: Word) -> Word {
        match self.of(id).map(narrow) {
            Some((n_bits, signed)) => word.extend(n_bits, signed),
            None => word,
        }
    }

    /// How many low bits of an expression of a kind are needed.
    fn n_bits(&self, id: ExprId, kind: Kind) -> usize {
        let all = 8 * kind.size() as usize;
        self.of(id).map_or(all, |interval| narrow(interval).0.clamp(1, all))
    }

    fn make(&self, ctp: &Ctp, clauses: &mut Clauses, id: ExprId) -> Word {
        match ctp.exprs.get(id) {
            Expr::Const(value) => Word::constant(value),
            Expr::Local(_) => unreachable!("a local has a word of its own"),
            Expr::Unknown(_) => Word::fresh(clauses, word::BITS, true),
            Expr::Unary(op, kind, from) => {
                let from = self.get(from);
                match op {
                    Unary::Negate => {
                        let n_bits = self.n_bits(id, kind);
                        let value = word::subtract(clauses, &Word::constant(0), from, n_bits);
                        value.extend(n_bits, kind.is_signed())
                    }
                    Unary::Complement => held(&word::complement(from), kind),
                    Unary::IsZero => Word::truth(is_zero(clauses, from)),
                    Unary::IsNonZero => Word::truth(!is_zero(clauses, from)),
                }
            }
            Expr::Binary(op, kind, left, right) => {
                let n_bits = self.n_bits(id, kind);
                binary(clauses, op, kind, self.get(left), self.get(right), n_bits)
            }
            Expr::Convert(_, to, value) => held(self.get(value), to),
            Expr::Select(condition, yes, no) => {
                let condition = !is_zero(clauses, self.get(condition));
                word::choose(clauses, condition, self.get(yes), self.get(no))
            }
        }
    }
}

/// The interval of each local: of what propagation, sums and counters leave, all is left out that one
/// of them rules out.
fn of_locals(
    ctp: &Ctp,
    ranges: &Ranges,
    counted: &dyn Fn(StateId) -> Option<Interval>,
    (sums, pairs): (&Sums, &Pairs),
) -> Vec<Interval> {
    let mut known: Vec<_> = ctp.locals.iter().map(|local| Interval::of(local.kind)).collect();
    for id in ctp.state_ids() {
        if let Some((_, to)) = ctp.step(id).action.read() {
            let more = sums.bounds(ctp, pairs, id).into_iter().chain(counted(id));
            let values = more.fold(ranges.read[id.0 as usize], |left, more| left?.meet(more));
            // What cannot be reached has any value.
            known[to.0 as usize] = values.unwrap_or(Interval::one(0));
        }
    }
    known
}

/// How many bits the values of an interval need, and whether the highest one is a sign.
pub(super) fn narrow(interval: Interval) -> (usize, bool) {
    let size = |value: i64| 64 - if value < 0 { !value } else { value }.leading_zeros() as usize;
    let n_bits = size(interval.lo).max(size(interval.hi));
    if interval.lo < 0 { ((n_bits + 1).min(64), true) } else { (n_bits, false) }
}
