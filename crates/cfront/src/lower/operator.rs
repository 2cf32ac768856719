//! Operators: unary, binary, logical, conditional.

use super::builder::Label;
use super::ctype::{Int, Length, Type};
use super::value::{Base, Operand, Value, Where};
use super::{Lowered, Lowering, invalid};
use crate::ast::{BinaryOp, Expr, ExprKind, UnaryOp};
use crate::ir::{Binary, Kind, Op, Unary, arithmetic};
use crate::source::Span;

impl<'a> Lowering<'a> {
    pub(super) fn unary(&mut self, op: UnaryOp, operand: &'a Expr, span: Span) -> Lowered<Value> {
        if op == UnaryOp::AddressOf {
            return self.address_of(operand);
        }
        let value = self.expr(operand)?;
        if op == UnaryOp::Not {
            let kind = self.kind(&value.ty, operand.span)?;
            return Ok(self.unary_value(Unary::IsZero, kind, Type::INT, value));
        }
        let ty = match &value.ty {
            Type::Int(int) => Type::Int(int.promoted()),
            Type::Float(_) if op != UnaryOp::Complement => value.ty.clone(),
            other => {
                return invalid(
                    span,
                    format!("this operator does not work on {}", self.describe(other)),
                );
            }
        };
        let value = self.converted(value, &ty, span)?;
        let kind = self.kind(&ty, span)?;
        Ok(match op {
            UnaryOp::Negate => self.unary_value(Unary::Negate, kind, ty, value),
            UnaryOp::Complement => self.unary_value(Unary::Complement, kind, ty, value),
            _ => value,
        })
    }

    fn unary_value(&mut self, op: Unary, kind: Kind, ty: Type, value: Value) -> Value {
        let operand = match value.operand {
            Operand::Const(bits) => Operand::Const(arithmetic::unary(op, kind, bits)),
            Operand::Address(..) | Operand::Label(_) if op == Unary::IsZero => Operand::Const(0),
            other => {
                let from = self.in_register(other);
                let to = self.builder.register();
                self.builder.emit(Op::Unary { op, kind, to, from });
                Operand::Reg(to)
            }
        };
        Value::new(ty, operand)
    }

    /// `&place`
    pub(super) fn address_of(&mut self, operand: &'a Expr) -> Lowered<Value> {
        let place = self.lvalue(operand)?;
        if place.bits.is_some() {
            return invalid(operand.span, "a bit-field has no address");
        }
        match place.at {
            Where::Register(_) => invalid(operand.span, "this value has no address"),
            Where::Memory { address, offset, slot } => {
                let operand = self.shifted(address, offset);
                let ty = Type::Pointer(super::rc(place.ty));
                Ok(Value { ty, operand, slot })
            }
        }
    }

    pub(super) fn binary(
        &mut self,
        op: BinaryOp,
        left: &'a Expr,
        right: &'a Expr,
        span: Span,
    ) -> Lowered<Value> {
        let left = self.expr(left)?;
        let right = self.expr(right)?;
        self.binary_values(op, left, right, span)
    }

    /// The operator applied to two values.
    pub(super) fn binary_values(
        &mut self,
        op: BinaryOp,
        left: Value,
        right: Value,
        span: Span,
    ) -> Lowered<Value> {
        let pointers = (matches!(left.ty, Type::Pointer(_)), matches!(right.ty, Type::Pointer(_)));
        match (op, pointers) {
            (BinaryOp::Add, (true, false)) => self.pointer_offset(left, right, false, span),
            (BinaryOp::Add, (false, true)) => self.pointer_offset(right, left, false, span),
            (BinaryOp::Subtract, (true, false)) => self.pointer_offset(left, right, true, span),
            (BinaryOp::Subtract, (true, true)) => self.distance(left, right, span),
            (_, (false, false)) => self.arithmetic(op, left, right, span),
            (_, _) if is_comparison(op) => self.compare_pointers(op, left, right, span),
            _ => invalid(span, "this operator does not work on pointers"),
        }
    }

