//! Expressions: dispatch, places, and the kinds that need few lines.

use super::ctype::{Float, Int, Length, Qualified, Type};
use super::scope::Entity;
use super::value::{Base, Lvalue, Operand, Value, Where};
use super::{Lowered, Lowering, invalid, rc};
use crate::ast::{Basic, Expr, ExprKind, Identifier, Integer, Prefix, TypeName, UnaryOp};
use crate::diagnostic::Diagnostic;
use crate::ir::{Global, Op};
use crate::source::Span;

impl<'a> Lowering<'a> {
    /// The value of an expression; addresses in it may go anywhere.
    pub(super) fn expr(&mut self, expr: &'a Expr) -> Lowered<Value> {
        let value = self.decayed(expr)?;
        Ok(self.expose(value))
    }

    /// Does work whose operations belong to a part of the source.
    pub(super) fn at<T>(&mut self, span: Span, work: impl FnOnce(&mut Self) -> T) -> T {
        let outer = std::mem::replace(&mut self.builder.span, span);
        let result = work(self);
        self.builder.span = outer;
        result
    }

    /// The value of an expression; the address of an array is used for access alone.
    pub(super) fn decayed(&mut self, expr: &'a Expr) -> Lowered<Value> {
        self.at(expr.span, |this| this.decayed_here(expr))
    }

    fn decayed_here(&mut self, expr: &'a Expr) -> Lowered<Value> {
        let span = expr.span;
        if let Some(place) = self.lvalue_here(expr)? {
            return self.load(&place, span);
        }
        match &expr.kind {
            ExprKind::Identifier(name) => self.constant_name(name, span),
            ExprKind::Integer(integer) => Ok(self.integer(*integer)),
            ExprKind::Float { value, kind } => Ok(float(*value, *kind)),
            ExprKind::Character { value, prefix } => {
                Ok(Value::constant(character_type(*prefix), *value as u64))
            }
            ExprKind::Call(callee, arguments) => self.call(callee, arguments, span),
            ExprKind::Unary(op, operand) => self.unary(*op, operand, span),
            ExprKind::Step { place, up, postfix } => self.step(place, *up, *postfix, span),
            ExprKind::Cast(name, operand) => self.cast(name, operand, span),
            ExprKind::SizeofExpr(operand) => {
                let ty = self.type_of(operand)?;
                self.sizeof(&ty.ty, span)
            }
            ExprKind::SizeofType(name) => {
                let ty = self.type_name(name)?;
                self.sizeof(&ty.ty, span)
            }
            ExprKind::AlignofExpr(operand) => {
                let ty = self.type_of(operand)?;
                Ok(Value::constant(
                    Type::size(self.model),
                    u64::from(self.records.field_align(&ty.ty)),
                ))
            }
            ExprKind::AlignofType(name) => {
                let ty = self.type_name(name)?;
                Ok(Value::constant(
                    Type::size(self.model),
                    u64::from(self.records.field_align(&ty.ty)),
                ))
            }
            ExprKind::Binary(op, left, right) => self.binary(*op, left, right, span),
            ExprKind::Logical { .. } => self.logical(expr),
            ExprKind::Conditional(condition, yes, no) => {
                self.conditional(condition, yes.as_deref(), no, span)
            }
            ExprKind::Assign(op, place, value) => self.assign(*op, place, value, span),
            ExprKind::Comma(first, second) => {
                self.discard(first)?;
                self.decayed(second)
            }
            ExprKind::Statement(block) => self.statement_expression(block, span),
            ExprKind::VaArg(list, name) => self.va_arg(list, name, span),
            ExprKind::Offsetof(name, path) => self.offsetof(name, path, span),
            ExprKind::TypesCompatible(left, right) => {
                let (left, right) = (self.type_name(left)?, self.type_name(right)?);
                Ok(Value::int(i64::from(left.ty.is_compatible(&right.ty))))
            }
            ExprKind::Generic(..) | ExprKind::Choose(..) => {
                let chosen = self.chosen(expr)?;
                self.decayed(chosen)
            }
            ExprKind::LabelAddress(label) => {
                let index = self.builder.named_label(&label.name, label.span);
                let label = self.builder.named[index].label;
                Ok(Value::new(Type::pointer_to(Type::Void), Operand::Label(label)))
            }
            _ => unreachable!("all others are places"),
        }
    }

    /// Evaluates an expression for its effects.
    pub(super) fn discard(&mut self, expr: &'a Expr) -> Lowered<()> {
        self.at(expr.span, |this| match &expr.kind {
            // The value before the step is not used.
            ExprKind::Step { place, up, .. } => this.step(place, *up, false, expr.span).map(|_| ()),
            _ => this.decayed_here(expr).map(|_| ()),
        })
    }

