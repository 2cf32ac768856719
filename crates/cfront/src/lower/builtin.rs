//! Builtins of the language: what looks like a call and is none.
//!
//! Builtins that are ordinary functions (`__builtin_strlen`, `__builtin_abort`) are the library's
//! functions of that name; those that compute bits (`__builtin_clz`) are functions of the library
//! under their own names.

use super::ctype::{Int, Type};
use super::value::{Operand, Value};
use super::{Lowered, Lowering, invalid, unsupported};
use crate::ast::{Designator, Expr, TypeName};
use crate::ir::{Binary, Kind, Op, Order, Place, Size};
use crate::source::Span;

impl<'a> Lowering<'a> {
    /// The value of a builtin; none if the name is that of a function.
    pub(super) fn builtin(
        &mut self,
        name: &str,
        arguments: &'a [Expr],
        span: Span,
    ) -> Lowered<Option<Value>> {
        if !name.starts_with("__")
            || self.scopes.name(name).is_some() && !name.starts_with("__builtin_")
        {
            return Ok(None);
        }
        if let Some(value) = self.atomic_builtin(name, arguments, span)? {
            return Ok(Some(value));
        }
        let Some(short) = name.strip_prefix("__builtin_") else { return Ok(None) };
        Ok(Some(match (short, arguments) {
            ("expect", [value, _]) | ("expect_with_probability", [value, _, _]) => {
                let value = self.expr(value)?;
                self.converted(value, &Type::Int(Int::Long), span)?
            }
            ("constant_p", [value]) => {
                let value = self.unevaluated(|this| this.expr(value))?;
                Value::int(i64::from(matches!(value.operand, Operand::Const(_))))
            }
            ("unreachable", []) => {
                self.builder.emit(Op::Unreachable);
                Value::void()
            }
            ("trap", []) => self.call_library("abort", &[], span)?,
            ("va_start", [list, ..]) => self.va_start(list, span)?,
            ("va_end", [list]) => {
                self.discard(list)?;
                Value::void()
            }
            ("va_copy", [to, from]) => {
                let from = self.expr(from)?;
                let to = self.lvalue(to)?;
                self.store(&to, from, span)?;
                Value::void()
            }
            ("alloca", [size]) | ("alloca_with_align", [size, _]) => self.alloca(size, span)?,
            ("memcpy" | "memmove", [to, from, n]) => self.copy_block(to, from, n, span)?,
            ("memset", [to, byte, n]) => self.fill_block(to, byte, n, span)?,
            ("prefetch", _) => Value::void(),
            ("object_size", _) => Value::constant(Type::size(self.model), u64::MAX),
            ("frame_address" | "return_address", _) => {
                Value::constant(Type::pointer_to(Type::Void), 0)
            }
            ("assume_aligned", [pointer, ..]) => self.expr(pointer)?,
            ("inff" | "huge_valf", []) => Value::constant(
                Type::Float(super::ctype::Float::Single),
                u64::from(f32::INFINITY.to_bits()),
            ),
            ("inf" | "huge_val" | "infl" | "huge_vall", []) => {
                Value::constant(Type::DOUBLE, f64::INFINITY.to_bits())
            }
            ("nanf", [_]) => Value::constant(
                Type::Float(super::ctype::Float::Single),
                u64::from(f32::NAN.to_bits()),
            ),
            ("nan" | "nanl", [_]) => Value::constant(Type::DOUBLE, f64::NAN.to_bits()),
            ("isnan", [value]) => self.is_nan(value, span)?,
            ("isgreater", [a, b]) => self.binary(crate::ast::BinaryOp::Greater, a, b, span)?,
            ("isgreaterequal", [a, b]) => {
                self.binary(crate::ast::BinaryOp::GreaterEqual, a, b, span)?
            }
            ("isless", [a, b]) => self.binary(crate::ast::BinaryOp::Less, a, b, span)?,
            ("islessequal", [a, b]) => self.binary(crate::ast::BinaryOp::LessEqual, a, b, span)?,
            _ => return self.overflow_or_function(name, short, arguments, span),
        }))
    }

