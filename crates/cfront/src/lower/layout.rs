//! Layout: sizes, alignments and the fields of records, as gcc lays them out on x86.
//!
//! A bit-field is read and written through a unit that holds it: that of its declared type, as
//! long as this unit holds nothing but bit-fields; else the fewest bytes that hold it, since a
//! write to a bit-field must not touch its other neighbours (C11 3.14).

use std::sync::Arc;

use super::ctype::{Float, Length, Qualified, RecordId, Type};
use crate::ast::Name;
use crate::ir::{self, DataModel, Kind};

/// A struct or a union.
#[derive(Clone, Debug)]
pub(crate) struct Record {
    pub(crate) union: bool,
    pub(crate) tag: Option<Name>,
    /// None while it is incomplete.
    pub(crate) layout: Option<Layout>,
}

/// Where the fields of a complete record lie.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Layout {
    pub(crate) fields: Vec<Field>,
    pub(crate) size: u64,
    pub(crate) align: u32,
}

/// A field; an anonymous record has no name, and neither has the padding of a bit-field.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Field {
    pub(crate) name: Option<Name>,
    pub(crate) ty: Qualified,
    pub(crate) offset: u64,
    pub(crate) bits: Option<Bits>,
}

/// Where a bit-field lies in its unit, which starts at the field's offset.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Bits {
    pub(crate) unit: Kind,
    pub(crate) shift: u8,
    pub(crate) width: u8,
}

/// A field before it has a place.
#[derive(Clone, Debug)]
pub(crate) struct Member {
    pub(crate) name: Option<Name>,
    pub(crate) ty: Qualified,
    pub(crate) width: Option<u8>,
    /// At least this alignment.
    pub(crate) align: Option<u32>,
    /// No more than this alignment of its own: 1 if it is packed.
    pub(crate) limit: u32,
}

/// All records of a program, and the data model they are laid out for.
#[derive(Debug)]
pub(crate) struct Records {
    pub(crate) model: DataModel,
    table: Vec<Record>,
    shown: Vec<Option<ir::TypeId>>,
}

impl Records {
    pub(crate) fn new(model: DataModel) -> Records {
        Records { model, table: Vec::new(), shown: Vec::new() }
    }

    pub(crate) fn add(&mut self, union: bool, tag: Option<Name>) -> RecordId {
        self.table.push(Record { union, tag, layout: None });
        self.shown.push(None);
        RecordId(self.table.len() as u32 - 1)
    }

    pub(crate) fn get(&self, id: RecordId) -> &Record {
        &self.table[id.0 as usize]
    }

    pub(crate) fn complete(&mut self, id: RecordId, layout: Layout) {
        self.table[id.0 as usize].layout = Some(layout);
    }

    /// How many bytes a value takes; none for incomplete and variable types and functions.
    pub(crate) fn size(&self, ty: &Type) -> Option<u64> {
        match ty {
            Type::Void => Some(1),
            Type::Function(_) => Some(1),
            Type::Float(Float::Long) if self.model == DataModel::Lp64 => Some(16),
            Type::Float(Float::Long) => Some(12),
            Type::Array(element, Length::Known(n)) => self.size(&element.ty)?.checked_mul(*n),
            Type::Array(..) => None,
            Type::Record(id) => self.get(*id).layout.as_ref().map(|layout| layout.size),
            scalar => scalar.kind(self.model).map(|kind| u64::from(kind.size())),
        }
    }

    /// The alignment of a type; 1 if it is not known.
    pub(crate) fn align(&self, ty: &Type) -> u32 {
        match ty {
            Type::Float(Float::Long) if self.model == DataModel::Lp64 => 16,
            Type::Float(Float::Long) => 4,
            Type::Array(element, _) => self.align(&element.ty),
            Type::Record(id) => self.get(*id).layout.as_ref().map_or(1, |layout| layout.align),
            scalar => scalar.kind(self.model).map_or(1, Kind::size),
        }
    }

    /// The alignment within a record: at most 4 for 8-byte scalars of the 32-bit model.
    fn field_align(&self, ty: &Type) -> u32 {
        let align = match ty {
            Type::Array(element, _) => return self.field_align(&element.ty),
            other => self.align(other),
        };
        match (self.model, ty) {
            (DataModel::Ilp32, Type::Int(_) | Type::Float(_)) => align.min(4),
            _ => align,
        }
    }

