//! What each transition means for the trace.

use raddle_cfront::ir::{AccessKind, Function, Op, Place, Primitive, Reg, Size};
use raddle_vm::{Event, Observer, Transition, What};

use super::frame::{Frame, NONE};
use super::memory::{Access, Piece};
use super::{Draft, N_EVENTS_MAX, Recorder};
use crate::trace::EventId;

impl Observer for Recorder<'_> {
    const FLOW: bool = true;

    fn event(&mut self, event: &Event<'_>) {
        let at = self.events.len() as u32;
        match event.what {
            What::Fork { child } => {
                let parent = self.thread(event.thread);
                let made = std::mem::take(&mut parent.made);
                let frame = parent.frames.iter().rev().find(|frame| frame.at().is_some());
                let place = frame.and_then(Frame::at);
                let control = frame.and_then(Frame::control);
                let created = (parent.segment, place, control);
                parent.n_running += 1;
                let first = parent.n_running == 1;
                self.n_constructs += usize::from(first);
                let thread = self.thread(child);
                thread.incoming = made;
                thread.parent = Some(event.thread);
                thread.created = Some(created);
                thread.began = at;
            }
            What::Join { child } => {
                let joiner = event.thread;
                let thread = self.thread(child);
                thread.ended = Some((at, joiner));
                let parent = self.thread(joiner);
                parent.n_running = parent.n_running.saturating_sub(1);
            }
            What::Begin { function } => self.thread(event.thread).name = Some(function),
            What::Arrive { .. } => {
                let thread = self.thread(event.thread);
                thread.barrier |= !thread.split;
            }
            What::Read { object, offset, size, .. }
            | What::Write { object, offset, size, .. }
            | What::Rmw { object, offset, size, .. } => {
                let name = || event.view.name(object, offset, size);
                self.names.entry((object, offset)).or_insert_with(name);
            }
            _ => {}
        }
    }

    fn transition(&mut self, t: &Transition<'_>) {
        if self.events.len() >= N_EVENTS_MAX {
            return;
        }
        let program = self.recording.program;
        let function = program.function(t.site.function);
        self.settle(t, function);
        let Recorder { threads, recording, instances, jumps, .. } = self;
        let frame = threads[t.thread as usize].frames.last_mut().expect("it was settled");
        if !function.library {
            frame.arrive(t.site, function, recording.outline, instances, jumps);
        }
        self.step(t, function);
    }
}

