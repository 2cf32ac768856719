//! Data: from an address in an object file to the variable there.
//!
//! Variables come from DWARF, those inside functions as `function::name`; where there is no
//! DWARF, from the symbol table.

use std::borrow::Cow;
use std::path::Path;

use gimli::{AttributeValue, Operation, UnitOffset};
use object::{Object, ObjectSection, ObjectSymbol, SymbolKind};

use super::types::{Entry, Slice, TypeId, TypeReader, Types};

/// The variables of one object file.
#[derive(Default)]
pub(super) struct Data {
    /// Sorted by address.
    variables: Vec<Variable>,
    types: Types,
    /// Sorted by address; from the symbol table.
    symbols: Vec<Symbol>,
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
        let mut data = Data { symbols: symbols(&file), ..Data::default() };
        // Where debug information is broken, the symbol table still serves.
        if let Ok((variables, types)) = debug_variables(&file) {
            (data.variables, data.types) = (variables, types);
        }
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

fn debug_variables(file: &object::File<'_>) -> Result<(Vec<Variable>, Types), gimli::Error> {
    let section = |id: gimli::SectionId| -> Result<Cow<'_, [u8]>, gimli::Error> {
        let section = file.section_by_name(id.name());
        Ok(section.and_then(|s| s.uncompressed_data().ok()).unwrap_or_default())
    };
    let sections = gimli::DwarfSections::load(section)?;
    let dwarf = sections.borrow(|bytes| Slice::new(bytes, gimli::LittleEndian));
    let mut units = Vec::new();
    let mut headers = dwarf.units();
    while let Some(header) = headers.next()? {
        units.push(dwarf.unit(header)?);
    }
    let mut walk = Walk { reader: TypeReader::new(&dwarf, &units), variables: Vec::new() };
    for unit in 0..units.len() {
        walk.unit(unit)?;
    }
    Ok((walk.variables, walk.reader.types))
}

/// Goes through all entries.
struct Walk<'a> {
    reader: TypeReader<'a>,
    variables: Vec<Variable>,
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
        let origin = self.origin(unit, entry);
        let (home, declared) = origin.as_ref().map_or((unit, entry), |(home, e)| (*home, e));
        let Some(name) = self.full_name(unit, entry, home, declared, scopes) else { return };
        // A definition may say more than its declaration: `extern int table[]`.
        let ty = match entry.has_attr(gimli::DW_AT_type) {
            true => self.reader.type_of(unit, entry),
            false => self.reader.type_of(home, declared),
        };
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

    /// The entry that has the name and type of this one, if it is another.
    fn origin(&self, unit: usize, entry: &Entry<'a>) -> Option<(usize, Entry<'a>)> {
        if entry.has_attr(gimli::DW_AT_name) {
            return None;
        }
        let target = |attribute| self.reader.target(unit, entry, attribute);
        let (unit, offset) =
            target(gimli::DW_AT_specification).or_else(|| target(gimli::DW_AT_abstract_origin))?;
        Some((unit, self.reader.units[unit].entry(offset).ok()?))
    }

    fn scope_name(&self, unit: usize, offset: UnitOffset) -> Option<String> {
        let entry = self.reader.units[unit].entry(offset).ok()?;
        match self.origin(unit, &entry) {
            Some((unit, origin)) => self.reader.name(unit, &origin),
            None => self.reader.name(unit, &entry),
        }
    }
}
