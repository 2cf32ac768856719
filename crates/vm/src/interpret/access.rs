//! Accesses that are points, and those of whole blocks.

use raddle_cfront::ir::{Access, AccessKind, Kind, Op, Order, Place, Reg, Rmw, Size};

use super::{Flow, Trap};
use crate::arithmetic;
use crate::bits::Bits;
use crate::fault::FaultKind;
use crate::machine::Machine;
use crate::memory::{Bad, flag};
use crate::observe::{Observer, What};

/// A place that was located.
#[derive(Clone, Copy)]
struct Found {
    object: u32,
    offset: u32,
    size: u32,
    order: Order,
}

impl Machine {
    /// Does an operation that accesses memory.
    pub(super) fn access<O: Observer>(
        &mut self,
        op: Op,
        access: Access,
        o: &mut O,
    ) -> Result<Flow, Trap> {
        let found = self.find(access)?;
        if O::EVENTS && found.size > 0 {
            self.state.memory.note_access(found.object, self.state.counters.current);
        }
        if access.kind != AccessKind::Read {
            self.writable(found)?;
        }
        match op {
            Op::Load { to, kind, .. } => self.load(to, kind, found, o),
            Op::Store { from, kind, .. } => self.store(from, kind, found, o),
            Op::ReadModifyWrite { op, to, from, kind, .. } => {
                let old = self.state.memory.read(found.object, found.offset, kind);
                let operand = self.current_thread().register(from.0);
                self.look(op, old, operand);
                let new = arithmetic::modify(op, kind, old, operand);
                let new = new.ok_or(FaultKind::DivisionByZero)?;
                self.replace(found, kind, old, Some(new), o);
                self.current_thread_mut().set_register(to.0, old);
            }
            Op::CompareExchange { to, expected, desired, kind, failure, .. } => {
                self.compare_exchange(to, [expected, desired], (kind, failure), found, o);
            }
            Op::ReadBlock { .. } => self.read_block(found, o),
            Op::WriteBlock { .. } => self.write_block(found, o),
            Op::Fill { byte, .. } => {
                let byte = byte.map_or(0, |register| self.current_thread().register(register.0));
                let Found { object, offset, size, .. } = found;
                self.state.memory.bytes_mut(object, offset, size).fill(byte as u8);
                self.saw_write(found, o);
            }
            _ => unreachable!("no access"),
        }
        Ok(Flow::Next)
    }

    /// Notes whether a read-modify-write computes with an address.
    fn look(&self, op: Rmw, old: u64, operand: u64) {
        let bits = Bits { memory: &self.state.memory, first: self.image.first_object() };
        if bits.modify(op, old, operand) {
            self.image.looked.note(self.site());
        }
    }

    /// Whether the access that the current thread is at concerns an object that is shared.
    pub(super) fn is_shared_access(&self) -> Result<bool, Trap> {
        let Some(access) = self.op().access() else { return Ok(true) };
        let found = self.find(access)?;
        Ok(self.state.memory.object(found.object).is_shared())
    }

    /// The address of an access of a thread, and its size.
    pub(crate) fn address_of(&self, thread: u32, access: Access) -> (u64, u64) {
        let thread = &self.state.threads[thread as usize];
        let memory = &self.state.memory;
        let address = match access.place {
            Place::At(base, offset) => {
                memory.wrap(thread.register(base.0).wrapping_add(offset as i64 as u64))
            }
            Place::Global(global, offset) => memory.address(global.0, offset.into()),
            Place::Slot(slot, offset) => {
                let object = thread.slots[(thread.top().slots + slot.0) as usize];
                memory.address(object, offset.into())
            }
        };
        let size = match access.size {
            Size::Const(size) => size.into(),
            Size::Reg(register) => thread.register(register.0),
        };
        (address, size)
    }

    fn find(&self, access: Access) -> Result<Found, Bad> {
        let (address, size) = self.address_of(self.state.counters.current, access);
        if size == 0 {
            // Nothing is accessed, so any address will do.
            return Ok(Found { object: 0, offset: 0, size: 0, order: access.order });
        }
        let (object, offset) = self.state.memory.locate(address, size)?;
        Ok(Found { object, offset, size: size as u32, order: access.order })
    }

    fn writable(&self, found: Found) -> Result<(), Bad> {
        let constant = self.state.memory.object(found.object).flags & flag::CONSTANT != 0;
        if constant && found.size > 0 { Err(Bad::Constant(found.object)) } else { Ok(()) }
    }

    fn is_seen<O: Observer>(&self, found: Found) -> bool {
        O::EVENTS && found.size > 0 && self.state.memory.object(found.object).is_shared()
    }

    /// Whether others can notice a load or store: a plain one comes here because it may be a point.
    fn is_noticed(&self, found: Found) -> bool {
        found.order != Order::Plain || self.state.memory.object(found.object).is_shared()
    }

