//! What each transition does to the shadows.
//!
//! - T1: a result depends on the registers it is computed from, and on the branches that led here.
//! - T2: what is loaded depends on what was stored there, and on the address. If the load is an
//!   event, the event takes the place of all this.
//! - T3: what is stored depends on the value and on the address.
//! - T4: the result of a primitive depends on its arguments; addresses of new objects and threads
//!   depend on nothing.

use raddle_cfront::ir::{Access, AccessKind, Function, Op, Operands, Place, Primitive, Reg, Size};

use super::shadow::{Cell, Piece};
use super::thread::{Goal, Pending};
use super::{Flow, VALUE};
use crate::observe::Transition;

impl Flow {
    pub(super) fn transfer(&mut self, t: &Transition<'_>) {
        let program = t.view.program();
        self.settle(t);
        let function = program.function(t.site.function);
        let op = function.code[t.site.op as usize];
        let control = self.thread(t).control();
        self.thread(t).pending = Pending { control, ..Pending::default() };
        if let Some(access) = op.access() {
            return self.access(t, op, access);
        }
        match op {
            Op::Branch { condition: value, .. }
            | Op::Switch { value, .. }
            | Op::JumpTo { target: value } => self.branch(t, function, value),
            Op::Call { arguments, result, .. } => self.call(t, function, arguments, result, None),
            Op::CallIndirect { target, arguments, result } => {
                self.call(t, function, arguments, result, Some(target));
            }
            Op::Return { value } => self.give_back(t, value),
            Op::Primitive { call, arguments, result } => {
                self.primitive(t, call, function.operands(arguments), result);
            }
            Op::Allocate { to, .. } => self.set(t, to, Cell::EMPTY),
            _ => {
                let mut value = Cell::EMPTY;
                op.reads(function, |register| value = self.plus(t, value, register));
                op.writes(|register| self.set(t, register, value));
            }
        }
    }

    /// A new frame gets its extra arguments; statements that were left have their effect.
    fn settle(&mut self, t: &Transition<'_>) {
        let program = t.view.program();
        let extra = self.thread(t).settle(program, t);
        if let Some(object) = t.view.variadic().filter(|_| !extra.is_empty()) {
            let piece = piece(t, object, 0, 8 * extra.len() as u32);
            let cells = extra.iter().flat_map(|&cell| std::iter::repeat_n(cell, 8));
            self.memory.set(piece, cells);
        }
        let Flow { threads, shapes, sets, .. } = self;
        let thread = &mut threads[t.thread as usize];
        for (place, size, sources) in thread.leave_statements(program, t.site, shapes, sets) {
            if let Some((object, offset)) = t.locate(place) {
                let more = Cell { control: sources, ..Cell::EMPTY };
                self.memory.add(piece(t, object, offset, size), more, sets);
            }
        }
    }

    fn plus(&mut self, t: &Transition<'_>, cell: Cell, register: Reg) -> Cell {
        let other = self.thread(t).get(register);
        cell.with(other, &mut self.sets)
    }

    /// Sets a register, under the control of the branches around.
    fn set(&mut self, t: &Transition<'_>, register: Reg, cell: Cell) {
        let control = self.thread(t).control();
        let cell = cell.under(control, &mut self.sets);
        self.thread(t).set(register, cell);
    }

    fn branch(&mut self, t: &Transition<'_>, function: &Function, value: Reg) {
        let cell = self.thread(t).get(value);
        self.expect(t, cell, Cell::EMPTY);
        let Flow { threads, sets, .. } = self;
        let sources = cell.all(sets);
        let statement = function.statement_of[t.site.op as usize];
        let control = &mut threads[t.thread as usize].top().control;
        control.open(function, statement, t.site.op, sources, sets);
    }