    fn arithmetic(
        &mut self,
        op: BinaryOp,
        left: Value,
        right: Value,
        span: Span,
    ) -> Lowered<Value> {
        let shift = matches!(op, BinaryOp::ShiftLeft | BinaryOp::ShiftRight);
        let common = match (&left.ty, &right.ty) {
            (Type::Int(int), Type::Int(_)) if shift => Some(Type::Int(int.promoted())),
            (a, b) => self.common_type(a, b),
        };
        let integers_only = shift
            || matches!(op, BinaryOp::Remainder | BinaryOp::And | BinaryOp::Or | BinaryOp::Xor);
        let Some(common) = common.filter(|ty| !integers_only || matches!(ty, Type::Int(_))) else {
            let (left, right) = (self.describe(&left.ty), self.describe(&right.ty));
            return invalid(span, format!("this operator does not work on {left} and {right}"));
        };
        let kind = self.kind(&common, span)?;
        let left = self.converted(left, &common, span)?;
        let right = match shift {
            true => self.promoted_argument(right, span)?,
            false => self.converted(right, &common, span)?,
        };
        let result = if is_comparison(op) { Type::INT } else { common };
        Ok(self.binary_operands(operator(op), kind, result, left.operand, right.operand))
    }

    /// Emits a binary operator on operands of its kind, or folds it.
    pub(super) fn binary_operands(
        &mut self,
        op: Binary,
        kind: Kind,
        ty: Type,
        left: Operand,
        right: Operand,
    ) -> Value {
        if let (Operand::Const(a), Operand::Const(b)) = (left, right)
            && let Some(folded) = arithmetic::binary(op, kind, a, b)
        {
            return Value::constant(ty, folded);
        }
        let left = self.in_register(left);
        let small = match right {
            Operand::Const(bits) if !kind.is_float() => i32::try_from(bits as i64).ok(),
            _ => None,
        };
        if let Some(right) = small {
            let to = self.builder.register();
            self.builder.emit(Op::BinaryConst { op, kind, to, left, right });
            return Value::new(ty, Operand::Reg(to));
        }
        let right = self.in_register(right);
        let to = self.builder.register();
        self.builder.emit(Op::Binary { op, kind, to, left, right });
        Value::new(ty, Operand::Reg(to))
    }

    fn compare_pointers(
        &mut self,
        op: BinaryOp,
        left: Value,
        right: Value,
        span: Span,
    ) -> Lowered<Value> {
        let pointer = Type::pointer_to(Type::Void);
        let left = self.converted(left, &pointer, span)?;
        let right = self.converted(right, &pointer, span)?;
        if let (Operand::Address(a, x), Operand::Address(b, y)) = (left.operand, right.operand)
            && a == b
        {
            let order = arithmetic::binary(operator(op), Kind::I64, x as u64, y as u64);
            return Ok(Value::constant(Type::INT, order.unwrap_or(0)));
        }
        let kind = self.model.pointer();
        Ok(self.binary_operands(operator(op), kind, Type::INT, left.operand, right.operand))
    }

    /// A pointer some elements further, or back.
    pub(super) fn pointer_offset(
        &mut self,
        pointer: Value,
        index: Value,
        back: bool,
        span: Span,
    ) -> Lowered<Value> {
        let Type::Pointer(element) = &pointer.ty else {
            return invalid(span, "only pointers have elements");
        };
        let element = element.ty.clone();
        let slot = pointer.slot;
        let Type::Int(_) = index.ty else {
            return invalid(span, "the index of an element must be an integer");
        };
        let index = self.converted(index, &Type::Int(Int::LongLong), span)?;
        let scale = match self.size_operand(&element, span)? {
            Operand::Const(scale) => scale as i64,
            size => return self.variable_offset(pointer, index, size, back),
        };
        let scale = if back { -scale } else { scale };
        let operand = match (pointer.operand, index.operand) {
            (base, Operand::Const(n)) => self.shifted(base, (n as i64).wrapping_mul(scale)),
            (base, index) => {
                let (base, index) = (self.in_register(base), self.in_register(index));
                let Ok(scale) = i32::try_from(scale) else {
                    return invalid(span, "an element larger than 2 GiB");
                };
                let (kind, to) = (self.model.pointer(), self.builder.register());
                self.builder.emit(Op::Index { kind, to, base, index, scale });
                Operand::Reg(to)
            }
        };
        Ok(Value { ty: pointer.ty, operand, slot })
    }

