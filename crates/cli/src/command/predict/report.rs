//! What was found, for programs: `raddle.findings/1`.
//!
//! There can be millions of findings, so each is made when its turn to be written has come. The
//! keys are those of [`raddle_finding::Report`], in the same order. The first ones of each property have
//! their story with them.

use std::collections::BTreeMap;

use raddle_finding::{
    Finding, Input, Property, Repair, Report, SchemaVersion, Skipped, Source, Tool,
};
use raddle_predict::{Deadlocks, Engine, LostWakeups, NOT_COVERED, Races, Reads, Violations};
use raddle_report::source;
use raddle_session::predict::{Found, story_with_orders};
use raddle_trace::{EventId, Trace};
use serde::{Serialize, Serializer};
use serde_json::{Value, json};

use super::nearby::Nearby;
use super::{Outcome, SHOWN, stats};
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
    #[serde(skip_serializing_if = "Vec::is_empty")]
    sources: Vec<Source>,
    stats: BTreeMap<String, Value>,
    timing: BTreeMap<String, Value>,
}

/// The findings, made one by one.
struct Findings<'a>(&'a Outcome<'a>);

impl Serialize for Findings<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(findings(self.0))
    }
}

/// Every finding; the first ones of each property have a story.
fn findings<'a>(outcome: &'a Outcome<'a>) -> impl Iterator<Item = Finding> + 'a {
    let mut n_told: BTreeMap<Property, usize> = BTreeMap::new();
    let mut engine = Engine::new(outcome.causes);
    outcome.items().map(move |item| {
        let mut finding = outcome.finding(item);
        let n = n_told.entry(finding.property).or_default();
        if *n < SHOWN {
            let (story, orders) = story_with_orders(&outcome.loaded.trace, item, &mut engine);
            finding.story = Some(story);
            if !orders.is_empty() {
                finding.details.insert("orders".to_owned(), json!(orders));
            }
        }
        *n += 1;
        finding
    })
}

/// Prints the report.
pub(super) fn print(outcome: &Outcome, seconds: f64) -> Result<(), Diagnostic> {
    let Report { schema, tool, input, skipped, repairs, stats, timing, .. } =
        frame(outcome, seconds);
    let described: Vec<_> = findings(outcome).filter(|finding| finding.story.is_some()).collect();
    output::print_findings(&Document {
        schema,
        tool,
        input,
        findings: Findings(outcome),
        skipped: &skipped,
        repairs,
        sources: source::sources(&described, &Nearby::default().lines()),
        stats,
        timing,
    })
}

/// The report as a whole.
pub(super) fn document(outcome: &Outcome, seconds: f64) -> Report {
    let findings: Vec<_> = findings(outcome).collect();
    let sources = source::sources(&findings, &Nearby::default().lines());
    let mut report = Report { findings, sources, ..frame(outcome, seconds) };
    report.rank();
    report
}

/// The report without findings.
fn frame(outcome: &Outcome, seconds: f64) -> Report {
    let Outcome { input, loaded, found, tables, .. } = outcome;
    let trace = &loaded.trace;
    let mut repairs: Vec<_> = trace.repairs().iter().map(repairs::for_report).collect();
    repairs.sort();
    let mut timing = found.timing.clone();
    timing.insert("total_s".to_owned(), json!(seconds));
    let mut counts = counts(trace, found, input.all);
    counts.extend(outcome.ruled_out().map(|list| ("ruled_out", list)));
    if let Some(tables) = tables {
        counts.insert("paper", stats::json(tables));
        timing.extend(tables.timing.clone());
    }
    Report {
        skipped: found.skipped.clone(),
        repairs,
        stats: counts.into_iter().map(|(name, count)| (name.to_owned(), count)).collect(),
        timing,
        ..Report::new(Input::named(&input.name))
    }
}

fn counts(trace: &Trace, found: &Found, all: bool) -> BTreeMap<&'static str, Value> {
    let mut counts = BTreeMap::new();
    counts.extend(found.races.as_ref().map(|found| ("race", race(found))));
    counts.extend(found.violations.as_ref().map(|found| ("atomicity", atomicity(found))));
    counts.extend(found.deadlocks.as_ref().map(|found| ("deadlock", deadlock(trace, found))));
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

fn deadlock(trace: &Trace, found: &Deadlocks) -> Value {
    let hidden = trace.repairs().iter().filter(|repair| repair.hides_wait);
    let hidden: Vec<_> = hidden.filter_map(|repair| repair.place.position).collect();
    json!({
        "candidates": found.n_cycles,
        "asked": found.n_asked,
        "witnessed": found.deadlocks.len(),
        "unknown": found.n_unknown,
        "covers": ["lock-cycles"],
        "not_covered": NOT_COVERED,
        "hidden_by_repairs": hidden,
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
