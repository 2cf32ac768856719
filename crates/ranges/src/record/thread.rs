//! The expressions of one thread: its frames, its buffer, and the step it is about to take.

use raddle_cfront::ir::{Program, Reg};
use raddle_vm::Transition;
use rustc_hash::FxHashSet;

use super::memory::Kept;
use crate::ctp::{Action, CondId, Guard, StateId, ThreadId};
use crate::expr::ExprId;

/// The registers of a frame; what has no expression is what it was in the run.
#[derive(Default)]
pub(super) struct Frame {
    registers: Vec<Option<ExprId>>,
    pub(super) result: Option<Reg>,
    /// The branches that were decided by a value that was followed.
    pub(super) decided: FxHashSet<u32>,
}

/// A thread while it is recorded.
pub(super) struct Thread {
    pub(super) id: ThreadId,
    /// Where it is.
    pub(super) state: StateId,
    pub(super) frames: Vec<Frame>,
    /// The arguments of the call that comes.
    pub(super) incoming: Vec<Option<ExprId>>,
    /// The arguments of the thread that was made last.
    pub(super) made: Vec<Option<ExprId>>,
    /// What the thread ended with.
    pub(super) ended: Option<ExprId>,
    /// What a block copy carries, by offset within the block.
    pub(super) buffer: Vec<Kept>,
    /// What the barrier that comes answers.
    pub(super) last: Option<ExprId>,
    /// What the current transition does if it is an event.
    pub(super) action: Option<Action>,
    /// What must hold before the next step.
    pub(super) guards: Vec<Guard>,
    pub(super) joins: Vec<ThreadId>,
    /// Conditions that are guards already.
    pub(super) known: FxHashSet<ExprId>,
    /// The condition that a wait starts on.
    pub(super) waits: Option<CondId>,
    pub(super) n_events: u32,
    /// Whether the step that comes is one outcome of several.
    pub(super) tries: bool,
    /// Whether it has come to its end.
    pub(super) is_over: bool,
    /// Within a call of an output function: how deep it is.
    pub(super) quiet: Option<u32>,
    /// Where the result of a joined thread goes.
    pub(super) result: Option<(u32, u32, u32)>,
}

impl Thread {
    pub(super) fn new(id: ThreadId, state: StateId) -> Thread {
        Thread {
            id,
            state,
            frames: Vec::new(),
            incoming: Vec::new(),
            made: Vec::new(),
            ended: None,
            buffer: Vec::new(),
            last: None,
            action: None,
            guards: Vec::new(),
            joins: Vec::new(),
            known: FxHashSet::default(),
            waits: None,
            n_events: 0,
            tries: false,
            is_over: false,
            quiet: None,
            result: None,
        }
    }

    /// Makes the frames those of the machine; answers with the arguments of a new frame that are
    /// variadic.
    pub(super) fn settle(&mut self, program: &Program, t: &Transition<'_>) -> Vec<Option<ExprId>> {
        let depth = t.depth as usize;
        self.frames.truncate(depth + 1);
        if self.quiet.is_some_and(|quiet| t.depth <= quiet) {
            self.quiet = None;
        }
        if self.frames.len() == depth + 1 {
            return Vec::new();
        }
        let function = program.function(t.site.function);
        let mut registers = std::mem::take(&mut self.incoming);
        let extra = registers.split_off(registers.len().min(function.parameters.len()));
        registers.resize(function.n_registers as usize, None);
        self.frames.push(Frame { registers, ..Frame::default() });
        extra
    }

    pub(super) fn get(&self, register: Reg) -> Option<ExprId> {
        self.frames.last().and_then(|frame| frame.registers[register.0 as usize])
    }

    pub(super) fn set(&mut self, register: Reg, value: Option<ExprId>) {
        let value = value.filter(|_| self.quiet.is_none());
        if let Some(frame) = self.frames.last_mut() {
            frame.registers[register.0 as usize] = value;
        }
    }

    pub(super) fn top(&mut self) -> &mut Frame {
        self.frames.last_mut().expect("a running thread has a frame")
    }
}
