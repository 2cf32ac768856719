//! Nondeterministic read: a read that can see something else than it did.
//!
//! - N1: in one of its cells the read saw the writer, and the challenger is another write of that
//!   cell; either of the two may be the initial value.
//! - N2: the read, which is free, happens.
//! - N3: type 1: challenger, read, writer; type 2: writer, challenger, read; type 3: challenger,
//!   read, and the writer is absent. The initial value comes before everything and is never absent.

use raddle_finding::ReadWitnessType;
use raddle_trace::{EventId, Trace};

use super::{cells, demand, demand_access, expect};
use crate::objection::{Objection, Rule};
use crate::replay::Replay;

pub(super) fn is_asked(
    trace: &Trace,
    read: EventId,
    writer: Option<EventId>,
    challenger: Option<EventId>,
) -> Result<(), Objection> {
    demand_access(trace, Rule::N1, read)?;
    demand(trace.code(read).reads(), Rule::N1, read, "it does not read")?;
    demand(writer != challenger, Rule::N1, challenger, "writer and challenger are the same")?;
    let mut seen = trace.writers(read);
    seen.retain(|&(_, seen)| seen == writer);
    demand(!seen.is_empty(), Rule::N1, writer.unwrap_or(read), "the read did not see the writer")?;
    let Some(challenger) = challenger else { return Ok(()) };
    demand_access(trace, Rule::N1, challenger)?;
    demand(trace.code(challenger).writes(), Rule::N1, challenger, "it does not write")?;
    demand(challenger != read, Rule::N1, challenger, "the read cannot challenge itself")?;
    let written = cells(trace, challenger);
    let common = seen.iter().any(|(cell, _)| written.contains(cell));
    demand(common, Rule::N1, challenger, "it does not write a cell that the writer was read from")
}

pub(super) fn is_shown(
    replay: &Replay,
    read: EventId,
    writer: Option<EventId>,
    challenger: Option<EventId>,
    form: ReadWitnessType,
) -> Result<(), Objection> {
    expect(replay.place(read).is_some(), replay, Rule::N2, read, "it does not happen")?;
    let moment = |write: Option<EventId>| match write {
        None => Some(Moment::Initial),
        Some(event) => replay.place(event).map(Moment::At),
    };
    let in_order = |moments: &[Option<Moment>]| {
        moments.iter().all(Option::is_some) && moments.is_sorted_by(|a, b| a < b)
    };
    let (r, w, c) = (moment(Some(read)), moment(writer), moment(challenger));
    let (holds, reason) = match form {
        ReadWitnessType::BeforeWriter => (in_order(&[c, r, w]), "not challenger, read, writer"),
        ReadWitnessType::Overwritten => (in_order(&[w, c, r]), "not writer, challenger, read"),
        ReadWitnessType::WithoutWriter => {
            (in_order(&[c, r]) && w.is_none(), "not the challenger, then the read, and no writer")
        }
    };
    expect(holds, replay, Rule::N3, read, reason)
}

/// When a write happens.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Moment {
    /// Before everything.
    Initial,
    /// At this place of the witness.
    At(usize),
}