    fn variable_offset(
        &mut self,
        pointer: Value,
        index: Value,
        size: Operand,
        back: bool,
    ) -> Lowered<Value> {
        let ty = Type::Int(Int::LongLong);
        let bytes =
            self.binary_operands(Binary::Multiply, Kind::I64, ty.clone(), index.operand, size);
        let bytes =
            if back { self.unary_value(Unary::Negate, Kind::I64, ty, bytes) } else { bytes };
        let (base, index) = (self.in_register(pointer.operand), self.in_register(bytes.operand));
        let (kind, to) = (self.model.pointer(), self.builder.register());
        self.builder.emit(Op::Index { kind, to, base, index, scale: 1 });
        Ok(Value { ty: pointer.ty, operand: Operand::Reg(to), slot: pointer.slot })
    }

    fn distance(&mut self, left: Value, right: Value, span: Span) -> Lowered<Value> {
        let Some(element) = left.ty.pointee().map(|to| to.ty.clone()) else {
            return invalid(span, "the difference of operands that are not pointers");
        };
        let scale = match (&element, self.records.size(&element)) {
            (Type::Array(_, Length::Variable(_)), _) => {
                return super::unsupported(
                    span,
                    "the difference of pointers to rows of variable length",
                );
            }
            (_, Some(size)) => u32::try_from(size).unwrap_or(u32::MAX).max(1),
            _ => return invalid(span, "the difference of pointers to an incomplete type"),
        };
        if let (Operand::Address(a, x), Operand::Address(b, y)) = (left.operand, right.operand)
            && a == b
        {
            return Ok(Value::constant(
                Type::difference(self.model),
                (x.wrapping_sub(y) / i64::from(scale)) as u64,
            ));
        }
        let (left, right) = (self.in_register(left.operand), self.in_register(right.operand));
        let to = self.builder.register();
        self.builder.emit(Op::Distance { to, left, right, scale });
        Ok(Value::new(Type::difference(self.model), Operand::Reg(to)))
    }

    /// `&&` and `||` as a value.
    pub(super) fn logical(&mut self, expr: &'a Expr) -> Lowered<Value> {
        if let Some(known) = self.known_condition(expr)? {
            return Ok(Value::int(i64::from(known)));
        }
        let to = self.builder.register();
        let [yes, no, end] = [(); 3].map(|()| self.builder.label());
        self.condition(expr, yes, no)?;
        self.builder.place(yes);
        self.builder.emit(Op::Const { to, value: 1 });
        self.builder.jump(end);
        self.builder.place(no);
        self.builder.emit(Op::Const { to, value: 0 });
        self.builder.place(end);
        Ok(Value::new(Type::INT, Operand::Reg(to)))
    }

    /// Whether a condition is known beforehand, without emitting anything.
    pub(super) fn known_condition(&mut self, expr: &'a Expr) -> Lowered<Option<bool>> {
        let key = std::ptr::from_ref(expr);
        if let Some(known) = self.known.conditions.get(&key) {
            return Ok(*known);
        }
        let known = self.find_known_condition(expr)?;
        self.known.conditions.insert(key, known);
        Ok(known)
    }

    fn find_known_condition(&mut self, expr: &'a Expr) -> Lowered<Option<bool>> {
        let ExprKind::Logical { and, left, right } = &expr.kind else {
            if !may_be_constant(expr) {
                return Ok(None);
            }
            let value = self.unevaluated(|this| this.expr(expr))?;
            let kind = self.kind(&value.ty, expr.span)?;
            return Ok(match value.operand {
                Operand::Const(bits) => Some(arithmetic::unary(Unary::IsNonZero, kind, bits) != 0),
                Operand::Address(..) | Operand::Label(_) => Some(true),
                Operand::Reg(_) => None,
            });
        };
        match self.known_condition(left)? {
            Some(known) if known != *and => Ok(Some(known)),
            Some(_) => self.known_condition(right),
            None => Ok(None),
        }
    }

    /// Goes on at one of two labels.
    pub(super) fn condition(&mut self, expr: &'a Expr, yes: Label, no: Label) -> Lowered<()> {
        match &expr.kind {
            ExprKind::Logical { and, left, right } => {
                let next = self.builder.label();
                match and {
                    true => self.condition(left, next, no)?,
                    false => self.condition(left, yes, next)?,
                }
                self.builder.place(next);
                self.condition(right, yes, no)
            }
            ExprKind::Unary(UnaryOp::Not, operand) => self.condition(operand, no, yes),
            _ => self.at(expr.span, |this| {
                let value = this.decayed(expr)?;
                this.branch_on(value, yes, no, expr.span)
            }),
        }
    }

