//! The inner loop: transitions that concern nobody but the thread, and its plain accesses.

use raddle_cfront::ir::{Kind, Op, Order, Place, Primitive, Reg, Switch};

use super::call::{enter, leave_plainly};
use crate::arithmetic;
use crate::bits::Bits;
use crate::fault::FaultKind;
use crate::image::{Image, LOOKS};
use crate::machine::Machine;
use crate::memory::{Bad, Memory, flag};
use crate::observe::{Event, Observer, Transition, View, What};
use crate::site::Site;
use crate::state::Counters;
use crate::thread::{Frame, NONE, Thread};

/// Why the inner loop was left. The frame's operation is the one to go on with.
pub(super) enum Exit {
    /// The operation is for the slow layer.
    Slow,
    /// The operation may be a point.
    Marked,
    /// There were as many transitions as there may be without a point.
    Impatient,
    /// An address was bad.
    Bad(Bad),
    /// Something else was.
    Fault(FaultKind),
}

/// What the inner loop keeps of a frame.
struct Window<'a> {
    registers: &'a mut [u64],
    slots: &'a [u32],
}

impl Window<'_> {
    #[inline(always)]
    fn get(&self, register: Reg) -> u64 {
        self.registers[register.0 as usize]
    }

    #[inline(always)]
    fn set(&mut self, register: Reg, value: u64) {
        self.registers[register.0 as usize] = value;
    }

    /// The object and the offset of an access.
    #[inline(always)]
    fn locate(&self, memory: &Memory, place: Place, size: u32) -> Result<(u32, u32), Bad> {
        match place {
            Place::At(base, offset) => {
                memory.locate(self.get(base).wrapping_add(offset as i64 as u64), size.into())
            }
            Place::Global(global, offset) => memory.within(global.0, offset, size),
            Place::Slot(slot, offset) => memory.within(self.slots[slot.0 as usize], offset, size),
        }
    }

    /// The address of a place.
    fn address(&self, memory: &Memory, place: Place) -> u64 {
        match place {
            Place::At(base, offset) => {
                memory.wrap(self.get(base).wrapping_add(offset as i64 as u64))
            }
            Place::Global(global, offset) => memory.address(global.0, offset.into()),
            Place::Slot(slot, offset) => memory.address(self.slots[slot.0 as usize], offset.into()),
        }
    }
}

/// Who runs, for events.
struct Seen<'a> {
    image: &'a crate::image::Image,
    thread: u32,
}

impl Seen<'_> {
    fn emit<O: Observer>(&self, o: &mut O, memory: &Memory, frames: &[Frame], what: What) {
        let frame = frames.last().expect("it runs");
        let site = Site { function: frame.function, op: frame.pc };
        let view = View { image: self.image, memory, frames, threads: &[] };
        o.event(&Event { thread: self.thread, site, what, view });
    }
}

impl Machine {
    /// Runs the current thread as long as nothing special comes.
    pub(super) fn fast<O: Observer>(&mut self, o: &mut O) -> Exit {
        let counters = &mut self.state.counters;
        let settings = &self.image.settings;
        let left = settings.n_steps_max.saturating_sub(counters.n_steps);
        let n_quiet = self.state.threads[counters.current as usize].core.n_quiet;
        let allowed = left.min(settings.n_steps_between_points.saturating_sub(n_quiet));
        let mut n_left = allowed;
        let current = counters.current;
        let seen = Seen { image: &self.image, thread: current };
        let thread = &mut self.state.threads[current as usize];
        let exit = run(&seen, thread, &mut self.state.memory, counters, &mut n_left, o);
        counters.n_steps += allowed - n_left;
        thread.core.n_quiet += allowed - n_left;
        exit
    }
}

