//! What each transition does to expressions: a value that is not followed is what it was in the run.

use raddle_cfront::ir::{Binary, Kind, Op, Place, Primitive, Reg, Size};
use raddle_vm::shadow::{Answer, Called, Domain, Part, Piece, Shadow, Step};
use rustc_hash::FxHashSet;

use super::access::kind_of;
use super::events::Follower;
use crate::ctp::{Notice, Otherwise};
use crate::expr::ExprId;

/// Functions of the library whose arguments reach nothing but the output.
const OUTPUT: &[&str] = &[
    "printf",
    "fprintf",
    "dprintf",
    "vprintf",
    "vfprintf",
    "puts",
    "fputs",
    "putchar",
    "putc",
    "fputc",
    "putchar_unlocked",
    "putc_unlocked",
    "fwrite",
    "fflush",
    "perror",
    "write",
];

impl Domain for Follower {
    type Value = Option<ExprId>;
    type Held = (Kind, ExprId);
    /// The branches that were decided by a value that was followed.
    type Frame = FxHashSet<u32>;
    const NOTHING: Option<ExprId> = None;

    fn shadow(&mut self) -> &mut Shadow<Follower> {
        &mut self.shadow
    }

    fn enter(&mut self, s: &Step<'_>) -> FxHashSet<u32> {
        if self.thread(s.thread).quiet.is_some() {
            self.shadow.thread(s.thread).incoming.fill(None);
        }
        FxHashSet::default()
    }

    fn pass(&mut self, _: &Step<'_>, at: Piece, value: Option<ExprId>) {
        value.into_iter().for_each(|value| self.memory.put(at, (Kind::U64, value)));
    }

    fn arrive(&mut self, s: &Step<'_>) {
        let thread = self.thread(s.thread);
        thread.quiet = thread.quiet.filter(|&quiet| s.depth > quiet);
        thread.action = None;
        if let Op::Call { function, .. } = s.op {
            let called = s.view.program().function(function);
            if called.library && OUTPUT.contains(&&*called.name) {
                thread.quiet.get_or_insert(s.depth); // C4
            }
        } else if let Some(access) = s.access {
            if let Place::At(base, _) = access.place {
                self.fix(s, base);
            }
            if let Size::Reg(size) = access.size {
                self.fix(s, size);
            }
        }
    }

    fn compute(&mut self, s: &Step<'_>) -> Option<ExprId> {
        if let Op::Allocate { size, .. } = s.op {
            self.fix(s, size);
        }
        self.computed(s)
    }

    fn decide(&mut self, s: &Step<'_>, on: Reg) {
        match s.op {
            Op::Branch { yes, no, .. } => self.branch(s, on, yes, no),
            _ => self.fix(s, on),
        }
    }

    fn leave(&mut self, s: &Step<'_>, value: Option<Reg>) -> Option<ExprId> {
        let heard = self.thread(s.thread).quiet.is_none();
        value.filter(|_| heard).and_then(|register| self.get(s, register))
    }

    fn load(&mut self, s: &Step<'_>, at: Piece) -> Option<ExprId> {
        let kind = kind_of(s.op, at.size);
        match self.shared(s, kind, at) {
            Some(shared) => Some(self.read_shared(s, shared)),
            None => self.read_private(s, at, kind),
        }
    }

    fn update(&mut self, s: &Step<'_>, old: Option<ExprId>) -> [Option<ExprId>; 2] {
        let mut followed = old.is_some();
        s.op.reads(s.function, |register| followed |= self.get(s, register).is_some());
        if !followed {
            return [None; 2];
        }
        let now = old.unwrap_or_else(|| self.now(s));
        match s.op {
            Op::ReadModifyWrite { op, from, kind, .. } => {
                let operand = self.operand(s, from);
                [old, Some(self.modified(op, kind, now, operand))]
            }
            Op::CompareExchange { expected, desired, kind, .. } => {
                let (wanted, desired) = (self.operand(s, expected), self.operand(s, desired));
                let wanted = self.held_as(wanted, kind);
                let equal = self.ctp.exprs.binary(Binary::Equal, kind, now, wanted);
                [Some(equal), Some(self.ctp.exprs.select(equal, desired, now))]
            }
            _ => [None; 2],
        }
    }