    /// Lays out the members of a record; `None` if it would be larger than addresses allow.
    pub(crate) fn lay_out(
        &self,
        union: bool,
        members: Vec<Member>,
        align: Option<u32>,
    ) -> Option<Layout> {
        let mut placer = Placer { union, bit: 0, size_bits: 0, align: 1 };
        let mut fields = Vec::with_capacity(members.len());
        for member in members {
            if let Some(field) = self.place(&mut placer, member)? {
                fields.push(field);
            }
        }
        let align = placer.align.max(align.unwrap_or(1));
        let size = placer.size_bits.div_ceil(8).checked_next_multiple_of(u64::from(align))?;
        (size <= u64::from(u32::MAX) / 2).then_some(())?;
        let mut layout = Layout { fields, size, align };
        widen_units(&mut layout, self);
        fit_units(&mut layout)?;
        Some(layout)
    }

    fn place(&self, placer: &mut Placer, member: Member) -> Option<Option<Field>> {
        let size = match &member.ty.ty {
            Type::Array(_, Length::Unknown) => 0,
            ty => self.size(ty)?,
        };
        let natural = self.field_align(&member.ty.ty).min(member.limit);
        let align = natural.max(member.align.unwrap_or(1));
        let Some(width) = member.width else {
            let offset = placer.take(size.checked_mul(8)?, align)?;
            return Some(Some(Field { name: member.name, ty: member.ty, offset, bits: None }));
        };
        let bit = placer.take_bits(
            width,
            size as u32 * 8,
            align,
            member.limit == 1,
            member.name.is_some(),
        );
        if width == 0 || member.name.is_none() {
            return Some(None);
        }
        let (offset, bits) = narrow_unit(bit, width);
        Some(Some(Field { name: member.name, ty: member.ty, offset, bits: Some(bits) }))
    }

    /// The field with this name, looked for in anonymous records as well, with the offset from
    /// the start of the outermost record.
    pub(crate) fn field(&self, id: RecordId, name: &str) -> Option<Field> {
        let layout = self.get(id).layout.as_ref()?;
        for field in &layout.fields {
            if field.name.as_deref() == Some(name) {
                return Some(field.clone());
            }
            if let (None, Type::Record(inner)) = (&field.name, &field.ty.ty)
                && let Some(mut found) = self.field(*inner, name)
            {
                found.offset += field.offset;
                found.ty.constant |= field.ty.constant;
                return Some(found);
            }
        }
        None
    }

    /// The type as the analyses and reports see it.
    pub(crate) fn show(&mut self, ty: &Type, types: &mut ir::Types) -> ir::TypeId {
        match ty {
            Type::Record(id) => self.show_record(*id, types),
            Type::Array(element, length) => {
                let stride = self.size(&element.ty).unwrap_or(0);
                let element = self.show(&element.ty, types);
                let count = if let Length::Known(n) = length { *n } else { 0 };
                types.add(ir::Type::Array { element, count, stride })
            }
            Type::Int(super::ctype::Int::Bool) => types.add(ir::Type::Bool),
            other => types.add(match other.kind(self.model) {
                Some(kind) => ir::Type::Scalar(kind),
                None => ir::Type::Opaque { size: self.size(other).unwrap_or(0) },
            }),
        }
    }

    fn show_record(&mut self, id: RecordId, types: &mut ir::Types) -> ir::TypeId {
        if let Some(shown) = self.shown[id.0 as usize] {
            return shown;
        }
        let record = self.get(id).clone();
        let Some(layout) = record.layout else {
            return types.add(ir::Type::Opaque { size: 0 });
        };
        let shown = types.add(ir::Type::Opaque { size: layout.size });
        self.shown[id.0 as usize] = Some(shown);
        let word = if record.union { "union" } else { "struct" };
        let name: Arc<str> =
            format!("{word} {}", record.tag.as_deref().unwrap_or("")).trim().into();
        let mut fields = Vec::with_capacity(layout.fields.len());
        for field in &layout.fields {
            let name = field.name.as_deref().unwrap_or("").into();
            let bits = field.bits.map(|bits| (bits.shift, bits.width));
            fields.push(ir::Field {
                name,
                offset: field.offset,
                ty: self.show(&field.ty.ty, types),
                bits,
            });
        }
        types.set(shown, ir::Type::Record { name, fields, size: layout.size });
        shown
    }
}