/// The inner loop. It is one function, and long: one arm for each kind of transition.
fn run<O: Observer>(
    seen: &Seen<'_>,
    thread: &mut Thread,
    memory: &mut Memory,
    counters: &mut Counters,
    n_left: &mut u64,
    o: &mut O,
) -> Exit {
    let image = seen.image;
    let mut left = *n_left;
    loop {
        let depth = thread.frames.len() - 1;
        let Thread { core, frames, registers, slots, .. } = &mut *thread;
        let frame = frames[depth];
        let function = image.function(frame.function);
        let marks = &image.marks[frame.function.0 as usize][..];
        let code = &function.code[..marks.len()];
        let registers = &mut registers[frame.registers as usize..];
        let mut window = Window { registers, slots: &slots[frame.slots as usize..] };
        let own_sections = image.own_sections[frame.function.0 as usize];
        let mut pc = frame.pc as usize;
        macro_rules! leave {
            ($exit:expr) => {{
                frames[depth].pc = pc as u32;
                *n_left = left;
                return $exit;
            }};
        }
        macro_rules! found {
            ($located:expr) => {
                match $located {
                    Ok(found) => found,
                    Err(bad) => leave!(Exit::Bad(bad)),
                }
            };
        }
        macro_rules! event {
            ($object:expr, $what:expr) => {
                if O::EVENTS && memory.object($object).is_shared() {
                    memory.note_access($object, seen.thread);
                    frames[depth].pc = pc as u32;
                    seen.emit(o, memory, frames, $what);
                }
            };
        }
        // Calls and returns change the frame and leave this loop.
        loop {
            if left == 0 {
                leave!(Exit::Impatient);
            }
            if marks[pc] != 0 {
                if marks[pc] != LOOKS {
                    leave!(Exit::Marked);
                }
                let site = Site { function: frame.function, op: pc as u32 };
                look(image, memory, window.registers, &code[pc], site);
            }
            left -= 1;
            if O::FLOW {
                let site = Site { function: frame.function, op: pc as u32 };
                let registers = &window.registers[..function.n_registers as usize];
                let view = View { image, memory, frames, threads: &[] };
                let (thread, depth, slots) = (seen.thread, depth as u32, window.slots);
                o.transition(&Transition { thread, site, depth, registers, slots, view });
            }
            match code[pc] {
                Op::Const { to, value } => window.set(to, value),
                Op::Copy { to, from } => window.set(to, window.get(from)),
                Op::Unary { op, kind, to, from } => {
                    window.set(to, arithmetic::unary(op, kind, window.get(from)));
                }
                Op::Binary { op, kind, to, left, right } => {
                    let (left, right) = (window.get(left), window.get(right));
                    let Some(value) = arithmetic::binary(op, kind, left, right) else {
                        leave!(Exit::Fault(FaultKind::DivisionByZero))
                    };
                    window.set(to, value);
                }
                Op::BinaryConst { op, kind, to, left, right } => {
                    let (left, right) = (window.get(left), arithmetic::constant(kind, right));
                    let Some(value) = arithmetic::binary(op, kind, left, right) else {
                        leave!(Exit::Fault(FaultKind::DivisionByZero))
                    };
                    window.set(to, value);
                }
                Op::Convert { from_kind, to_kind, to, from } => {
                    window.set(to, arithmetic::convert(from_kind, to_kind, window.get(from)));
                }
                Op::Extract { to, from, shift, width, signed } => {
                    let value = arithmetic::extract(window.get(from), shift, width, signed);
                    window.set(to, value);
                }
                Op::Insert { to, unit, value, shift, width } => {
                    let value =
                        arithmetic::insert(window.get(unit), window.get(value), shift, width);
                    window.set(to, value);
                }
                Op::Index { kind, to, base, index, scale } => {
                    let distance = window.get(index).wrapping_mul(scale as i64 as u64);
                    let address = window.get(base).wrapping_add(distance);
                    window.set(to, if kind == Kind::P32 { address & 0xFFFF_FFFF } else { address });
                }
                Op::Distance { to, left, right, scale } => {
                    let (left, right) = (window.get(left), window.get(right));
                    let distance = left.wrapping_sub(right) as i64;
                    window.set(to, (distance / i64::from(scale.max(1))) as u64);
                }
                Op::Address { to, place } => window.set(to, window.address(memory, place)),
                Op::FunctionAddress { to, function } => {
                    window.set(to, memory.address(image.function_object(function), 0));
                }
                Op::Load { to, place, kind, order: Order::Plain } => {
                    let (object, offset) = found!(window.locate(memory, place, kind.size()));
                    let value = memory.read(object, offset, kind);
                    // In the library, too: whoever compares memory compares what is in it.
                    if memory.can_be_part(kind, value) && memory.is_near_address(object, offset) {
                        let site = Site { function: frame.function, op: pc as u32 };
                        look_at_part(image, memory, (object, offset, kind), site);
                    }
                    window.set(to, value);
                    event!(object, {
                        let (size, value) = (kind.size(), Some(value));
                        What::Read { object, offset, size, value, order: Order::Plain }
                    });
                }
                Op::Store { from, place, kind, order: Order::Plain } => {
                    let (object, offset) = found!(window.locate(memory, place, kind.size()));
                    if memory.object(object).flags & flag::CONSTANT != 0 {
                        leave!(Exit::Bad(Bad::Constant(object)));
                    }
                    let value = window.get(from);
                    memory.write(object, offset, kind, value);
                    event!(object, {
                        let (size, value) = (kind.size(), Some(kind.extend(value)));
                        What::Write { object, offset, size, value, order: Order::Plain }
                    });
                }
                Op::Jump { to } => {
                    pc = to as usize;
                    continue;
                }
                Op::Branch { condition, yes, no } => {
                    let taken = window.get(condition) != 0;
                    if O::EVENTS && !function.library {
                        frames[depth].pc = pc as u32;
                        seen.emit(o, memory, frames, What::Branch { taken });
                    }
                    pc = if taken { yes } else { no } as usize;
                    continue;
                }
                Op::Switch { value, table } => {
                    pc = target(&function.switches[table as usize], window.get(value) as i64);
                    continue;
                }
                Op::JumpTo { target } => {
                    let to = window.get(target) as usize;
                    if to >= code.len() {
                        leave!(Exit::Fault(FaultKind::Unreachable));
                    }
                    pc = to;
                    continue;
                }
                Op::Call { function: callee, arguments, result } => {
                    frames[depth].pc = pc as u32;
                    let operands = function.operands(arguments);
                    let to = result.map_or(NONE, |r| r.0);
                    match enter(image, thread, memory, seen.thread, callee, operands, to) {
                        Ok(()) => break,
                        Err(kind) => {
                            *n_left = left;
                            return Exit::Fault(kind);
                        }
                    }
                }
                Op::Return { value } if depth > 0 => {
                    let value = value.map(|register| window.get(register));
                    frames[depth].pc = pc as u32;
                    if !leave_plainly(thread, memory, value) {
                        *n_left = left;
                        return Exit::Slow;
                    }
                    break;
                }
                // What the library does for itself in one piece is no event, and frequent.
                Op::Primitive { call: Primitive::AtomicBegin, result: None, .. }
                    if own_sections =>
                {
                    core.atomic += 1;
                    core.n_idle = 0;
                    counters.n_changes += 1;
                }
                Op::Primitive { call: Primitive::AtomicEnd, result: None, .. }
                    if own_sections && core.atomic > 0 =>
                {
                    core.atomic -= 1;
                }
                Op::Primitive { call: Primitive::ThreadSelf, result: Some(to), .. } => {
                    window.set(to, u64::from(seen.thread) + 1);
                }
                _ => leave!(Exit::Slow),
            }
            pc += 1;
        }
    }
}

