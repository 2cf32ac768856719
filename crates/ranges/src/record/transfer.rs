//! What each transition does to expressions.

use raddle_cfront::ir::{Binary, Kind, Op, Place, Reg};
use raddle_vm::Transition;

use super::call::is_output;
use super::events::Follower;
use super::memory::Kept;
use crate::expr::ExprId;

impl Follower {
    pub(super) fn transfer(&mut self, t: &Transition<'_>) {
        let program = t.view.program();
        let function = program.function(t.site.function);
        let extra = self.thread(t.thread).settle(program, t);
        if let Some(object) = t.view.variadic().filter(|_| !extra.is_empty()) {
            let place = (object, t.view.birth(object));
            self.memory.clear(place, 0, t.view.size(object));
            for (offset, value) in (0u32..).step_by(8).zip(extra) {
                let Some(value) = value else { continue };
                self.memory.put(place, Kept { offset, kind: Kind::U64, value });
            }
        }
        self.thread(t.thread).action = None;
        match function.code[t.site.op as usize] {
            Op::Copy { to, from } => {
                let value = self.thread(t.thread).get(from);
                self.set(t, to, value);
            }
            Op::Unary { op, kind, to, from } => {
                let value = self.thread(t.thread).get(from);
                let value = value.map(|value| self.ctp.exprs.unary(op, kind, value));
                self.computed(t, kind, to, value);
            }
            Op::Binary { op, kind, to, left, right } => {
                let value = self.binary(t, op, kind, left, Operand::Register(right));
                self.computed(t, kind, to, value);
            }
            Op::BinaryConst { op, kind, to, left, right } => {
                let right = Operand::Value(kind.extend(right as i64 as u64));
                let value = self.binary(t, op, kind, left, right);
                self.computed(t, kind, to, value);
            }
            Op::Convert { from_kind, to_kind, to, from } => {
                let value = self.thread(t.thread).get(from);
                let value = value.map(|value| self.ctp.exprs.convert(from_kind, to_kind, value));
                let kind = if from_kind.is_float() { from_kind } else { to_kind };
                self.computed(t, kind, to, value);
            }
            Op::Extract { to, from, shift, width, signed } => {
                let value = self.thread(t.thread).get(from);
                let value = value.map(|value| self.extract(value, shift, width, signed));
                self.set(t, to, value);
            }
            Op::Insert { to, unit, value, shift, width } => {
                let value = self.insert(t, unit, value, shift, width);
                self.set(t, to, value);
            }
            Op::Index { kind, to, base, index, scale } => {
                let value = self.index(t, kind, base, index, scale);
                self.set(t, to, value);
            }
            Op::Distance { to, left, right, scale } => {
                let value =
                    self.binary(t, Binary::Subtract, Kind::I64, left, Operand::Register(right));
                let value = value.map(|value| {
                    let scale = self.ctp.exprs.value(u64::from(scale.max(1)));
                    self.ctp.exprs.binary(Binary::Divide, Kind::I64, value, scale)
                });
                self.set(t, to, value);
            }
            Op::Address { to, place: Place::At(base, offset) } => {
                let offset = Operand::Value(offset as i64 as u64);
                let value = self.binary(t, Binary::Add, Kind::P64, base, offset);
                self.set(t, to, value);
            }
            Op::Branch { condition, yes, no } => self.branch(t, function, condition, yes, no),
            Op::Switch { value, .. } | Op::JumpTo { target: value } => self.fix(t, value),
            Op::Call { function: callee, arguments, result } => {
                self.call(t, function, arguments, result);
                if is_output(program.function(callee)) {
                    self.hush(t);
                }
            }
            Op::CallIndirect { target, arguments, result } => {
                self.fix(t, target);
                self.call(t, function, arguments, result);
            }
            Op::Return { value } => {
                let value = value.and_then(|value| self.thread(t.thread).get(value));
                let thread = self.thread(t.thread);
                if thread.frames.len() > 1 {
                    thread.frames.pop();
                    if let Some(to) = thread.top().result.take() {
                        thread.set(to, value);
                    }
                }
            }
            Op::Primitive { call, arguments, result } => {
                self.primitive(t, call, function.operands(arguments), result);
            }
            Op::Allocate { to, size } => {
                self.fix(t, size);
                self.set(t, to, None);
            }
            op if op.access().is_some() => self.access(t, op),
            op => op.writes(|register| self.thread(t.thread).set(register, None)),
        }
    }

