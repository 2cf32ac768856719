//! Initialisers: a list with braces and designators becomes values at offsets, which are stored
//! one by one, or put into the bytes of a global.
//!
//! Follows C11 6.7.9: braces may be left out, a designator moves the point where the list goes
//! on, what is not named is zero. What goes on after a designator of several steps
//! (`.a.b = 1, 2`) is refused when something follows without a designator of its own.

mod global;
mod local;

use super::ctype::{Int, Length, Qualified, Type};
use super::expr::string_element;
use super::layout::Bits;
use super::{Lowered, Lowering, invalid, unsupported};
use crate::ast::{Designator, Expr, ExprKind, Initializer, InitializerItem, Prefix};
use crate::diagnostic::Diagnostic;

/// How many values the initialiser of one object may have, repetitions counted.
const MAX_VALUES: usize = 1 << 20;

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
                _ => invalid(*span, "more than one value for a scalar"),
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
            if out.len() > MAX_VALUES {
                return unsupported(item.span, "an initialiser of more than a million values");
            }
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
                    let message = "more values than the object has room for";
                    self.warn(Diagnostic::warning(item.span, message));
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
                        format!(
                            "{} has no member `{}`{}",
                            self.describe(&ty.ty),
                            name.name,
                            self.similar_member(*id, &name.name)
                        ),
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
                invalid(self.builder.span, "an index outside the array")
            }
            Type::Array(element, _) => {
                let size = self.records.size(&element.ty).unwrap_or(1);
                let end = range.1.checked_add(1).and_then(|n| n.checked_mul(size));
                if range.0 > range.1 || end.is_none_or(|end| end > i32::MAX as u64) {
                    return invalid(self.builder.span, "an array larger than 2 GiB");
                }
                match range.1 - range.0 > MAX_VALUES as u64 {
                    true => unsupported(self.builder.span, "a range of more than a million values"),
                    false => Ok(range),
                }
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
                    if out.len() > MAX_VALUES {
                        return unsupported(
                            item.span,
                            "an initialiser of more than a million values",
                        );
                    }
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
