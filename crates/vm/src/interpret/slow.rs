//! One transition of any kind that the inner loop does not do.

use raddle_cfront::ir::{FunctionId, GlobalId, Op, Operands, Reg};

use super::{Flow, Trap, call, enter};
use crate::fault::FaultKind;
use crate::image::Image;
use crate::machine::Machine;
use crate::memory::{Life, ObjectKind, flag};
use crate::observe::{Observer, Transition, View, What};
use crate::site::Site;
use crate::thread::NONE;

/// How locals of variable size are aligned.
const DYNAMIC_ALIGNMENT: u32 = 16;

impl Machine {
    /// Does the operation that the current thread is at.
    pub(super) fn slow<O: Observer>(&mut self, o: &mut O) -> Result<Flow, Trap> {
        match self.op() {
            Op::Primitive { call, arguments, result } => self.primitive(call, arguments, result, o),
            Op::CallIndirect { target, arguments, result } => {
                self.call_indirect(target, arguments, result)
            }
            Op::Return { value } => self.return_slowly(value, o),
            Op::ThreadLocal { to, global } => {
                let address = self.thread_local(global)?;
                Ok(self.set(to, address))
            }
            Op::Allocate { to, size } => self.allocate(to, size),
            Op::Release { address } => self.release(address, o),
            Op::VariadicStart { to } => {
                let object = self.current_thread().top().variadic;
                if object == NONE {
                    return Err(FaultKind::VariadicOverrun.into());
                }
                let address = self.state.memory.address(object, 0);
                Ok(self.set(to, address))
            }
            Op::Fence { order } => {
                self.emit(o, What::Fence { order });
                Ok(Flow::Next)
            }
            Op::Unreachable => Err(FaultKind::Unreachable.into()),
            op => match op.access() {
                Some(access) => self.access(op, access, o),
                None => unreachable!("the inner loop does {op:?}"),
            },
        }
    }

    pub(super) fn show_transition<O: Observer>(&self, o: &mut O) {
        let thread = self.current_thread();
        let frame = thread.top();
        let registers = &thread.registers[frame.registers as usize..];
        let depth = thread.frames.len() as u32 - 1;
        let (site, slots) = (thread.site(), &thread.slots[frame.slots as usize..]);
        let crate::state::State { threads, memory, .. } = &self.state;
        let view = View { image: &self.image, memory, frames: &thread.frames, threads };
        let thread = self.state.counters.current;
        o.transition(&Transition { thread, site, depth, registers, slots, view });
    }

    /// Sets a register, which is all that an operation does.
    fn set(&mut self, to: Reg, value: u64) -> Flow {
        self.current_thread_mut().set_register(to.0, value);
        Flow::Next
    }

    fn call_indirect(
        &mut self,
        target: Reg,
        arguments: Operands,
        result: Option<Reg>,
    ) -> Result<Flow, Trap> {
        let address = self.current_thread().register(target.0);
        let callee = self.function_at(address)?;
        let image: &Image = &self.image;
        let id = self.state.counters.current;
        let thread = &mut self.state.threads[id as usize];
        let operands = image.function(thread.top().function).operands(arguments);
        let to = result.map_or(NONE, |r| r.0);
        enter(image, thread, &mut self.state.memory, id, callee, operands, to)?;
        Ok(Flow::Jumped)
    }

    /// The function whose address this is.
    pub(crate) fn function_at(&self, address: u64) -> Result<FunctionId, Trap> {
        let memory = &self.state.memory;
        let found = memory.resolve(address).filter(|&(_, offset)| offset == 0);
        let function = found.and_then(|(object, _)| self.image.object_function(object));
        match function {
            Some(function) => Ok(function),
            None if address == 0 => Err(FaultKind::NullDereference { address }.into()),
            None => Err(FaultKind::CallOfNonFunction { address }.into()),
        }
    }

    /// Returns from a function with locks among its locals or one that another thread has accessed, or from the
    /// outermost one.
    fn return_slowly<O: Observer>(&mut self, value: Option<Reg>, o: &mut O) -> Result<Flow, Trap> {
        let thread = self.current_thread();
        let frame = *thread.top();
        if thread.frames.len() == 1 {
            return Err(FaultKind::Unreachable.into());
        }
        let value = value.map(|register| thread.register(register.0));
        for index in frame.slots as usize..thread.slots.len() {
            let object = self.current_thread().slots[index];
            self.forget_syncs(object)?;
            self.show_end(object, o);
        }
        let id = self.state.counters.current as usize;
        let (thread, memory) = (&mut self.state.threads[id], &mut self.state.memory);
        call::leave_plainly(thread, memory, value);
        Ok(Flow::Jumped)
    }

    fn thread_local(&mut self, global: GlobalId) -> Result<u64, Trap> {
        let id = self.state.counters.current;
        let index = self.image.local_index[global.0 as usize] as usize;
        let known = self.state.threads[id as usize].locals[index];
        if known != NONE {
            return Ok(self.state.memory.address(known, 0));
        }
        let made = self.image.instance(&mut self.state.memory, global, id);
        let object = made.ok_or(FaultKind::MemoryLimit)?;
        self.state.threads[id as usize].locals[index] = object;
        Ok(self.state.memory.address(object, 0))
    }

    fn allocate(&mut self, to: Reg, size: Reg) -> Result<Flow, Trap> {
        let id = self.state.counters.current;
        let thread = &mut self.state.threads[id as usize];
        let (size, made) = (thread.register(size.0), thread.site());
        let memory = &mut self.state.memory;
        let shape = (size, DYNAMIC_ALIGNMENT);
        let number = call::add_object(&self.image, thread, memory, ObjectKind::Dynamic, shape)?;
        let object = &mut memory.objects[number as usize];
        (object.thread, object.made) = (id, made);
        let library = self.image.function(made.function).library;
        object.flags = if library { flag::LIBRARY } else { 0 };
        let address = memory.address(number, 0);
        Ok(self.set(to, address))
    }

    /// The life of a local ends, and others hear of it if another thread has accessed it.
    pub(crate) fn show_end<O: Observer>(&mut self, object: u32, o: &mut O) {
        let flags = &mut self.state.memory.objects[object as usize].flags;
        if *flags & flag::FOREIGN != 0 {
            *flags &= !flag::FOREIGN;
            self.emit(o, What::Gone { object });
        }
    }

    fn release<O: Observer>(&mut self, address: Reg, o: &mut O) -> Result<Flow, Trap> {
        let address = self.current_thread().register(address.0);
        let Some((object, 0)) = self.state.memory.resolve(address) else {
            return Ok(Flow::Next);
        };
        let first = self.current_thread().top().slots as usize;
        let Some(at) = self.current_thread().slots[first..].iter().position(|&s| s == object)
        else {
            return Ok(Flow::Next);
        };
        self.forget_syncs(object)?;
        self.show_end(object, o);
        let size = self.state.memory.object(object).size;
        self.state.memory.end(object, Life::Dead, Site::NONE);
        let thread = self.current_thread_mut();
        thread.slots.remove(first + at);
        thread.spare.push(object);
        thread.core.stack_bytes -= u64::from(size);
        Ok(Flow::Next)
    }
}
