//! Nondeterministic reads as findings.
//!
//! `events` are the read, the observed writer and the challenger; -1 is the initial value, and the
//! implicit read at the end stands one past the last event of the input.
//!
//! A challenger comes before the read, yet another write may come between the two. So the finding shows
//! what the read sees in the witness, which is never its observed writer.

use raddle_finding::{Finding, INITIAL_WRITE, Property, Site, Verdict};
use raddle_trace::{CellId, EventId, Sequence, Trace, VarId};

use super::{location, position, site, thread, threads, variable, variables, witness};
use crate::read::ReadWitness;

impl ReadWitness {
    /// The read as a finding, with positions of the input.
    pub fn finding(&self, trace: &Trace) -> Finding {
        let events: Vec<EventId> = self.events().collect();
        let objects = variables(trace, &events);
        let sites = self.sites(trace);
        let message = self.message(trace);
        let mut finding =
            Finding::new(Property::Determinism, Verdict::Witnessed, message, sites, objects);
        finding.events = self.positions(trace).into();
        finding.threads = threads(trace, &events);
        finding.read_witness_type = Some(self.form);
        finding.witness = Some(witness(trace, &self.witness));
        finding
    }

    /// The read, the writer and the challenger, as far as they are events.
    pub fn events(&self) -> impl Iterator<Item = EventId> {
        [self.read, self.writer, self.challenger].into_iter().flatten()
    }

    /// What the read sees in the witness; `None` for the initial value.
    pub fn seen(&self, trace: &Trace) -> Option<EventId> {
        let cells: Vec<CellId> = match (self.read, self.writer, self.challenger) {
            (Some(read), writer, _) => {
                let views = trace.writers(read).into_iter();
                views.filter(|&(_, seen)| seen == writer).map(|(cell, _)| cell).collect()
            }
            (None, Some(writer), Some(challenger)) => {
                let others: Vec<CellId> = cells(trace, challenger).collect();
                cells(trace, writer).filter(|cell| others.contains(cell)).collect()
            }
            _ => return self.challenger,
        };
        let mut seen = cells.iter().map(|&cell| last_write(trace, &self.witness, cell, self.read));
        seen.find(|&seen| seen != self.writer).unwrap_or(self.challenger)
    }

    fn positions(&self, trace: &Trace) -> [i64; 3] {
        let end = trace.source.end(trace.len()) as i64;
        let written = |e: Option<EventId>| e.and_then(|e| position(trace, e));
        [
            self.read.map_or(end, |e| position(trace, e).unwrap_or(end)),
            written(self.writer).unwrap_or(INITIAL_WRITE),
            written(self.challenger).unwrap_or(INITIAL_WRITE),
        ]
    }

    fn sites(&self, trace: &Trace) -> Vec<Site> {
        let parts = [
            ("read", self.read),
            ("observed writer", self.writer),
            ("challenger", self.challenger),
        ];
        parts.iter().filter_map(|&(role, e)| Some(site(trace, role, e?))).collect()
    }

    fn message(&self, trace: &Trace) -> String {
        let (seen, instead) = (source(trace, self.seen(trace)), source(trace, self.writer));
        match self.read {
            Some(read) => format!(
                "read of {} by {}{} can see {seen} instead of {instead}",
                variable(trace, read),
                thread(trace, read),
                place(trace, read),
            ),
            None => {
                let name = self.challenger.or(self.writer).map_or("?", |e| variable(trace, e));
                format!("the final value of {name} can be {seen} instead of {instead}")
            }
        }
    }
}

fn cells(trace: &Trace, access: EventId) -> impl Iterator<Item = CellId> {
    let (_, var) = trace.op(access).encode();
    trace.cells(VarId(var))
}

/// The last write of a cell in a sequence before an event of it, or at all.
fn last_write(
    trace: &Trace,
    sequence: &Sequence,
    cell: CellId,
    before: Option<EventId>,
) -> Option<EventId> {
    let writes = |&e: &EventId| trace.code(e).writes();
    // What the trace has of it up to some event is at the beginning of the sequence, as observed.
    let prefix = EventId(sequence.prefix());
    let end = before.filter(|&e| e < prefix).unwrap_or(prefix);
    let observed = trace.accesses(cell);
    let observed = &observed[..observed.partition_point(|&e| e < end)];
    let first = observed.iter().rev().copied().find(writes);
    if end < prefix {
        return first;
    }
    let touches = |e: EventId| trace.code(e).is_access() && cells(trace, e).any(|c| c == cell);
    let tail = sequence.tail().take_while(|&e| Some(e) != before);
    tail.filter(|e| writes(e) && touches(*e)).last().or(first)
}

/// Where a value comes from.
fn source(trace: &Trace, writer: Option<EventId>) -> String {
    match writer {
        Some(e) => format!("the write by {}{}", thread(trace, e), place(trace, e)),
        None => "the initial value".to_owned(),
    }
}

fn place(trace: &Trace, event: EventId) -> String {
    location(trace, event).map_or(String::new(), |name| format!(" at {name}"))
}
