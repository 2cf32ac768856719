//! Following values: one interpreter beside the machine, for whatever is to be known of values.
//!
//! In: the transitions of a run, before each is taken, and a [`Domain`], which says what is known of
//! a value and how operators, memory and branches change that. Out: what the domain has made of it.
//! How values move is known here alone: through registers, arguments and results, copies of
//! blocks, variadic arguments, primitives, and to threads and back.
//!
//! - V1: a frame begins at its first transition; what it was called with waits until then.
//! - V2: nothing is read or written by an access that faults, which ends the run.
//! - V3: an access reads before it writes; registers are set last.
//! - V4: what a primitive does beside its answer is what `effect` says.
//! - V5: an operation that is not named here computes something of the registers that it reads.

mod effect;
mod frames;
mod memory;

use std::mem::take;
use std::ops::Deref;

use raddle_cfront::ir::{Access, Function, Op, Primitive, Reg, Size};

use crate::observe::Transition;
pub use effect::{Answer, Called};
use frames::Frame;
pub use frames::Shadow;
pub use memory::{Memory, Part, Piece};

/// What is to be known of values, and what else a run tells.
pub trait Domain: Sized {
    /// What is known of a value.
    type Value: Copy;
    /// What is known of a value in memory that is copied.
    type Held;
    /// What a frame has beside its registers.
    type Frame;
    /// A value of which nothing is known.
    const NOTHING: Self::Value;