/// How far a record has been filled, in bits.
struct Placer {
    union: bool,
    bit: u64,
    size_bits: u64,
    align: u32,
}

impl Placer {
    /// Takes so many bits at the next aligned byte and returns its offset.
    fn take(&mut self, bits: u64, align: u32) -> Option<u64> {
        self.align = self.align.max(align);
        let start = if self.union { 0 } else { self.bit };
        let start = start.checked_next_multiple_of(u64::from(align) * 8)?;
        self.finish(start, bits)?;
        Some(start / 8)
    }

    /// Takes bits for a bit-field whose type has `unit` bits and returns the first one.
    fn take_bits(&mut self, width: u8, unit: u32, align: u32, packed: bool, named: bool) -> u64 {
        let mut start = if self.union { 0 } else { self.bit };
        let unit = u64::from(unit.max(8));
        let straddles = start / unit != (start + u64::from(width.max(1)) - 1) / unit;
        if width == 0 || (straddles && !packed) {
            start = start.next_multiple_of(unit);
        }
        if named {
            self.align = self.align.max(align);
        }
        self.finish(start, u64::from(width)).expect("bit-fields are small");
        start
    }

    fn finish(&mut self, start: u64, bits: u64) -> Option<()> {
        self.bit = start.checked_add(bits)?;
        self.size_bits = self.size_bits.max(self.bit);
        Some(())
    }
}

/// The fewest bytes that hold these bits, starting at a byte.
fn narrow_unit(bit: u64, width: u8) -> (u64, Bits) {
    let shift = (bit % 8) as u8;
    let unit = match u32::from(shift) + u32::from(width) {
        0..=8 => Kind::U8,
        9..=16 => Kind::U16,
        17..=32 => Kind::U32,
        _ => Kind::U64,
    };
    (bit / 8, Bits { unit, shift, width })
}

/// Moves the units of bit-fields into the record; none if there is no place for one.
fn fit_units(layout: &mut Layout) -> Option<()> {
    for field in &mut layout.fields {
        let Some(bits) = &mut field.bits else { continue };
        let fits = |start: u64, unit: Kind, shift: u64| {
            start + u64::from(unit.size()) <= layout.size
                && shift + u64::from(bits.width) <= u64::from(unit.size()) * 8
        };
        if fits(field.offset, bits.unit, u64::from(bits.shift)) {
            continue;
        }
        let bit = field.offset * 8 + u64::from(bits.shift);
        let units = [Kind::U8, Kind::U16, Kind::U32, Kind::U64];
        let (start, unit) = units.into_iter().find_map(|unit| {
            let end = (bit + u64::from(bits.width)).div_ceil(8);
            let start = end.checked_sub(u64::from(unit.size()))?;
            let start = start.min(bit / 8);
            fits(start, unit, bit - start * 8).then_some((start, unit))
        })?;
        (field.offset, bits.unit, bits.shift) = (start, unit, (bit - start * 8) as u8);
    }
    Some(())
}

/// Takes the unit of the declared type where it holds nothing but bit-fields.
fn widen_units(layout: &mut Layout, records: &Records) {
    let others: Vec<(u64, u64)> = layout
        .fields
        .iter()
        .filter(|field| field.bits.is_none())
        .map(|field| (field.offset, field.offset + records.size(&field.ty.ty).unwrap_or(0)))
        .collect();
    for field in &mut layout.fields {
        let (Some(bits), Some(size)) = (&mut field.bits, records.size(&field.ty.ty)) else {
            continue;
        };
        let start = field.offset / size * size;
        let shift = (field.offset - start) * 8 + u64::from(bits.shift);
        let end = start + size;
        let alone = !others.iter().any(|&(from, to)| from < end && start < to);
        if alone && end <= layout.size && shift + u64::from(bits.width) <= size * 8 {
            let unit = [Kind::U8, Kind::U16, Kind::U32, Kind::U64][size.trailing_zeros() as usize];
            *bits = Bits { unit, shift: shift as u8, width: bits.width };
            field.offset = start;
        }
    }
}
