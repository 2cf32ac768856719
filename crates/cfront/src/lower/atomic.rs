//! gcc's `__atomic_*` and `__sync_*` builtins, on which `<stdatomic.h>` stands.

use super::ctype::{Int, Qualified, Type};
use super::value::{Lvalue, Operand, Value};
use super::{Lowered, Lowering, invalid, unsupported};
use crate::ast::Expr;
use crate::ir::{Binary, Kind, Op, Order, Place, Reg, Rmw};
use crate::source::Span;

/// The operation that a name such as `fetch_add` or `or_and_fetch` ends in.
const OPERATORS: &[(&str, Rmw)] = &[
    ("add", Rmw::Binary(Binary::Add)),
    ("sub", Rmw::Binary(Binary::Subtract)),
    ("and", Rmw::Binary(Binary::And)),
    ("or", Rmw::Binary(Binary::Or)),
    ("xor", Rmw::Binary(Binary::Xor)),
    ("nand", Rmw::Nand),
];

impl<'a> Lowering<'a> {
    /// The value of such a builtin; none if the name is no such builtin.
    pub(super) fn atomic_builtin(
        &mut self,
        name: &str,
        arguments: &'a [Expr],
        span: Span,
    ) -> Lowered<Option<Value>> {
        if let Some(what) = name.strip_prefix("__atomic_") {
            return self.atomic(what, arguments, span);
        }
        match name.strip_prefix("__sync_") {
            Some(what) => self.sync(what, arguments, span),
            None => Ok(None),
        }
    }

    fn atomic(&mut self, what: &str, arguments: &'a [Expr], span: Span) -> Lowered<Option<Value>> {
        let needed = match what {
            "thread_fence" | "signal_fence" => 1,
            "load_n" | "clear" | "test_and_set" | "always_lock_free" | "is_lock_free" => 2,
            "load" | "store_n" | "store" | "exchange_n" => 3,
            "exchange" => 4,
            "compare_exchange_n" | "compare_exchange" => 6,
            _ if what.contains("fetch") => 3,
            _ => return Ok(None),
        };
        if arguments.len() != needed {
            return invalid(span, format!("`__atomic_{what}` takes {needed} arguments"));
        }
        Ok(Some(match what {
            "thread_fence" | "signal_fence" => {
                let order = self.memory_order(&arguments[0])?;
                self.builder.emit(Op::Fence { order });
                Value::void()
            }
            "always_lock_free" | "is_lock_free" => Value::int(1),
            "load_n" | "load" if self.is_record_behind(&arguments[0])? => {
                self.load_record(what, arguments, span)?
            }
            "store_n" | "store" if self.is_record_behind(&arguments[0])? => {
                self.store_record(what, arguments, span)?
            }
            "load_n" => self.atomic_load(&arguments[0], &arguments[1], span)?,
            "load" => {
                let value = self.atomic_load(&arguments[0], &arguments[2], span)?;
                self.put(&arguments[1], value, span)?
            }
            "store_n" | "store" => self.atomic_store(what, arguments, span)?,
            "clear" => {
                let order = self.memory_order(&arguments[1])?;
                let place = self.first_byte(&arguments[0])?;
                let from = self.in_register(Operand::Const(0));
                self.builder.emit(Op::Store { from, place, kind: Kind::U8, order });
                Value::void()
            }
            "test_and_set" => {
                let order = self.memory_order(&arguments[1])?;
                let place = self.first_byte(&arguments[0])?;
                let from = self.in_register(Operand::Const(1));
                let old = self.read_modify_write(Rmw::Exchange, place, from, Kind::U8, order);
                self.truth_value(
                    Value::new(Type::INT, Operand::Reg(old)),
                    Kind::U8,
                    Type::Int(Int::Bool),
                )
            }
            "exchange_n" => {
                self.exchange(&arguments[0], &arguments[1], &arguments[2], false, span)?
            }
            "exchange" => {
                let value =
                    self.exchange(&arguments[0], &arguments[1], &arguments[3], true, span)?;
                self.put(&arguments[2], value, span)?
            }
            "compare_exchange_n" | "compare_exchange" => {
                self.compare_exchange(arguments, what == "compare_exchange", span)?
            }
            _ => return self.fetch(what, arguments, span),
        }))
    }

    /// The order that an argument says; one that is not constant is taken as the strongest.
    pub(super) fn memory_order(&mut self, expr: &'a Expr) -> Lowered<Order> {
        Ok(match self.try_constant(expr)? {
            Some(0) => Order::Relaxed,
            Some(1 | 2) => Order::Acquire,
            Some(3) => Order::Release,
            Some(4) => Order::AcqRel,
            _ => Order::SeqCst,
        })
    }

