//! Initialisers: a list with braces and designators becomes values at offsets, which are stored
//! one by one, or put into the bytes of a global.
//!
//! Follows C11 6.7.9: braces may be left out, a designator moves the point where the list goes
//! on, what is not named is zero. What goes on after a designator of several steps
//! (`.a.b = 1, 2`) is refused when something follows without a designator of its own.

use super::ctype::{Int, Length, Qualified, Type};
use super::expr::string_element;
use super::layout::Bits;
use super::scope::SymbolId;
use super::value::{Base, Lvalue, Operand, Value, Where};
use super::{Lowered, Lowering, invalid, unsupported};
use crate::ast::{Designator, Expr, ExprKind, Initializer, InitializerItem, Prefix, TypeName};
use crate::ir::{Global, GlobalId, Op, Relocation, Size, Target};
use crate::source::Span;

/// A value and where it goes.
#[derive(Debug)]
struct Item<'a> {
    offset: u64,
    ty: Qualified,
    bits: Option<Bits>,
    value: Given<'a>,
}

#[derive(Debug)]
enum Given<'a> {
    Expr(&'a Expr),
    /// The characters of an array, without those that have no room.
    String(&'a [u32], Prefix, u64),
}

/// Part of an aggregate.
struct Element {
    offset: u64,
    ty: Qualified,
    bits: Option<Bits>,
}

impl<'a> Lowering<'a> {
    /// Initialises a local.
    pub(super) fn initialize(
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
        self.builder.emit(Op::ReadBlock { place: from, size });
        self.builder.emit(Op::WriteBlock { place, size });
        Ok(())
    }

    /// `(type) { … }`
    pub(super) fn compound_literal(
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

    /// The bytes of a global that is used.
    pub(super) fn global_initializer(
        &mut self,
        id: SymbolId,
        initializer: &'a Initializer,
    ) -> Lowered<()> {
        let symbol = &self.symbols[id.0 as usize];
        let (ty, global) = (symbol.ty.clone(), symbol.global);
        match global {
            Some(global) => self.fill_global(global, &ty, initializer),
            None => Ok(()),
        }
    }

    fn fill_global(
        &mut self,
        id: GlobalId,
        ty: &Qualified,
        initializer: &'a Initializer,
    ) -> Lowered<()> {
        let ty = self.completed(ty.clone(), Some(initializer))?;
        let Some(size) = self.records.size(&ty.ty) else {
            return invalid(self.globals[id.0 as usize].span, "a variable of an incomplete type");
        };
        let items = self.flatten(&ty, initializer)?;
        // A flexible array member makes the object larger than its type.
        let end = |this: &Self, item: &Item| match item.value {
            Given::String(_, _, n) => item.offset + n,
            Given::Expr(_) => item.offset + this.records.size(&item.ty.ty).unwrap_or(0),
        };
        let size = items.iter().map(|item| end(self, item)).fold(size, u64::max);
        let (mut bytes, mut relocations) = (vec![0; size as usize], Vec::new());
        for item in items {
            self.put_item(item, 0, &mut bytes, &mut relocations)?;
        }
        let global = &mut self.globals[id.0 as usize];
        (global.bytes, global.relocations, global.size) = (bytes, relocations, size);
        Ok(())
    }

    fn put_item(
        &mut self,
        item: Item<'a>,
        base: u64,
        bytes: &mut [u8],
        relocations: &mut Vec<Relocation>,
    ) -> Lowered<()> {
        let at = (base + item.offset) as usize;
        let expr = match item.value {
            Given::Expr(expr) => expr,
            Given::String(units, prefix, n) => {
                let width = self.records.size(&string_element(prefix)).unwrap_or(1) as usize;
                for (index, unit) in units.iter().chain([&0]).take(n as usize).enumerate() {
                    let start = at + index * width;
                    bytes[start..start + width].copy_from_slice(&unit.to_le_bytes()[..width]);
                }
                return Ok(());
            }
        };
        if item.ty.ty.is_record() {
            return self.put_record(&item.ty, expr, at as u64, bytes, relocations);
        }
        let value = self.static_value(expr, &item.ty.ty)?;
        let kind = self.kind(&item.ty.ty, expr.span)?;
        match (value.operand, item.bits) {
            (Operand::Const(value), Some(bits)) => put_bits(bytes, at, bits, value),
            (Operand::Const(value), None) => {
                let size = kind.size() as usize;
                bytes[at..at + size].copy_from_slice(&value.to_le_bytes()[..size]);
            }
            (Operand::Address(base, addend), None)
                if kind.size() == self.model.pointer().size() =>
            {
                let target = match base {
                    Base::Global(global) => Target::Global(global),
                    Base::Function(function) => Target::Function(function),
                    Base::Slot(_) => {
                        return invalid(expr.span, "the address of a local is no constant");
                    }
                };
                relocations.push(Relocation { offset: at as u64, target, addend });
            }
            _ => {
                return invalid(expr.span, "the initialiser of a static object must be a constant");
            }
        }
        Ok(())
    }

    fn put_record(
        &mut self,
        ty: &Qualified,
        expr: &'a Expr,
        at: u64,
        bytes: &mut [u8],
        relocations: &mut Vec<Relocation>,
    ) -> Lowered<()> {
        let ExprKind::Compound(_, initializer) = &expr.kind else {
            return invalid(expr.span, "the initialiser of a static object must be a constant");
        };
        for item in self.flatten(ty, initializer)? {
            self.put_item(item, at, bytes, relocations)?;
        }
        Ok(())
    }

    /// How many elements an initialiser gives an array of unknown length.
    pub(super) fn initialized_length(
        &mut self,
        element: &Qualified,
        initializer: &'a Initializer,
    ) -> Lowered<u64> {
        if let Some((units, _)) = string_for(&element.ty, initializer) {
            return Ok(units.len() as u64 + 1);
        }
        let Initializer::List(items, _) = initializer else {
            let Initializer::Expr(expr) = initializer else { unreachable!("the other kind") };
            if let ExprKind::Compound(name, _) = &expr.kind {
                let ty = self.unevaluated(|this| this.type_name(name))?;
                if let (Type::Array(_, Length::Unknown), ExprKind::Compound(_, inner)) =
                    (&ty.ty, &expr.kind)
                {
                    return self.initialized_length(element, inner);
                }
                if let Type::Array(_, Length::Known(n)) = ty.ty {
                    return Ok(n);
                }
            }
            return invalid(expr.span, "an array must be initialised by a list or a string");
        };
        let array = Type::Array(super::rc(element.clone()), Length::Unknown).into();
        self.list(&array, 0, items, &mut Vec::new())
    }

    fn flatten(&mut self, ty: &Qualified, initializer: &'a Initializer) -> Lowered<Vec<Item<'a>>> {
        let mut items = Vec::new();
        self.initialized(
            &Element { offset: 0, ty: ty.clone(), bits: None },
            initializer,
            &mut items,
        )?;
        Ok(items)
    }

    fn initialized(
        &mut self,
        part: &Element,
        initializer: &'a Initializer,
        out: &mut Vec<Item<'a>>,
    ) -> Lowered<()> {
        let offset = part.offset;
        if let Type::Array(element, length) = &part.ty.ty
            && let Some((units, prefix)) = string_for(&element.ty, initializer)
        {
            let whole = units.len() as u64 + 1;
            let n = if let Length::Known(room) = length { whole.min(*room) } else { whole };
            out.push(Item {
                offset,
                ty: part.ty.clone(),
                bits: None,
                value: Given::String(units, prefix, n),
            });
            return Ok(());
        }
        match (&part.ty.ty, initializer) {
            (
                Type::Array(..),
                Initializer::Expr(Expr { kind: ExprKind::Compound(_, inner), .. }),
            ) => self.initialized(part, inner, out),
            (Type::Array(..), Initializer::Expr(expr)) => {
                invalid(expr.span, "an array must be initialised by a list or a string")
            }
            (Type::Array(..) | Type::Record(_), Initializer::List(items, _)) => {
                self.list(&part.ty, offset, items, out).map(|_| ())
            }
            (_, Initializer::List(items, span)) => match items.as_slice() {
                [] => Ok(()),
                [only] if only.designators.is_empty() => self.initialized(part, &only.value, out),
                _ => invalid(*span, "more values than one for a scalar"),
            },
            (_, Initializer::Expr(expr)) => {
                out.push(Item {
                    offset,
                    ty: part.ty.clone(),
                    bits: part.bits,
                    value: Given::Expr(expr),
                });
                Ok(())
            }
        }
    }

    /// Goes through a list for one aggregate; returns how many elements it has at least.
    fn list(
        &mut self,
        ty: &Qualified,
        offset: u64,
        items: &'a [InitializerItem],
        out: &mut Vec<Item<'a>>,
    ) -> Lowered<u64> {
        let (mut position, mut index, mut length) = (0, 0, 0);
        while let Some(item) = items.get(position) {
            if let Some((first, rest)) = item.designators.split_first() {
                let (low, high) = self.designated(ty, first)?;
                for at in low..=high {
                    self.designated_value(ty, offset, at, first, rest, item, out)?;
                }
                let follows =
                    items.get(position + 1).is_some_and(|next| next.designators.is_empty());
                if !rest.is_empty() && follows {
                    return unsupported(
                        item.span,
                        "a value without designator after a designator of several steps",
                    );
                }
                (position, index) = (position + 1, high + 1);
            } else {
                let Some(part) = self.part(ty, offset, index) else {
                    self.warn(item.span, "more values than the object has room for");
                    break;
                };
                self.elided(&part, items, &mut position, out)?;
                index += 1;
            }
            length = length.max(index);
        }
        Ok(length)
    }

    /// The elements that a designator names.
    fn designated(&mut self, ty: &Qualified, designator: &'a Designator) -> Lowered<(u64, u64)> {
        let index = |this: &mut Self, expr: &'a Expr| {
            let value = this.constant(expr, "an index")?;
            u64::try_from(value).or_else(|_| invalid(expr.span, "an index is negative"))
        };
        let range = match (designator, &ty.ty) {
            (Designator::Index(expr), Type::Array(..)) => {
                let at = index(self, expr)?;
                (at, at)
            }
            (Designator::Range(low, high), Type::Array(..)) => {
                (index(self, low)?, index(self, high)?)
            }
            (Designator::Field(name), Type::Record(id)) => {
                let Some(at) = self.field_index(*id, &name.name) else {
                    return invalid(
                        name.span,
                        format!("{} has no member `{}`", self.describe(&ty.ty), name.name),
                    );
                };
                (at, at)
            }
            (Designator::Field(name), _) => return invalid(name.span, "only records have members"),
            (Designator::Index(expr) | Designator::Range(expr, _), _) => {
                return invalid(expr.span, "only arrays have elements");
            }
        };
        match &ty.ty {
            Type::Array(_, Length::Known(n)) if range.1 >= *n || range.0 > range.1 => {
                invalid(self.builder.span, "an index outside of the array")
            }
            _ if range.1 - range.0.min(range.1) > 1 << 24 => {
                invalid(self.builder.span, "a range of too many elements")
            }
            _ => Ok(range),
        }
    }

    /// The number of the field with this name, or of the anonymous record that has it.
    fn field_index(&self, id: super::ctype::RecordId, name: &str) -> Option<u64> {
        let layout = self.records.get(id).layout.as_ref()?;
        let has = |field: &super::layout::Field| match (&field.name, &field.ty.ty) {
            (Some(known), _) => &**known == name,
            (None, Type::Record(inner)) => self.records.field(*inner, name).is_some(),
            _ => false,
        };
        layout.fields.iter().position(has).map(|index| index as u64)
    }

    #[allow(clippy::too_many_arguments, reason = "one step of a recursion over types and lists")]
    fn designated_value(
        &mut self,
        ty: &Qualified,
        offset: u64,
        index: u64,
        first: &'a Designator,
        rest: &'a [Designator],
        item: &'a InitializerItem,
        out: &mut Vec<Item<'a>>,
    ) -> Lowered<()> {
        let Some(part) = self.part(ty, offset, index) else {
            return invalid(item.span, "nothing has this designator");
        };
        // A member of an anonymous record: the same designator goes on within it.
        if let (Designator::Field(name), Type::Record(id), Type::Record(inner)) =
            (first, &ty.ty, &part.ty.ty)
        {
            let layout = self.records.get(*id).layout.as_ref();
            let field = layout.and_then(|layout| layout.fields.get(index as usize));
            let anonymous = field.is_some_and(|field| field.name.is_none());
            if anonymous && let Some(at) = self.field_index(*inner, &name.name) {
                return self.designated_value(&part.ty, part.offset, at, first, rest, item, out);
            }
        }
        match rest.split_first() {
            Some((next, rest)) => {
                let (low, high) = self.designated(&part.ty, next)?;
                for at in low..=high {
                    self.designated_value(&part.ty, part.offset, at, next, rest, item, out)?;
                }
                Ok(())
            }
            None => {
                let mut position = 0;
                self.elided(&part, std::slice::from_ref(item), &mut position, out)
            }
        }
    }

    /// Takes as many values as a part needs, whose braces may be left out.
    fn elided(
        &mut self,
        part: &Element,
        items: &'a [InitializerItem],
        position: &mut usize,
        out: &mut Vec<Item<'a>>,
    ) -> Lowered<()> {
        let value = &items[*position].value;
        if self.is_whole(part, value)? {
            *position += 1;
            return self.initialized(part, value, out);
        }
        let mut index = 0;
        let first = *position;
        while let Some(item) = items.get(*position) {
            if *position > first && !item.designators.is_empty() {
                break;
            }
            let Some(inner) = self.part(&part.ty, part.offset, index) else { break };
            self.elided(&inner, items, position, out)?;
            index += 1;
        }
        if *position == first {
            *position += 1;
        }
        Ok(())
    }

    /// Whether a value is for all of a part, rather than for its first element.
    fn is_whole(&mut self, part: &Element, value: &'a Initializer) -> Lowered<bool> {
        Ok(match (&part.ty.ty, value) {
            (_, Initializer::List(..)) => true,
            (Type::Array(element, _), value) => {
                let compound =
                    matches!(value, Initializer::Expr(Expr { kind: ExprKind::Compound(..), .. }));
                string_for(&element.ty, value).is_some() || (compound && !element.ty.is_record())
            }
            (Type::Record(id), Initializer::Expr(expr)) => {
                self.type_of(expr)?.ty == Type::Record(*id)
            }
            _ => true,
        })
    }

    /// The element of an aggregate with this number.
    fn part(&self, ty: &Qualified, offset: u64, index: u64) -> Option<Element> {
        match &ty.ty {
            Type::Array(element, length) => {
                let inside = if let Length::Known(n) = length { index < *n } else { true };
                let size = self.records.size(&element.ty)?;
                inside.then(|| Element {
                    offset: offset + index * size,
                    ty: (**element).clone(),
                    bits: None,
                })
            }
            Type::Record(id) => {
                let record = self.records.get(*id);
                let field = record.layout.as_ref()?.fields.get(index as usize)?;
                Some(Element {
                    offset: offset + field.offset,
                    ty: field.ty.clone(),
                    bits: field.bits,
                })
            }
            _ => None,
        }
    }
}

/// The string that initialises an array of these elements, if it is one.
fn string_for<'a>(element: &Type, initializer: &'a Initializer) -> Option<(&'a [u32], Prefix)> {
    let expr = match initializer {
        Initializer::Expr(expr) => expr,
        Initializer::List(items, _) => match items.as_slice() {
            [InitializerItem { designators, value: Initializer::Expr(expr), .. }]
                if designators.is_empty() =>
            {
                expr
            }
            _ => return None,
        },
    };
    let ExprKind::String { units, prefix } = &expr.kind else { return None };
    let character = matches!(element, Type::Int(Int::Char | Int::SignedChar | Int::UnsignedChar));
    let fits = match prefix {
        Prefix::None | Prefix::Utf8 => character,
        wide => *element == string_element(*wide),
    };
    fits.then_some((units.as_slice(), *prefix))
}

fn put_bits(bytes: &mut [u8], at: usize, bits: Bits, value: u64) {
    let size = bits.unit.size() as usize;
    let mut unit = [0; 8];
    unit[..size].copy_from_slice(&bytes[at..at + size]);
    let mask = (u64::MAX >> (64 - u32::from(bits.width))) << bits.shift;
    let merged = (u64::from_le_bytes(unit) & !mask) | ((value << bits.shift) & mask);
    bytes[at..at + size].copy_from_slice(&merged.to_le_bytes()[..size]);
}

/// An initialiser may write what is `const`, and is no atomic access.
fn unqualified(mut place: Lvalue) -> Lvalue {
    (place.ty.constant, place.ty.atomic) = (false, false);
    place
}
