//! What each transition does to the sources of values.
//!
//! - T1: a result depends on the registers it is computed from, and on the branches that led here.
//! - T2: what is loaded depends on what was stored there, and on the address. If the load can be an
//!   event, it is a source that stands for all this.
//! - T3: what is stored depends on the value and on the address.
//! - T4: the result of a primitive depends on its arguments; addresses of new objects and threads
//!   depend on nothing.

use std::rc::Rc;

use raddle_cfront::ir::{Access, Op, Place, Primitive, Reg, Size};

use super::control::Control;
use super::set::Cell;
use super::shape::Shape;
use super::{Flow, Pending, Read, Thread, VALUE};
use crate::shadow::{Answer, Called, Domain, Part, Piece, Shadow, Step};

impl Domain for Flow {
    type Value = Cell;
    type Held = Cell;
    type Frame = Control;
    const NOTHING: Cell = Cell::EMPTY;

    fn shadow(&mut self) -> &mut Shadow<Flow> {
        &mut self.shadow
    }

    fn enter(&mut self, s: &Step<'_>) -> Control {
        Control::new(self.thread(s.thread).control)
    }

    fn pass(&mut self, _: &Step<'_>, at: Piece, value: Cell) {
        self.memory.write(at, value);
    }

    fn arrive(&mut self, s: &Step<'_>) {
        self.leave_statements(s);
        let control = self.shadow.top(s.thread).own.all();
        let thread = self.thread(s.thread);
        thread.control = control;
        thread.pending = Pending { control, ..Pending::default() };
        if let Some(access) = s.access {
            self.expect_access(s, access);
        }
    }

    fn compute(&mut self, s: &Step<'_>) -> Cell {
        let mut value = Cell::EMPTY;
        if !matches!(s.op, Op::Allocate { .. }) {
            s.op.reads(s.function, |register| value = self.plus(s, value, register));
        }
        value
    }

    fn decide(&mut self, s: &Step<'_>, on: Reg) {
        let cell = self.shadow.get(s.thread, on);
        let sources = cell.all(&mut self.sets);
        if let Op::CallIndirect { .. } = s.op {
            let control = self.thread(s.thread).control;
            self.thread(s.thread).control = self.sets.union(control, sources);
            return;
        }
        self.expect(s, cell, Cell::EMPTY);
        let statement = s.function.statement_of[s.site.op as usize];
        let control = &mut self.shadow.top(s.thread).own;
        control.open(s.function, statement, s.site.op, sources, &mut self.sets);
    }

    fn leave(&mut self, s: &Step<'_>, value: Option<Reg>) -> Cell {
        let value = value.map_or(Cell::EMPTY, |register| self.shadow.get(s.thread, register));
        self.under_control(s, value)
    }

    /// F1, T2.
    fn load(&mut self, s: &Step<'_>, at: Piece) -> Cell {
        let held = self.held(at);
        let held = self.placed(s, held);
        if !s.view.is_shared(at.object) {
            return held;
        }
        let read = self.reads.len() as u32;
        self.reads.push(Read { held, event: None });
        self.thread(s.thread).pending.read = Some(read);
        Cell { data: self.sets.single(read), control: self.thread(s.thread).control }
    }

    fn update(&mut self, s: &Step<'_>, old: Cell) -> [Cell; 2] {
        match s.op {
            Op::CompareExchange { expected, desired, .. } => {
                let equal = self.plus(s, old, expected);
                [equal, self.plus(s, equal, desired)]
            }
            Op::ReadModifyWrite { from, .. } => [old, self.plus(s, old, from)],
            _ => [old; 2],
        }
    }

    fn store(&mut self, s: &Step<'_>, at: Piece, value: Cell) {
        let value = self.placed(s, value);
        self.memory.write(at, value);
    }

    fn read_block(&mut self, s: &Step<'_>, at: Piece) -> Vec<Part<Cell>> {
        if s.view.is_shared(at.object) {
            return vec![Part { offset: 0, size: at.size, value: self.load(s, at) }];
        }
        let mut parts = self.memory.parts(at, Cell::EMPTY);
        for part in &mut parts {
            part.value = self.placed(s, part.value);
            part.offset -= at.offset;
        }
        parts
    }

    fn write_block(&mut self, s: &Step<'_>, at: Piece, held: Vec<Part<Cell>>) {
        for part in held {
            self.store(s, part.within(at), part.value);
        }
    }