    fn overflow_or_function(
        &mut self,
        name: &str,
        short: &str,
        arguments: &'a [Expr],
        span: Span,
    ) -> Lowered<Option<Value>> {
        if let ([left, right, result], Some(op)) = (arguments, overflow_operator(short)) {
            return self.overflow(op, left, right, result, span).map(Some);
        }
        let target = if self.externals.contains_key(name) { name } else { short };
        if !self.externals.contains_key(target) {
            return unsupported(span, format!("the builtin `{name}`"));
        }
        let mut values = Vec::with_capacity(arguments.len());
        for argument in arguments {
            values.push(self.expr(argument)?);
        }
        self.call_library(target, &values, span).map(Some)
    }

    fn is_nan(&mut self, value: &'a Expr, span: Span) -> Lowered<Value> {
        let value = self.expr(value)?;
        self.binary_values(crate::ast::BinaryOp::NotEqual, value.clone(), value, span)
    }

    fn va_start(&mut self, list: &'a Expr, span: Span) -> Lowered<Value> {
        let list = self.lvalue(list)?;
        let to = self.builder.register();
        self.builder.emit(Op::VariadicStart { to });
        self.store(&list, Value::new(Type::VaList, Operand::Reg(to)), span)?;
        Ok(Value::void())
    }

    /// Each argument takes 8 bytes of the list; a record is there by its address.
    pub(super) fn va_arg(
        &mut self,
        list: &'a Expr,
        name: &'a TypeName,
        span: Span,
    ) -> Lowered<Value> {
        let ty = self.type_name(name)?.ty;
        let list = self.lvalue(list)?;
        let current = self.load(&list, span)?;
        let at = self.in_register(current.operand);
        let value = self.builder.register();
        let kind = match ty.kind(self.model) {
            Some(Kind::F32) | None if !ty.is_record() => {
                return invalid(span, "no argument has such a type: smaller ones are promoted");
            }
            Some(kind) => kind,
            None => self.model.pointer(),
        };
        self.builder.emit(Op::Load {
            to: value,
            place: Place::At(at, 0),
            kind,
            order: Order::Plain,
        });
        let next = self.shifted(Operand::Reg(at), 8);
        self.store(&list, Value::new(Type::VaList, next), span)?;
        Ok(Value::new(ty, Operand::Reg(value)))
    }

    fn alloca(&mut self, size: &'a Expr, span: Span) -> Lowered<Value> {
        let size = self.expr(size)?;
        let size = self.converted(size, &Type::size(self.model), span)?;
        let size = self.in_register(size.operand);
        let to = self.builder.register();
        self.builder.emit(Op::Allocate { to, size });
        Ok(Value::new(Type::pointer_to(Type::Void), Operand::Reg(to)))
    }

    fn block_at(&mut self, pointer: &'a Expr) -> Lowered<(Place, Value)> {
        let value = self.expr(pointer)?;
        let reg = self.in_register(value.operand);
        let pointer = Value::new(Type::pointer_to(Type::Void), Operand::Reg(reg));
        Ok((Place::At(reg, 0), pointer))
    }

    fn block_size(&mut self, n: &'a Expr, span: Span) -> Lowered<Size> {
        let n = self.expr(n)?;
        let n = self.converted(n, &Type::size(self.model), span)?;
        Ok(match n.operand {
            Operand::Const(n) if u32::try_from(n).is_ok() => Size::Const(n as u32),
            other => Size::Reg(self.in_register(other)),
        })
    }

    fn copy_block(
        &mut self,
        to: &'a Expr,
        from: &'a Expr,
        n: &'a Expr,
        span: Span,
    ) -> Lowered<Value> {
        let (place, result) = self.block_at(to)?;
        let (source, _) = self.block_at(from)?;
        let size = self.block_size(n, span)?;
        self.emit_copy((source, Order::Plain), (place, Order::Plain), size);
        Ok(result)
    }

