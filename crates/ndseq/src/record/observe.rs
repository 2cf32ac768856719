//! What each transition means for the trace.

use std::mem::take;

use raddle_cfront::ir::{AccessKind, Op, Reg};
use raddle_vm::shadow::{self, Answer, Called, Domain, Part, Piece, Shadow, Step};
use raddle_vm::{Event, Observer, Transition, What};

use super::frame::{Frame, NONE};
use super::memory::Access;
use super::{Draft, N_EVENTS_MAX, Recorder};
use crate::trace::EventId;

impl Observer for Recorder<'_> {
    const FLOW: bool = true;

    fn event(&mut self, event: &Event<'_>) {
        let at = self.events.len() as u32;
        match event.what {
            What::Fork { child } => {
                self.shadow.fork(event.thread, child);
                let frames = self.shadow.thread(event.thread).frames.iter().rev();
                let frame = frames.map(|frame| &frame.own).find(|frame| frame.at().is_some());
                let place = frame.and_then(Frame::at);
                let control = frame.and_then(Frame::control);
                let parent = self.thread(event.thread);
                let created = (parent.segment, place, control);
                parent.n_running += 1;
                let first = parent.n_running == 1;
                self.n_constructs += usize::from(first);
                let thread = self.thread(child);
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
            // Threads that are joined by their creators may use these as they like (T5).
            What::Request { .. } | What::Acquire { .. } | What::Release { .. } => {}
            What::TryFail { .. } | What::Wait { .. } | What::Wake { .. } => {}
            What::Signal { .. } | What::Broadcast { .. } | What::Fence { .. } => {}
            What::SemaphoreInit { .. } | What::Post { .. } | What::Take { .. } => {}
            What::TakeFail { .. } | What::BarrierInit { .. } | What::Leave { .. } => {}
            What::OnceBegin { .. } | What::OnceEnd { .. } | What::OncePassed { .. } => {}
            What::AtomicBegin | What::AtomicEnd => {}
            // They say nothing about who runs when.
            What::End | What::Branch { .. } | What::AssertFailed | What::Output { .. } => {}
            What::Alloc { .. } | What::Free { .. } | What::Gone { .. } => {}
            What::TransactionBegin { .. } | What::TransactionEnd => {}
        }
    }

    fn transition(&mut self, t: &Transition<'_>) {
        if self.events.len() < N_EVENTS_MAX {
            shadow::follow(self, t);
        }
    }
}

