//! Locals: from an address on a stack to the variable of a function there.
//!
//! In: a function, as an address in it, and what its registers held when it was entered. Out: names like
//! `main:ids[0]`, as the machine for C sources has them. A variable counts where its frame has a place for it
//! (`DW_OP_fbreg`), for as long as its block is executed:
//!
//! - B1: the frame begins where `DW_AT_frame_base` says: at the canonical frame address (gcc), at `rbp` or at the
//!   stack pointer (clang). Other ways to say it are not understood, and such variables have no names.
//! - B2: of blocks inside each other that have a variable at the same place, the innermost one counts.
//! - B3: what was inlined is a block, and called after its own function.
//! - B4: what is outside of all such blocks is still the variable that has one place for its whole life there, if there is
//!   no other: in Rust and C++ a block begins behind what initialises its variable.

use std::ops::Range;
use std::path::Path;

use gimli::{AttributeValue, DebugInfoOffset, EntriesTreeNode, Expression, Operation, UnitOffset};

use super::data::sections;
use super::types::{Entry, Slice, TypeId, TypeReader, Types};
use super::unwind::{self, Registers, Rule};

/// How deep blocks are looked into.
const MAX_DEPTH: u32 = 64;

/// Where the code of a function is, and where the debug information speaks of it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Code {
    /// The first address, and the one behind the last.
    pub(super) range: (u64, u64),
    pub(super) unit: usize,
    pub(super) entry: usize,
}

/// The variables that a function has on its stack.
pub(super) struct Function {
    start: u64,
    base: Rule,
    types: Types,
    locals: Vec<Local>,
}

struct Local {
    name: String,
    /// Counts variables of the function; one may have several places.
    number: u32,
    /// From the frame's beginning.
    offset: i64,
    ty: TypeId,
    /// Where in the code it is there.
    scope: Vec<Range<u64>>,
    /// Whether it has no other place.
    is_fixed: bool,
    depth: u32,
}

/// Some bytes of a variable on a stack.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LocalName {
    /// `function:variable.part`.
    pub name: String,
    /// Where the code of its function begins in the file, and which of its variables it is.
    pub id: (u64, u32),
}

impl Function {
    /// Reads a function that reported its entry from an address.
    pub(super) fn load(path: &Path, code: Code, address: u64) -> Option<Function> {
        let bytes = super::map(path)?;
        let file = object::File::parse(&*bytes).ok()?;
        let sections = sections(&file).ok()?;
        let dwarf = sections.borrow(|bytes| Slice::new(bytes, gimli::LittleEndian));
        let header = dwarf.debug_info.header_from_offset(DebugInfoOffset(code.unit)).ok()?;
        let units = [dwarf.unit(header).ok()?];
        let mut tree = units[0].entries_tree(Some(UnitOffset(code.entry))).ok()?;
        let root = tree.root().ok()?;
        let mut walk = Walk { reader: TypeReader::new(&dwarf, &units), locals: Vec::new(), n: 0 };
        let base = walk.base(root.entry(), || unwind::frame_address(&file, address))?;
        let name = walk.reader.declared_name(0, root.entry())?;
        let scope = walk.reader.ranges(0, root.entry());
        walk.block(root, &Block { name, scope, depth: 0 });
        let (types, locals) = (walk.reader.types, walk.locals);
        Some(Function { start: code.range.0, base, types, locals })
    }

    /// The name of `size` bytes in a frame of this function, which is being executed at `pc`.
    pub(super) fn name(
        &self,
        registers: Registers,
        pc: u64,
        address: u64,
        size: u64,
    ) -> Option<LocalName> {
        let base = self.base.of(registers);
        let start = |local: &Local| base.wrapping_add_signed(local.offset);
        let has = |local: &&Local| address.wrapping_sub(start(local)) < self.types.size(local.ty);
        let is_in_scope = |local: &&Local| local.scope.iter().any(|range| range.contains(&pc));
        let here = || self.locals.iter().filter(has);
        let inner = here().filter(is_in_scope).max_by_key(|local| local.depth); // B2
        let only = || {
            let first = here().next().filter(|local| local.is_fixed)?;
            here().all(|other| other.number == first.number).then_some(first)
        };
        let local = inner.or_else(only)?; // B4
        let mut name = local.name.clone();
        self.types.path(local.ty, address.wrapping_sub(start(local)), size, &mut name);
        Some(LocalName { name, id: (self.start, local.number) })
    }
}

