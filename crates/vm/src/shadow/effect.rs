//! Effects: what primitives do with values.
//!
//! In: a primitive and its arguments. Out: what its answer comes from, and the memory that it reads and
//! writes. Each primitive is listed here, so a new one does not compile until it is, too.

use raddle_cfront::ir::{Place, Primitive, Reg};

use super::Piece;
use crate::observe::Transition;

/// What the answer of a primitive is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Answer {
    /// Computed from its arguments and from what it reads, or how it went.
    Computed,
    /// How it went, which depends on when it is asked, not only on when it can go on.
    Outcome,
    /// An address, a number or a time: which one it is means nothing.
    Arbitrary,
    /// The number of a new thread, which gets the first two arguments.
    Thread,
    /// How joining went; what the thread ended with is written if it went well.
    Joined,
    /// Chosen by the run.
    Chosen,
}

/// A primitive that is about to be called.
pub struct Called<'a> {
    /// Which one it is.
    pub primitive: Primitive,
    /// The registers of its arguments.
    pub arguments: &'a [Reg],
    /// What it answers.
    pub answer: Answer,
    /// The memory that it reads.
    pub reads: Option<Piece>,
    /// The memory that it writes, or some of it.
    pub writes: Option<Piece>,
}

/// How far memory goes: a pointer, as far as an argument says, or the rest of the object.
enum Extent {
    Pointer,
    Argument(usize),
    Rest,
}

impl<'a> Called<'a> {
    /// A call with these arguments.
    pub(super) fn new(t: &Transition<'_>, primitive: Primitive, arguments: &'a [Reg]) -> Self {
        let piece = |(at, extent): (usize, Extent)| {
            let (object, offset) = t.locate(Place::At(*arguments.get(at)?, 0))?;
            let size = match extent {
                Extent::Pointer => u64::from(t.view.program().data_model.pointer().size()),
                Extent::Argument(n) => arguments.get(n).map_or(0, |r| t.registers[r.0 as usize]),
                Extent::Rest => u64::MAX,
            };
            let room = t.view.size(object).saturating_sub(offset);
            let size = u32::try_from(size).unwrap_or(u32::MAX).min(room);
            Some(Piece::new(t, object, offset, size))
        };
        let (answer, reads, writes) = effect(primitive);
        let (reads, writes) = (reads.and_then(piece), writes.and_then(piece));
        Called { primitive, arguments, answer, reads, writes }
    }
}

/// The memory that an argument points to.
type Pointed = Option<(usize, Extent)>;

/// The answer of a primitive, and the memory that it reads and that it writes.
fn effect(primitive: Primitive) -> (Answer, Pointed, Pointed) {
    use Primitive as P;
    let result = Some((1, Extent::Pointer));
    let only = |answer| (answer, None, None);
    match primitive {
        P::ThreadJoin | P::ThreadTryJoin | P::ThreadTimedJoin => (Answer::Joined, None, result),
        P::Read => (Answer::Computed, None, Some((1, Extent::Argument(2)))),
        P::FormatDouble => (Answer::Computed, None, Some((0, Extent::Argument(1)))),
        P::ParseDouble => (Answer::Computed, Some((0, Extent::Rest)), result),
        P::Malloc | P::ThreadSelf | P::Now => only(Answer::Arbitrary),
        P::ThreadNew => only(Answer::Thread),
        P::Nondet(_) => only(Answer::Chosen),
        P::MutexTryLock | P::MutexTimedLock | P::SpinTryLock | P::OnceBegin => {
            only(Answer::Outcome)
        }
        P::RwlockTryRead | P::RwlockTimedRead | P::RwlockTryWrite => only(Answer::Outcome),
        P::RwlockTimedWrite | P::SemTryWait | P::SemTimedWait => only(Answer::Outcome),
        P::CondTimedWait => only(Answer::Outcome),
        // What goes out is not followed, and what synchronisation does is for events.
        P::Write | P::Math(_) | P::HeapSize | P::Free | P::Assume => only(Answer::Computed),
        P::Exit | P::Abort | P::AssertFail | P::ReachError => only(Answer::Computed),
        P::Misuse | P::Unsupported | P::Yield | P::Sleep => only(Answer::Computed),
        P::AtomicBegin | P::AtomicEnd | P::TransactionBegin => only(Answer::Computed),
        P::TransactionEnd | P::ThreadStart | P::ThreadExit => only(Answer::Computed),
        P::ThreadDetach | P::OnceEnd | P::SemValue => only(Answer::Computed),
        P::MutexInit | P::MutexDestroy | P::MutexLock | P::MutexUnlock => only(Answer::Computed),
        P::CondInit | P::CondDestroy | P::CondWait | P::CondSignal => only(Answer::Computed),
        P::CondBroadcast | P::RwlockInit | P::RwlockDestroy => only(Answer::Computed),
        P::RwlockRead | P::RwlockWrite | P::RwlockUnlock => only(Answer::Computed),
        P::SpinInit | P::SpinDestroy | P::SpinLock | P::SpinUnlock => only(Answer::Computed),
        P::BarrierInit | P::BarrierDestroy | P::BarrierWait => only(Answer::Computed),
        P::SemInit | P::SemDestroy | P::SemWait | P::SemPost => only(Answer::Computed),
    }
}