    /// The place that an argument points to, with its type and kind.
    fn atomic_place(&mut self, pointer: &'a Expr, span: Span) -> Lowered<(Place, Type, Kind)> {
        let value = self.expr(pointer)?;
        let Type::Pointer(to) = &value.ty else {
            return invalid(pointer.span, "a pointer is needed here");
        };
        let ty = to.ty.clone();
        let place = self.place_of(value.operand, 0);
        match ty.kind(self.model) {
            Some(kind) => Ok((place, ty, kind)),
            None if ty.is_void() => Ok((place, Type::Int(Int::UnsignedChar), Kind::U8)),
            None if ty.is_record() => {
                let kind = self.word_kind(&ty, span)?;
                Ok((place, ty, kind))
            }
            None => unsupported(span, "an atomic operation on this type"),
        }
    }

    /// The byte that a flag is, whatever type it has.
    fn first_byte(&mut self, pointer: &'a Expr) -> Lowered<Place> {
        let value = self.expr(pointer)?;
        match value.ty {
            Type::Pointer(_) => Ok(self.place_of(value.operand, 0)),
            _ => invalid(pointer.span, "a pointer is needed here"),
        }
    }

    fn atomic_load(&mut self, pointer: &'a Expr, order: &'a Expr, span: Span) -> Lowered<Value> {
        let order = self.memory_order(order)?;
        let (place, ty, kind) = self.atomic_place(pointer, span)?;
        let to = self.builder.register();
        self.builder.emit(Op::Load { to, place, kind, order });
        Ok(Value::new(ty, Operand::Reg(to)))
    }

    fn atomic_store(&mut self, what: &str, arguments: &'a [Expr], span: Span) -> Lowered<Value> {
        let order = self.memory_order(&arguments[2])?;
        let (place, ty, kind) = self.atomic_place(&arguments[0], span)?;
        let value = self.given(&arguments[1], what == "store", span)?;
        let value = self.converted(value, &ty, span)?;
        let from = self.in_register(value.operand);
        self.builder.emit(Op::Store { from, place, kind, order });
        Ok(Value::void())
    }

    /// An argument's value, or what it points to.
    pub(super) fn given(&mut self, expr: &'a Expr, pointed: bool, span: Span) -> Lowered<Value> {
        let value = self.expr(expr)?;
        if !pointed {
            return Ok(value);
        }
        let Type::Pointer(to) = &value.ty else { return invalid(span, "a pointer is needed here") };
        let place = Lvalue::memory(plain(to), value.operand);
        self.load(&place, span)
    }

    /// Stores a value where an argument points to.
    pub(super) fn put(&mut self, pointer: &'a Expr, value: Value, span: Span) -> Lowered<Value> {
        let pointer = self.expr(pointer)?;
        let Type::Pointer(to) = &pointer.ty else {
            return invalid(span, "a pointer is needed here");
        };
        let place = Lvalue::memory(plain(to), pointer.operand);
        let value = self.assigned(value, &place.ty.ty, span)?;
        self.store(&place, value, span)?;
        Ok(Value::void())
    }

    fn read_modify_write(
        &mut self,
        op: Rmw,
        place: Place,
        from: Reg,
        kind: Kind,
        order: Order,
    ) -> Reg {
        let to = self.builder.register();
        self.builder.emit(Op::ReadModifyWrite { op, to, place, from, kind, order });
        to
    }

    fn exchange(
        &mut self,
        pointer: &'a Expr,
        value: &'a Expr,
        order: &'a Expr,
        pointed: bool,
        span: Span,
    ) -> Lowered<Value> {
        let order = self.memory_order(order)?;
        let (place, ty, kind) = self.atomic_place(pointer, span)?;
        let value = self.given_to(&ty, value, pointed, span)?;
        let from = self.exchanged(value, &ty, kind, span)?;
        let old = self.read_modify_write(Rmw::Exchange, place, from, kind, order);
        self.word_value(old, ty, kind, span)
    }

    /// Three steps: the expected value is read, compared and exchanged, and written back if it
    /// was another one. Only the second is atomic, as in C.
    fn compare_exchange(
        &mut self,
        arguments: &'a [Expr],
        pointed: bool,
        span: Span,
    ) -> Lowered<Value> {
        let [order, failure] =
            [self.memory_order(&arguments[4])?, self.memory_order(&arguments[5])?];
        let (place, ty, kind) = self.atomic_place(&arguments[0], span)?;
        let pointer = self.expr(&arguments[1])?;
        let pointer_reg = self.in_register(pointer.operand);
        let Type::Pointer(_) = &pointer.ty else {
            return invalid(span, "a pointer is needed here");
        };
        let desired = self.given_to(&ty, &arguments[2], pointed, span)?;
        let desired = self.exchanged(desired, &ty, kind, span)?;
        let (expected, to) = (self.builder.register(), self.builder.register());
        let at = Place::At(pointer_reg, 0);
        self.builder.emit(Op::Load { to: expected, place: at, kind, order: Order::Plain });
        let exchange = Op::CompareExchange { to, place, expected, desired, kind, order, failure };
        self.builder.emit(exchange);
        let [differed, end] = [(); 2].map(|()| self.builder.label());
        self.builder.branch(to, end, differed);
        self.builder.place(differed);
        self.builder.emit(Op::Store { from: expected, place: at, kind, order: Order::Plain });
        self.builder.place(end);
        Ok(Value::new(Type::Int(Int::Bool), Operand::Reg(to)))
    }

