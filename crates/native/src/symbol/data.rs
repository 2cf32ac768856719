//! Data: from an address in an object file to the variable there.
//!
//! Variables come from DWARF, those inside functions as `function::name`; where there is no
//! DWARF, from the symbol table.

use std::borrow::Cow;
use std::ops::Range;
use std::path::Path;

use gimli::{AttributeValue, Operation, UnitOffset};
use object::{Object, ObjectSection, ObjectSegment, ObjectSymbol, SegmentFlags, SymbolKind, elf};

use super::local::Code;
use super::types::{Entry, Slice, TypeId, TypeReader, Types};

/// The variables of one object file.
#[derive(Default)]
pub(super) struct Data {
    /// Sorted by address.
    variables: Vec<Variable>,
    types: Types,
    /// Sorted by address; from the symbol table.
    symbols: Vec<Symbol>,
    /// Sorted by address.
    functions: Vec<Code>,
    /// What cannot be written.
    constants: Vec<Range<u64>>,
}

struct Variable {
    address: u64,
    size: u64,
    name: String,
    ty: TypeId,
}

struct Symbol {
    address: u64,
    size: u64,
    name: String,
}

impl Data {
    /// Reads all variables of a file.
    pub(super) fn load(path: &Path) -> Option<Data> {
        let bytes = super::map(path)?;
        let file = object::File::parse(&*bytes).ok()?;
        let (symbols, constants) = (symbols(&file), constants(&file));
        let mut data = Data { symbols, constants, ..Data::default() };
        // Where debug information is broken, the symbol table still serves.
        if let Ok((variables, types, functions)) = debug_variables(&file) {
            (data.variables, data.types, data.functions) = (variables, types, functions);
        }
        data.functions.sort_unstable();
        data.variables.sort_by(|a, b| (a.address, &a.name).cmp(&(b.address, &b.name)));
        data.symbols.sort_by(|a, b| (a.address, &a.name).cmp(&(b.address, &b.name)));
        data.complete();
        Some(data)
    }

    /// An array that was declared without a length has the one that the linker knows.
    fn complete(&mut self) {
        for variable in self.variables.iter_mut().filter(|variable| variable.size == 0) {
            let at = self.symbols.partition_point(|s| s.address < variable.address);
            let symbol = self.symbols.get(at).filter(|s| s.address == variable.address);
            variable.size = symbol.map_or(0, |symbol| symbol.size);
        }
    }

    /// Whether what is at an address cannot be written.
    pub(super) fn is_constant(&self, address: u64) -> bool {
        self.constants.iter().any(|range| range.contains(&address))
    }

    /// The function that has an address of the file in its code.
    pub(super) fn function(&self, address: u64) -> Option<Code> {
        let next = self.functions.partition_point(|code| code.range.0 <= address);
        self.functions[..next].last().filter(|code| address < code.range.1).copied()
    }

    /// The name of `size` bytes at an address in the file.
    pub(super) fn name(&self, address: u64, size: u64) -> Option<String> {
        let next = self.variables.partition_point(|v| v.address <= address);
        let found = self.variables[..next].last().filter(|v| address - v.address < v.size.max(1));
        if let Some(variable) = found {
            let mut name = variable.name.clone();
            self.types.path(variable.ty, address - variable.address, size, &mut name);
            return Some(name);
        }
        let next = self.symbols.partition_point(|s| s.address <= address);
        let symbol = self.symbols[..next].last().filter(|s| address - s.address < s.size)?;
        Some(match address - symbol.address {
            0 => symbol.name.clone(),
            offset => format!("{}+{offset}", symbol.name),
        })
    }
}

fn symbols(file: &object::File<'_>) -> Vec<Symbol> {
    let data = |s: &object::Symbol<'_, '_>| s.kind() == SymbolKind::Data && s.is_definition();
    let symbol = |s: object::Symbol<'_, '_>| {
        let name = addr2line::demangle_auto(s.name().ok()?.into(), None).into_owned();
        Some(Symbol { address: s.address(), size: s.size(), name })
    };
    file.symbols().chain(file.dynamic_symbols()).filter(data).filter_map(symbol).collect()
}

fn constants(file: &object::File<'_>) -> Vec<Range<u64>> {
    let is_constant = |segment: &object::Segment<'_, '_>| matches!(segment.flags(), SegmentFlags::Elf { p_flags, .. } if p_flags & elf::PF_W == elf::ProgramFlags(0));
    let range = |segment: object::Segment<'_, '_>| {
        segment.address()..segment.address().saturating_add(segment.size())
    };
    file.segments().filter(is_constant).map(range).collect()
}