impl Recorder<'_> {
    /// Makes the frames those of the machine.
    fn settle(&mut self, t: &Transition<'_>, function: &Function) {
        let thread = self.thread(t.thread);
        let depth = t.depth as usize;
        thread.frames.truncate(depth + 1);
        if thread.frames.len() == depth + 1 {
            return;
        }
        let mut arguments = std::mem::take(&mut thread.incoming);
        let extra = arguments.split_off(arguments.len().min(function.parameters.len()));
        let outer = thread.frames.last();
        let created = thread.created;
        let base = outer.map_or(created.and_then(|c| c.1), Frame::at);
        let control = outer.map_or(created.and_then(|c| c.2), Frame::control);
        let library = match (outer, function.library) {
            (Some(outer), true) => outer.library_control,
            _ => NONE,
        };
        let n = function.n_registers as usize;
        thread.frames.push(Frame::new(n, &arguments, base, control, library));
        if let Some(object) = t.view.variadic() {
            for (n, source) in (0..).zip(extra) {
                let piece = piece(t, object, 8 * n, 8);
                let event = self.emit(t, false, &[source]);
                self.access(t, event, piece, true);
            }
        }
    }

    fn frame(&mut self, t: &Transition<'_>) -> &mut Frame {
        self.threads[t.thread as usize].frames.last_mut().expect("it was settled")
    }

    fn source(&mut self, t: &Transition<'_>, register: Reg) -> u32 {
        self.frame(t).registers[register.0 as usize]
    }

    fn set(&mut self, t: &Transition<'_>, register: Reg, event: u32) {
        self.frame(t).registers[register.0 as usize] = event;
    }

    /// Adds an event whose locals come from these.
    fn emit(&mut self, t: &Transition<'_>, branch: bool, sources: &[u32]) -> u32 {
        let number = self.events.len() as u32;
        let place = self.recording.outline.number(t.site);
        let thread = &self.threads[t.thread as usize];
        let frame = thread.frames.last().expect("it was settled");
        let (at, control, library) = (frame.at(), frame.control(), frame.library_control);
        let segment = thread.segment;
        self.events.push(Draft { thread: t.thread, branch, segment, at, control, place });
        let known = sources.iter().chain([&library]).copied().filter(|&source| source != NONE);
        self.locals.1.extend(known);
        self.locals.0.push(self.locals.1.len() as u32);
        number
    }

    fn access(&mut self, t: &Transition<'_>, event: u32, piece: Piece, write: bool) {
        if piece.size > 0 {
            self.accesses.push(Access { event, thread: t.thread, piece, write });
        }
    }

    fn step(&mut self, t: &Transition<'_>, function: &Function) {
        let op = function.code[t.site.op as usize];
        let mut sources = Vec::new();
        op.reads(function, |register| sources.push(self.source(t, register)));
        match op {
            Op::Jump { .. } | Op::Fence { .. } | Op::Release { .. } | Op::Unreachable => {}
            Op::Branch { .. } | Op::Switch { .. } | Op::JumpTo { .. } => {
                self.branch(t, function, &sources);
            }
            Op::Call { function: callee, arguments, result } => {
                self.annotation(t, callee.0, function, function.operands(arguments));
                self.call(t, function.operands(arguments), result);
            }
            Op::CallIndirect { target, arguments, result } => {
                let target = self.source(t, target);
                self.branch(t, function, &[target]);
                self.call(t, function.operands(arguments), result);
            }
            Op::Return { value } => self.give_back(t, function, value),
            Op::Primitive { call, arguments, result } => {
                let arguments = function.operands(arguments).to_vec();
                self.primitive(t, call, &arguments, result, &sources);
            }
            _ if op.access().is_some() => self.touch(t, op, &sources),
            _ => {
                let event = self.emit(t, false, &sources);
                op.writes(|register| self.set(t, register, event));
            }
        }
    }

    fn branch(&mut self, t: &Transition<'_>, function: &Function, sources: &[u32]) {
        let event = self.emit(t, !function.library, sources);
        let frame = self.frame(t);
        match function.library {
            true => frame.library_control = event, // T3
            false => frame.decide(function, t.site.op, EventId(event)),
        }
    }

    fn call(&mut self, t: &Transition<'_>, arguments: &[Reg], result: Option<Reg>) {
        let sources = arguments.iter().map(|&register| self.source(t, register)).collect();
        self.frame(t).result = result;
        self.threads[t.thread as usize].incoming = sources;
    }

    fn give_back(&mut self, t: &Transition<'_>, function: &Function, value: Option<Reg>) {
        let mut source = value.map_or(NONE, |register| self.source(t, register));
        if function.library && value.is_some() && self.frame(t).library_control != NONE {
            // Which value it is was decided before (T3).
            source = self.emit(t, false, &[source]);
        }
        let Recorder { threads, recording, jumps, .. } = self;
        let frames = &mut threads[t.thread as usize].frames;
        let Some(mut frame) = frames.pop() else { return };
        if !function.library {
            frame.leave(recording.outline, jumps);
        }
        match frames.last_mut() {
            Some(outer) => {
                if function.library && outer.library_control != NONE {
                    outer.library_control = frame.library_control;
                }
                if let Some(to) = outer.result.take() {
                    outer.registers[to.0 as usize] = source;
                }
            }
            None => frames.push(frame),
        }
    }

    /// An access to memory.
    fn touch(&mut self, t: &Transition<'_>, op: Op, sources: &[u32]) {
        let Some(access) = op.access() else { return };
        let size = match access.size {
            Size::Const(n) => n,
            Size::Reg(register) => u32::try_from(t.registers[register.0 as usize]).unwrap_or(0),
        };
        // What is not there is a fault, which ends the run.
        let Some((object, offset)) = t.locate(access.place) else { return };
        if u64::from(offset) + u64::from(size) > u64::from(t.view.size(object)) {
            return;
        }
        let at = piece(t, object, offset, size);
        let mut all = sources.to_vec();
        if let Op::WriteBlock { .. } = op {
            all.append(&mut self.threads[t.thread as usize].buffer);
        }
        let event = self.emit(t, false, &all);
        let mut writes = access.kind != AccessKind::Read;
        if let Op::CompareExchange { expected, kind, .. } = op {
            let mask = u64::MAX >> (64 - 8 * kind.size());
            let wanted = t.registers[expected.0 as usize] & mask;
            writes = t.view.bits(object, offset, size).is_none_or(|bits| bits == wanted); // T2
        }
        if access.kind != AccessKind::Write {
            self.access(t, event, at, false);
        }
        if writes {
            self.access(t, event, at, true);
        }
        if let Op::ReadBlock { .. } = op {
            self.threads[t.thread as usize].buffer = vec![event];
        }
        op.writes(|register| self.set(t, register, event));
    }

    fn primitive(
        &mut self,
        t: &Transition<'_>,
        call: Primitive,
        arguments: &[Reg],
        result: Option<Reg>,
        sources: &[u32],
    ) {
        use Primitive as P;
        let mut all = sources.to_vec();
        if matches!(call, P::Malloc | P::ThreadSelf | P::Now | P::ThreadNew) {
            all.clear(); // Which address or number it is means nothing.
        }
        if matches!(call, P::ThreadJoin | P::ThreadTryJoin | P::ThreadTimedJoin) {
            let child = arguments.first().map_or(0, |&r| t.registers[r.0 as usize]);
            let child = self.threads.get(child.wrapping_sub(1) as usize);
            all = child.map(|child| child.result).into_iter().collect();
        }
        let event = self.emit(t, false, &all);
        let mut touch = |to: Option<&Reg>, size: u64, write: bool| {
            let place = to.and_then(|&to| t.locate(Place::At(to, 0)));
            if let Some((object, offset)) = place {
                let room = t.view.size(object).saturating_sub(offset);
                let size = u32::try_from(size).unwrap_or(u32::MAX).min(room);
                self.access(t, event, piece(t, object, offset, size), write);
            }
        };
        let pointer = u64::from(t.view.program().data_model.pointer().size());
        let number = |n: usize| arguments.get(n).map_or(0, |r| t.registers[r.0 as usize]);
        match call {
            P::ThreadJoin | P::ThreadTryJoin | P::ThreadTimedJoin if number(1) != 0 => {
                touch(arguments.get(1), pointer, true);
            }
            P::Read => touch(arguments.get(1), number(2), true),
            P::FormatDouble => touch(arguments.first(), number(1), true),
            P::ParseDouble => {
                touch(arguments.first(), u64::MAX, false);
                touch(arguments.get(1), pointer, true);
            }
            _ => {}
        }
        match call {
            P::ThreadNew => {
                let made = arguments.iter().take(2).map(|&r| self.source(t, r)).collect();
                self.threads[t.thread as usize].made = made;
            }
            P::ThreadExit => self.threads[t.thread as usize].result = event,
            _ => {}
        }
        if let Some(to) = result {
            self.set(t, to, event);
        }
    }
}

pub(super) fn piece(t: &Transition<'_>, object: u32, offset: u32, size: u32) -> Piece {
    Piece { object, birth: t.view.birth(object), offset, size }
}