    fn call(
        &mut self,
        t: &Transition<'_>,
        function: &Function,
        arguments: Operands,
        result: Option<Reg>,
        target: Option<Reg>,
    ) {
        let target = target.map_or(Cell::EMPTY, |register| self.thread(t).get(register));
        let target = target.all(&mut self.sets);
        let thread = self.thread(t);
        let arguments = function.operands(arguments).iter().map(|&r| thread.get(r)).collect();
        thread.top().result = result;
        let control = thread.control();
        let control = self.sets.union(control, target);
        self.thread(t).incoming = (arguments, control);
    }

    fn give_back(&mut self, t: &Transition<'_>, value: Option<Reg>) {
        let control = self.thread(t).control();
        let value = value.map_or(Cell::EMPTY, |register| self.thread(t).get(register));
        let value = value.under(control, &mut self.sets);
        let thread = self.thread(t);
        if thread.frames.len() > 1 {
            thread.frames.pop();
            if let Some(to) = thread.top().result.take() {
                thread.set(to, value);
            }
        }
    }

    /// Notes what the events of this transition depend on.
    fn expect(&mut self, t: &Transition<'_>, value: Cell, address: Cell) {
        let pending = self.thread(t).pending;
        let both = value.with(address, &mut self.sets);
        let control = self.sets.union(pending.control, both.control);
        let pending = Pending { data: value.data, address: address.data, control, ..pending };
        self.thread(t).pending = pending;
    }

    fn access(&mut self, t: &Transition<'_>, op: Op, access: Access) {
        let mut address = Cell::EMPTY;
        let mut size = 0;
        if let Place::At(base, _) = access.place {
            address = self.plus(t, address, base);
        }
        match access.size {
            Size::Const(n) => size = n,
            Size::Reg(register) => {
                address = self.plus(t, address, register);
                size = u32::try_from(t.registers[register.0 as usize]).unwrap_or(size);
            }
        }
        // What is not there is a fault, which ends the run.
        let Some((object, offset)) = t.locate(access.place) else { return };
        if u64::from(offset) + u64::from(size) > u64::from(t.view.size(object)) {
            return;
        }
        let at = piece(t, object, offset, size);
        if access.kind != AccessKind::Write {
            self.load(t, op, at, address);
        }
        if access.kind != AccessKind::Read {
            self.store(t, op, at, address);
        }
    }

    /// T2.
    fn load(&mut self, t: &Transition<'_>, op: Op, at: Piece, address: Cell) {
        let control = self.thread(t).control();
        let value = self.memory.get(at, &mut self.sets).with(address, &mut self.sets);
        let value = value.under(control, &mut self.sets);
        self.expect(t, Cell::EMPTY, address);
        self.thread(t).pending.read = value;
        let goal = match op {
            Op::Load { to, .. } => Goal::Register(to),
            Op::ReadBlock { .. } => {
                let Flow { threads, memory, sets, .. } = self;
                let buffer = &mut threads[t.thread as usize].buffer;
                buffer.clear();
                let cells = memory.cells(at);
                buffer.extend(cells.map(|cell| cell.with(address, sets).under(control, sets)));
                Goal::Buffer
            }
            // Their registers are set when their operands are not needed any more.
            _ => Goal::Nowhere,
        };
        self.thread(t).pending.to = goal;
        if let Goal::Register(to) = goal {
            self.thread(t).set(to, value);
        }
    }

