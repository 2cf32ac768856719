//! Types: which part of a variable some of its bytes are.
//!
//! In: entries of DWARF, as far as variables need them. Out: suffixes like `.balance` and `[3]`.
//! Bytes that are no part as a whole are counted from the innermost thing that has them all.

use std::fmt::Write as _;
use std::ops::Range;

use gimli::{AttributeValue, DebuggingInformationEntry, Dwarf, Unit, UnitOffset};
use rustc_hash::FxHashMap;

pub(super) type Slice<'a> = gimli::EndianSlice<'a, gimli::LittleEndian>;
pub(super) type Entry<'a> = DebuggingInformationEntry<Slice<'a>>;

/// How deep types are looked into; cycles are no types, but files can contain anything.
const MAX_DEPTH: u32 = 64;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct TypeId(u32);

struct Type {
    size: u64,
    shape: Shape,
}

enum Shape {
    /// Numbers, pointers, and what is not looked into.
    Leaf,
    /// Structures and unions.
    Members(Vec<Member>),
    Elements {
        element: TypeId,
        /// The outermost first; 0 is unknown.
        lengths: Vec<u64>,
    },
}

struct Member {
    offset: u64,
    /// Nothing for what is part of its parent: a base class, an anonymous structure.
    name: Option<String>,
    ty: TypeId,
}

/// The types of one object file, as far as variables have them.
pub(super) struct Types {
    all: Vec<Type>,
}

/// The opaque type of no size.
pub(super) const OPAQUE: TypeId = TypeId(0);

impl Default for Types {
    fn default() -> Types {
        Types { all: vec![Type { size: 0, shape: Shape::Leaf }] }
    }
}

impl Types {
    /// Bytes of a type.
    pub(super) fn size(&self, ty: TypeId) -> u64 {
        self.all[ty.0 as usize].size
    }

    /// Appends which part of a type `size` bytes at an offset are.
    pub(super) fn path(&self, ty: TypeId, offset: u64, size: u64, name: &mut String) {
        match &self.all[ty.0 as usize].shape {
            Shape::Members(members) => {
                let has = |m: &&Member| {
                    let end = m.offset.saturating_add(self.size(m.ty));
                    m.offset <= offset && offset.saturating_add(size) <= end
                };
                let Some(member) = members.iter().find(has) else { return rest(offset, name) };
                if let Some(part) = &member.name {
                    let _ = write!(name, ".{part}");
                }
                self.path(member.ty, offset - member.offset, size, name);
            }
            Shape::Elements { element, lengths } => {
                if let Some(offset) = index(self.size(*element), lengths, (offset, size), name) {
                    self.path(*element, offset, size, name);
                }
            }
            Shape::Leaf => rest(offset, name),
        }
    }

    fn add(&mut self, size: u64, shape: Shape) -> TypeId {
        self.all.push(Type { size, shape });
        TypeId(self.all.len() as u32 - 1)
    }
}

/// Appends where some bytes of an array are: `[i][j]` if one element has them, and where they are in it then;
/// `[i][j..k]` if several are meant.
fn index(
    each: u64,
    lengths: &[u64],
    (mut offset, size): (u64, u64),
    name: &mut String,
) -> Option<u64> {
    for (at, &length) in lengths.iter().enumerate() {
        let stride = lengths[at + 1..].iter().fold(each, |size, &n| size.saturating_mul(n));
        let is_one = stride > 0 && (offset % stride).saturating_add(size) <= stride;
        if is_one {
            let _ = write!(name, "[{}]", offset / stride);
            offset %= stride;
            continue;
        }
        let is_even = stride > 0 && offset.is_multiple_of(stride) && size.is_multiple_of(stride);
        if !is_even {
            rest(offset, name);
        } else if (offset, size / stride) != (0, length) {
            let _ = write!(name, "[{}..{}]", offset / stride, offset / stride + size / stride);
        }
        return None;
    }
    Some(offset)
}

/// Appends where bytes begin that are no part as a whole.
fn rest(offset: u64, name: &mut String) {
    if offset > 0 {
        let _ = write!(name, "+{offset}");
    }
}