/// A value is the event that it comes from.
impl Domain for Recorder<'_> {
    type Value = u32;
    type Held = u32;
    type Frame = Frame;
    const NOTHING: u32 = NONE;

    fn shadow(&mut self) -> &mut Shadow<Self> {
        &mut self.shadow
    }

    fn enter(&mut self, s: &Step<'_>) -> Frame {
        let created = self.thread(s.thread).created;
        let outer = self.shadow.thread(s.thread).frames.last().map(|frame| &frame.own);
        let base = outer.map_or(created.and_then(|c| c.1), Frame::at);
        let control = outer.map_or(created.and_then(|c| c.2), Frame::control);
        let library = outer.filter(|_| s.function.library);
        Frame::new(base, control, library.map_or(NONE, |outer| outer.library_control))
    }

    fn pass(&mut self, s: &Step<'_>, at: Piece, value: u32) {
        self.emit(s, false, [value]);
        self.touch(s, at, true);
    }

    fn arrive(&mut self, s: &Step<'_>) {
        let Recorder { shadow, recording, instances, jumps, .. } = self;
        if !s.function.library {
            let frame = &mut shadow.top(s.thread).own;
            frame.arrive(s.site, s.function, recording.outline, instances, jumps);
        }
        if let Op::Call { function, arguments, .. } = s.op {
            self.annotation(s, function, s.function.operands(arguments));
        } else if let (Some(access), Some(at)) = (s.access, s.at) {
            if let Op::WriteBlock { .. } = s.op {
                let copied = take(&mut self.shadow.thread(s.thread).buffer);
                copied.iter().for_each(|part| self.comes_from(part.value));
            }
            self.compute(s);
            if access.kind != AccessKind::Write {
                self.touch(s, at, false);
            }
            if access.kind != AccessKind::Read && !fails(s, at) {
                self.touch(s, at, true);
            }
        }
    }

    fn compute(&mut self, s: &Step<'_>) -> u32 {
        s.op.reads(s.function, |register| self.comes_from(self.shadow.get(s.thread, register)));
        self.emit(s, false, [])
    }

    fn decide(&mut self, s: &Step<'_>, on: Reg) {
        let event = self.emit(s, !s.function.library, [self.shadow.get(s.thread, on)]);
        let frame = &mut self.shadow.top(s.thread).own;
        match s.function.library {
            true => frame.library_control = event, // T3
            false => frame.decide(s.function, s.site.op, EventId(event)),
        }
    }

    fn leave(&mut self, s: &Step<'_>, value: Option<Reg>) -> u32 {
        let mut source = value.map_or(NONE, |register| self.shadow.get(s.thread, register));
        let decided = self.shadow.top(s.thread).own.library_control;
        if s.function.library && value.is_some() && decided != NONE {
            // Which value it is was decided before (T3).
            source = self.emit(s, false, [source]);
        }
        let Recorder { shadow, recording, jumps, .. } = self;
        match &mut shadow.thread(s.thread).frames[..] {
            [.., frame] if !s.function.library => frame.own.leave(recording.outline, jumps),
            [.., outer, _] if outer.own.library_control != NONE => {
                outer.own.library_control = decided;
            }
            _ => {}
        }
        source
    }

    fn load(&mut self, _: &Step<'_>, _: Piece) -> u32 {
        self.last()
    }

    fn update(&mut self, _: &Step<'_>, event: u32) -> [u32; 2] {
        [event; 2]
    }

    fn store(&mut self, _: &Step<'_>, _: Piece, _: u32) {}

    fn read_block(&mut self, _: &Step<'_>, at: Piece) -> Vec<Part<u32>> {
        vec![Part { offset: 0, size: at.size, value: self.last() }]
    }

    fn write_block(&mut self, _: &Step<'_>, _: Piece, _: Vec<Part<u32>>) {}

    fn primitive(&mut self, s: &Step<'_>, called: &Called<'_>) -> u32 {
        match called.answer {
            Answer::Arbitrary | Answer::Thread => self.emit(s, false, []),
            Answer::Joined => {
                let child = called.arguments.first().map_or(0, |r| s.registers[r.0 as usize]);
                self.emit(s, false, [self.shadow.ended(child.wrapping_sub(1))])
            }
            _ => self.compute(s),
        };
        called.reads.into_iter().for_each(|at| self.touch(s, at, false));
        called.writes.into_iter().for_each(|at| self.touch(s, at, true));
        self.last()
    }
}

/// Whether a compare-and-swap writes nothing (T2).
fn fails(s: &Step<'_>, at: Piece) -> bool {
    let Op::CompareExchange { expected, kind, .. } = s.op else { return false };
    let wanted = s.registers[expected.0 as usize] & u64::MAX >> (64 - 8 * kind.size());
    s.view.bits(at.object, at.offset, at.size).is_some_and(|bits| bits != wanted)
}

impl Recorder<'_> {
    /// Adds an event whose locals also come from these.
    fn emit<const N: usize>(&mut self, s: &Step<'_>, branch: bool, sources: [u32; N]) -> u32 {
        let place = self.recording.outline.number(s.site);
        let frame = &self.shadow.top(s.thread).own;
        let (at, control, library) = (frame.at(), frame.control(), frame.library_control);
        sources.into_iter().chain([library]).for_each(|source| self.comes_from(source));
        self.locals.0.push(self.locals.1.len() as u32);
        let segment = self.threads[s.thread as usize].segment;
        self.events.push(Draft { thread: s.thread, branch, segment, at, control, place });
        self.last()
    }

    /// A local of the next event comes from an event, if it comes from any.
    fn comes_from(&mut self, source: u32) {
        if source != NONE {
            self.locals.1.push(source);
        }
    }

    /// The event that was added last.
    fn last(&self) -> u32 {
        self.events.len() as u32 - 1
    }

    /// The event that was added last accesses memory.
    fn touch(&mut self, s: &Step<'_>, piece: Piece, write: bool) {
        if piece.size > 0 {
            self.accesses.push(Access { event: self.last(), thread: s.thread, piece, write });
        }
    }
}