    pub(super) fn set(&mut self, t: &Transition<'_>, to: Reg, value: Option<ExprId>) {
        self.thread(t.thread).set(to, value);
    }

    /// Sets what an operator gives, and says if it is not followed.
    fn computed(&mut self, t: &Transition<'_>, kind: Kind, to: Reg, value: Option<ExprId>) {
        if kind.is_float() && value.is_some() && self.thread(t.thread).quiet.is_none() {
            let text = "floating-point values are not tracked".to_owned();
            self.notice(text, super::line(t.view.program(), t.site));
        }
        self.set(t, to, value);
    }

    /// The expression in a register, or its value in the run.
    pub(super) fn operand(&mut self, t: &Transition<'_>, register: Reg) -> ExprId {
        match self.thread(t.thread).get(register) {
            Some(value) => value,
            None => self.ctp.exprs.value(t.registers[register.0 as usize]),
        }
    }

    fn binary(
        &mut self,
        t: &Transition<'_>,
        op: Binary,
        kind: Kind,
        left: Reg,
        right: Operand,
    ) -> Option<ExprId> {
        let known =
            |follower: &mut Self, register| follower.thread(t.thread).get(register).is_some();
        let followed =
            known(self, left) || matches!(right, Operand::Register(right) if known(self, right));
        if !followed {
            return None;
        }
        let left = self.operand(t, left);
        let right = match right {
            Operand::Register(right) => self.operand(t, right),
            Operand::Value(value) => self.ctp.exprs.value(value),
        };
        Some(self.ctp.exprs.binary(op, kind, left, right))
    }

    fn index(
        &mut self,
        t: &Transition<'_>,
        kind: Kind,
        base: Reg,
        index: Reg,
        scale: i32,
    ) -> Option<ExprId> {
        let thread = self.thread(t.thread);
        if thread.get(base).is_none() && thread.get(index).is_none() {
            return None;
        }
        let (base, index) = (self.operand(t, base), self.operand(t, index));
        let exprs = &mut self.ctp.exprs;
        let scale = exprs.value(scale as i64 as u64);
        let distance = exprs.binary(Binary::Multiply, Kind::I64, index, scale);
        Some(exprs.binary(Binary::Add, kind, base, distance))
    }

    fn extract(&mut self, value: ExprId, shift: u8, width: u8, signed: bool) -> ExprId {
        let exprs = &mut self.ctp.exprs;
        let left = exprs.value(u64::from(64 - shift - width));
        let right = exprs.value(u64::from(64 - width));
        let kind = if signed { Kind::I64 } else { Kind::U64 };
        let high = exprs.binary(Binary::ShiftLeft, Kind::U64, value, left);
        exprs.binary(Binary::ShiftRight, kind, high, right)
    }

    fn insert(
        &mut self,
        t: &Transition<'_>,
        unit: Reg,
        value: Reg,
        shift: u8,
        width: u8,
    ) -> Option<ExprId> {
        let thread = self.thread(t.thread);
        if thread.get(unit).is_none() && thread.get(value).is_none() {
            return None;
        }
        let (unit, value) = (self.operand(t, unit), self.operand(t, value));
        let ones = if width >= 64 { u64::MAX } else { (1 << width) - 1 };
        let exprs = &mut self.ctp.exprs;
        let by = exprs.value(u64::from(shift));
        let moved = exprs.binary(Binary::ShiftLeft, Kind::U64, value, by);
        let mask = exprs.value(ones << shift);
        let inside = exprs.binary(Binary::And, Kind::U64, moved, mask);
        let rest = exprs.value(!(ones << shift));
        let outside = exprs.binary(Binary::And, Kind::U64, unit, rest);
        Some(exprs.binary(Binary::Or, Kind::U64, outside, inside))
    }
}

enum Operand {
    Register(Reg),
    Value(u64),
}