    /// Goes on at one of two labels, as the value says.
    pub(super) fn branch_on(
        &mut self,
        value: Value,
        yes: Label,
        no: Label,
        span: Span,
    ) -> Lowered<()> {
        let kind = self.kind(&value.ty, span)?;
        match value.operand {
            Operand::Const(bits) => {
                let holds = arithmetic::unary(Unary::IsNonZero, kind, bits) != 0;
                self.builder.jump(if holds { yes } else { no });
            }
            Operand::Address(..) | Operand::Label(_) => self.builder.jump(yes),
            Operand::Reg(reg) => {
                let condition = match kind.is_float() {
                    true => {
                        let truth = self.truth_value(value, kind, Type::INT);
                        self.in_register(truth.operand)
                    }
                    false => reg,
                };
                self.builder.branch(condition, yes, no);
            }
        }
        Ok(())
    }

    pub(super) fn conditional(
        &mut self,
        condition: &'a Expr,
        yes: Option<&'a Expr>,
        no: &'a Expr,
        span: Span,
    ) -> Lowered<Value> {
        let Some(yes) = yes else { return self.elvis(condition, no, span) };
        let ty = self.conditional_type(yes, no, span)?;
        if let Some(known) = self.known_condition(condition)? {
            let value = self.expr(if known { yes } else { no })?;
            return self.as_branch(value, &ty, span);
        }
        let [on_yes, on_no, end] = [(); 3].map(|()| self.builder.label());
        let to = self.builder.register();
        self.condition(condition, on_yes, on_no)?;
        self.builder.place(on_yes);
        self.branch_value(yes, &ty, to)?;
        self.builder.jump(end);
        self.builder.place(on_no);
        self.branch_value(no, &ty, to)?;
        self.builder.place(end);
        Ok(if ty.is_void() { Value::void() } else { Value::new(ty, Operand::Reg(to)) })
    }

    /// `a ?: b`
    fn elvis(&mut self, condition: &'a Expr, no: &'a Expr, span: Span) -> Lowered<Value> {
        let ty = self.conditional_type(condition, no, span)?;
        let [on_yes, on_no, end] = [(); 3].map(|()| self.builder.label());
        let to = self.builder.register();
        let value = self.expr(condition)?;
        if let Operand::Const(bits) = value.operand {
            let value = if bits != 0 { value } else { self.expr(no)? };
            return self.as_branch(value, &ty, span);
        }
        self.branch_on(value.clone(), on_yes, on_no, span)?;
        self.builder.place(on_yes);
        let value = self.as_branch(value, &ty, span)?;
        self.assign_register(to, value);
        self.builder.jump(end);
        self.builder.place(on_no);
        self.branch_value(no, &ty, to)?;
        self.builder.place(end);
        Ok(Value::new(ty, Operand::Reg(to)))
    }

    fn branch_value(&mut self, expr: &'a Expr, ty: &Type, to: crate::ir::Reg) -> Lowered<()> {
        let value = self.expr(expr)?;
        let value = self.as_branch(value, ty, expr.span)?;
        if !ty.is_void() {
            self.assign_register(to, value);
        }
        Ok(())
    }

    fn as_branch(&mut self, value: Value, ty: &Type, span: Span) -> Lowered<Value> {
        match ty {
            Type::Void => Ok(Value::void()),
            Type::Record(_) => {
                // Its address goes through a register from here on.
                if let Some(slot) = value.slot {
                    self.builder.expose(slot);
                }
                if let Operand::Address(Base::Slot(slot), _) = value.operand {
                    self.builder.expose(slot);
                }
                Ok(value)
            }
            _ => self.converted(value, ty, span),
        }
    }

