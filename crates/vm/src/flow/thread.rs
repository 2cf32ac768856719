//! The shadow of one thread: its frames, its buffer, and what its last transition depends on.

use raddle_cfront::ir::{Program, Reg, StatementId};
use rustc_hash::FxHashMap;

use super::control::Control;
use super::set::{Set, Sets};
use super::shadow::{Cell, Piece};
use super::shape::Shape;
use crate::observe::Transition;
use crate::site::Site;

/// What the next events of a thread depend on.
#[derive(Clone, Copy, Default)]
pub(super) struct Pending {
    pub(super) data: Set,
    pub(super) address: Set,
    pub(super) control: Set,
    /// If it reads: what the value depends on when the access is no event of the trace.
    pub(super) read: Cell,
    /// Where the value that is read goes.
    pub(super) to: Goal,
    /// Where the result of a joined thread goes.
    pub(super) result: Option<Piece>,
}

/// Where the value of a read goes.
#[derive(Clone, Copy, Default)]
pub(super) enum Goal {
    #[default]
    Nowhere,
    Register(Reg),
    /// The old value to the first, whether it was the expected one (which depends on the cell)
    /// to the second.
    Exchange(Reg, Reg, Cell),
    Buffer,
}

/// The shadow of a frame.
pub(super) struct Frame {
    pub(super) registers: Vec<Cell>,
    pub(super) control: Control,
    /// Where the result of the call that it waits for goes.
    pub(super) result: Option<Reg>,
}

/// The shadow of a thread.
#[derive(Default)]
pub(super) struct Thread {
    pub(super) frames: Vec<Frame>,
    pub(super) buffer: Vec<Cell>,
    pub(super) pending: Pending,
    /// The arguments of the call that comes, and its control.
    pub(super) incoming: (Vec<Cell>, Set),
    /// What the thread that was made last gets.
    pub(super) made: (Vec<Cell>, Set),
    /// What the thread ended with.
    pub(super) ended: Cell,
}

/// The shapes of the statements that were needed.
pub(super) type Shapes = FxHashMap<(u32, StatementId), Shape>;

impl Thread {
    /// Makes the frames those of the machine. A new frame answers with the extra arguments.
    pub(super) fn settle(&mut self, program: &Program, t: &Transition<'_>) -> Vec<Cell> {
        let depth = t.depth as usize;
        self.frames.truncate(depth + 1);
        if self.frames.len() == depth + 1 {
            return Vec::new();
        }
        let function = program.function(t.site.function);
        let (mut arguments, control) = std::mem::take(&mut self.incoming);
        let extra = arguments.split_off(arguments.len().min(function.parameters.len()));
        let mut registers = vec![Cell::EMPTY; function.n_registers as usize];
        registers[..arguments.len()].copy_from_slice(&arguments);
        self.frames.push(Frame { registers, control: Control::new(control), result: None });
        extra
    }

    pub(super) fn top(&mut self) -> &mut Frame {
        self.frames.last_mut().expect("a running thread has a frame")
    }

    pub(super) fn get(&self, register: Reg) -> Cell {
        let frame = self.frames.last().expect("a running thread has a frame");
        frame.registers[register.0 as usize]
    }

    pub(super) fn set(&mut self, register: Reg, cell: Cell) {
        self.top().registers[register.0 as usize] = cell;
    }

    /// The control of the innermost frame.
    pub(super) fn control(&self) -> Set {
        self.frames.last().map_or(self.incoming.1, |frame| frame.control.all())
    }

    /// Ends the statements that the thread has left (S1, S2); answers with the places that they
    /// could have written, and with what these now depend on.
    pub(super) fn leave_statements(
        &mut self,
        program: &Program,
        site: Site,
        shapes: &mut Shapes,
        sets: &mut Sets,
    ) -> Vec<(raddle_cfront::ir::Place, u32, Set)> {
        let function = program.function(site.function);
        let frame = self.top();
        let mut places = Vec::new();
        let mut over = frame.control.arrive(site.op, sets);
        while !over.is_empty() {
            for over in over {
                let key = (site.function.0, over.statement);
                let shape = shapes.entry(key);
                let shape = shape.or_insert_with(|| Shape::of(function, over.statement));
                for register in &shape.registers {
                    let cell = &mut frame.registers[register.0 as usize];
                    *cell = cell.under(over.sources, sets);
                }
                places.extend(shape.places.iter().map(|&(at, size)| (at, size, over.sources)));
                if let Some(statement) = shape.leads_to {
                    frame.control.open(function, statement, over.op, over.sources, sets);
                }
            }
            over = frame.control.arrive(site.op, sets);
        }
        places
    }
}