    /// T4.
    fn primitive(&mut self, s: &Step<'_>, called: &Called<'_>) -> Cell {
        let arguments = called.arguments.iter();
        let mut value = arguments.fold(Cell::EMPTY, |all, &register| self.plus(s, all, register));
        self.expect(s, Cell::EMPTY, value);
        match called.answer {
            Answer::Arbitrary => value = Cell::EMPTY,
            Answer::Thread => {
                self.thread(s.thread).made = self.thread(s.thread).control;
                value = Cell::EMPTY;
            }
            Answer::Chosen => {
                value.data = self.sets.single(VALUE | self.n_values);
                self.n_values += 1;
            }
            Answer::Computed | Answer::Outcome => {
                if let Some(at) = called.reads {
                    value = value.with(self.held(at), &mut self.sets);
                }
                match called.writes {
                    Some(at) if called.primitive == Primitive::ParseDouble => {
                        self.memory.write(at, value);
                    }
                    Some(at) => self.add(at, value),
                    None => {}
                }
            }
            Answer::Joined => {}
        }
        self.under_control(s, value)
    }

    /// Under the control of the branches around.
    fn set(&mut self, s: &Step<'_>, to: Reg, value: Cell) {
        let value = self.under_control(s, value);
        self.shadow.set(s.thread, to, value);
    }
}

impl Flow {
    /// Statements that were left have their effect (S1, S2).
    fn leave_statements(&mut self, s: &Step<'_>) {
        let mut over = self.shadow.top(s.thread).own.arrive(s.site.op, &mut self.sets);
        while !over.is_empty() {
            for over in over {
                let shape = self.shapes.entry((s.site.function.0, over.statement));
                let shape = shape.or_insert_with(|| Rc::new(Shape::of(s.function, over.statement)));
                let shape = shape.clone();
                for &register in &shape.registers {
                    let cell = self.shadow.get(s.thread, register);
                    let cell = cell.under(over.sources, &mut self.sets);
                    self.shadow.set(s.thread, register, cell);
                }
                if let Some(statement) = shape.leads_to {
                    let control = &mut self.shadow.top(s.thread).own;
                    control.open(s.function, statement, over.op, over.sources, &mut self.sets);
                }
                let more = Cell { control: over.sources, ..Cell::EMPTY };
                for &(place, size) in &shape.places {
                    if let Some((object, offset)) = s.locate(place) {
                        self.add(Piece::new(s, object, offset, size), more);
                    }
                }
            }
            over = self.shadow.top(s.thread).own.arrive(s.site.op, &mut self.sets);
        }
    }

    fn plus(&mut self, s: &Step<'_>, cell: Cell, register: Reg) -> Cell {
        cell.with(self.shadow.get(s.thread, register), &mut self.sets)
    }

    fn under_control(&mut self, s: &Step<'_>, cell: Cell) -> Cell {
        let control = self.thread(s.thread).control;
        cell.under(control, &mut self.sets)
    }

    /// A value that is where an address says.
    fn placed(&mut self, s: &Step<'_>, value: Cell) -> Cell {
        let Thread { pending, control, .. } = *self.thread(s.thread);
        value.with(pending.address, &mut self.sets).under(control, &mut self.sets)
    }

    /// Notes what the events of an access depend on.
    fn expect_access(&mut self, s: &Step<'_>, access: Access) {
        let (mut value, mut address) = (Cell::EMPTY, Cell::EMPTY);
        // The registers of the address come first.
        let place = usize::from(matches!(access.place, Place::At(..)));
        let mut n_address = place + usize::from(matches!(access.size, Size::Reg(_)));
        s.op.reads(s.function, |register| match n_address {
            0 => value = self.plus(s, value, register),
            _ => {
                address = self.plus(s, address, register);
                n_address -= 1;
            }
        });
        if let Op::WriteBlock { .. } = s.op {
            let copied = self.shadow.thread(s.thread).buffer.iter();
            value = copied.fold(value, |all, part| all.with(part.value, &mut self.sets));
        }
        self.expect(s, value, address);
    }

    /// Notes what the events of this transition depend on.
    fn expect(&mut self, s: &Step<'_>, value: Cell, address: Cell) {
        let pending = self.thread(s.thread).pending;
        let both = value.with(address, &mut self.sets);
        let control = self.sets.union(pending.control, both.control);
        let pending = Pending { data: value.data, address, control, ..pending };
        self.thread(s.thread).pending = pending;
    }

    /// What a piece as a whole depends on.
    fn held(&mut self, at: Piece) -> Cell {
        let parts = self.memory.overlapping(at);
        parts.fold(Cell::EMPTY, |all, part| all.with(part.value, &mut self.sets))
    }

    /// Adds to what each byte of a piece depends on.
    fn add(&mut self, at: Piece, more: Cell) {
        for part in self.memory.parts(at, Cell::EMPTY) {
            let value = part.value.with(more, &mut self.sets);
            self.memory.write(at.between(part.offset, part.end()), value);
        }
    }
}