    /// The place that an expression stands for; none if it is a value alone.
    pub(super) fn try_lvalue(&mut self, expr: &'a Expr) -> Lowered<Option<Lvalue>> {
        self.at(expr.span, |this| this.lvalue_here(expr))
    }

    /// The place that an expression stands for.
    pub(super) fn lvalue(&mut self, expr: &'a Expr) -> Lowered<Lvalue> {
        match self.try_lvalue(expr)? {
            Some(place) => Ok(place),
            None => invalid(expr.span, "this expression is a value and has no place"),
        }
    }

    fn lvalue_here(&mut self, expr: &'a Expr) -> Lowered<Option<Lvalue>> {
        let span = expr.span;
        Ok(Some(match &expr.kind {
            ExprKind::Identifier(name) => return self.named_place(name, span),
            ExprKind::String { units, prefix } => self.string_place(units, *prefix, span)?,
            ExprKind::Index(base, index) => self.element(base, index, span)?,
            ExprKind::Unary(UnaryOp::Dereference, pointer) => self.pointed(pointer)?,
            ExprKind::Member { base, field, arrow } => self.member(base, field, *arrow)?,
            ExprKind::Compound(name, initializer) => {
                self.compound_literal(name, initializer, span)?
            }
            ExprKind::Generic(..) | ExprKind::Choose(..) => {
                let chosen = self.chosen(expr)?;
                return self.try_lvalue(chosen);
            }
            _ => return Ok(None),
        }))
    }