/// Goes through the blocks of a function.
struct Walk<'a> {
    reader: TypeReader<'a>,
    locals: Vec<Local>,
    n: u32,
}

/// A block of code.
struct Block {
    /// The function that it is written in.
    name: String,
    scope: Vec<Range<u64>>,
    depth: u32,
}

impl<'a> Walk<'a> {
    /// B1
    fn base(&self, function: &Entry<'a>, cfa: impl Fn() -> Option<Rule>) -> Option<Rule> {
        let AttributeValue::Exprloc(base) = function.attr_value(gimli::DW_AT_frame_base)? else {
            return None;
        };
        match self.only(base)? {
            Operation::CallFrameCFA => cfa(),
            Operation::Register { register } => Rule::new(register, 0),
            Operation::RegisterOffset { register, offset, .. } => Rule::new(register, offset),
            _ => None,
        }
    }

    fn block(&mut self, node: EntriesTreeNode<'_, '_, Slice<'a>>, block: &Block) {
        let mut children = node.children();
        while let Ok(Some(child)) = children.next() {
            let entry = child.entry();
            match entry.tag() {
                gimli::DW_TAG_variable | gimli::DW_TAG_formal_parameter => {
                    self.variable(entry, block);
                }
                gimli::DW_TAG_lexical_block
                | gimli::DW_TAG_inlined_subroutine
                | gimli::DW_TAG_try_block
                | gimli::DW_TAG_catch_block
                    if block.depth < MAX_DEPTH =>
                {
                    let inner = self.inner(entry, block);
                    self.block(child, &inner);
                }
                _ => {}
            }
        }
    }

    fn inner(&self, entry: &Entry<'a>, outer: &Block) -> Block {
        let is_inlined = entry.tag() == gimli::DW_TAG_inlined_subroutine;
        let name = is_inlined.then(|| self.reader.declared_name(0, entry)).flatten(); // B3
        let ranges = self.reader.ranges(0, entry);
        Block {
            name: name.unwrap_or_else(|| outer.name.clone()),
            scope: if ranges.is_empty() { outer.scope.clone() } else { ranges },
            depth: outer.depth + 1,
        }
    }

    fn variable(&mut self, entry: &Entry<'a>, block: &Block) {
        let places = self.places(entry, block);
        let Some(name) = self.reader.declared_name(0, entry).filter(|_| !places.is_empty()) else {
            return;
        };
        let ty = self.reader.declared_type(0, entry);
        let is_fixed =
            matches!(entry.attr_value(gimli::DW_AT_location), Some(AttributeValue::Exprloc(_)));
        let (number, depth) = (self.n, block.depth);
        for (offset, scope) in places {
            let name = format!("{}:{name}", block.name);
            self.locals.push(Local { name, number, offset, ty, scope, is_fixed, depth });
        }
        self.n += 1;
    }

    /// Where in the frame a variable is, and for how long.
    fn places(&self, entry: &Entry<'a>, block: &Block) -> Vec<(i64, Vec<Range<u64>>)> {
        let Some(location) = entry.attr_value(gimli::DW_AT_location) else { return Vec::new() };
        if let AttributeValue::Exprloc(expression) = location {
            let offset = self.offset(expression);
            return offset.map(|offset| (offset, block.scope.clone())).into_iter().collect();
        }
        let (dwarf, unit) = (self.reader.dwarf, &self.reader.units[0]);
        let Ok(Some(mut list)) = dwarf.attr_locations(unit, location) else { return Vec::new() };
        let mut places = Vec::new();
        while let Ok(Some(place)) = list.next() {
            if let Some(offset) = self.offset(place.data) {
                let range = place.range.begin..place.range.end;
                places.push((offset, Vec::from([range])));
            }
        }
        places
    }

    fn offset(&self, place: Expression<Slice<'a>>) -> Option<i64> {
        match self.only(place)? {
            Operation::FrameOffset { offset } => Some(offset),
            _ => None,
        }
    }

    /// The operation of an expression that has one.
    fn only(&self, expression: Expression<Slice<'a>>) -> Option<Operation<Slice<'a>>> {
        let mut operations = expression.operations(self.reader.units[0].encoding());
        let operation = operations.next().ok()??;
        operations.next().ok()?.is_none().then_some(operation)
    }
}