    /// T3.
    fn store(&mut self, t: &Transition<'_>, op: Op, at: Piece, address: Cell) {
        let old = self.thread(t).pending.read;
        let mut value = Cell::EMPTY;
        match op {
            Op::WriteBlock { .. } => {
                let buffer = std::mem::take(&mut self.thread(t).buffer);
                value = buffer.iter().fold(value, |all, &cell| all.with(cell, &mut self.sets));
                self.expect(t, value, address);
                let under = Cell { control: self.thread(t).control(), ..Cell::EMPTY };
                let under = under.with(address, &mut self.sets);
                let sets = &mut self.sets;
                self.memory.set(at, buffer.iter().map(|cell| cell.with(under, sets)));
                return;
            }
            Op::Store { from, .. } | Op::Fill { byte: Some(from), .. } => {
                value = self.thread(t).get(from);
            }
            Op::ReadModifyWrite { to, from, .. } => {
                value = self.thread(t).get(from);
                self.thread(t).set(to, old);
                self.thread(t).pending.to = Goal::Register(to);
            }
            Op::CompareExchange { to, expected, desired, .. } => {
                let wanted = self.thread(t).get(expected);
                value = self.plus(t, wanted, desired);
                let equal = wanted.with(old, &mut self.sets);
                self.thread(t).set(expected, old);
                self.thread(t).set(to, equal);
                self.thread(t).pending.to = Goal::Exchange(expected, to, wanted);
            }
            _ => {}
        }
        self.expect(t, value, address);
        let control = self.thread(t).control();
        let stored = value.with(old, &mut self.sets).with(address, &mut self.sets);
        let stored = stored.under(control, &mut self.sets);
        self.memory.set(at, std::iter::repeat(stored));
    }

    /// T4.
    fn primitive(
        &mut self,
        t: &Transition<'_>,
        call: Primitive,
        arguments: &[Reg],
        result: Option<Reg>,
    ) {
        use Primitive as P;
        let mut value = Cell::EMPTY;
        for &register in arguments {
            value = self.plus(t, value, register);
        }
        self.expect(t, Cell::EMPTY, value);
        match call {
            P::Malloc | P::ThreadSelf | P::Now => value = Cell::EMPTY,
            P::ThreadNew => {
                let thread = self.thread(t);
                let cells = arguments.iter().take(2).map(|&register| thread.get(register));
                thread.made = (cells.collect(), thread.control());
                value = Cell::EMPTY;
            }
            P::ThreadExit => {
                let control = self.thread(t).control();
                self.thread(t).ended = value.under(control, &mut self.sets);
            }
            P::ThreadJoin | P::ThreadTryJoin | P::ThreadTimedJoin => {
                let size = t.view.program().data_model.pointer().size();
                self.thread(t).pending.result =
                    arguments.get(1).and_then(|&to| at_register(t, to, size));
            }
            P::Read | P::FormatDouble => {
                let room = arguments.get(if call == P::Read { 2 } else { 1 });
                let room = room.map_or(0, |r| t.registers[r.0 as usize]);
                let to = arguments.get(if call == P::Read { 1 } else { 0 });
                if let Some(piece) = to.and_then(|&to| at_register(t, to, room as u32)) {
                    self.memory.add(piece, value, &mut self.sets);
                }
            }
            P::ParseDouble => value = self.parsed(t, arguments, value),
            P::Nondet(_) => {
                value.data = self.sets.single(VALUE | self.n_values);
                self.n_values += 1;
            }
            _ => {}
        }
        if let Some(to) = result {
            self.set(t, to, value);
        }
    }

    fn parsed(&mut self, t: &Transition<'_>, arguments: &[Reg], value: Cell) -> Cell {
        let text = arguments.first().and_then(|&text| at_register(t, text, u32::MAX));
        let read = text.map_or(Cell::EMPTY, |text| self.memory.get(text, &mut self.sets));
        let value = value.with(read, &mut self.sets);
        let size = t.view.program().data_model.pointer().size();
        if let Some(end) = arguments.get(1).and_then(|&end| at_register(t, end, size)) {
            self.memory.set(end, std::iter::repeat(value));
        }
        value
    }
}

fn piece(t: &Transition<'_>, object: u32, offset: u32, size: u32) -> Piece {
    Piece { object, birth: t.view.birth(object), offset, size }
}

/// The piece at the address in a register, as far as its object goes.
fn at_register(t: &Transition<'_>, register: Reg, size: u32) -> Option<Piece> {
    let (object, offset) = t.locate(Place::At(register, 0))?;
    let size = size.min(t.view.size(object).saturating_sub(offset));
    Some(piece(t, object, offset, size))
}