    /// The expression that `_Generic` or `__builtin_choose_expr` stands for.
    fn chosen(&mut self, expr: &'a Expr) -> Lowered<&'a Expr> {
        let key = std::ptr::from_ref(expr);
        if let Some(known) = self.known.chosen.get(&key) {
            return Ok(known);
        }
        let chosen = match &expr.kind {
            ExprKind::Generic(control, choices) => self.generic(control, choices, expr.span)?,
            ExprKind::Choose(condition, yes, no) => self.choose(condition, yes, no)?,
            _ => expr,
        };
        self.known.chosen.insert(key, chosen);
        Ok(chosen)
    }

    fn choose(&mut self, condition: &'a Expr, yes: &'a Expr, no: &'a Expr) -> Lowered<&'a Expr> {
        let yes_is_chosen = self.constant(condition, "the condition")? != 0;
        Ok(if yes_is_chosen { yes } else { no })
    }

    fn named_place(&mut self, name: &std::rc::Rc<str>, span: Span) -> Lowered<Option<Lvalue>> {
        let Some(entity) = self.scopes.name(name).cloned() else {
            return match &**name {
                "__func__" | "__FUNCTION__" | "__PRETTY_FUNCTION__" => {
                    let text: Vec<u32> = self.builder.name().bytes().map(u32::from).collect();
                    self.string_place(&text, Prefix::None, span).map(Some)
                }
                _ => {
                    let similar = self.similar_name(name);
                    invalid(span, format!("`{name}` is not declared{similar}"))
                }
            };
        };
        Ok(match entity {
            Entity::Register { reg, ty, .. } => Some(Lvalue::register(ty, reg)),
            Entity::Slot { slot, ty } => Some(self.slot_lvalue(slot, ty)),
            Entity::Pointed { address, ty } => Some(Lvalue::memory(ty, Operand::Reg(address))),
            Entity::Symbol { symbol, ty } => Some(self.symbol_place(symbol, ty)),
            Entity::Constant { .. } => None,
            Entity::Typedef(_) => return invalid(span, format!("`{name}` is a type, not a value")),
        })
    }

    fn symbol_place(&mut self, symbol: super::scope::SymbolId, ty: Qualified) -> Lvalue {
        if ty.ty.is_function() {
            let function = self.function_id(symbol);
            return Lvalue::memory(ty, Operand::Address(Base::Function(function), 0));
        }
        let known = &self.symbols[symbol.0 as usize];
        let thread_local = known.thread_local;
        let ty = match (&ty.ty, &known.ty.ty) {
            (Type::Array(_, Length::Unknown), Type::Array(_, Length::Known(_))) => known.ty.clone(),
            _ => ty,
        };
        let global = self.global_id(symbol);
        if !thread_local {
            return Lvalue::memory(ty, Operand::Address(Base::Global(global), 0));
        }
        let to = self.builder.register();
        self.builder.emit(Op::ThreadLocal { to, global });
        Lvalue::memory(ty, Operand::Reg(to))
    }

    fn constant_name(&mut self, name: &str, span: Span) -> Lowered<Value> {
        match self.scopes.name(name) {
            Some(&Entity::Constant { value, ty }) => {
                Ok(Value::constant(Type::Int(ty), value as u64))
            }
            _ => invalid(span, format!("`{name}` is not declared")),
        }
    }

    fn integer(&self, integer: Integer) -> Value {
        let candidates: &[Int] = match (integer.unsigned, integer.long, integer.decimal) {
            (false, 0, true) => &[Int::Int, Int::Long, Int::LongLong],
            (false, 0, false) => &[
                Int::Int,
                Int::UnsignedInt,
                Int::Long,
                Int::UnsignedLong,
                Int::LongLong,
                Int::UnsignedLongLong,
            ],
            (false, 1, true) => &[Int::Long, Int::LongLong],
            (false, 1, false) => {
                &[Int::Long, Int::UnsignedLong, Int::LongLong, Int::UnsignedLongLong]
            }
            (false, _, true) => &[Int::LongLong],
            (false, _, false) => &[Int::LongLong, Int::UnsignedLongLong],
            (true, 0, _) => &[Int::UnsignedInt, Int::UnsignedLong, Int::UnsignedLongLong],
            (true, 1, _) => &[Int::UnsignedLong, Int::UnsignedLongLong],
            (true, ..) => &[Int::UnsignedLongLong],
        };
        let fits = |int: &&Int| {
            let kind = int.kind(self.model);
            let bits = kind.size() * 8 - u32::from(kind.is_signed());
            bits == 64 || integer.value < 1 << bits
        };
        let ty = candidates.iter().find(fits).copied().unwrap_or(Int::UnsignedLongLong);
        Value::constant(Type::Int(ty), integer.value)
    }

    /// The global of a string literal.
    pub(super) fn string_place(
        &mut self,
        units: &[u32],
        prefix: Prefix,
        span: Span,
    ) -> Lowered<Lvalue> {
        let element = string_element(prefix);
        let width = self.records.size(&element).unwrap_or(1) as usize;
        let mut bytes = Vec::with_capacity((units.len() + 1) * width);
        for &unit in units.iter().chain([&0]) {
            bytes.extend_from_slice(&unit.to_le_bytes()[..width]);
        }
        let n = units.len() as u64 + 1;
        let constant = Qualified { constant: false, ..element.clone().into() };
        let ty = Type::Array(rc(constant), Length::Known(n));
        let key = (bytes, width as u32);
        let global = match self.strings.get(&key) {
            Some(&known) => known,
            None => {
                let shown = self.show(&ty);
                let made = self.add_global(Global {
                    name: "string literal".into(),
                    size: key.0.len() as u64,
                    align: width as u32,
                    bytes: key.0.clone(),
                    relocations: Vec::new(),
                    ty: shown,
                    constant: true,
                    thread_local: false,
                    library: self.library,
                    span,
                });
                self.strings.insert(key, made);
                made
            }
        };
        Ok(Lvalue::memory(ty.into(), Operand::Address(Base::Global(global), 0)))
    }

    fn element(&mut self, base: &'a Expr, index: &'a Expr, span: Span) -> Lowered<Lvalue> {
        let (mut pointer, mut index) = (self.decayed(base)?, self.decayed(index)?);
        if matches!(pointer.ty, Type::Int(_)) {
            std::mem::swap(&mut pointer, &mut index);
        }
        let Type::Pointer(element) = pointer.ty.clone() else {
            return invalid(span, "only arrays and pointers have elements");
        };
        let slot = pointer.slot;
        let moved = self.pointer_offset(pointer, index, false, span)?;
        Ok(Lvalue {
            ty: (*element).clone(),
            at: Where::Memory { address: moved.operand, offset: 0, slot },
            bits: None,
        })
    }

    fn pointed(&mut self, pointer: &'a Expr) -> Lowered<Lvalue> {
        let value = self.decayed(pointer)?;
        match &value.ty {
            Type::Pointer(to) => Ok(Lvalue {
                ty: (**to).clone(),
                at: Where::Memory { address: value.operand, offset: 0, slot: value.slot },
                bits: None,
            }),
            other => {
                invalid(pointer.span, format!("{} cannot be dereferenced", self.describe(other)))
            }
        }
    }

    fn member(&mut self, base: &'a Expr, field: &Identifier, arrow: bool) -> Lowered<Lvalue> {
        let record = if arrow { self.pointed(base)? } else { self.record_place(base)? };
        let Type::Record(id) = record.ty.ty else {
            let pointed = matches!(&record.ty.ty, Type::Pointer(to) if to.ty.is_record());
            let hint = if pointed && !arrow { "; did you mean `->`?" } else { "" };
            let message = format!("{} has no members{hint}", self.describe(&record.ty.ty));
            return invalid(field.span, message);
        };
        let Some(found) = self.records.field(id, &field.name) else {
            let what = self.describe(&record.ty.ty);
            let message = match self.records.get(id).layout {
                Some(_) => {
                    let similar = self.similar_member(id, &field.name);
                    format!("{what} has no member `{}`{similar}", field.name)
                }
                None => format!("{what} is incomplete"),
            };
            return Err(Box::new(Diagnostic::invalid(field.span, message)));
        };
        if record.ty.atomic && self.unevaluated == 0 {
            let message = "accessing a member of an atomic structure or union is undefined; \
                           copy it to a plain one first";
            return invalid(field.span, message);
        }
        let Where::Memory { address, offset, slot } = record.at else {
            unreachable!("records are in memory");
        };
        let mut ty = found.ty;
        ty.constant |= record.ty.constant;
        let at = Where::Memory { address, offset: offset.wrapping_add(found.offset as i64), slot };
        Ok(Lvalue { ty, at, bits: found.bits })
    }

    /// Where a record lies: its place, or that of the value.
    fn record_place(&mut self, expr: &'a Expr) -> Lowered<Lvalue> {
        if let Some(place) = self.try_lvalue(expr)? {
            return Ok(place);
        }
        let value = self.decayed(expr)?;
        if !value.ty.is_record() {
            let message = format!("{} has no members", self.describe(&value.ty));
            return invalid(expr.span, message);
        }
        let at = Where::Memory { address: value.operand, offset: 0, slot: value.slot };
        Ok(Lvalue { ty: value.ty.into(), at, bits: None })
    }

    fn cast(&mut self, name: &'a TypeName, operand: &'a Expr, span: Span) -> Lowered<Value> {
        let to = self.type_name(name)?;
        let value = self.expr(operand)?;
        match (&to.ty, &value.ty) {
            (Type::Record(a), Type::Record(b)) if a == b => Ok(value),
            (Type::Record(id), _) if self.records.get(*id).union => {
                self.cast_to_union(&to, value, span)
            }
            _ => self.converted(value, &to.ty, span),
        }
    }

    /// GNU: a value becomes the union member of its type.
    fn cast_to_union(&mut self, to: &Qualified, value: Value, span: Span) -> Lowered<Value> {
        let slot = self.temporary(&to.ty, span)?;
        let mut place = self.slot_lvalue(slot, to.clone());
        place.ty = value.ty.clone().into();
        self.store(&place, value, span)?;
        let operand = Operand::Address(Base::Slot(slot), 0);
        Ok(Value { ty: to.ty.clone(), operand, slot: Some(slot) })
    }

    fn sizeof(&mut self, ty: &Type, span: Span) -> Lowered<Value> {
        let operand = self.size_operand(ty, span)?;
        Ok(Value::new(Type::size(self.model), operand))
    }

    fn generic(
        &mut self,
        control: &'a Expr,
        choices: &'a [(Option<TypeName>, Expr)],
        span: Span,
    ) -> Lowered<&'a Expr> {
        let ty = self.value_type(control)?;
        let mut default = None;
        for (name, expr) in choices {
            match name {
                None => default = Some(expr),
                Some(name) => {
                    let named = self.type_name(name)?;
                    if same_with_qualifiers(&named.ty, &ty) && !named.constant {
                        return Ok(expr);
                    }
                }
            }
        }
        match default {
            Some(expr) => Ok(expr),
            None => invalid(span, "no association of this `_Generic` matches"),
        }
    }
}

/// Compatible, and pointers point to equally qualified types.
fn same_with_qualifiers(left: &Type, right: &Type) -> bool {
    match (left, right) {
        (Type::Pointer(a), Type::Pointer(b)) => {
            (a.constant, a.volatile) == (b.constant, b.volatile)
                && same_with_qualifiers(&a.ty, &b.ty)
        }
        _ => left.is_compatible(right),
    }
}

fn float(value: f64, kind: Basic) -> Value {
    match kind {
        Basic::Float => {
            Value::constant(Type::Float(Float::Single), u64::from((value as f32).to_bits()))
        }
        Basic::LongDouble => Value::constant(Type::Float(Float::Long), value.to_bits()),
        _ => Value::constant(Type::DOUBLE, value.to_bits()),
    }
}

fn character_type(prefix: Prefix) -> Type {
    Type::Int(match prefix {
        Prefix::None | Prefix::Wide => Int::Int,
        Prefix::Utf8 => Int::UnsignedChar,
        Prefix::Utf16 => Int::UnsignedShort,
        Prefix::Utf32 => Int::UnsignedInt,
    })
}

/// The type of the elements of a string literal.
pub(super) fn string_element(prefix: Prefix) -> Type {
    Type::Int(match prefix {
        Prefix::None | Prefix::Utf8 => Int::Char,
        Prefix::Wide => Int::Int,
        Prefix::Utf16 => Int::UnsignedShort,
        Prefix::Utf32 => Int::UnsignedInt,
    })
}
