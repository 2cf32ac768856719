//! Expressions as words.

use raddle_cfront::ir::{Binary, Kind, Unary};
use raddle_solve::word::{self, Shift};
use raddle_solve::{Clauses, Lit, Word};

use crate::ctp::{Ctp, GlobalId};
use crate::eval::{Evaluator, closure};
use crate::expr::{Expr, ExprId, LocalId};
use crate::interval::Interval;
use crate::propagate::Ranges;
use crate::slots::Slots;

/// The words of locals and of what is computed from them.
pub(super) struct Values {
    locals: Vec<Word>,
    words: Vec<Option<Word>>,
    /// Locals that were asked for and whose reads nobody has looked at yet, and those that were ever.
    pub(super) asked: Vec<LocalId>,
    is_asked: Vec<bool>,
    /// The interval of each expression; none if widths are those of types.
    intervals: Option<Vec<Interval>>,
    /// The interval of each global.
    globals: Vec<Interval>,
}

impl Values {
    pub(super) fn new(ctp: &Ctp, ranges: Option<&Ranges>, clauses: &mut Clauses) -> Values {
        let known = ranges.map(|ranges| of_locals(ctp, ranges));
        let local = |(index, local): (usize, &crate::ctp::Local)| match &known {
            Some(known) => {
                let (n_bits, signed) = narrow(known[index]);
                match known[index].single() {
                    Some(value) => Word::constant(value as u64),
                    None => Word::fresh(clauses, n_bits, signed),
                }
            }
            None => Word::fresh(clauses, 8 * local.kind.size() as usize, local.kind.is_signed()),
        };
        let locals: Vec<_> = ctp.locals.iter().enumerate().map(local).collect();
        let intervals = known.map(|known| {
            let slots = Slots::separate(ctp);
            let mut evaluator = Evaluator::new(ctp, &slots);
            let mut state = vec![Interval::ALL; slots.width()];
            state[ctp.globals.len()..].copy_from_slice(&known);
            let all: Vec<_> = (0..ctp.exprs.len() as u32).map(ExprId).collect();
            evaluator.run(&all, &state);
            all.iter().map(|&id| evaluator.get(id)).collect()
        });
        let global = |id: u32| match ranges {
            Some(ranges) => ranges.hull(ctp, GlobalId(id)),
            None => Interval::of(ctp.globals[id as usize].kind),
        };
        let globals = (0..ctp.globals.len() as u32).map(global).collect();
        Values {
            is_asked: vec![false; locals.len()],
            asked: Vec::new(),
            locals,
            words: vec![None; ctp.exprs.len()],
            intervals,
            globals,
        }
    }

    /// A new word that has room for all values of a global.
    pub(super) fn of_global(&self, clauses: &mut Clauses, global: GlobalId) -> Word {
        let (n_bits, signed) = narrow(self.globals[global.0 as usize]);
        Word::fresh(clauses, n_bits, signed)
    }

    pub(super) fn local(&self, local: LocalId) -> &Word {
        &self.locals[local.0 as usize]
    }

    /// From now on the value of a local matters.
    pub(super) fn ask(&mut self, local: LocalId) {
        if !std::mem::replace(&mut self.is_asked[local.0 as usize], true) {
            self.asked.push(local);
        }
    }

    /// The word of an expression.
    pub(super) fn word(&mut self, ctp: &Ctp, clauses: &mut Clauses, id: ExprId) -> Word {
        if self.words.len() < ctp.exprs.len() {
            self.words.resize(ctp.exprs.len(), None);
        }
        if self.words[id.0 as usize].is_none() {
            for part in closure(&ctp.exprs, vec![id]) {
                if self.words[part.0 as usize].is_none() {
                    if let Expr::Local(local) = ctp.exprs.get(part) {
                        self.ask(local);
                    }
                    let word = self.make(ctp, clauses, part);
                    self.words[part.0 as usize] = Some(self.cut(part, word));
                }
            }
        }
        self.words[id.0 as usize].clone().expect("it was made")
    }

    /// Only the bits that the interval of an expression leaves open.
    fn cut(&self, id: ExprId, word: Word) -> Word {
        match self.intervals.as_ref().and_then(|all| all.get(id.0 as usize)) {
            Some(interval) => {
                let (n_bits, signed) = narrow(*interval);
                word.extend(n_bits, signed)
            }
            None => word,
        }
    }