    fn load<O: Observer>(&mut self, to: Reg, kind: Kind, found: Found, o: &mut O) {
        let Found { object, offset, size, order } = found;
        let value = self.state.memory.read(object, offset, kind);
        let bits = Bits { memory: &self.state.memory, first: self.image.first_object() };
        if self.state.memory.can_be_part(kind, value) && bits.part(object, offset, kind) {
            self.image.looked.note(self.site());
        }
        self.current_thread_mut().set_register(to.0, value);
        if self.is_noticed(found) {
            self.idle();
        }
        if self.is_seen::<O>(found) {
            self.emit(o, What::Read { object, offset, size, value: Some(value), order });
        }
    }

    fn store<O: Observer>(&mut self, from: Reg, kind: Kind, found: Found, o: &mut O) {
        let Found { object, offset, size, order } = found;
        let value = kind.extend(self.current_thread().register(from.0));
        if self.is_noticed(found) {
            // What is written again as it was changes nothing.
            match self.state.memory.read(object, offset, kind) == value {
                true => self.idle(),
                false => self.busy(),
            }
        }
        self.state.memory.write(object, offset, kind, value);
        if self.is_seen::<O>(found) {
            self.emit(o, What::Write { object, offset, size, value: Some(value), order });
        }
    }

    fn compare_exchange<O: Observer>(
        &mut self,
        to: Reg,
        [expected, desired]: [Reg; 2],
        (kind, failure): (Kind, Order),
        found: Found,
        o: &mut O,
    ) {
        let old = self.state.memory.read(found.object, found.offset, kind);
        let thread = self.current_thread();
        let equal = old == kind.extend(thread.register(expected.0));
        let new = equal.then(|| kind.extend(thread.register(desired.0)));
        let found = if equal { found } else { Found { order: failure, ..found } };
        self.replace(found, kind, old, new, o);
        let thread = self.current_thread_mut();
        thread.set_register(expected.0, old);
        thread.set_register(to.0, equal.into());
    }

    /// Puts a new value, if there is one, in the place of an old one.
    fn replace<O: Observer>(
        &mut self,
        found: Found,
        kind: Kind,
        old: u64,
        new: Option<u64>,
        o: &mut O,
    ) {
        let Found { object, offset, size, order } = found;
        if let Some(new) = new {
            self.state.memory.write(object, offset, kind, new);
        }
        if new.is_some_and(|new| new != old) {
            self.busy()
        } else {
            self.idle()
        }
        if self.is_seen::<O>(found) {
            self.emit(o, What::Rmw { object, offset, size, old, value: new, order });
        }
    }

    fn read_block<O: Observer>(&mut self, found: Found, o: &mut O) {
        let Found { object, offset, size, order } = found;
        let memory = &self.state.memory;
        let buffer = &mut self.state.threads[self.state.counters.current as usize].buffer;
        buffer.clear();
        buffer.extend_from_slice(memory.bytes(object, offset, size));
        if order != Order::Plain {
            self.idle();
        }
        if self.is_seen::<O>(found) {
            let value = self.short_value(found);
            self.emit(o, What::Read { object, offset, size, value, order });
        }
    }

    fn write_block<O: Observer>(&mut self, found: Found, o: &mut O) {
        let Found { object, offset, size, order } = found;
        if order != Order::Plain {
            self.busy();
        }
        let buffer = &mut self.state.threads[self.state.counters.current as usize].buffer;
        let n = buffer.len().min(size as usize);
        self.state.memory.bytes_mut(object, offset, n as u32).copy_from_slice(&buffer[..n]);
        buffer.clear();
        self.saw_write(found, o);
    }

    fn saw_write<O: Observer>(&self, found: Found, o: &mut O) {
        let Found { object, offset, size, order } = found;
        if self.is_seen::<O>(found) {
            let value = self.short_value(found);
            self.emit(o, What::Write { object, offset, size, value, order });
        }
    }

    /// The bytes of a place as a number, if they are few.
    fn short_value(&self, found: Found) -> Option<u64> {
        let bytes = self.state.memory.bytes(found.object, found.offset, found.size);
        let mut word = [0; 8];
        word.get_mut(..bytes.len())?.copy_from_slice(bytes);
        Some(u64::from_le_bytes(word))
    }

    /// The current thread did something visible that changed nothing.
    pub(crate) fn idle(&mut self) {
        let core = &mut self.current_thread_mut().core;
        core.n_idle = core.n_idle.saturating_add(1);
    }

    /// The current thread did something visible that matters.
    pub(crate) fn busy(&mut self) {
        self.state.counters.n_changes += 1;
        self.current_thread_mut().core.n_idle = 0;
    }
}
