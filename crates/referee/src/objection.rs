//! Objections: why the referee refuses a witness.

use std::fmt;

use raddle_trace::EventId;
use thiserror::Error;

macro_rules! rules {
    ($($name:ident $text:literal,)+) => {
        /// A rule that a witness must obey: P, S1–S10 and V of every reordering, the others of the
        /// claim. The first rule of each claim is about the claim itself, the rest about the
        /// reordering that shows it.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        #[non_exhaustive]
        pub enum Rule {
            $(#[doc = $text] $name,)+
        }

        impl Rule {
            /// Every rule.
            pub const ALL: &[Rule] = &[$(Rule::$name),+];

            /// Its short, stable name.
            pub fn code(self) -> &'static str {
                match self { $(Rule::$name => stringify!($name),)+ }
            }

            /// What it demands.
            pub fn text(self) -> &'static str {
                match self { $(Rule::$name => $text,)+ }
            }
        }
    };
}

rules! {
    P "each thread contributes a prefix of its events, in their order",
    S1 "a forked thread begins after its fork",
    S2 "a join comes after the fork and all events of the joined thread",
    S3 "a lock is taken while no other thread holds it against that",
    S4 "a try fails while another thread holds the lock against it",
    S5 "a notified wake-up comes after its wait and then its notify",
    S6 "a notify comes after each wait that it ended and whose wake-up happens",
    S7 "any other wake-up comes after its wait",
    S8 "a semaphore is taken while its count is above zero",
    S9 "a barrier is left after all arrivals of the generation",
    S10 "a thread arrives at a barrier after all arrivals of the earlier generations",
    V "a read sees the same write as in the trace",
    R1 "a race is between conflicting accesses of two threads, not both atomic",
    R2 "the next event of each thread is its racing access",
    R3 "a racing thread that has not begun was forked",
    D1 "a deadlock is between two or more requests or acquires of different threads",
    D2 "the next event of each thread is the one that blocks",
    D3 "the thread of the next one holds the lock against it",
    A1 "two accesses of one transaction both conflict with one of another thread",
    A2 "the remote access happens between the two of the transaction",
    N1 "a read has an observed writer and a challenger, another write of the same cell",
    N2 "the read happens",
    N3 "writer, challenger and read happen in the order of the form",
    N4 "all events happen, and the last writer of a cell before the challenger",
    L1 "the lost wake-up is of a wait that a notify ended",
    L2 "the notify happens, then the wait",
    L3 "the wake-up does not happen",
    L4 "no notify that could end the wait is left",
    L5 "no notify that could end the wait happens after it",
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.code())
    }
}

/// Why a witness is refused. Places count from 0 in the witness.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum Objection {
    /// The claim makes no sense for this trace, whatever the witness.
    #[error("no such claim: {reason} (rule {rule}: {})", rule.text())]
    Claim {
        /// The first rule of the claim.
        rule: Rule,
        /// The event of the claim that is wrong, if it is one of them.
        event: Option<EventId>,
        /// What is wrong with it.
        reason: String,
    },
    /// The witness is not a reordering of the trace.
    #[error("event {} cannot happen at place {place}: {reason} (rule {rule}: {})", event.0, rule.text())]
    Step {
        /// One of P, S1–S10 and V.
        rule: Rule,
        /// The first event that cannot happen.
        event: EventId,
        /// Where it stands in the witness.
        place: usize,
        /// What is in its way.
        reason: String,
    },
    /// The witness is a reordering of the trace, but does not show the claim.
    #[error("event {} refutes the claim: {reason} (rule {rule}: {})", event.0, rule.text())]
    End {
        /// A rule of the claim.
        rule: Rule,
        /// The event that is not as claimed.
        event: EventId,
        /// Where it stands in the witness, if it does.
        place: Option<usize>,
        /// What it should be.
        reason: String,
    },
}

impl Objection {
    /// The rule that is broken.
    pub fn rule(&self) -> Rule {
        match *self {
            Objection::Claim { rule, .. }
            | Objection::Step { rule, .. }
            | Objection::End { rule, .. } => rule,
        }
    }

    /// The event that breaks it.
    pub fn event(&self) -> Option<EventId> {
        match *self {
            Objection::Claim { event, .. } => event,
            Objection::Step { event, .. } | Objection::End { event, .. } => Some(event),
        }
    }

    /// Where that event stands in the witness.
    pub fn place(&self) -> Option<usize> {
        match *self {
            Objection::Claim { .. } => None,
            Objection::Step { place, .. } => Some(place),
            Objection::End { place, .. } => place,
        }
    }
}

/// What is wrong with one step, before it is said where.
#[derive(Debug)]
pub(crate) struct Breach {
    pub(crate) rule: Rule,
    pub(crate) reason: String,
}

impl Breach {
    /// Holds a step to a rule.
    pub(crate) fn unless(
        holds: bool,
        rule: Rule,
        reason: impl FnOnce() -> String,
    ) -> Result<(), Breach> {
        if holds { Ok(()) } else { Err(Breach { rule, reason: reason() }) }
    }
}
