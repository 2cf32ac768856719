//! Names of locks and the like, by where they are.

use raddle_trace::{BarrierId, SemaphoreId, Tables, VarId};

use super::{Key, Named, Namer, Table, elsewhere};
use crate::recording::survey::Survey;

impl Namer<'_> {
    pub(in crate::recording) fn lock(
        &mut self,
        at: u64,
        survey: &Survey,
        tables: &mut Tables,
    ) -> Named<u32> {
        let key = Key::Lock(self.spot(at).0);
        self.synchroniser(key, Table::Locks, at, survey, tables)
    }

    pub(in crate::recording) fn condition(
        &mut self,
        at: u64,
        survey: &Survey,
        tables: &mut Tables,
    ) -> Named<u32> {
        let key = Key::Condition(self.spot(at).0);
        self.synchroniser(key, Table::Conditions, at, survey, tables)
    }

    pub(in crate::recording) fn done(
        &mut self,
        at: u64,
        survey: &Survey,
        tables: &mut Tables,
    ) -> Named<VarId> {
        let key = Key::Done(self.spot(at).0);
        self.synchroniser(key, Table::Variables, at, survey, tables).map(VarId)
    }

    pub(in crate::recording) fn semaphore(
        &mut self,
        at: u64,
        survey: &Survey,
        tables: &mut Tables,
    ) -> Named<SemaphoreId> {
        let key = Key::Semaphore(self.spot(at).0);
        self.synchroniser(key, Table::Semaphores, at, survey, tables).map(SemaphoreId)
    }

    pub(in crate::recording) fn barrier(
        &mut self,
        at: u64,
        survey: &Survey,
        tables: &mut Tables,
    ) -> Named<BarrierId> {
        let key = Key::Barrier(self.spot(at).0);
        self.synchroniser(key, Table::Barriers, at, survey, tables).map(BarrierId)
    }

    /// What is there from here on is a new semaphore or barrier.
    pub(in crate::recording) fn forget(&mut self, at: u64) {
        let spot = self.spot(at).0;
        self.ids.remove(&Key::Semaphore(spot));
        self.ids.remove(&Key::Barrier(spot));
    }

    /// The variable that stands for an order that the program cannot see.
    pub(in crate::recording) fn order(
        &mut self,
        at: u64,
        survey: &Survey,
        tables: &mut Tables,
    ) -> Named<VarId> {
        let key = Key::Order(self.spot(at).0);
        let called = |name: String| format!("order of {name}");
        let id = match self.ids.get(&key) {
            Some(&id) => id,
            None => {
                let name = called(self.object_name(at, survey, tables)?);
                self.add(key, Table::Variables, name, tables)?
            }
        };
        self.recognise((Table::Variables, id), at, called);
        Ok(VarId(id))
    }

    /// The variable of all fences.
    pub(in crate::recording) fn fence(&mut self, tables: &mut Tables) -> Named<VarId> {
        match self.ids.get(&Key::Fence) {
            Some(&id) => Ok(VarId(id)),
            None => self.add(Key::Fence, Table::Variables, "fence".to_owned(), tables).map(VarId),
        }
    }

    /// The name of a lock or the like.
    fn object_name(&mut self, address: u64, survey: &Survey, tables: &mut Tables) -> Named<String> {
        let (spot, block) = self.spot(address);
        match (block, self.symbols.object(address)) {
            (Some(block), _) => self.heap_name(block, spot.offset, tables),
            (None, Some(name)) => Ok(name),
            (None, None) => Ok(elsewhere(address, survey, tables)),
        }
    }

    fn synchroniser(
        &mut self,
        key: Key,
        table: Table,
        at: u64,
        survey: &Survey,
        tables: &mut Tables,
    ) -> Named<u32> {
        let id = match self.ids.get(&key) {
            Some(&id) => id,
            None => {
                let name = self.object_name(at, survey, tables)?;
                self.add(key, table, name, tables)?
            }
        };
        self.recognise((table, id), at, |name| name);
        Ok(id)
    }
}