/// Reads types from DWARF.
pub(super) struct TypeReader<'a> {
    pub(super) dwarf: &'a Dwarf<Slice<'a>>,
    pub(super) units: &'a [Unit<Slice<'a>>],
    pub(super) types: Types,
    known: FxHashMap<usize, TypeId>,
}

impl<'a> TypeReader<'a> {
    pub(super) fn new(dwarf: &'a Dwarf<Slice<'a>>, units: &'a [Unit<Slice<'a>>]) -> Self {
        TypeReader { dwarf, units, types: Types::default(), known: FxHashMap::default() }
    }

    /// The type that an entry has.
    pub(super) fn type_of(&mut self, unit: usize, entry: &Entry<'a>) -> TypeId {
        self.referred(unit, entry, 0).unwrap_or(OPAQUE)
    }

    /// The type of an entry, or of what it is made of. A definition may say more than its declaration:
    /// `extern int table[]`.
    pub(super) fn declared_type(&mut self, unit: usize, entry: &Entry<'a>) -> TypeId {
        match self.origin(unit, entry) {
            Some((home, origin)) if !entry.has_attr(gimli::DW_AT_type) => {
                self.type_of(home, &origin)
            }
            _ => self.type_of(unit, entry),
        }
    }

    /// The name of an entry, or of what it is made of.
    pub(super) fn declared_name(&self, unit: usize, entry: &Entry<'a>) -> Option<String> {
        match self.origin(unit, entry) {
            Some((home, origin)) => self.name(home, &origin),
            None => self.name(unit, entry),
        }
    }

    /// The entry that has the name and type of this one, if it is another.
    pub(super) fn origin(&self, unit: usize, entry: &Entry<'a>) -> Option<(usize, Entry<'a>)> {
        if entry.has_attr(gimli::DW_AT_name) {
            return None;
        }
        let target = |attribute| self.target(unit, entry, attribute);
        let (unit, offset) =
            target(gimli::DW_AT_specification).or_else(|| target(gimli::DW_AT_abstract_origin))?;
        Some((unit, self.units[unit].entry(offset).ok()?))
    }

    /// Where the code of an entry is.
    pub(super) fn ranges(&self, unit: usize, entry: &Entry<'a>) -> Vec<Range<u64>> {
        let Ok(mut ranges) = self.dwarf.die_ranges(&self.units[unit], entry) else {
            return Vec::new();
        };
        let mut found = Vec::new();
        while let Ok(Some(range)) = ranges.next() {
            // What the linker has thrown away begins at zero.
            if range.begin != 0 && range.begin < range.end {
                found.push(range.begin..range.end);
            }
        }
        found
    }

    /// The entry that an attribute of an entry refers to.
    pub(super) fn target(
        &self,
        unit: usize,
        entry: &Entry<'a>,
        attribute: gimli::DwAt,
    ) -> Option<(usize, UnitOffset)> {
        match entry.attr_value(attribute)? {
            AttributeValue::UnitRef(offset) => Some((unit, offset)),
            AttributeValue::DebugInfoRef(offset) => {
                let start = |unit: &Unit<Slice<'a>>| unit.header.debug_info_offset();
                let next = self.units.partition_point(|unit| start(unit) <= Some(offset));
                let unit = next.checked_sub(1)?;
                Some((unit, offset.to_unit_offset(&self.units[unit].header)?))
            }
            _ => None,
        }
    }

    /// The name of an entry.
    pub(super) fn name(&self, unit: usize, entry: &Entry<'a>) -> Option<String> {
        self.text(unit, entry, gimli::DW_AT_name)
    }

    /// The name of an entry as the linker knows it, where that is another.
    pub(super) fn linkage_name(&self, unit: usize, entry: &Entry<'a>) -> Option<String> {
        self.text(unit, entry, gimli::DW_AT_linkage_name)
    }

    fn text(&self, unit: usize, entry: &Entry<'a>, attribute: gimli::DwAt) -> Option<String> {
        let name = entry.attr_value(attribute)?;
        let text = self.dwarf.attr_string(&self.units[unit], name).ok()?;
        Some(text.to_string_lossy().into_owned())
    }

    fn referred(&mut self, unit: usize, entry: &Entry<'a>, depth: u32) -> Option<TypeId> {
        let (unit, offset) = self.target(unit, entry, gimli::DW_AT_type)?;
        let key = self.units[unit].header.debug_info_offset()?.0.checked_add(offset.0)?;
        if let Some(&known) = self.known.get(&key) {
            return Some(known);
        }
        if depth > MAX_DEPTH {
            return None;
        }
        self.known.insert(key, OPAQUE);
        let ty = self.read(unit, offset, depth + 1).unwrap_or(OPAQUE);
        self.known.insert(key, ty);
        Some(ty)
    }

    fn read(&mut self, unit: usize, offset: UnitOffset, depth: u32) -> Option<TypeId> {
        let entry = self.units[unit].entry(offset).ok()?;
        let size = number(&entry, gimli::DW_AT_byte_size);
        match entry.tag() {
            gimli::DW_TAG_typedef
            | gimli::DW_TAG_const_type
            | gimli::DW_TAG_volatile_type
            | gimli::DW_TAG_restrict_type
            | gimli::DW_TAG_atomic_type => self.referred(unit, &entry, depth),
            gimli::DW_TAG_structure_type | gimli::DW_TAG_class_type | gimli::DW_TAG_union_type => {
                let members = self.members(unit, offset, depth)?;
                Some(self.types.add(size.unwrap_or(0), Shape::Members(members)))
            }
            gimli::DW_TAG_array_type => self.array(unit, &entry, size, depth),
            gimli::DW_TAG_pointer_type
            | gimli::DW_TAG_reference_type
            | gimli::DW_TAG_rvalue_reference_type => {
                Some(self.types.add(size.unwrap_or(8), Shape::Leaf))
            }
            _ => Some(self.types.add(size?, Shape::Leaf)),
        }
    }

    fn members(&mut self, unit: usize, offset: UnitOffset, depth: u32) -> Option<Vec<Member>> {
        let mut members = Vec::new();
        let units = self.units;
        let mut tree = units[unit].entries_tree(Some(offset)).ok()?;
        let mut children = tree.root().ok()?.children();
        while let Ok(Some(child)) = children.next() {
            let entry = child.entry();
            if !matches!(entry.tag(), gimli::DW_TAG_member | gimli::DW_TAG_inheritance) {
                continue;
            }
            let bytes = number(entry, gimli::DW_AT_data_member_location);
            let bits = || number(entry, gimli::DW_AT_data_bit_offset).map(|bits| bits / 8);
            members.push(Member {
                offset: bytes.or_else(bits).unwrap_or(0),
                name: self.name(unit, entry),
                ty: self.referred(unit, entry, depth).unwrap_or(OPAQUE),
            });
        }
        Some(members)
    }

    fn array(
        &mut self,
        unit: usize,
        entry: &Entry<'a>,
        size: Option<u64>,
        depth: u32,
    ) -> Option<TypeId> {
        let element = self.referred(unit, entry, depth)?;
        let mut lengths = Vec::new();
        let units = self.units;
        let mut tree = units[unit].entries_tree(Some(entry.offset())).ok()?;
        let mut children = tree.root().ok()?.children();
        while let Ok(Some(child)) = children.next() {
            let entry = child.entry();
            if entry.tag() == gimli::DW_TAG_subrange_type {
                let last = || number(entry, gimli::DW_AT_upper_bound)?.checked_add(1);
                lengths.push(number(entry, gimli::DW_AT_count).or_else(last).unwrap_or(0));
            }
        }
        let each = self.types.size(element);
        let whole = lengths.iter().fold(each, |size, &length| size.saturating_mul(length));
        Some(self.types.add(size.unwrap_or(whole), Shape::Elements { element, lengths }))
    }
}

fn number(entry: &Entry<'_>, attribute: gimli::DwAt) -> Option<u64> {
    entry.attr_value(attribute)?.udata_value()
}