    /// `fetch_OP` gives the old value, `OP_fetch` the new one.
    fn fetch(&mut self, what: &str, arguments: &'a [Expr], span: Span) -> Lowered<Option<Value>> {
        let (name, new) = match (what.strip_prefix("fetch_"), what.strip_suffix("_fetch")) {
            (Some(name), _) => (name, false),
            (_, Some(name)) => (name, true),
            _ => return Ok(None),
        };
        let Some(&(_, op)) = OPERATORS.iter().find(|row| row.0 == name) else { return Ok(None) };
        let order = match arguments.get(2) {
            Some(order) => self.memory_order(order)?,
            None => Order::SeqCst,
        };
        let (place, ty, kind) = self.atomic_place(&arguments[0], span)?;
        let value = self.expr(&arguments[1])?;
        let value = match ty {
            Type::Pointer(_) => self.converted(value, &Type::difference(self.model), span)?,
            _ => self.converted(value, &ty, span)?,
        };
        let from = self.in_register(value.operand);
        let old = self.read_modify_write(op, place, from, kind, order);
        Ok(Some(match (new, op) {
            (false, _) | (_, Rmw::Exchange) => Value::new(ty, Operand::Reg(old)),
            (true, Rmw::Binary(op)) => {
                self.binary_operands(op, kind, ty, Operand::Reg(old), Operand::Reg(from))
            }
            (true, Rmw::Nand) => {
                let both = self.binary_operands(
                    Binary::And,
                    kind,
                    ty.clone(),
                    Operand::Reg(old),
                    Operand::Reg(from),
                );
                self.binary_operands(
                    Binary::Xor,
                    kind,
                    ty,
                    both.operand,
                    Operand::Const(kind.extend(u64::MAX)),
                )
            }
        }))
    }

    fn sync(&mut self, what: &str, arguments: &'a [Expr], span: Span) -> Lowered<Option<Value>> {
        // The names with the size at the end are what libraries export.
        let what = what.trim_end_matches(|c: char| c.is_ascii_digit()).trim_end_matches('_');
        if what.contains("fetch") && arguments.len() >= 2 {
            // `fetch_and_add` and `add_and_fetch` are `fetch_add` and `add_fetch` in the newer family.
            return self.fetch(&what.replacen("_and_", "_", 1), &arguments[..2], span);
        }
        Ok(Some(match (what, arguments) {
            ("synchronize", _) => {
                self.builder.emit(Op::Fence { order: Order::SeqCst });
                Value::void()
            }
            ("lock_test_and_set", [pointer, value, ..]) => {
                let (place, ty, kind) = self.atomic_place(pointer, span)?;
                let value = self.expr(value)?;
                let value = self.converted(value, &ty, span)?;
                let from = self.in_register(value.operand);
                let old = self.read_modify_write(Rmw::Exchange, place, from, kind, Order::Acquire);
                Value::new(ty, Operand::Reg(old))
            }
            ("lock_release", [pointer, ..]) => {
                let (place, _, kind) = self.atomic_place(pointer, span)?;
                let from = self.in_register(Operand::Const(0));
                self.builder.emit(Op::Store { from, place, kind, order: Order::Release });
                Value::void()
            }
            ("bool_compare_and_swap" | "val_compare_and_swap", [pointer, old, new, ..]) => {
                self.compare_and_swap(what.starts_with("bool"), pointer, old, new, span)?
            }
            _ => return Ok(None),
        }))
    }

    fn compare_and_swap(
        &mut self,
        boolean: bool,
        pointer: &'a Expr,
        old: &'a Expr,
        new: &'a Expr,
        span: Span,
    ) -> Lowered<Value> {
        let (place, ty, kind) = self.atomic_place(pointer, span)?;
        let old = self.expr(old)?;
        let old = self.converted(old, &ty, span)?;
        let new = self.expr(new)?;
        let new = self.converted(new, &ty, span)?;
        let (old, desired) = (self.in_register(old.operand), self.in_register(new.operand));
        let (expected, to) = (self.builder.register(), self.builder.register());
        self.builder.emit(Op::Copy { to: expected, from: old });
        self.builder.emit(Op::CompareExchange {
            to,
            place,
            expected,
            desired,
            kind,
            order: Order::SeqCst,
            failure: Order::SeqCst,
        });
        Ok(match boolean {
            true => Value::new(Type::Int(Int::Bool), Operand::Reg(to)),
            false => Value::new(ty, Operand::Reg(expected)),
        })
    }
}

/// The same type for an access that is not atomic.
fn plain(ty: &Qualified) -> Qualified {
    Qualified { atomic: false, constant: false, ..ty.clone() }
}
