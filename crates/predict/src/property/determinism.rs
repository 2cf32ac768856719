//! Nondeterministic reads, as a property.
//!
//! `events` are the read, the observed writer and the challenger; -1 is the initial value, and the
//! implicit read at the end stands one past the last event of the input.
//!
//! A challenger comes before the read, yet another write may come between the two. So the finding shows
//! what the read sees in the witness, which is never its observed writer.

use raddle_finding::{Finding, INITIAL_WRITE, Property, Site, Verdict};
use raddle_trace::{CellId, EventId, Sequence, Trace, VarId};
use serde_json::{Value, json};

use super::{location, position, site, thread, threads, variable, variables, witness};
use crate::analysis::{Analysis, Goal, Likeness, Prediction, Results, Scope};
use crate::causes::Causes;
use crate::jobs::Job;
use crate::read::{NondeterministicReads, ReadWitness, Reads, reads};
use crate::refused::Refused;

impl Analysis for NondeterministicReads {
    fn property(&self) -> Property {
        Property::Determinism
    }

    fn unsupported(&self, trace: &Trace, _scope: Scope) -> Option<&'static str> {
        let accesses = (0..trace.len() as u32).any(|e| trace.code(EventId(e)).is_access());
        (!accesses).then_some("nothing is read or written")
    }

    fn run(&self, causes: &Causes, scope: Scope, job: Job) -> Result<Box<dyn Results>, Refused> {
        Ok(Box::new(reads(causes, scope.all, job)?))
    }
}

impl Results for Reads {
    fn predictions(&self) -> Box<dyn Iterator<Item = &dyn Prediction> + '_> {
        Box::new(self.witnesses.iter().map(|read| read as &dyn Prediction))
    }

    fn n_predictions(&self) -> usize {
        self.witnesses.len()
    }

    fn n_unknown(&self) -> u64 {
        self.n_unknown
    }

    fn is_complete(&self) -> bool {
        self.is_complete
    }

    fn counts(&self, trace: &Trace, scope: Scope) -> Value {
        let (broken, undecided) = (self.broken.len() as u64, self.undecided.len() as u64);
        // Of a search that was stopped, the other reads may not have been asked about.
        let preserving = self.is_complete.then(|| self.n_reads - broken - undecided);
        let one_per = match scope.all {
            true => "triplet and type",
            false => "pair of locations of a read and a challenger",
        };
        let mut counts = json!({
            "reads": self.n_reads,
            "view_preserving": preserving,
            "broken": broken,
            "undecided": undecided,
            "final_values": self.n_finals,
            "broken_final_values": self.n_broken_finals,
            "possible": self.n_possible,
            "witnessed": self.witnesses.len(),
            "one_per": one_per,
            "unknown": self.n_unknown,
            "nondeterministic": self.is_nondeterministic(),
            "complete": self.is_complete,
        });
        if scope.all {
            let position = |&e: &EventId| trace.source.position(e);
            counts["feasible"] = json!(self.n_feasible);
            counts["broken_reads"] = self.broken.iter().filter_map(position).collect();
        }
        counts
    }
}

impl Prediction for ReadWitness {
    fn property(&self) -> Property {
        Property::Determinism
    }

    fn finding(&self, trace: &Trace) -> Finding {
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

    fn witness(&self) -> &Sequence {
        &self.witness
    }

    fn goal(&self) -> Goal {
        Goal::Sees { read: self.read, write: self.challenger }
    }

    fn decisive(&self, trace: &Trace) -> Vec<EventId> {
        self.events().chain(self.seen(trace)).collect()
    }

    /// Whatever a read saw in the trace, and whichever thread it belongs to: where it is, and what it can see.
    fn likeness(&self, trace: &Trace) -> Option<Likeness> {
        let place = |event: EventId| trace.location(event);
        Some([self.read.map(place), self.seen(trace).map(place)])
    }
}

impl ReadWitness {
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
