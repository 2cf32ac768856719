//! Assignments, `++` and `--`.

use super::ctype::Type;
use super::operator::operator;
use super::value::{Lvalue, Operand, Value, Where};
use super::{Lowered, Lowering, invalid, unsupported};
use crate::ast::{BinaryOp, Expr};
use crate::ir::{Binary, Op, Order, Rmw};
use crate::source::Span;

impl<'a> Lowering<'a> {
    pub(super) fn assign(
        &mut self,
        op: Option<BinaryOp>,
        place: &'a Expr,
        value: &'a Expr,
        span: Span,
    ) -> Lowered<Value> {
        match op {
            None => self.assign_plain(place, value, span),
            Some(op) => {
                let place = self.modifiable(place)?;
                let value = self.expr(value)?;
                self.assign_compound(op, &place, value, false, span)
            }
        }
    }

    fn assign_plain(&mut self, place: &'a Expr, value: &'a Expr, span: Span) -> Lowered<Value> {
        let place = self.modifiable(place)?;
        let value = match place.ty.ty.is_record() {
            true => self.decayed(value)?,
            false => self.expr(value)?,
        };
        let value = self.assigned(value, &place.ty.ty, span)?;
        self.store(&place, value, span)
    }

    fn modifiable(&mut self, expr: &'a Expr) -> Lowered<Lvalue> {
        let place = self.lvalue(expr)?;
        if matches!(place.ty.ty, Type::Array(..) | Type::Function(_)) {
            return invalid(
                expr.span,
                format!("{} cannot be assigned to", self.describe(&place.ty.ty)),
            );
        }
        if place.ty.constant {
            let what = match &expr.kind {
                crate::ast::ExprKind::Identifier(name) => format!("`{name}`"),
                crate::ast::ExprKind::Member { field, .. } => format!("`{}`", field.name),
                _ => "this".to_owned(),
            };
            return invalid(expr.span, format!("{what} is `const` and cannot be assigned to"));
        }
        Ok(place)
    }

    /// `place op= value`; gives the old value if asked to, else the new one.
    fn assign_compound(
        &mut self,
        op: BinaryOp,
        place: &Lvalue,
        value: Value,
        old: bool,
        span: Span,
    ) -> Lowered<Value> {
        if place.ty.atomic && matches!(place.at, Where::Memory { .. }) {
            return self.atomic_compound(op, place, value, old, span);
        }
        let place = self.pinned(place);
        let before = self.load(&place, span)?;
        let before = if old { self.copied(before) } else { before };
        let after = self.binary_values(op, before.clone(), value, span)?;
        let after = self.converted(after, &place.ty.ty, span)?;
        let stored = self.store(&place, after, span)?;
        Ok(if old { before } else { stored })
    }

    /// The place with its address computed once.
    fn pinned(&mut self, place: &Lvalue) -> Lvalue {
        let at = match place.at {
            Where::Memory { address: address @ Operand::Const(_), offset, slot } => {
                Where::Memory { address: Operand::Reg(self.in_register(address)), offset, slot }
            }
            other => other,
        };
        Lvalue { at, ..place.clone() }
    }

    /// The value in a register of its own, if it is in that of a variable.
    fn copied(&mut self, value: Value) -> Value {
        let Operand::Reg(from) = value.operand else { return value };
        if from.0 >= self.temporaries {
            return value;
        }
        let to = self.builder.register();
        self.builder.emit(Op::Copy { to, from });
        Value { operand: Operand::Reg(to), ..value }
    }

    pub(super) fn step(
        &mut self,
        place: &'a Expr,
        up: bool,
        postfix: bool,
        span: Span,
    ) -> Lowered<Value> {
        let place = self.modifiable(place)?;
        let op = if up { BinaryOp::Add } else { BinaryOp::Subtract };
        self.assign_compound(op, &place, Value::int(1), postfix, span)
    }

    /// A compound assignment to an atomic object is one indivisible step.
    fn atomic_compound(
        &mut self,
        op: BinaryOp,
        place: &Lvalue,
        value: Value,
        old: bool,
        span: Span,
    ) -> Lowered<Value> {
        let ty = place.ty.ty.clone();
        let Where::Memory { address, offset, .. } = place.at else {
            unreachable!("the caller looked");
        };
        let kind = self.kind(&ty, span)?;
        let operand = match (&ty, op) {
            (Type::Pointer(_), BinaryOp::Add | BinaryOp::Subtract) => {
                self.scaled(&ty, value, span)?
            }
            (Type::Int(_), BinaryOp::Divide | BinaryOp::Remainder)
                if value.ty != ty && !matches!(value.operand, Operand::Const(0..=127)) =>
            {
                return unsupported(span, "dividing an atomic object by a value of another type");
            }
            _ => self.converted(value, &ty, span)?.operand,
        };
        let from = self.in_register(operand);
        let at = self.place_of(address, offset);
        let to = self.builder.register();
        let rmw = Rmw::Binary(operator(op));
        self.builder.emit(Op::ReadModifyWrite {
            op: rmw,
            to,
            place: at,
            from,
            kind,
            order: Order::SeqCst,
        });
        if old {
            return Ok(Value::new(ty, Operand::Reg(to)));
        }
        let new = self.binary_operands(
            operator(op),
            kind,
            ty.clone(),
            Operand::Reg(to),
            Operand::Reg(from),
        );
        Ok(new)
    }

    /// An index times the size of what the pointer points to.
    pub(super) fn scaled(&mut self, pointer: &Type, index: Value, span: Span) -> Lowered<Operand> {
        let size = match pointer.pointee() {
            Some(to) => self.records.size(&to.ty.clone()).unwrap_or(1),
            None => 1,
        };
        let ty = Type::difference(self.model);
        let index = self.converted(index, &ty, span)?;
        let kind = self.kind(&ty, span)?;
        Ok(self
            .binary_operands(Binary::Multiply, kind, ty, index.operand, Operand::Const(size))
            .operand)
    }
}