/// The sections that debug information lies in.
pub(super) fn sections<'a>(
    file: &object::File<'a>,
) -> Result<gimli::DwarfSections<Cow<'a, [u8]>>, gimli::Error> {
    gimli::DwarfSections::load(|id: gimli::SectionId| {
        let section = file.section_by_name(id.name());
        Ok(section.and_then(|s| s.uncompressed_data().ok()).unwrap_or_default())
    })
}

type Found = (Vec<Variable>, Types, Vec<Code>);

fn debug_variables(file: &object::File<'_>) -> Result<Found, gimli::Error> {
    let sections = sections(file)?;
    let dwarf = sections.borrow(|bytes| Slice::new(bytes, gimli::LittleEndian));
    let mut units = Vec::new();
    let mut headers = dwarf.units();
    while let Some(header) = headers.next()? {
        units.push(dwarf.unit(header)?);
    }
    let reader = TypeReader::new(&dwarf, &units);
    let mut walk = Walk { reader, variables: Vec::new(), functions: Vec::new() };
    for unit in 0..units.len() {
        walk.unit(unit)?;
    }
    Ok((walk.variables, walk.reader.types, walk.functions))
}

/// Goes through all entries.
struct Walk<'a> {
    reader: TypeReader<'a>,
    variables: Vec<Variable>,
    functions: Vec<Code>,
}

impl<'a> Walk<'a> {
    fn unit(&mut self, unit: usize) -> Result<(), gimli::Error> {
        let units = self.reader.units;
        let mut cursor = units[unit].entries();
        // Functions and namespaces around the entry, with their depth.
        let mut scopes: Vec<(isize, UnitOffset)> = Vec::new();
        while let Some(entry) = cursor.next_dfs()? {
            while scopes.last().is_some_and(|&(depth, _)| depth >= entry.depth()) {
                scopes.pop();
            }
            match entry.tag() {
                gimli::DW_TAG_namespace | gimli::DW_TAG_subprogram => {
                    scopes.push((entry.depth(), entry.offset()));
                    self.function(unit, entry);
                }
                gimli::DW_TAG_variable => {
                    if let Some(address) = self.address(unit, entry) {
                        self.variable(unit, entry, address, &scopes);
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Notes where the code of a function is.
    fn function(&mut self, unit: usize, entry: &Entry<'a>) {
        let Some(home) = self.reader.units[unit].header.debug_info_offset() else { return };
        let (unit, ranges) = (home.0, self.reader.ranges(unit, entry));
        let code = |range: Range<u64>| Code {
            range: (range.start, range.end),
            unit,
            entry: entry.offset().0,
        };
        self.functions.extend(ranges.into_iter().map(code));
    }

    /// The fixed address of a variable, if it has one.
    fn address(&self, unit: usize, entry: &Entry<'a>) -> Option<u64> {
        let AttributeValue::Exprloc(expression) = entry.attr_value(gimli::DW_AT_location)? else {
            return None;
        };
        let unit = &self.reader.units[unit];
        let mut operations = expression.operations(unit.encoding());
        let address = match operations.next().ok()?? {
            Operation::Address { address } => address,
            Operation::AddressIndex { index } => self.reader.dwarf.address(unit, index).ok()?,
            _ => return None,
        };
        operations.next().ok()?.is_none().then_some(address)
    }

    fn variable(
        &mut self,
        unit: usize,
        entry: &Entry<'a>,
        address: u64,
        scopes: &[(isize, UnitOffset)],
    ) {
        let origin = self.reader.origin(unit, entry);
        let (home, declared) = origin.as_ref().map_or((unit, entry), |(home, e)| (*home, e));
        let Some(name) = self.full_name(unit, entry, home, declared, scopes) else { return };
        let ty = self.reader.declared_type(unit, entry);
        let size = self.reader.types.size(ty);
        self.variables.push(Variable { address, size, name, ty });
    }

    /// The name with what is around it. Languages that mangle have it all in the linker's name.
    fn full_name(
        &self,
        unit: usize,
        entry: &Entry<'a>,
        home: usize,
        declared: &Entry<'a>,
        scopes: &[(isize, UnitOffset)],
    ) -> Option<String> {
        let linked = self.reader.linkage_name(unit, entry);
        if let Some(name) = linked.or_else(|| self.reader.linkage_name(home, declared)) {
            return Some(addr2line::demangle_auto(name.into(), None).into_owned());
        }
        let mut name = self.reader.name(home, declared)?;
        for &(_, scope) in scopes.iter().rev() {
            if let Some(scope) = self.scope_name(unit, scope) {
                name = format!("{scope}::{name}");
            }
        }
        Some(name)
    }

    fn scope_name(&self, unit: usize, offset: UnitOffset) -> Option<String> {
        let entry = self.reader.units[unit].entry(offset).ok()?;
        self.reader.declared_name(unit, &entry)
    }
}
