//! Expressions and guards over intervals.
//!
//! In: the intervals of locals. Out: that of an expression, or the locals as a guard leaves them.
//! Each expression is evaluated once per step, children first, however often it is shared.

use raddle_cfront::ir::{Binary, Kind, Unary};

use crate::ctp::{Ctp, StateId};
use crate::expr::{Expr, ExprId, Exprs};
use crate::interval::{self, Interval};
use crate::slots::Slots;

/// What the step into each state evaluates, in order.
#[derive(Debug)]
pub(crate) struct Plans {
    plans: Vec<Vec<ExprId>>,
}

impl Plans {
    pub(crate) fn new(ctp: &Ctp) -> Plans {
        let plan = |id: StateId| {
            let step = ctp.step(id);
            let mut open: Vec<_> = step.guards.iter().map(|guard| guard.condition).collect();
            open.extend(step.action.written().map(|(_, value)| value));
            closure(&ctp.exprs, open)
        };
        Plans { plans: ctp.state_ids().map(plan).collect() }
    }

    pub(crate) fn of(&self, state: StateId) -> &[ExprId] {
        &self.plans[state.0 as usize]
    }
}

/// All parts of expressions, children first.
pub(crate) fn closure(exprs: &Exprs, mut open: Vec<ExprId>) -> Vec<ExprId> {
    let mut found = rustc_hash::FxHashSet::default();
    while let Some(id) = open.pop() {
        if found.insert(id) {
            open.extend(exprs.parts(id));
        }
    }
    let mut order: Vec<_> = found.into_iter().collect();
    order.sort_unstable();
    order
}

/// The interval of each expression, from those of locals.
pub(crate) fn of_exprs(ctp: &Ctp, locals: &[Interval]) -> Vec<Interval> {
    let slots = Slots::separate(ctp);
    let mut evaluator = Evaluator::new(ctp, &slots);
    let mut state = vec![Interval::ALL; slots.width()];
    state[ctp.globals.len()..].copy_from_slice(locals);
    let all: Vec<_> = (0..ctp.exprs.len() as u32).map(ExprId).collect();
    evaluator.run(&all, &state);
    all.iter().map(|&id| evaluator.get(id)).collect()
}

/// Evaluates expressions.
pub(crate) struct Evaluator<'a> {
    exprs: &'a Exprs,
    slots: &'a Slots,
    values: Vec<Interval>,
    /// Whether something evaluated since this was cleared may have wrapped around.
    pub(crate) wraps: bool,
}

impl<'a> Evaluator<'a> {
    pub(crate) fn new(ctp: &'a Ctp, slots: &'a Slots) -> Evaluator<'a> {
        let values = vec![Interval::ALL; ctp.exprs.len()];
        Evaluator { exprs: &ctp.exprs, slots, values, wraps: false }
    }

    /// Evaluates expressions whose children come before them.
    pub(crate) fn run(&mut self, plan: &[ExprId], state: &[Interval]) {
        for &id in plan {
            self.values[id.0 as usize] = self.value_of(id, state);
        }
    }

    /// The interval of an expression that was evaluated.
    pub(crate) fn get(&self, id: ExprId) -> Interval {
        self.values[id.0 as usize]
    }

    fn value_of(&mut self, id: ExprId, state: &[Interval]) -> Interval {
        let outcome = match self.exprs.get(id) {
            Expr::Const(value) => return Interval::one(value as i64),
            Expr::Local(local) => return state[self.slots.of(local)],
            Expr::Unknown(_) => return Interval::ALL,
            Expr::Unary(op, kind, from) => interval::unary(op, kind, self.get(from)),
            Expr::Binary(op, kind, left, right) => {
                interval::binary(op, kind, self.get(left), self.get(right))
            }
            Expr::Convert(from, to, value) => interval::convert(from, to, self.get(value)),
            Expr::Select(condition, yes, no) => {
                return match self.get(condition) {
                    Interval { lo: 0, hi: 0 } => self.get(no),
                    values if !values.contains(0) => self.get(yes),
                    _ => self.get(yes).join(self.get(no)),
                };
            }
        };
        self.wraps |= outcome.wraps;
        outcome.values
    }

    /// The state with a guard, which was evaluated, known to hold; false if it cannot.
    pub(crate) fn assume(&self, id: ExprId, holds: bool, state: &mut [Interval]) -> bool {
        match (self.get(id), holds) {
            (Interval { lo: 0, hi: 0 }, true) => return false,
            (values, false) if !values.contains(0) => return false,
            _ => {}
        }
        let is_zero = |id| self.exprs.constant(id) == Some(0);
        match self.exprs.get(id) {
            Expr::Unary(Unary::IsZero, _, from) => self.assume(from, !holds, state),
            Expr::Unary(Unary::IsNonZero, _, from) => self.assume(from, holds, state),
            Expr::Binary(Binary::Equal, _, left, right) if is_zero(right) => {
                self.assume(left, !holds, state)
            }
            Expr::Binary(Binary::NotEqual, _, left, right) if is_zero(right) => {
                self.assume(left, holds, state)
            }
            Expr::Binary(op, kind, left, right) if op.is_comparison() && !kind.is_float() => {
                let (a, b) = (self.get(left), self.get(right));
                let Some((a, b)) = interval::refine(op, kind, holds, a, b) else { return false };
                self.narrow(left, a, state) && self.narrow(right, b, state)
            }
            Expr::Local(_) if !holds => self.narrow(id, Interval::one(0), state),
            Expr::Local(_) => {
                let values = self.get(id);
                let kind = Kind::I64;
                let zero = Interval::one(0);
                let refined = interval::refine(Binary::NotEqual, kind, true, values, zero);
                refined.is_some_and(|(values, _)| self.narrow(id, values, state))
            }
            _ => true,
        }
    }

    /// The state with an expression known to be in an interval.
    fn narrow(&self, id: ExprId, to: Interval, state: &mut [Interval]) -> bool {
        let shifted = |by: u64, flip: bool| {
            let by = by as i64;
            let by = if flip { by.checked_neg()? } else { by };
            Some(Interval { lo: to.lo.checked_sub(by)?, hi: to.hi.checked_sub(by)? })
        };
        match self.exprs.get(id) {
            Expr::Local(local) => {
                let slot = self.slots.of(local);
                let Some(values) = state[slot].meet(to) else { return false };
                state[slot] = values;
                true
            }
            Expr::Binary(op @ (Binary::Add | Binary::Subtract), kind, left, right) => {
                let exact = !interval::binary(op, kind, self.get(left), self.get(right)).wraps;
                let by = self.exprs.constant(right).filter(|_| exact && kind.is_signed());
                match by.and_then(|by| shifted(by, op == Binary::Subtract)) {
                    Some(to) => self.narrow(left, to, state),
                    None => true,
                }
            }
            Expr::Binary(op @ Binary::Multiply, kind, left, right) => {
                let exact = !interval::binary(op, kind, self.get(left), self.get(right)).wraps;
                match self.exprs.constant(right).map(|by| by as i64) {
                    Some(by) if exact && by > 0 => {
                        let lo = to.lo.div_euclid(by) + i64::from(to.lo.rem_euclid(by) != 0);
                        let hi = to.hi.div_euclid(by);
                        lo <= hi && self.narrow(left, Interval { lo, hi }, state)
                    }
                    _ => true,
                }
            }
            Expr::Convert(_, kind, value) if Interval::of(kind).covers(self.get(value)) => {
                self.narrow(value, to, state)
            }
            _ => true,
        }
    }
}
