//! Atomic operations on whole records.
//!
//! - R1: a load reads the record in one step, a store writes it in one step, whatever its size.
//! - R2: exchanges and comparisons are there for records of the size of a word, whose bytes they
//!   treat as that word.

use super::ctype::Type;
use super::value::{Base, Lvalue, Operand, Value};
use super::{Lowered, Lowering, invalid, unsupported};
use crate::ast::Expr;
use crate::ir::{Kind, Op, Order, Reg};
use crate::source::Span;

impl<'a> Lowering<'a> {
    /// Whether an argument points to a record.
    pub(super) fn is_record_behind(&mut self, pointer: &'a Expr) -> Lowered<bool> {
        let ty = self.value_type(pointer)?;
        Ok(matches!(ty, Type::Pointer(to) if to.ty.is_record()))
    }

    /// R1: `load_n` gives the record, `load` puts it where its second argument points to.
    pub(super) fn load_record(
        &mut self,
        what: &str,
        arguments: &'a [Expr],
        span: Span,
    ) -> Lowered<Value> {
        let (order, target) = match arguments {
            [_, order] => (order, None),
            [_, target, order] => (order, Some(target)),
            _ => return invalid(span, format!("`__atomic_{what}` has other arguments")),
        };
        let order = self.memory_order(order)?;
        let from = self.record_behind(&arguments[0])?;
        let slot = self.temporary(&from.ty.ty, span)?;
        let copy = self.slot_lvalue(slot, from.ty.ty.clone().into());
        self.copy_record_bytes(&from, order, &copy, Order::Plain, span)?;
        let operand = Operand::Address(Base::Slot(slot), 0);
        let value = Value { ty: from.ty.ty.clone(), operand, slot: Some(slot) };
        match target {
            Some(target) => self.put(target, value, span),
            None => Ok(value),
        }
    }

    /// R1: the value, or what it points to, becomes that of the record.
    pub(super) fn store_record(
        &mut self,
        what: &str,
        arguments: &'a [Expr],
        span: Span,
    ) -> Lowered<Value> {
        let order = self.memory_order(&arguments[2])?;
        let to = self.record_behind(&arguments[0])?;
        let value = self.given_to(&to.ty.ty, &arguments[1], what == "store", span)?;
        let value = self.assigned(value, &to.ty.ty, span)?;
        let from = Lvalue::memory(value.ty.clone().into(), value.operand);
        self.copy_record_bytes(&from, Order::Plain, &to, order, span)?;
        Ok(Value::void())
    }

    /// The value for something of this type, which may be a record, or what it points to.
    pub(super) fn given_to(
        &mut self,
        ty: &Type,
        expr: &'a Expr,
        pointed: bool,
        span: Span,
    ) -> Lowered<Value> {
        match ty.is_record() && !pointed {
            true => self.decayed(expr),
            false => self.given(expr, pointed, span),
        }
    }

    /// R2: the kind that a record of this type is exchanged as.
    pub(super) fn word_kind(&self, ty: &Type, span: Span) -> Lowered<Kind> {
        match self.records.size(ty) {
            Some(1) => Ok(Kind::U8),
            Some(2) => Ok(Kind::U16),
            Some(4) => Ok(Kind::U32),
            Some(8) => Ok(Kind::U64),
            _ => unsupported(
                span,
                "an atomic exchange of a record that does not have the size of a word",
            ),
        }
    }

    /// R2: a value as an exchange of this type takes it.
    pub(super) fn exchanged(
        &mut self,
        value: Value,
        ty: &Type,
        kind: Kind,
        span: Span,
    ) -> Lowered<Reg> {
        if !ty.is_record() {
            let value = self.converted(value, ty, span)?;
            return Ok(self.in_register(value.operand));
        }
        let value = self.assigned(value, ty, span)?;
        let place = self.place_of(value.operand, 0);
        let to = self.builder.register();
        self.builder.emit(Op::Load { to, place, kind, order: Order::Plain });
        Ok(to)
    }

    /// R2: what an exchange gave, as a value of its type.
    pub(super) fn word_value(
        &mut self,
        word: Reg,
        ty: Type,
        kind: Kind,
        span: Span,
    ) -> Lowered<Value> {
        if !ty.is_record() {
            return Ok(Value::new(ty, Operand::Reg(word)));
        }
        let slot = self.temporary(&ty, span)?;
        let operand = Operand::Address(Base::Slot(slot), 0);
        let place = self.place_of(operand, 0);
        self.builder.emit(Op::Store { from: word, place, kind, order: Order::Plain });
        Ok(Value { ty, operand, slot: Some(slot) })
    }

    fn record_behind(&mut self, pointer: &'a Expr) -> Lowered<Lvalue> {
        let value = self.expr(pointer)?;
        match &value.ty {
            Type::Pointer(to) => Ok(Lvalue::memory(to.ty.clone().into(), value.operand)),
            _ => invalid(pointer.span, "a pointer is needed here"),
        }
    }
}