    fn fill_block(
        &mut self,
        to: &'a Expr,
        byte: &'a Expr,
        n: &'a Expr,
        span: Span,
    ) -> Lowered<Value> {
        let (place, result) = self.block_at(to)?;
        let byte = self.expr(byte)?;
        let byte = self.converted(byte, &Type::INT, span)?;
        let byte = self.in_register(byte.operand);
        let size = self.block_size(n, span)?;
        self.builder.emit(Op::Fill { place, byte: Some(byte), size });
        Ok(result)
    }

    /// `__builtin_add_overflow` and its kin: exact for operands of at most 64 bits whose exact
    /// result is compared with the stored one by the library.
    fn overflow(
        &mut self,
        op: Binary,
        left: &'a Expr,
        right: &'a Expr,
        result: &'a Expr,
        span: Span,
    ) -> Lowered<Value> {
        let (left, right) = (self.expr(left)?, self.expr(right)?);
        let pointer = self.expr(result)?;
        let Type::Pointer(to) = &pointer.ty else {
            return invalid(span, "a pointer is needed here");
        };
        let (to, kind) = (to.ty.clone(), self.kind(&to.ty, span)?);
        let sign =
            |this: &Self, value: &Value| value.ty.kind(this.model).is_some_and(Kind::is_signed);
        let signs = (sign(self, &left), sign(self, &right));
        let wide = Type::Int(Int::UnsignedLongLong);
        let (left, right) =
            (self.converted(left, &wide, span)?, self.converted(right, &wide, span)?);
        let flags = [
            i64::from(signs.0),
            i64::from(signs.1),
            i64::from(kind.is_signed()),
            i64::from(kind.size() * 8),
        ];
        let name = match op {
            Binary::Add => "__raddle_lib_add_overflows",
            Binary::Subtract => "__raddle_lib_subtract_overflows",
            _ => "__raddle_lib_multiply_overflows",
        };
        let mut arguments = vec![left.clone(), right.clone()];
        arguments.extend(flags.map(Value::int));
        let overflows = self.call_library(name, &arguments, span)?;
        let exact = self.binary_operands(op, Kind::U64, wide, left.operand, right.operand);
        let stored = self.converted(exact, &to, span)?;
        let place = super::value::Lvalue::memory(to.into(), pointer.operand);
        self.store(&place, stored, span)?;
        Ok(overflows)
    }

    pub(super) fn offsetof(
        &mut self,
        name: &'a TypeName,
        path: &'a [Designator],
        span: Span,
    ) -> Lowered<Value> {
        let mut ty = self.type_name(name)?.ty;
        let mut offset = Value::constant(Type::size(self.model), 0);
        for step in path {
            match step {
                Designator::Field(field) => {
                    let Type::Record(id) = ty else {
                        return invalid(field.span, "only records have members");
                    };
                    let Some(found) = self.records.field(id, &field.name) else {
                        return invalid(field.span, format!("there is no member `{}`", field.name));
                    };
                    let more = Operand::Const(found.offset);
                    offset = self.binary_operands(
                        Binary::Add,
                        Kind::U64,
                        Type::size(self.model),
                        offset.operand,
                        more,
                    );
                    ty = found.ty.ty;
                }
                Designator::Index(index) | Designator::Range(index, _) => {
                    let Type::Array(element, _) = ty else {
                        return invalid(span, "only arrays have elements");
                    };
                    let index = self.expr(index)?;
                    let pointer = Type::Pointer(element.clone());
                    let bytes = self.scaled(&pointer, index, span)?;
                    offset = self.binary_operands(
                        Binary::Add,
                        Kind::U64,
                        Type::size(self.model),
                        offset.operand,
                        bytes,
                    );
                    ty = element.ty.clone();
                }
            }
        }
        Ok(offset)
    }
}

/// `add_overflow`, and with the type in the name: `saddl_overflow`, `umulll_overflow`.
fn overflow_operator(short: &str) -> Option<Binary> {
    let name = short.strip_suffix("_overflow")?;
    let operators = [("add", Binary::Add), ("sub", Binary::Subtract), ("mul", Binary::Multiply)];
    operators.iter().find_map(|&(operator, op)| {
        let (sign, length) = name.split_once(operator)?;
        (matches!(sign, "" | "s" | "u") && matches!(length, "" | "l" | "ll")).then_some(op)
    })
}