    fn store(&mut self, s: &Step<'_>, at: Piece, value: Option<ExprId>) {
        let kind = kind_of(s.op, at.size);
        match (self.shared(s, kind, at), s.op) {
            (Some(shared), Op::Fill { .. }) => self.write_shared(s, shared, None),
            (Some(shared), Op::Store { from, .. }) => {
                let value = self.operand(s, from);
                self.write_shared(s, shared, Some(value));
            }
            (Some(shared), _) => self.write_shared(s, shared, value),
            (None, Op::Fill { byte, .. }) => {
                byte.into_iter().for_each(|byte| self.fix(s, byte));
                self.make_room(s, at);
            }
            (None, _) => self.write_private(s, at, kind, value),
        }
    }

    fn read_block(&mut self, s: &Step<'_>, at: Piece) -> Vec<Part<(Kind, ExprId)>> {
        let kind = kind_of(s.op, at.size);
        let Some(shared) = self.shared(s, kind, at) else { return self.copied(s, at) };
        let value = self.read_shared(s, shared);
        let part = Part { offset: 0, size: kind.size(), value: (kind, value) };
        if at.size <= 8 { vec![part] } else { Vec::new() }
    }

    fn write_block(&mut self, s: &Step<'_>, at: Piece, held: Vec<Part<(Kind, ExprId)>>) {
        if let Some(shared) = self.shared(s, kind_of(s.op, at.size), at) {
            let value = match held[..] {
                [Part { offset: 0, size, value: (_, value) }] if size == at.size => value,
                _ => self.ctp.exprs.unknown(),
            };
            return self.write_shared(s, shared, Some(value));
        }
        self.make_room(s, at);
        held.iter().for_each(|part| self.memory.put(part.within(at), part.value));
    }

    fn primitive(&mut self, s: &Step<'_>, called: &Called<'_>) -> Option<ExprId> {
        use Primitive as P;
        let first = called.arguments.first().and_then(|&register| self.get(s, register));
        self.thread(s.thread).tries = called.answer == Answer::Outcome;
        match called.primitive {
            P::Nondet(_) => self.fix_outcome(s, "another nondeterministic value"),
            P::Now => self.fix_outcome(s, "another time"),
            P::ThreadNew | P::Write => return None,
            P::ThreadExit => return first,
            P::Assume => {
                first.into_iter().for_each(|condition| self.guard(s, condition, Otherwise::Void));
                return None;
            }
            P::SemValue | P::ThreadTryJoin | P::ThreadTimedJoin => self.taken_as_is(s),
            _ => {}
        }
        called.arguments.iter().for_each(|&register| self.fix(s, register));
        // Which thread arrives last at a barrier depends on the order.
        let last = (called.primitive == P::BarrierWait).then(|| self.ctp.exprs.unknown());
        self.thread(s.thread).last = last;
        last
    }

    fn set(&mut self, s: &Step<'_>, to: Reg, value: Option<ExprId>) {
        let heard = self.thread(s.thread).quiet.is_none();
        self.shadow.set(s.thread, to, value.filter(|_| heard));
    }
}

impl Follower {
    /// Says that a result is that of the run, though it depends on others.
    fn taken_as_is(&mut self, s: &Step<'_>) {
        let text = "sem_getvalue and attempts to join return what they returned in the run";
        self.notice(text.to_owned(), super::branch::own_line(s));
        self.fix_outcome(s, "another result of sem_getvalue or of an attempt to join");
    }

    /// Notes that something is what it was in the run.
    fn fix_outcome(&mut self, s: &Step<'_>, what: &str) {
        let fixed = Notice { text: what.to_owned(), line: super::branch::own_line(s) };
        if !self.ctp.fixed.contains(&fixed) {
            self.ctp.fixed.push(fixed);
        }
    }
}
