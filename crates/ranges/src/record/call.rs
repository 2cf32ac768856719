//! What calls of functions and primitives do to expressions.

use raddle_cfront::ir::{Function, Operands, Place, Primitive, Reg};
use raddle_vm::Transition;

use super::events::Follower;
use crate::ctp::{Notice, Otherwise};

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

/// Whether what a primitive answers depends on when it is asked, not only on when it can go on.
fn has_outcomes(call: Primitive) -> bool {
    use Primitive as P;
    matches!(
        call,
        P::MutexTryLock
            | P::MutexTimedLock
            | P::RwlockTryRead
            | P::RwlockTimedRead
            | P::RwlockTryWrite
            | P::RwlockTimedWrite
            | P::SpinTryLock
            | P::SemTryWait
            | P::SemTimedWait
            | P::CondTimedWait
            | P::OnceBegin
    )
}

/// Whether a function is one whose arguments reach nothing but the output.
pub(super) fn is_output(function: &Function) -> bool {
    function.library && OUTPUT.contains(&&*function.name)
}

impl Follower {
    /// Arguments are being passed to a function.
    pub(super) fn call(
        &mut self,
        t: &Transition<'_>,
        function: &Function,
        arguments: Operands,
        result: Option<Reg>,
    ) {
        let thread = self.thread(t.thread);
        let arguments = function.operands(arguments).iter().map(|&r| thread.get(r)).collect();
        thread.top().result = result;
        thread.incoming = arguments;
    }

    /// C4.
    pub(super) fn hush(&mut self, t: &Transition<'_>) {
        let thread = self.thread(t.thread);
        thread.incoming.fill(None);
        thread.quiet.get_or_insert(t.depth);
    }

    /// Says that a result is that of the run, though it depends on others.
    fn taken_as_is(&mut self, t: &Transition<'_>) {
        let text = "sem_getvalue and attempts to join return what they returned in the run";
        self.notice(text.to_owned(), super::branch::own_line(t));
        self.fix_outcome(t, "another result of sem_getvalue or of an attempt to join");
    }

    /// Notes that something is what it was in the run.
    fn fix_outcome(&mut self, t: &Transition<'_>, what: &str) {
        let fixed = Notice { text: what.to_owned(), line: super::branch::own_line(t) };
        if !self.ctp.fixed.contains(&fixed) {
            self.ctp.fixed.push(fixed);
        }
    }

    /// What a primitive gives, and what has to be as in the run for it.
    pub(super) fn primitive(
        &mut self,
        t: &Transition<'_>,
        call: Primitive,
        arguments: &[Reg],
        result: Option<Reg>,
    ) {
        use Primitive as P;
        let get = |follower: &mut Self, n: usize| {
            arguments.get(n).and_then(|&register| follower.thread(t.thread).get(register))
        };
        self.thread(t.thread).tries = has_outcomes(call);
        match call {
            P::Nondet(_) => self.fix_outcome(t, "another nondeterministic value"),
            P::Now => self.fix_outcome(t, "another time"),
            P::ThreadNew => {
                let made = vec![get(self, 0), get(self, 1)];
                self.thread(t.thread).made = made;
            }
            P::ThreadExit => {
                let ended = get(self, 0);
                self.thread(t.thread).ended = ended;
            }
            P::Assume => {
                if let Some(condition) = get(self, 0) {
                    self.guard(t, condition, Otherwise::Void);
                }
            }
            P::ThreadJoin | P::ThreadTryJoin | P::ThreadTimedJoin => {
                if call != P::ThreadJoin {
                    self.taken_as_is(t);
                }
                arguments.iter().for_each(|&register| self.fix(t, register));
                let to = arguments.get(1).and_then(|&to| t.locate(Place::At(to, 0)));
                let to = to.map(|(object, offset)| (object, t.view.birth(object), offset));
                self.thread(t.thread).result = to;
            }
            P::BarrierWait => {
                arguments.iter().for_each(|&register| self.fix(t, register));
                // Which thread arrives last depends on the order.
                let last = self.ctp.exprs.unknown();
                self.thread(t.thread).last = Some(last);
                if let Some(to) = result {
                    self.set(t, to, Some(last));
                }
                return;
            }
            P::SemValue => {
                self.taken_as_is(t);
                arguments.iter().for_each(|&register| self.fix(t, register));
            }
            P::Math(_) | P::FormatDouble | P::ParseDouble => {
                arguments.iter().for_each(|&register| self.fix(t, register));
            }
            P::Write => {}
            _ => arguments.iter().for_each(|&register| self.fix(t, register)),
        }
        if let Some(to) = result {
            self.set(t, to, None);
        }
    }
}
