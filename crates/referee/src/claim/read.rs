//! Nondeterministic read: a read that can see something else than it did.
//!
//! - N1: in one of its cells the read saw the writer, and the challenger is another write of that
//!   cell; either of the two may be the initial value.
//! - N2: the read, which is free, happens.
//! - N3: type 1: challenger, read, writer; type 2: writer, challenger, read; type 3: challenger,
//!   read, and the writer is absent. The initial value comes before everything and is never absent.
//! - N4: at the end every cell is read once more. In one of its cells the writer is the last write of
//!   the trace, and the challenger another one; all events happen, the challenger after the writer.

use raddle_finding::ReadWitnessType;
use raddle_trace::{CellId, EventId, ThreadId, Trace};

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

pub(super) fn is_final_asked(
    trace: &Trace,
    writer: EventId,
    challenger: EventId,
) -> Result<(), Objection> {
    for write in [writer, challenger] {
        demand_access(trace, Rule::N4, write)?;
        demand(trace.code(write).writes(), Rule::N4, write, "it does not write")?;
    }
    demand(writer != challenger, Rule::N4, challenger, "writer and challenger are the same")?;
    let written = cells(trace, challenger);
    let is_last = |&cell: &CellId| {
        let writes = trace.accesses(cell).iter().rev().find(|&&e| trace.code(e).writes());
        writes == Some(&writer)
    };
    let common = cells(trace, writer).iter().any(|cell| written.contains(cell) && is_last(cell));
    demand(common, Rule::N4, challenger, "it does not write a cell that the writer wrote last")
}

pub(super) fn is_final_shown(
    replay: &Replay,
    writer: EventId,
    challenger: EventId,
) -> Result<(), Objection> {
    for thread in (0..replay.trace.n_threads() as u32).map(ThreadId) {
        if let Some(next) = replay.next(thread) {
            expect(false, replay, Rule::N4, next, "it does not happen")?;
        }
    }
    let after = replay.place(writer) < replay.place(challenger);
    expect(after, replay, Rule::N4, challenger, "it does not happen after the writer")
}

/// When a write happens.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Moment {
    /// Before everything.
    Initial,
    /// At this place of the witness.
    At(usize),
}
