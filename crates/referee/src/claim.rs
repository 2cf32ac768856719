//! Claims: what a witness is said to show.
//!
//! Each kind of claim has its file with its rules: the first says when the claim makes sense for a
//! trace (checked before the witness is looked at), the others how the reordering ends (checked
//! after it was replayed). Which reads are free follows from the claim.

mod atomicity;
mod deadlock;
mod lost_wakeup;
mod race;
mod read;

use std::collections::HashSet;

use raddle_finding::ReadWitnessType;
use raddle_trace::{CellId, EventId, Op, Trace};

use crate::objection::{Objection, Rule};
use crate::replay::Replay;

/// What a witness is said to show.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Claim {
    /// Two accesses can happen at the same time.
    Race {
        /// The one.
        first: EventId,
        /// The other.
        second: EventId,
    },
    /// Threads can wait for each other in a cycle.
    Deadlock {
        /// The request or acquire at which each blocks; its lock is held by the thread of the next,
        /// for the last by the thread of the first.
        blocked: Vec<EventId>,
    },
    /// An access of another thread can come between two of a transaction.
    Atomicity {
        /// The earlier access of the transaction.
        first: EventId,
        /// The access of the other thread.
        remote: EventId,
        /// The later access of the transaction.
        second: EventId,
        /// What is meant to be atomic.
        transaction: Transaction,
    },
    /// A read can see something else than it did.
    Read {
        /// The read.
        read: EventId,
        /// The write that it saw in one of its cells; `None` for the initial value.
        writer: Option<EventId>,
        /// Another write of that cell; `None` for the initial value.
        challenger: Option<EventId>,
        /// How the three are ordered.
        form: ReadWitnessType,
    },
    /// What a cell holds at the end can be something else.
    FinalRead {
        /// The last write of the trace to one of its cells.
        writer: EventId,
        /// Another write of that cell, which comes later.
        challenger: EventId,
    },
    /// A notify can come too early for a wait, which then goes on forever.
    LostWakeup {
        /// The wait that the notify ended.
        wait: EventId,
    },
}

/// Events of one thread that are meant to be atomic, be it because the program says so or because
/// they stand under one lock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Transaction {
    /// The first of them.
    pub from: EventId,
    /// The last of them.
    pub to: EventId,
}

impl Claim {
    /// Whether the claim makes sense for this trace.
    pub(crate) fn is_asked(&self, trace: &Trace) -> Result<(), Objection> {
        match *self {
            Claim::Race { first, second } => race::is_asked(trace, first, second),
            Claim::Deadlock { ref blocked } => deadlock::is_asked(trace, blocked),
            Claim::Atomicity { first, remote, second, transaction } => {
                atomicity::is_asked(trace, [first, remote, second], transaction)
            }
            Claim::Read { read, writer, challenger, .. } => {
                read::is_asked(trace, read, writer, challenger)
            }
            Claim::FinalRead { writer, challenger } => {
                read::is_final_asked(trace, writer, challenger)
            }
            Claim::LostWakeup { wait } => lost_wakeup::is_asked(trace, wait),
        }
    }

    /// The read that is free, and the one that may be free in its place. The claim makes sense.
    pub(crate) fn free_read(&self, trace: &Trace) -> (Option<EventId>, Option<EventId>) {
        match *self {
            Claim::Atomicity { first, remote, second, .. } => {
                atomicity::free_read(trace, [first, remote, second])
            }
            Claim::Read { read, .. } => (Some(read), None),
            Claim::Race { .. }
            | Claim::Deadlock { .. }
            | Claim::FinalRead { .. }
            | Claim::LostWakeup { .. } => (None, None),
        }
    }

    /// Whether a reordering shows the claim. The claim makes sense.
    pub(crate) fn is_shown(&self, replay: &Replay) -> Result<(), Objection> {
        match *self {
            Claim::Race { first, second } => race::is_shown(replay, first, second),
            Claim::Deadlock { ref blocked } => deadlock::is_shown(replay, blocked),
            Claim::Atomicity { first, remote, second, .. } => {
                atomicity::is_shown(replay, [first, remote, second])
            }
            Claim::Read { read, writer, challenger, form } => {
                read::is_shown(replay, read, writer, challenger, form)
            }
            Claim::FinalRead { writer, challenger } => {
                read::is_final_shown(replay, writer, challenger)
            }
            Claim::LostWakeup { wait } => lost_wakeup::is_shown(replay, wait),
        }
    }
}

/// Holds a claim to the first rule of its kind.
fn demand(
    holds: bool,
    rule: Rule,
    event: impl Into<Option<EventId>>,
    reason: &str,
) -> Result<(), Objection> {
    let objection = || Objection::Claim { rule, event: event.into(), reason: reason.to_owned() };
    if holds { Ok(()) } else { Err(objection()) }
}

/// Holds the end of a reordering to a rule of the claim.
fn expect(
    holds: bool,
    replay: &Replay,
    rule: Rule,
    event: EventId,
    reason: &str,
) -> Result<(), Objection> {
    let place = replay.place(event);
    let objection = || Objection::End { rule, event, place, reason: reason.to_owned() };
    if holds { Ok(()) } else { Err(objection()) }
}

/// Demands that the trace has an event.
fn demand_event(trace: &Trace, rule: Rule, event: EventId) -> Result<(), Objection> {
    demand(event.index() < trace.len(), rule, event, "the trace has no such event")
}

/// Demands that an event is an access.
fn demand_access(trace: &Trace, rule: Rule, event: EventId) -> Result<(), Objection> {
    demand_event(trace, rule, event)?;
    demand(trace.code(event).is_access(), rule, event, "it is not an access")
}

/// Demands that two accesses of different threads have a common cell and one of them writes.
fn demand_conflict(trace: &Trace, rule: Rule, a: EventId, b: EventId) -> Result<(), Objection> {
    demand(trace.thread(a) != trace.thread(b), rule, b, "the accesses are of one thread")?;
    let writes = trace.code(a).writes() || trace.code(b).writes();
    demand(writes, rule, b, "neither access writes")?;
    let (cells, others) = (cells(trace, a), cells(trace, b));
    demand(!cells.is_disjoint(&others), rule, b, "the accesses have no cell in common")
}

/// The cells that an access touches.
fn cells(trace: &Trace, access: EventId) -> HashSet<CellId> {
    match trace.op(access) {
        Op::Read { var, .. } | Op::Write { var, .. } | Op::ReadModifyWrite { var, .. } => {
            trace.cells(var).collect()
        }
        _ => HashSet::new(),
    }
}