    /// How many low bits of an expression of a kind are needed.
    fn n_bits(&self, id: ExprId, kind: Kind) -> usize {
        let all = 8 * kind.size() as usize;
        match self.intervals.as_ref().and_then(|all| all.get(id.0 as usize)) {
            Some(interval) => narrow(*interval).0.clamp(1, all),
            None => all,
        }
    }

    fn get(&self, id: ExprId) -> &Word {
        self.words[id.0 as usize].as_ref().expect("children come first")
    }

    fn make(&self, ctp: &Ctp, clauses: &mut Clauses, id: ExprId) -> Word {
        match ctp.exprs.get(id) {
            Expr::Const(value) => Word::constant(value),
            Expr::Local(local) => self.local(local).clone(),
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

/// The interval of each local.
fn of_locals(ctp: &Ctp, ranges: &Ranges) -> Vec<Interval> {
    let mut known: Vec<_> = ctp.locals.iter().map(|local| Interval::of(local.kind)).collect();
    for id in ctp.state_ids() {
        if let Some((_, to)) = ctp.step(id).action.read() {
            // What cannot be reached has any value.
            known[to.0 as usize] = ranges.read[id.0 as usize].unwrap_or(Interval::one(0));
        }
    }
    known
}

/// How many bits the values of an interval need, and whether the highest one is a sign.
fn narrow(interval: Interval) -> (usize, bool) {
    let size = |value: i64| 64 - if value < 0 { !value } else { value }.leading_zeros() as usize;
    let n_bits = size(interval.lo).max(size(interval.hi));
    if interval.lo < 0 { ((n_bits + 1).min(64), true) } else { (n_bits, false) }
}

/// A value as a register of a kind holds it.
fn held(word: &Word, kind: Kind) -> Word {
    word.extend(8 * kind.size() as usize, kind.is_signed())
}

/// Whether a word is zero.
pub(super) fn is_zero(clauses: &mut Clauses, word: &Word) -> Lit {
    word::equal(clauses, word, &Word::constant(0))
}

/// A comparison of values of a kind.
fn compare(clauses: &mut Clauses, op: Binary, kind: Kind, a: &Word, b: &Word) -> Lit {
    let signed = kind.is_signed();
    match op {
        Binary::Equal => word::equal(clauses, a, b),
        Binary::NotEqual => !word::equal(clauses, a, b),
        Binary::Less => word::less(clauses, a, b, signed),
        Binary::Greater => word::less(clauses, b, a, signed),
        Binary::LessEqual => !word::less(clauses, b, a, signed),
        _ => !word::less(clauses, a, b, signed),
    }
}

/// An operator on values of a kind, of which so many bits are wanted.
pub(super) fn binary(
    clauses: &mut Clauses,
    op: Binary,
    kind: Kind,
    a: &Word,
    b: &Word,
    n_bits: usize,
) -> Word {
    let signed = kind.is_signed();
    let counted = if kind.size() == 8 { 6 } else { 5 };
    let low = match op {
        Binary::Add => word::add(clauses, a, b, Lit::FALSE, n_bits),
        Binary::Subtract => word::subtract(clauses, a, b, n_bits),
        Binary::Multiply => word::multiply(clauses, a, b, n_bits),
        Binary::And => word::bitwise(clauses, a, b, Clauses::and),
        Binary::Or => word::bitwise(clauses, a, b, Clauses::or),
        Binary::Xor => word::bitwise(clauses, a, b, Clauses::xor),
        Binary::ShiftLeft => word::shift(clauses, Shift::Left, a, b, counted),
        Binary::ShiftRight => {
            let how = if signed { Shift::Arithmetic } else { Shift::Logical };
            word::shift(clauses, how, a, b, counted)
        }
        Binary::Divide | Binary::Remainder => divide(clauses, op, signed, a, b),
        _ => return Word::truth(compare(clauses, op, kind, a, b)),
    };
    match op {
        Binary::Add | Binary::Subtract | Binary::Multiply => low.extend(n_bits, signed),
        _ => held(&low, kind),
    }
}

fn divide(clauses: &mut Clauses, op: Binary, signed: bool, a: &Word, b: &Word) -> Word {
    if !signed {
        let (quotient, rest) = word::divide(clauses, a, b);
        return if op == Binary::Divide { quotient } else { rest };
    }
    let (x, minus) = word::magnitude(clauses, a);
    let (y, too) = word::magnitude(clauses, b);
    let (quotient, rest) = word::divide(clauses, &x, &y);
    if op == Binary::Divide {
        let sign = clauses.xor(minus, too);
        return word::signed(clauses, &quotient, sign);
    }
    word::signed(clauses, &rest, minus)
}
