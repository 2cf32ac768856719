//! Decides whether the witness of a finding is legal.
//!
//! In: a trace, a [`Claim`] about it and a witness, which is a sequence of its events. Out: nothing
//! if the witness is a reordering of the trace that shows the claim, else the first [`Objection`].
//!
//! ```text
//! witness ──► prefix ─────► history ──► sync ────► views ──► claim ──► Ok | Objection
//!             as observed   rule P      S1 – S10   rule V    its end
//! ```
//!
//! The rules are those of the book's chapter on reorderings, by their numbers; [`Rule`] lists them.
//! The referee plays the witness step by step, with a state as simple as the rules, and shares no
//! code with the analyses that find witnesses. It believes nothing of a witness or a claim: both may
//! hold anything. Only what the witness has in common with the trace, the first events in the
//! observed order, needs no judge: the check of the trace was one.

mod claim;
mod history;
mod objection;
mod prefix;
mod replay;
mod sync;
mod views;

pub use claim::{Claim, Transaction};
pub use objection::{Objection, Rule};

use raddle_trace::{EventId, Sequence, Trace};

use replay::Replay;

/// Whether the witness is a reordering of the trace that shows the claim.
///
/// Takes time for the events behind the witness's [`Sequence::prefix`], and hardly any for those in
/// it.
pub fn judge(trace: &Trace, claim: &Claim, witness: &Sequence) -> Result<(), Objection> {
    judge_from(trace, claim, witness, witness.prefix())
}

/// Whether the witness is a reordering of the trace, in which the reads in `free` may see any write.
pub fn reordering(trace: &Trace, witness: &Sequence, free: &[EventId]) -> Result<(), Objection> {
    reordering_from(trace, witness, free, witness.prefix())
}

/// [`judge`], but of the prefix only `n_believed` events are believed and the others are replayed,
/// for tests that compare both.
#[doc(hidden)]
pub fn judge_from(
    trace: &Trace,
    claim: &Claim,
    witness: &Sequence,
    n_believed: u32,
) -> Result<(), Objection> {
    claim.is_asked(trace)?;
    let attempt =
        |free: &[EventId]| claim.is_shown(&Replay::run(trace, witness, free, n_believed)?);
    let (free, instead) = claim.free_read(trace);
    let answer = attempt(free.as_slice());
    match instead {
        Some(read) if answer.is_err() => attempt(&[read]).or(answer),
        _ => answer,
    }
}

/// [`reordering`] in the same way.
#[doc(hidden)]
pub fn reordering_from(
    trace: &Trace,
    witness: &Sequence,
    free: &[EventId],
    n_believed: u32,
) -> Result<(), Objection> {
    Replay::run(trace, witness, free, n_believed).map(|_| ())
}