    /// The type of a conditional; remembered, since chains of them are typed again and again.
    fn conditional_type(&mut self, yes: &'a Expr, no: &'a Expr, span: Span) -> Lowered<Type> {
        let key = std::ptr::from_ref(no);
        if let Some(known) = self.known.conditionals.get(&key) {
            return Ok(known.clone());
        }
        let ty = self.find_conditional_type(yes, no, span)?;
        if !ty.is_variable() {
            self.known.conditionals.insert(key, ty.clone());
        }
        Ok(ty)
    }

    fn find_conditional_type(&mut self, yes: &'a Expr, no: &'a Expr, span: Span) -> Lowered<Type> {
        let yes = self.unevaluated(|this| this.expr(yes))?;
        let no = self.unevaluated(|this| this.expr(no))?;
        if let Some(common) = self.common_type(&yes.ty, &no.ty) {
            return Ok(common);
        }
        let is_null = |value: &Value| {
            let void = matches!(&value.ty, Type::Pointer(to) if to.ty.is_void());
            value.operand == Operand::Const(0) && (void || matches!(value.ty, Type::Int(_)))
        };
        let points_to_void = |ty: &Type| matches!(ty, Type::Pointer(to) if to.ty.is_void());
        match (&yes.ty, &no.ty) {
            (Type::Void, _) | (_, Type::Void) => Ok(Type::Void),
            (Type::Record(a), Type::Record(b)) if a == b => Ok(yes.ty),
            (Type::Pointer(_), Type::Pointer(_)) if is_null(&yes) => Ok(no.ty),
            (Type::Pointer(_), Type::Pointer(_)) if is_null(&no) => Ok(yes.ty),
            (Type::Pointer(_), Type::Pointer(_)) if points_to_void(&no.ty) => Ok(no.ty),
            (Type::Pointer(_), Type::Pointer(_) | Type::Int(_)) => Ok(yes.ty),
            (Type::Int(_), Type::Pointer(_)) => Ok(no.ty),
            (Type::VaList, Type::VaList) => Ok(yes.ty),
            (a, b) => {
                let message =
                    format!("the branches are {} and {}", self.describe(a), self.describe(b));
                invalid(span, message)
            }
        }
    }
}

/// Whether it is worth a look: what has effects or names variables is no constant.
fn may_be_constant(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Unary(UnaryOp::Dereference, _)
        | ExprKind::Call(..)
        | ExprKind::Assign(..)
        | ExprKind::Step { .. }
        | ExprKind::Index(..)
        | ExprKind::Statement(_)
        | ExprKind::Member { .. } => is_builtin_call(expr),
        ExprKind::Unary(_, operand) | ExprKind::Cast(_, operand) => may_be_constant(operand),
        ExprKind::Binary(_, left, right) => may_be_constant(left) && may_be_constant(right),
        ExprKind::Conditional(condition, yes, no) => {
            let yes = yes.as_deref().is_none_or(may_be_constant);
            yes && may_be_constant(condition) && may_be_constant(no)
        }
        _ => true,
    }
}

fn is_builtin_call(expr: &Expr) -> bool {
    let ExprKind::Call(callee, _) = &expr.kind else { return false };
    matches!(&callee.kind, ExprKind::Identifier(name) if &**name == "__builtin_constant_p")
}

pub(super) fn is_comparison(op: BinaryOp) -> bool {
    use BinaryOp::*;
    matches!(op, Less | Greater | LessEqual | GreaterEqual | Equal | NotEqual)
}

/// The operator of the transitions.
pub(super) fn operator(op: BinaryOp) -> Binary {
    match op {
        BinaryOp::Multiply => Binary::Multiply,
        BinaryOp::Divide => Binary::Divide,
        BinaryOp::Remainder => Binary::Remainder,
        BinaryOp::Add => Binary::Add,
        BinaryOp::Subtract => Binary::Subtract,
        BinaryOp::ShiftLeft => Binary::ShiftLeft,
        BinaryOp::ShiftRight => Binary::ShiftRight,
        BinaryOp::Less => Binary::Less,
        BinaryOp::Greater => Binary::Greater,
        BinaryOp::LessEqual => Binary::LessEqual,
        BinaryOp::GreaterEqual => Binary::GreaterEqual,
        BinaryOp::Equal => Binary::Equal,
        BinaryOp::NotEqual => Binary::NotEqual,
        BinaryOp::And => Binary::And,
        BinaryOp::Xor => Binary::Xor,
        BinaryOp::Or => Binary::Or,
    }
}
