//! Initialisers of locals: values are stored one by one, after the rest was zeroed.

use super::{Given, Item};
use crate::ast::{Expr, Initializer, Prefix, TypeName};
use crate::ir::{Global, Op, Order, Size};
use crate::lower::ctype::Type;
use crate::lower::expr::string_element;
use crate::lower::value::{Base, Lvalue, Operand, Value, Where};
use crate::lower::{Lowered, Lowering};
use crate::source::Span;

impl<'a> Lowering<'a> {
    /// Initialises a local.
    pub(in crate::lower) fn initialize(
        &mut self,
        place: Lvalue,
        initializer: &'a Initializer,
    ) -> Lowered<()> {
        if let (Initializer::Expr(expr), false) =
            (initializer, matches!(place.ty.ty, Type::Array(..)))
        {
            let value =
                if place.ty.ty.is_record() { self.decayed(expr)? } else { self.expr(expr)? };
            let value = self.assigned(value, &place.ty.ty, expr.span)?;
            self.store(&unqualified(place), value, expr.span)?;
            return Ok(());
        }
        let items = self.flatten(&place.ty, initializer)?;
        if place.ty.ty.is_scalar() {
            return match items.into_iter().next() {
                Some(item) => self.store_item(&unqualified(place), item),
                None => {
                    let zero = Value::constant(place.ty.ty.clone(), 0);
                    self.store(&unqualified(place), zero, self.builder.span)?;
                    Ok(())
                }
            };
        }
        self.clear_unless_covered(&place, &items);
        for item in items {
            self.store_item(&place, item)?;
        }
        Ok(())
    }

    /// Zeroes an aggregate, unless every byte of it will be written.
    fn clear_unless_covered(&mut self, place: &Lvalue, items: &[Item<'a>]) {
        let size = self.records.size(&place.ty.ty).unwrap_or(0);
        let whole = |item: &Item| match (item.bits, &item.value) {
            (Some(_), _) => 0,
            (None, Given::String(..)) => 0,
            (None, Given::Expr(_)) => self.records.size(&item.ty.ty).unwrap_or(0),
        };
        let covered: u64 = items.iter().map(whole).sum();
        let Where::Memory { address, offset, .. } = place.at else { return };
        if covered < size {
            let place = self.place_of(address, offset);
            self.builder.emit(Op::Fill { place, byte: None, size: Size::Const(size as u32) });
        }
    }

    fn store_item(&mut self, place: &Lvalue, item: Item<'a>) -> Lowered<()> {
        let at = match place.at {
            Where::Memory { address, offset, slot } => {
                Where::Memory { address, offset: offset + item.offset as i64, slot }
            }
            register => register,
        };
        let target = unqualified(Lvalue { ty: item.ty, at, bits: item.bits });
        match item.value {
            Given::String(units, prefix, n) => self.store_string(&target, units, prefix, n),
            Given::Expr(expr) => self.full_item(expr, &target),
        }
    }

    fn full_item(&mut self, expr: &'a Expr, target: &Lvalue) -> Lowered<()> {
        let value = if target.ty.ty.is_record() { self.decayed(expr)? } else { self.expr(expr)? };
        let value = self.assigned(value, &target.ty.ty, expr.span)?;
        self.at(expr.span, |this| this.store(target, value, expr.span))?;
        Ok(())
    }

    fn store_string(
        &mut self,
        target: &Lvalue,
        units: &'a [u32],
        prefix: Prefix,
        n: u64,
    ) -> Lowered<()> {
        let source = self.string_place(units, prefix, self.builder.span)?;
        let (Where::Memory { address: from, .. }, Where::Memory { address, offset, .. }) =
            (source.at, target.at)
        else {
            unreachable!("strings and arrays are in memory");
        };
        let width = self.records.size(&string_element(prefix)).unwrap_or(1);
        let size = Size::Const((n * width) as u32);
        let from = self.place_of(from, 0);
        let place = self.place_of(address, offset);
        self.emit_copy((from, Order::Plain), (place, Order::Plain), size);
        Ok(())
    }

    /// `(type) { … }`
    pub(in crate::lower) fn compound_literal(
        &mut self,
        name: &'a TypeName,
        initializer: &'a Initializer,
        span: Span,
    ) -> Lowered<Lvalue> {
        let ty = self.type_name(name)?;
        let ty = self.completed(ty, Some(initializer))?;
        if self.scopes.is_file() {
            let shown = self.show(&ty.ty);
            let global = self.add_global(Global {
                name: "compound literal".into(),
                size: self.records.size(&ty.ty).unwrap_or(0),
                align: self.records.align(&ty.ty),
                bytes: Vec::new(),
                relocations: Vec::new(),
                ty: shown,
                constant: ty.is_constant(),
                thread_local: false,
                library: self.library,
                span,
            });
            self.fill_global(global, &ty, initializer)?;
            return Ok(Lvalue::memory(ty, Operand::Address(Base::Global(global), 0)));
        }
        let slot = self.temporary(&ty.ty, span)?;
        let place = self.slot_lvalue(slot, ty);
        self.initialize(place.clone(), initializer)?;
        Ok(place)
    }
}

/// An initialiser may write what is `const`, and is no atomic access.
fn unqualified(mut place: Lvalue) -> Lvalue {
    (place.ty.constant, place.ty.atomic) = (false, false);
    place
}
