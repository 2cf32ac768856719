//! The heap.

use super::{Done, OK, Result};
use crate::fault::FaultKind;
use crate::machine::Machine;
use crate::memory::{Life, ObjectKind};
use crate::name;
use crate::observe::{Observer, What};
use crate::site::Site;

impl Machine {
    pub(super) fn malloc<O: Observer>(&mut self, size: u64, align: u64, o: &mut O) -> Result {
        let align = u32::try_from(align).ok();
        let added = align.and_then(|align| self.state.memory.add(ObjectKind::Heap, size, align));
        let Some(number) = added else { return Ok(Done::Value(0)) };
        let made = self.current_thread().site_outside(&self.image);
        let object = &mut self.state.memory.objects[number as usize];
        (object.made, object.thread) = (made, self.state.counters.current);
        self.emit(o, What::Alloc { object: number });
        Ok(Done::Value(self.state.memory.address(number, 0)))
    }

    pub(super) fn free<O: Observer>(&mut self, address: u64, o: &mut O) -> Result {
        if address == 0 {
            return OK;
        }
        let number = self.heap_object(address, |object, allocated, freed| {
            FaultKind::DoubleFree { object, allocated, freed }
        })?;
        self.forget_syncs(number)?;
        self.emit(o, What::Free { object: number });
        let site = self.current_thread().site_outside(&self.image);
        self.state.memory.end(number, Life::Freed, site);
        OK
    }

    pub(super) fn heap_size(&mut self, address: u64) -> Result {
        let number = self.heap_object(address, |object, allocated, freed| {
            FaultKind::UseAfterFree { object, allocated, freed }
        })?;
        Ok(Done::Value(self.state.memory.object(number).size.into()))
    }

    /// The live heap object that starts at an address.
    fn heap_object(
        &self,
        address: u64,
        freed: fn(String, Option<Site>, Option<Site>) -> FaultKind,
    ) -> std::result::Result<u32, crate::interpret::Trap> {
        let memory = &self.state.memory;
        let Some((number, offset)) = memory.resolve(address) else {
            return Err(FaultKind::InvalidFree { object: format!("{address:#x}") }.into());
        };
        let object = memory.object(number);
        if object.kind == ObjectKind::Heap && object.life == Life::Freed {
            let name = name::object(&self.image, memory, number);
            return Err(freed(name, object.allocated_at(), object.freed_at()).into());
        }
        if object.kind != ObjectKind::Heap || offset != 0 {
            let object = name::place(&self.image, memory, number, offset, 1);
            return Err(FaultKind::InvalidFree { object }.into());
        }
        Ok(number)
    }
}
