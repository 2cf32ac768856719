//! Names of what lies on stacks.
//!
//! The same memory is a variable of one function after the other. Each has a name of its own in the trace, and the
//! same range of memory: names are for people, and which threads race does not depend on them.
//!
//! What a lock or the like is must not depend on names either, or one could be taken under one name and given back under
//! another. So it stays what is at its address. It gets the name of a variable at the end, if it
//! was never seen as two.

use raddle_trace::{Names, Tables, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

use super::{Key, Named, Namer, Table, add_unique};
use crate::recording::heap::Block;
use crate::symbol::without_own_parts;

/// A variable of one call.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Owner {
    call: u32,
    variable: (u64, u32),
}

/// Some bytes of such a variable.
pub(super) struct Local {
    pub(super) owner: Owner,
    pub(super) name: String,
}

/// What is known of stacks.
#[derive(Default)]
pub(super) struct Locals {
    /// Variables that lie there.
    pub(super) variables: FxHashSet<VarId>,
    /// What locks and the like there are called; nothing if more than one name was seen.
    objects: FxHashMap<(Table, u32), Option<String>>,
}

impl Namer<'_> {
    /// The variable of a function that has some bytes.
    pub(super) fn local(&mut self, address: u64, size: u64) -> Option<Local> {
        if self.frames.is_empty() || self.heap.find(address).is_some_and(is_heap) {
            return None;
        }
        self.frames.around(address).find_map(|(call, at)| {
            let frame = (call.entered, call.registers);
            let local = self.symbols.local(frame, at, address, size)?;
            let owner = Owner { call: call.number, variable: local.id };
            Some(Local { owner, name: local.name })
        })
    }

    /// Whether an address may mean something else after the next call.
    pub(in crate::recording) fn is_fleeting(&mut self, address: u64) -> bool {
        !self.frames.is_empty()
            && match self.heap.find(address) {
                Some(block) => !is_heap(block),
                None => !self.symbols.is_loaded(address),
            }
    }

    /// Whether an address lies in memory that cannot be written.
    pub(in crate::recording) fn is_constant(&self, address: u64) -> bool {
        self.symbols.is_constant(address)
    }

    /// The variables that lie on stacks.
    pub(in crate::recording) fn take_locals(&mut self) -> FxHashSet<VarId> {
        std::mem::take(&mut self.locals.variables)
    }

    /// Looks at what a lock or the like is called at this moment; `called` makes a name of that.
    pub(super) fn recognise(
        &mut self,
        of: (Table, u32),
        address: u64,
        called: impl Fn(String) -> String,
    ) {
        let Some(local) = self.local(address, 4) else { return };
        let name = called(without_own_parts(local.name));
        let known = self.locals.objects.entry(of).or_insert_with(|| Some(name.clone()));
        if known.as_ref() != Some(&name) {
            *known = None;
        }
    }

    /// Names locks and the like after variables on stacks.
    pub(in crate::recording) fn settle(&mut self, tables: &mut Tables) -> Named<()> {
        let objects = std::mem::take(&mut self.locals.objects);
        let changed: FxHashSet<Table> = objects.keys().map(|&(table, _)| table).collect();
        for table in changed {
            let names = table.names(tables);
            let mut settled = Names::default();
            for (id, old) in names.iter().enumerate() {
                let new = objects.get(&(table, id as u32)).and_then(Option::as_ref);
                add_unique(&mut settled, new.map_or(old, String::as_str), &mut 0)?;
            }
            *names = settled;
        }
        Ok(())
    }

    /// The name of the lock or the like at an address, as a trace has it.
    pub(in crate::recording) fn object(&mut self, address: u64, tables: &Tables) -> Option<String> {
        let spot = self.spot(address).0;
        let keys = [
            (Key::Lock(spot), &tables.locks),
            (Key::Condition(spot), &tables.conditions),
            (Key::Semaphore(spot), &tables.semaphores),
            (Key::Barrier(spot), &tables.barriers),
        ];
        let named = |(key, names): (Key, &Names)| {
            self.ids.get(&key).and_then(|&id| names.get(id)).map(str::to_owned)
        };
        keys.into_iter()
            .find_map(named)
            .or_else(|| self.local(address, 4).map(|local| without_own_parts(local.name)))
    }
}

fn is_heap(block: Block) -> bool {
    block.stack_of.is_none()
}