    /// What the interpreter keeps.
    fn shadow(&mut self) -> &mut Shadow<Self>;
    /// A frame begins; those around it are there.
    fn enter(&mut self, s: &Step<'_>) -> Self::Frame;
    /// A variadic argument of a frame that begins is in memory.
    fn pass(&mut self, s: &Step<'_>, at: Piece, value: Self::Value);
    /// A step is about to be taken; its frame is there.
    fn arrive(&mut self, s: &Step<'_>);
    /// What an operation computes that does not access memory.
    fn compute(&mut self, s: &Step<'_>) -> Self::Value;
    /// Where the thread goes on, in this function or in another, depends on a register.
    fn decide(&mut self, s: &Step<'_>, on: Reg);
    /// What a function returns.
    fn leave(&mut self, s: &Step<'_>, value: Option<Reg>) -> Self::Value;
    /// What is read.
    fn load(&mut self, s: &Step<'_>, at: Piece) -> Self::Value;
    /// What the result of an indivisible update is, and what takes the place of the old value.
    fn update(&mut self, s: &Step<'_>, old: Self::Value) -> [Self::Value; 2];
    /// Something is written.
    fn store(&mut self, s: &Step<'_>, at: Piece, value: Self::Value);
    /// What a block holds; offsets are within it.
    fn read_block(&mut self, s: &Step<'_>, at: Piece) -> Vec<Part<Self::Held>>;
    /// A block is written.
    fn write_block(&mut self, s: &Step<'_>, at: Piece, held: Vec<Part<Self::Held>>);
    /// What a primitive answers, or what the thread ends with.
    fn primitive(&mut self, s: &Step<'_>, called: &Called<'_>) -> Self::Value;
    /// Sets a register.
    fn set(&mut self, s: &Step<'_>, to: Reg, value: Self::Value) {
        self.shadow().set(s.thread, to, value);
    }
}

/// A transition that is followed.
pub struct Step<'a> {
    transition: &'a Transition<'a>,
    /// The function that it belongs to.
    pub function: &'a Function,
    /// What it does.
    pub op: Op,
    /// How it accesses memory, if it does.
    pub access: Option<Access>,
    /// The memory that it accesses, unless it faults.
    pub at: Option<Piece>,
}

impl<'a> Deref for Step<'a> {
    type Target = Transition<'a>;

    fn deref(&self) -> &Transition<'a> {
        self.transition
    }
}

/// Follows one transition.
pub fn follow<D: Domain>(domain: &mut D, transition: &Transition<'_>) {
    let function = transition.view.program().function(transition.site.function);
    let op = function.code[transition.site.op as usize];
    let access = op.access();
    let at = access.and_then(|access| locate(transition, access));
    let s = &Step { transition, function, op, access, at };
    settle(domain, s);
    domain.arrive(s);
    match op {
        Op::Jump { .. } | Op::Fence { .. } | Op::Release { .. } | Op::Unreachable => {}
        Op::Branch { condition: on, .. } | Op::Switch { value: on, .. } => domain.decide(s, on),
        Op::JumpTo { target } => domain.decide(s, target),
        Op::Call { arguments, result, .. } => call(domain, s, function.operands(arguments), result),
        Op::CallIndirect { target, arguments, result } => {
            domain.decide(s, target);
            call(domain, s, function.operands(arguments), result);
        }
        Op::Return { value } => give_back(domain, s, value),
        Op::Primitive { call, arguments, result } => {
            primitive(domain, s, &Called::new(s, call, function.operands(arguments)), result);
        }
        _ if access.is_some() => at.into_iter().for_each(|at| touch(domain, s, at)),
        _ => {
            let value = domain.compute(s); // V5
            op.writes(|to| domain.set(s, to, value));
        }
    }
}

/// Makes the frames those of the machine (V1).
fn settle<D: Domain>(domain: &mut D, s: &Step<'_>) {
    let n_frames = s.depth as usize + 1;
    let frames = &mut domain.shadow().thread(s.thread).frames;
    frames.truncate(n_frames);
    if frames.len() == n_frames {
        return;
    }
    let own = domain.enter(s);
    let thread = domain.shadow().thread(s.thread);
    let mut registers = take(&mut thread.incoming);
    let extra = registers.split_off(registers.len().min(s.function.parameters.len()));
    registers.resize(s.function.n_registers as usize, D::NOTHING);
    thread.frames.push(Frame { registers, result: None, own });
    if let Some(object) = s.view.variadic() {
        for (n, value) in (0..).zip(extra) {
            domain.pass(s, Piece::new(s, object, 8 * n, 8), value);
        }
    }
}

fn call<D: Domain>(domain: &mut D, s: &Step<'_>, arguments: &[Reg], result: Option<Reg>) {
    let shadow = domain.shadow();
    shadow.thread(s.thread).incoming = shadow.all(s.thread, arguments);
    shadow.top(s.thread).result = result;
}

fn give_back<D: Domain>(domain: &mut D, s: &Step<'_>, value: Option<Reg>) {
    let value = domain.leave(s, value);
    let shadow = domain.shadow();
    // The outermost function does not return.
    if shadow.thread(s.thread).frames.len() > 1 {
        shadow.thread(s.thread).frames.pop();
        if let Some(to) = shadow.top(s.thread).result.take() {
            shadow.set(s.thread, to, value);
        }
    }
}

/// The memory of an access, unless it faults (V2).
fn locate(t: &Transition<'_>, access: Access) -> Option<Piece> {
    let size = match access.size {
        Size::Const(size) => size,
        Size::Reg(register) => u32::try_from(t.registers[register.0 as usize]).ok()?,
    };
    let (object, offset) = t.locate(access.place)?;
    let end = u64::from(offset) + u64::from(size);
    (end <= u64::from(t.view.size(object))).then(|| Piece::new(t, object, offset, size))
}

/// V3.
fn touch<D: Domain>(domain: &mut D, s: &Step<'_>, at: Piece) {
    match s.op {
        Op::Load { to, .. } => {
            let value = domain.load(s, at);
            domain.set(s, to, value);
        }
        Op::Store { from, .. } | Op::Fill { byte: Some(from), .. } => {
            let value = domain.shadow().get(s.thread, from);
            domain.store(s, at, value);
        }
        Op::ReadModifyWrite { to, .. } | Op::CompareExchange { to, .. } => {
            let old = domain.load(s, at);
            let [result, new] = domain.update(s, old);
            domain.store(s, at, new);
            if let Op::CompareExchange { expected, .. } = s.op {
                domain.set(s, expected, old);
            }
            domain.set(s, to, result);
        }
        Op::ReadBlock { .. } => {
            domain.shadow().thread(s.thread).buffer = domain.read_block(s, at);
        }
        Op::WriteBlock { .. } => {
            let held = take(&mut domain.shadow().thread(s.thread).buffer);
            domain.write_block(s, at, held);
        }
        _ => domain.store(s, at, D::NOTHING),
    }
}

/// V4.
fn primitive<D: Domain>(domain: &mut D, s: &Step<'_>, called: &Called<'_>, result: Option<Reg>) {
    let shadow = domain.shadow();
    match called.answer {
        Answer::Thread => {
            shadow.thread(s.thread).made = shadow.all(s.thread, &called.arguments[..2]);
        }
        Answer::Joined => shadow.thread(s.thread).joining = called.writes,
        _ => {}
    }
    let value = domain.primitive(s, called);
    if called.primitive == Primitive::ThreadExit {
        domain.shadow().thread(s.thread).ended = value;
    }
    result.into_iter().for_each(|to| domain.set(s, to, value));
}
