//! Names for everything that a trace refers to.
//!
//! Globals are named after their variable and part; memory of the heap after the place that asked
//! for it (`heap@main.c:12+8`), the second one from there with `#2`, as on the machine for C sources.
//! Variables of functions are named after both (`main:ids[0]`), where calls were recorded with their frames.
//! Other memory is the stack of the main thread, or some that the program got in another way. Where a recording does
//! not say where that stack lies, all of it is taken for the stack of the thread which touched it first.

mod asked;
mod locals;
mod places;
mod recent;
mod sync;
mod threads;

use raddle_trace::{LocationId, Names, Range, StackId, Tables, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

use super::frames::Frames;
use super::heap::{Block, Heap};
use super::survey::{Survey, Threads};
use crate::symbol::Symbols;
use asked::Asked;
use locals::{Locals, Owner};
use recent::Recent;
use threads::add_unique;

/// An address as what it belongs to, and where in it: an allocation, or all other memory.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Spot {
    /// The number of the allocation.
    block: Option<u32>,
    offset: u64,
}

/// What a name was given to.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Key {
    Lock(Spot),
    /// That the function of a `pthread_once` has run.
    Done(Spot),
    Condition(Spot),
    Semaphore(Spot),
    Barrier(Spot),
    /// What is ordered by something that the program cannot see.
    Order(Spot),
    Fence,
    /// An allocation, or all other memory.
    Region(Option<u32>),
    Variable(Spot, u32, Option<Owner>),
    Location(u64),
    Frame(Option<StackId>, u32),
}

/// Gives names, and remembers to what.
pub(super) struct Namer<'a> {
    ids: FxHashMap<Key, u32>,
    heap: Heap,
    pub(super) frames: Frames,
    locals: Locals,
    asked: Asked,
    symbols: &'a mut Symbols,
    /// How many things of a table have had a name already.
    used: FxHashMap<(Table, String), u32>,
    /// Locations in headers and libraries of the system.
    libraries: FxHashSet<LocationId>,
    /// Most events ask for what was asked for lately.
    variables: Recent,
    locations: Recent,
}

/// A table of names.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Table {
    Variables,
    Locks,
    Conditions,
    Semaphores,
    Barriers,
    Regions,
}

impl Table {
    fn names(self, tables: &mut Tables) -> &mut Names {
        match self {
            Table::Variables => &mut tables.variables,
            Table::Locks => &mut tables.locks,
            Table::Conditions => &mut tables.conditions,
            Table::Semaphores => &mut tables.semaphores,
            Table::Barriers => &mut tables.barriers,
            Table::Regions => &mut tables.regions,
        }
    }
}

/// The names of a table could not grow: there are more than 4 GiB of text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Full;

type Named<T> = Result<T, Full>;

