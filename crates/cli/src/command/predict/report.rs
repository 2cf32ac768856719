//! What was found, for programs: `raddle.findings/1`.
//!
//! There can be millions of findings, so each is made when its turn to be written has come. The
//! keys are those of [`raddle_finding::Report`], in the same order.

use std::collections::BTreeMap;

use raddle_finding::{Input, Repair, SchemaVersion, Skipped, Tool};
use raddle_predict::{Deadlocks, LostWakeups, Races, Reads, Violations};
use raddle_trace::{EventId, Trace};
use serde::{Serialize, Serializer};
use serde_json::{Value, json};

use super::find::Found;
use super::{Outcome, stats};
use crate::command::trace::repairs;
use crate::diagnostic::Diagnostic;
use crate::output;

#[derive(Serialize)]
struct Document<'a> {
    schema: SchemaVersion,
    tool: Tool,
    input: Input,
    findings: Findings<'a>,
    skipped: &'a [Skipped],
    repairs: Vec<Repair>,
    stats: BTreeMap<&'static str, Value>,
    timing: BTreeMap<String, Value>,
}

/// The findings, made one by one.
struct Findings<'a>(&'a Outcome<'a>);

impl Serialize for Findings<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.found.items().map(|item| self.0.finding(item)))
    }
}

/// Prints the report.
pub(super) fn print(outcome: &Outcome, seconds: f64) -> Result<(), Diagnostic> {
    let Outcome { input, loaded, found, tables, .. } = outcome;
    let trace = &loaded.trace;
    let mut repairs: Vec<_> = trace.repairs().iter().map(repairs::for_report).collect();
    repairs.sort();
    let mut timing = found.timing.clone();
    timing.insert("total_s".to_owned(), json!(seconds));
    let mut counts = counts(trace, found, input.all);
    if let Some(tables) = tables {
        counts.insert("paper", stats::json(tables));
        timing.extend(tables.timing.clone());
    }
    output::print_findings(&Document {
        schema: SchemaVersion,
        tool: Tool::default(),
        input: Input::named(&input.name),
        findings: Findings(outcome),
        skipped: &found.skipped,
        repairs,
        stats: counts,
        timing,
    })
}

fn counts(trace: &Trace, found: &Found, all: bool) -> BTreeMap<&'static str, Value> {
    let mut counts = BTreeMap::new();
    counts.extend(found.races.as_ref().map(|found| ("race", race(found))));
    counts.extend(found.violations.as_ref().map(|found| ("atomicity", atomicity(found))));
    counts.extend(found.deadlocks.as_ref().map(|found| ("deadlock", deadlock(found))));
    counts.extend(found.lost_wakeups.as_ref().map(|found| ("lost_wakeup", lost_wakeup(found))));
    counts.extend(found.reads.as_ref().map(|found| ("determinism", reads(trace, found, all))));
    counts
}

fn race(found: &Races) -> Value {
    json!({
        "candidates": found.n_candidates,
        "lsa": found.n_unprotected,
        "mhb": found.n_unsynchronised,
        "asked": found.n_asked,
        "ucg": found.n_consistent,
        "witnessed": found.races.len(),
        "unknown": found.unknown.len(),
        "racy_events": found.racy_events.len(),
        "racy_locations": found.n_racy_locations,
        "complete": found.is_complete,
    })
}

fn atomicity(found: &Violations) -> Value {
    json!({
        "transactions": found.n_transactions,
        "candidates": found.n_candidates,
        "asked": found.n_asked,
        "ucg": found.n_consistent,
        "witnessed": found.violations.len(),
        "unknown": found.unknown.len(),
        "complete": found.is_complete,
    })
}

fn deadlock(found: &Deadlocks) -> Value {
    json!({
        "candidates": found.n_circles,
        "asked": found.n_asked,
        "witnessed": found.deadlocks.len(),
        "unknown": found.n_unknown,
        "complete": found.is_complete,
    })
}

fn lost_wakeup(found: &LostWakeups) -> Value {
    json!({
        "candidates": found.n_candidates,
        "witnessed": found.lost.len(),
        "unknown": found.unknown.len(),
        "complete": found.is_complete,
    })
}

fn reads(trace: &Trace, found: &Reads, all: bool) -> Value {
    let (broken, undecided) = (found.broken.len() as u64, found.undecided.len() as u64);
    // Of a search that was stopped, the other reads may not have been asked about.
    let preserving = found.is_complete.then(|| found.n_reads - broken - undecided);
    let mut counts = json!({
        "reads": found.n_reads,
        "view_preserving": preserving,
        "broken": broken,
        "undecided": undecided,
        "final_values": found.n_finals,
        "broken_final_values": found.n_broken_finals,
        "possible": found.n_possible,
        "witnessed": found.witnesses.len(),
        "unknown": found.n_unknown,
        "nondeterministic": found.is_nondeterministic(),
        "complete": found.is_complete,
    });
    if all {
        let position = |&e: &EventId| trace.source.position(e);
        counts["feasible"] = json!(found.n_feasible);
        counts["broken_reads"] = found.broken.iter().filter_map(position).collect();
    }
    counts
}
