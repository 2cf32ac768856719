//! Expressions: what operators make of what a thread has read.

use raddle_cfront::ir::{Binary, Kind, Op, Place, Reg, Rmw, Unary};
use raddle_vm::shadow::Step;

use super::events::Follower;
use crate::expr::{Expr, ExprId};

impl Follower {
    /// The expression in a register, if its value is followed.
    pub(super) fn get(&self, s: &Step<'_>, register: Reg) -> Option<ExprId> {
        self.shadow.get(s.thread, register)
    }

    /// The expression in a register, or its value in the run.
    pub(super) fn operand(&mut self, s: &Step<'_>, register: Reg) -> ExprId {
        let known = self.get(s, register);
        known.unwrap_or_else(|| self.ctp.exprs.value(s.registers[register.0 as usize]))
    }

    /// What an operation computes, if any of its operands is followed.
    pub(super) fn computed(&mut self, s: &Step<'_>) -> Option<ExprId> {
        let mut followed = false;
        s.op.reads(s.function, |register| followed |= self.get(s, register).is_some());
        if !followed {
            return None;
        }
        Some(match s.op {
            Op::Copy { from, .. } => self.operand(s, from),
            Op::Unary { op, kind, from, .. } => {
                let from = self.operand(s, from);
                self.untracked(s, kind);
                self.ctp.exprs.unary(op, kind, from)
            }
            Op::Binary { op, kind, left, right, .. } => {
                let (left, right) = (self.operand(s, left), self.operand(s, right));
                self.untracked(s, kind);
                self.ctp.exprs.binary(op, kind, left, right)
            }
            Op::BinaryConst { op, kind, left, right, .. } => {
                let left = self.operand(s, left);
                let right = self.ctp.exprs.value(kind.extend(right as i64 as u64));
                self.untracked(s, kind);
                self.ctp.exprs.binary(op, kind, left, right)
            }
            Op::Convert { from_kind, to_kind, from, .. } => {
                let from = self.operand(s, from);
                self.untracked(s, if from_kind.is_float() { from_kind } else { to_kind });
                self.ctp.exprs.convert(from_kind, to_kind, from)
            }
            Op::Extract { from, shift, width, signed, .. } => {
                let from = self.operand(s, from);
                self.extracted(from, shift, width, signed)
            }
            Op::Insert { unit, value, shift, width, .. } => {
                let (unit, value) = (self.operand(s, unit), self.operand(s, value));
                self.inserted(unit, value, shift, width)
            }
            Op::Index { kind, base, index, scale, .. } => {
                let (base, index) = (self.operand(s, base), self.operand(s, index));
                let exprs = &mut self.ctp.exprs;
                let scale = exprs.value(scale as i64 as u64);
                let distance = exprs.binary(Binary::Multiply, Kind::I64, index, scale);
                exprs.binary(Binary::Add, kind, base, distance)
            }
            Op::Distance { left, right, scale, .. } => {
                let (left, right) = (self.operand(s, left), self.operand(s, right));
                let exprs = &mut self.ctp.exprs;
                let distance = exprs.binary(Binary::Subtract, Kind::I64, left, right);
                let scale = exprs.value(u64::from(scale.max(1)));
                exprs.binary(Binary::Divide, Kind::I64, distance, scale)
            }
            Op::Address { place: Place::At(base, offset), .. } => {
                let base = self.operand(s, base);
                let offset = self.ctp.exprs.value(offset as i64 as u64);
                self.ctp.exprs.binary(Binary::Add, Kind::P64, base, offset)
            }
            _ => self.ctp.exprs.unknown(),
        })
    }

    /// C3: says that values are not followed, if they are of a floating kind.
    fn untracked(&mut self, s: &Step<'_>, kind: Kind) {
        if kind.is_float() && self.thread(s.thread).quiet.is_none() {
            let text = "floating-point values are not tracked".to_owned();
            self.notice(text, super::line(s.view.program(), s.site));
        }
    }

    fn extracted(&mut self, value: ExprId, shift: u8, width: u8, signed: bool) -> ExprId {
        let exprs = &mut self.ctp.exprs;
        let left = exprs.value(u64::from(64 - shift - width));
        let right = exprs.value(u64::from(64 - width));
        let kind = if signed { Kind::I64 } else { Kind::U64 };
        let high = exprs.binary(Binary::ShiftLeft, Kind::U64, value, left);
        exprs.binary(Binary::ShiftRight, kind, high, right)
    }

    fn inserted(&mut self, unit: ExprId, value: ExprId, shift: u8, width: u8) -> ExprId {
        let ones = if width >= 64 { u64::MAX } else { (1 << width) - 1 };
        let exprs = &mut self.ctp.exprs;
        let by = exprs.value(u64::from(shift));
        let moved = exprs.binary(Binary::ShiftLeft, Kind::U64, value, by);
        let mask = exprs.value(ones << shift);
        let inside = exprs.binary(Binary::And, Kind::U64, moved, mask);
        let rest = exprs.value(!(ones << shift));
        let outside = exprs.binary(Binary::And, Kind::U64, unit, rest);
        exprs.binary(Binary::Or, Kind::U64, outside, inside)
    }

    /// What an indivisible read-modify-write puts in the place of a value.
    pub(super) fn modified(&mut self, op: Rmw, kind: Kind, old: ExprId, operand: ExprId) -> ExprId {
        let exprs = &mut self.ctp.exprs;
        match op {
            Rmw::Exchange => operand,
            Rmw::Nand => {
                let both = exprs.binary(Binary::And, kind, old, operand);
                exprs.unary(Unary::Complement, kind, both)
            }
            Rmw::Binary(op) => exprs.binary(op, kind, old, operand),
        }
    }

    /// What memory of a kind holds when a value is stored there.
    pub(super) fn held_as(&mut self, value: ExprId, kind: Kind) -> ExprId {
        let exprs = &mut self.ctp.exprs;
        let has = match exprs.get(value) {
            Expr::Local(local) => Some(self.ctp.locals[local.0 as usize].kind),
            Expr::Binary(op, ..) if op.is_comparison() => Some(Kind::I32),
            Expr::Binary(_, kind, ..) => Some(kind),
            Expr::Unary(Unary::IsZero | Unary::IsNonZero, ..) => Some(Kind::I32),
            Expr::Unary(_, kind, _) | Expr::Convert(_, kind, _) => Some(kind),
            _ => None,
        };
        exprs.convert(has.unwrap_or(Kind::I64), kind, value)
    }
}
