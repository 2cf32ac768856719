//! The interpreter: transitions of the current thread up to the next point.
//!
//! Three layers: `fast` runs what most transitions are, with everything it needs in locals, and
//! leaves as soon as something else comes; `slow` does one transition of any kind; this module
//! decides where a thread stops, and what a trap means.

mod access;
mod call;
mod fast;
mod slow;

use raddle_cfront::ir::{Function, Op, Operands, Primitive};

use crate::fault::{Fault, FaultKind};
use crate::image::{CHECK, POINT};
use crate::machine::Machine;
use crate::memory::Bad;
use crate::name;
use crate::observe::Observer;
use crate::outcome::Outcome;
use crate::state::Phase;
use crate::thread::{Stage, Thread};
pub(crate) use call::enter;
use fast::Exit;

/// How a transition ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Flow {
    /// The thread goes on with the next operation.
    Next,
    /// The thread goes on where its frame says.
    Jumped,
    /// The thread cannot go on now.
    Stop,
    /// Something has to be decided first; the operation goes on when it is.
    Ask(Phase),
}

/// Why a run cannot go on.
#[derive(Debug)]
pub(crate) enum TrapKind {
    Bad(Bad),
    Fault(FaultKind),
    End(Outcome),
}

/// Why a run cannot go on; seldom made.
pub(crate) type Trap = Box<TrapKind>;

impl From<Bad> for Trap {
    fn from(bad: Bad) -> Trap {
        Box::new(TrapKind::Bad(bad))
    }
}

impl From<FaultKind> for Trap {
    fn from(kind: FaultKind) -> Trap {
        Box::new(TrapKind::Fault(kind))
    }
}

impl From<Outcome> for Trap {
    fn from(outcome: Outcome) -> Trap {
        Box::new(TrapKind::End(outcome))
    }
}

impl Machine {
    /// Goes on after a transition, up to the next question or the end.
    pub(crate) fn go_on<O: Observer>(&mut self, flow: Result<Flow, Trap>, o: &mut O) {
        let stopped = match flow {
            Ok(flow) => self.run(flow, o),
            Err(trap) => Err(trap),
        };
        match stopped {
            Ok(Phase::Thread) => self.ask(o),
            Ok(phase) => self.state.counters.phase = phase,
            Err(trap) => self.end(*trap),
        }
    }

    /// Runs transitions until something is to be decided.
    fn run<O: Observer>(&mut self, mut flow: Flow, o: &mut O) -> Result<Phase, Trap> {
        loop {
            match flow {
                Flow::Next => self.current_thread_mut().top_mut().pc += 1,
                Flow::Jumped => {}
                Flow::Stop => return Ok(Phase::Thread),
                Flow::Ask(phase) => return Ok(phase),
            }
            flow = match self.fast(o) {
                Exit::Slow => self.slow(o)?,
                Exit::Marked if self.stops()? => {
                    self.arm();
                    Flow::Stop
                }
                Exit::Marked => self.step(o)?,
                Exit::Impatient => {
                    self.check_steps()?;
                    self.pause()
                }
                Exit::Bad(bad) => return Err(bad.into()),
                Exit::Fault(kind) => return Err(kind.into()),
            };
        }
    }

    /// Does one transition that is, or could be, a point.
    pub(crate) fn step<O: Observer>(&mut self, o: &mut O) -> Result<Flow, Trap> {
        self.state.counters.n_steps += 1;
        self.current_thread_mut().core.n_quiet += 1;
        if O::FLOW {
            self.show_transition(o);
        }
        self.slow(o)
    }

    /// Puts a point where the thread is, because it went on for so long without synchronising. Where
    /// that is does not depend on which accesses are points.
    fn pause(&mut self) -> Flow {
        let core = &mut self.current_thread_mut().core;
        core.n_quiet = 0;
        if core.atomic > 0 {
            return Flow::Jumped;
        }
        core.stage = Stage::Pause;
        if !core.has_stopped {
            core.n_idle = u32::MAX;
        }
        core.gate = crate::thread::Gate::Open;
        core.deadline = crate::thread::NEVER;
        Flow::Stop
    }

    fn check_steps(&self) -> Result<(), Trap> {
        let counters = &self.state.counters;
        if counters.n_steps < self.image.settings.n_steps_max {
            return Ok(());
        }
        let progress = counters.last_visible >= self.image.settings.n_steps_max / 2;
        Err(Outcome::Steps { progress }.into())
    }

    /// Whether the thread stops before the marked transition it is at.
    #[inline]
    fn stops(&mut self) -> Result<bool, Trap> {
        self.check_steps()?;
        let frame = *self.current_thread().top();
        let mark = self.image.marks[frame.function.0 as usize][frame.pc as usize];
        // What cannot be accessed may be memory that another thread has freed.
        if mark & CHECK != 0 && !self.is_shared_access().unwrap_or(true) {
            return Ok(false);
        }
        if self.current_thread().core.atomic == 0 {
            return Ok(true);
        }
        // Within an atomic section only what blocks is a point.
        self.arm();
        let thread = self.state.counters.current;
        Ok(mark & POINT != 0 && !self.is_gate_open(thread))
    }

    fn end(&mut self, trap: TrapKind) {
        let kind = match trap {
            TrapKind::End(outcome) => return self.finish(outcome),
            TrapKind::Bad(bad) => name::fault(&self.image, &self.state.memory, bad),
            TrapKind::Fault(kind) => kind,
        };
        let thread = self.state.counters.current;
        let (site, stack) = (self.site(), self.stack(thread));
        self.finish(Outcome::Fault(Fault { kind, thread, site, stack }));
    }

    /// The operation that the current thread is at.
    #[inline]
    pub(crate) fn op(&self) -> Op {
        let frame = self.current_thread().top();
        self.image.function(frame.function).code[frame.pc as usize]
    }

    /// The first arguments of the primitive that a thread is at; missing ones are zero.
    #[inline]
    pub(crate) fn primitive_of(&self, thread: u32) -> Option<(Primitive, [u64; 6])> {
        let thread = &self.state.threads[thread as usize];
        let frame = thread.frames.last()?;
        let function = self.image.function(frame.function);
        let Op::Primitive { call, arguments, .. } = function.code[frame.pc as usize] else {
            return None;
        };
        Some((call, values(thread, function, arguments)))
    }

    /// The first arguments of the operation that the current thread is at; missing ones are zero.
    #[inline]
    pub(crate) fn arguments(&self, arguments: Operands) -> [u64; 6] {
        let thread = self.current_thread();
        values(thread, self.image.function(thread.top().function), arguments)
    }
}

#[inline]
fn values(thread: &Thread, function: &Function, arguments: Operands) -> [u64; 6] {
    let registers = &thread.registers[thread.top().registers as usize..];
    let mut values = [0; 6];
    for (value, register) in values.iter_mut().zip(function.operands(arguments)) {
        *value = registers[register.0 as usize];
    }
    values
}
