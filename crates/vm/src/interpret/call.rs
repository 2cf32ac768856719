//! Calls and returns: frames, their registers and their objects.

use raddle_cfront::ir::{FunctionId, Kind, Reg};

use crate::fault::FaultKind;
use crate::image::Image;
use crate::memory::{Life, Memory, ObjectKind, flag};
use crate::site::Site;
use crate::thread::{Frame, NONE, Thread};

/// What registers hold before anything is stored there.
const UNSET: u64 = 0xA5A5_A5A5_A5A5_A5A5;

/// What a frame costs beside its registers.
const FRAME_BYTES: u64 = 64;

/// Calls a function with the values of the caller's registers.
#[inline]
pub(crate) fn enter(
    image: &Image,
    thread: &mut Thread,
    memory: &mut Memory,
    id: u32,
    callee: FunctionId,
    arguments: &[Reg],
    result: u32,
) -> Result<(), FaultKind> {
    let function = image.function(callee);
    let caller = thread.frames.last().map_or(0, |frame| frame.registers as usize);
    let base = thread.registers.len();
    thread.core.stack_bytes += 8 * u64::from(function.n_registers) + FRAME_BYTES;
    if thread.core.stack_bytes > image.settings.stack_max {
        return Err(FaultKind::StackOverflow);
    }
    thread.registers.resize(base + function.n_registers as usize, UNSET);
    let n_passed = arguments.len().min(function.parameters.len());
    for (index, register) in arguments[..n_passed].iter().enumerate() {
        thread.registers[base + index] = thread.registers[caller + register.0 as usize];
    }
    let slots = thread.slots.len() as u32;
    let registers = base as u32;
    let frame = Frame { function: callee, pc: 0, registers, slots, result, variadic: NONE };
    thread.frames.push(frame);
    if !function.slots.is_empty() {
        add_slots(image, thread, memory, id, callee)?;
    }
    if function.variadic {
        add_variadic(image, thread, memory, id, caller, &arguments[n_passed..])?;
    }
    Ok(())
}

fn add_slots(
    image: &Image,
    thread: &mut Thread,
    memory: &mut Memory,
    id: u32,
    callee: FunctionId,
) -> Result<(), FaultKind> {
    let function = image.function(callee);
    for (index, slot) in function.slots.iter().enumerate() {
        let number = add_object(image, thread, memory, ObjectKind::Slot, (slot.size, slot.align))?;
        let object = &mut memory.objects[number as usize];
        object.thread = id;
        object.made = Site { function: callee, op: index as u32 };
        object.flags = if slot.private { flag::PRIVATE } else { 0 };
        object.flags |= if function.library { flag::LIBRARY } else { 0 };
    }
    Ok(())
}

fn add_variadic(
    image: &Image,
    thread: &mut Thread,
    memory: &mut Memory,
    id: u32,
    caller: usize,
    extra: &[Reg],
) -> Result<(), FaultKind> {
    let size = 8 * extra.len() as u64;
    let number = add_object(image, thread, memory, ObjectKind::Variadic, (size, 8))?;
    let object = &mut memory.objects[number as usize];
    object.thread = id;
    object.flags = flag::PRIVATE;
    for (index, register) in extra.iter().enumerate() {
        let value = thread.registers[caller + register.0 as usize];
        memory.write(number, 8 * index as u32, Kind::U64, value);
    }
    thread.top_mut().variadic = number;
    Ok(())
}

/// A new object of some size and alignment that lives as long as the innermost frame.
pub(super) fn add_object(
    image: &Image,
    thread: &mut Thread,
    memory: &mut Memory,
    kind: ObjectKind,
    (size, align): (u64, u32),
) -> Result<u32, FaultKind> {
    thread.core.stack_bytes = thread.core.stack_bytes.saturating_add(size);
    if thread.core.stack_bytes > image.settings.stack_max {
        return Err(FaultKind::StackOverflow);
    }
    let number = match thread.spare.pop() {
        Some(spare) => memory.revive(spare, kind, size, align).map(|()| spare),
        None => memory.add(kind, size, align),
    };
    let number = number.ok_or(FaultKind::MemoryLimit)?;
    thread.slots.push(number);
    Ok(number)
}

/// Returns from a function, unless locks live among its locals or another thread has accessed one.
#[inline]
pub(super) fn leave_plainly(thread: &mut Thread, memory: &mut Memory, value: Option<u64>) -> bool {
    let frame = *thread.top();
    let objects = &thread.slots[frame.slots as usize..];
    if objects.iter().any(|&object| memory.object(object).flags & (flag::SYNC | flag::FOREIGN) != 0)
    {
        return false;
    }
    leave(thread, memory);
    if frame.result != NONE {
        thread.set_register(frame.result, value.unwrap_or(UNSET));
    }
    if let Some(caller) = thread.frames.last_mut() {
        caller.pc += 1;
    }
    true
}

/// Takes the innermost frame away, with its objects.
#[inline]
fn leave(thread: &mut Thread, memory: &mut Memory) {
    let Some(frame) = thread.frames.pop() else { return };
    let n_registers = thread.registers.len() - frame.registers as usize;
    let mut bytes = 8 * n_registers as u64 + FRAME_BYTES;
    thread.registers.truncate(frame.registers as usize);
    while thread.slots.len() > frame.slots as usize {
        let Some(object) = thread.slots.pop() else { break };
        bytes += u64::from(memory.object(object).size);
        memory.end(object, Life::Dead, Site::NONE);
        thread.spare.push(object);
    }
    thread.core.stack_bytes = thread.core.stack_bytes.saturating_sub(bytes);
}
