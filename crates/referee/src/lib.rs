//! Decides whether the witness of a finding is legal.
//!
//! In: a trace, a [`Claim`] about it and a witness, which is a sequence of its events. Out: nothing
//! if the witness is a reordering of the trace that shows the claim, else the first [`Objection`].
//!
//! ```text
//! witness ──► history ──► sync ────► views ──► claim ──► Ok | Objection
//!             rule P      S1 – S10   rule V    its end
//! ```
//!
//! The rules are those of the book's chapter on reorderings, by their numbers; [`Rule`] lists them.
//! The referee plays the witness step by step, with a state as simple as the rules, and shares no
//! code with the analyses that find witnesses. It believes nothing of a witness or a claim: both may
//! hold anything.

mod claim;
mod history;
mod objection;
mod replay;
mod sync;
mod views;

pub use claim::{Claim, Transaction};
pub use objection::{Objection, Rule};

use raddle_trace::{EventId, Trace};

use replay::Replay;

/// Whether the witness is a reordering of the trace that shows the claim.
pub fn judge(trace: &Trace, claim: &Claim, witness: &[EventId]) -> Result<(), Objection> {
    claim.is_asked(trace)?;
    let attempt = |free: &[EventId]| claim.is_shown(&Replay::run(trace, witness, free)?);
    let (free, instead) = claim.free_read(trace);
    let answer = attempt(free.as_slice());
    match instead {
        Some(read) if answer.is_err() => attempt(&[read]).or(answer),
        _ => answer,
    }
}

/// Whether the witness is a reordering of the trace, in which the reads in `free` may see any write.
pub fn reordering(trace: &Trace, witness: &[EventId], free: &[EventId]) -> Result<(), Objection> {
    Replay::run(trace, witness, free).map(|_| ())
}