/// Notes an operation that may look at the bits of an address, if it does.
#[inline(never)]
fn look(image: &Image, memory: &Memory, registers: &[u64], op: &Op, site: Site) {
    let get = |register: Reg| registers[register.0 as usize];
    let (left, right) = match *op {
        Op::Binary { left, right, .. } | Op::Distance { left, right, .. } => {
            (get(left), get(right))
        }
        Op::BinaryConst { kind, left, right, .. } => (get(left), arithmetic::constant(kind, right)),
        Op::Unary { from, .. } | Op::Convert { from, .. } | Op::Extract { from, .. } => {
            (get(from), 0)
        }
        Op::Switch { value, .. } => (get(value), 0),
        _ => return,
    };
    // Most numbers are too small to be addresses, or negative.
    if (left as i64).max(right as i64) < memory.least_address() as i64 {
        return;
    }
    let bits = Bits { memory, first: image.first_object() };
    let looks = match *op {
        Op::Binary { op, .. } | Op::BinaryConst { op, .. } => bits.binary(op, left, right),
        Op::Distance { .. } => bits.are_apart(left, right),
        _ => bits.whole(left),
    };
    if looks {
        image.looked.note(site);
    }
}

/// Notes a load, if it takes a part of an address out of memory.
#[cold]
#[inline(never)]
fn look_at_part(
    image: &Image,
    memory: &Memory,
    (object, offset, kind): (u32, u32, Kind),
    site: Site,
) {
    let bits = Bits { memory, first: image.first_object() };
    if bits.part(object, offset, kind) {
        image.looked.note(site);
    }
}

/// Where a switch goes.
fn target(switch: &Switch, value: i64) -> usize {
    let after = switch.cases.partition_point(|case| case.first <= value);
    let case = after.checked_sub(1).map(|at| switch.cases[at]);
    case.filter(|case| value <= case.last).map_or(switch.default, |case| case.to) as usize
}