impl<'a> Namer<'a> {
    /// Names for a recording; threads have theirs from the start.
    pub(super) fn new(
        symbols: &'a mut Symbols,
        threads: &Threads,
        tables: &mut Tables,
    ) -> Named<Namer<'a>> {
        threads::name(symbols, threads, &mut tables.threads)?;
        let (ids, used) = (FxHashMap::default(), FxHashMap::default());
        let (variables, locations) = (Recent::new(), Recent::new());
        let (heap, asked) = (Heap::default(), Asked::default());
        let (frames, locals) = (Frames::new(threads.all.len()), Locals::default());
        let libraries = FxHashSet::default();
        Ok(Namer {
            ids,
            heap,
            frames,
            locals,
            asked,
            symbols,
            used,
            libraries,
            variables,
            locations,
        })
    }

    /// Memory is allocated, and what is there has other names from here on.
    pub(super) fn allocate(&mut self, start: u64, len: u64, pc: u64) -> Block {
        self.variables.forget();
        let symbols = &mut *self.symbols;
        let ordinal = self.asked.again(pc, || asked_at(symbols, pc));
        self.heap.allocate(start, len, pc, ordinal)
    }

    /// The locations in headers and libraries of the system.
    pub(super) fn take_libraries(&mut self) -> FxHashSet<LocationId> {
        std::mem::take(&mut self.libraries)
    }

    /// Memory becomes the stack of a thread, and what is there has other names from here on.
    pub(super) fn give(&mut self, start: u64, len: u64, thread: u32) {
        self.variables.forget();
        self.heap.give(start, len, thread);
    }

    /// The allocation that starts at an address.
    pub(super) fn starting(&self, start: u64) -> Option<Block> {
        self.heap.starting(start)
    }

    /// The region of the block of the heap that an address lies in, and where in it.
    pub(super) fn block(&mut self, address: u64, tables: &mut Tables) -> Named<Option<(u32, u64)>> {
        let block = self.heap.find(address).filter(|block| block.stack_of.is_none());
        let region = block.map(|block| self.region(Some(block), tables)).transpose()?;
        Ok(region.zip(block.map(|block| address - block.start)))
    }

    fn spot(&mut self, address: u64) -> (Spot, Option<Block>) {
        let block = self.heap.find(address);
        let offset = address - block.map_or(0, |block| block.start);
        (Spot { block: block.map(|block| block.number), offset }, block)
    }

    fn heap_name(&mut self, block: Block, offset: u64, tables: &mut Tables) -> Named<String> {
        let region = self.region(Some(block), tables)?;
        let name = tables.regions.get(region).unwrap_or("?");
        Ok(if offset == 0 { name.to_owned() } else { format!("{name}+{offset}") })
    }

    /// The same for so many bytes: if they are more than one thing, all of them are named.
    fn part_name(
        &mut self,
        block: Block,
        offset: u64,
        size: u32,
        tables: &mut Tables,
    ) -> Named<String> {
        let is_whole = (offset, u64::from(size)) == (0, block.len);
        if is_whole || matches!(size, 0 | 1 | 2 | 4 | 8 | 16) {
            return self.heap_name(block, offset, tables);
        }
        let name = self.heap_name(block, 0, tables)?;
        Ok(format!("{name}[{offset}..{}]", offset + u64::from(size)))
    }

    /// The region of an allocation, or of all other memory.
    pub(super) fn region(&mut self, block: Option<Block>, tables: &mut Tables) -> Named<u32> {
        let key = Key::Region(block.map(|block| block.number));
        if let Some(&id) = self.ids.get(&key) {
            return Ok(id);
        }
        let name = match block {
            None => "memory".to_owned(),
            Some(Block { stack_of: Some(thread), .. }) => {
                format!("stack of {}", tables.threads.get(thread).unwrap_or("?"))
            }
            Some(Block { ordinal: 0 | 1, pc, .. }) => asked_at(self.symbols, pc),
            Some(Block { ordinal, pc, .. }) => format!("{}#{ordinal}", asked_at(self.symbols, pc)),
        };
        self.add(key, Table::Regions, name, tables)
    }

    /// Some bytes of memory.
    #[inline]
    pub(super) fn variable(
        &mut self,
        at: u64,
        size: u32,
        survey: &Survey,
        tables: &mut Tables,
    ) -> Named<VarId> {
        if let Some(id) = self.variables.get(at, size) {
            return Ok(VarId(id));
        }
        let id = self.find_variable(at, size, survey, tables)?;
        if !self.is_fleeting(at) {
            self.variables.put(at, size, id.0);
        }
        Ok(id)
    }

    fn find_variable(
        &mut self,
        at: u64,
        size: u32,
        survey: &Survey,
        tables: &mut Tables,
    ) -> Named<VarId> {
        let (spot, block) = self.spot(at);
        let local = self.local(at, size.into());
        let key = Key::Variable(spot, size, local.as_ref().map(|local| local.owner));
        if let Some(&id) = self.ids.get(&key) {
            return Ok(VarId(id));
        }
        let region = self.region(block, tables)?;
        let data = self.symbols.data(at, size.into());
        let is_heap = block.is_some_and(|block| block.stack_of.is_none());
        let is_stack =
            block.is_some() || survey.main_stack.is_none_or(|range| is_within(at, range));
        let is_nowhere_else = !is_heap && is_stack && (block.is_some() || data.is_none());
        let name = match (local, block, data) {
            (Some(local), ..) => local.name,
            (None, Some(block), _) => self.part_name(block, spot.offset, size, tables)?,
            (None, None, Some(name)) => name,
            (None, None, None) => elsewhere(at, survey, tables),
        };
        let range = Range { region, offset: spot.offset, size };
        let taken = tables.variables.find(&name).and_then(|id| tables.range(VarId(id)));
        let is_sized = |other: Range| other.size != size && Range { size, ..other } == range;
        let name = match taken.is_some_and(is_sized) {
            true => format!("{name} ({size} byte{})", if size == 1 { "" } else { "s" }),
            false => name,
        };
        let id = VarId(self.add(key, Table::Variables, name, tables)?);
        tables.set_range(id, range);
        if is_nowhere_else {
            self.locals.variables.insert(id);
        }
        Ok(id)
    }

    /// Gives a key a name that nothing else in the table has.
    fn add(&mut self, key: Key, table: Table, name: String, tables: &mut Tables) -> Named<u32> {
        let used = self.used.entry((table, name.clone())).or_insert(0);
        let id = add_unique(table.names(tables), &name, used)?;
        self.ids.insert(key, id);
        Ok(id)
    }
}

/// The name of the first block that is asked for at a place.
fn asked_at(symbols: &mut Symbols, pc: u64) -> String {
    match symbols.place(pc).and_then(|place| place.text()) {
        // Without its folders: names are read in columns, and the same wherever a program was built.
        Some(place) => format!("heap@{}", place.rsplit('/').next().unwrap_or(&place)),
        None => "heap".to_owned(),
    }
}

/// The name of memory that is neither in a module nor on the heap.
fn elsewhere(address: u64, survey: &Survey, tables: &Tables) -> String {
    if survey.main_stack.is_some_and(|range| !is_within(address, range)) {
        return format!("memory at {address:#x}");
    }
    match survey.shadow.first(address).and_then(|thread| tables.threads.get(thread)) {
        Some(thread) => format!("stack of {thread} at {address:#x}"),
        None => format!("{address:#x}"),
    }
}

fn is_within(address: u64, (start, end): (u64, u64)) -> bool {
    (start..end).contains(&address)
}
