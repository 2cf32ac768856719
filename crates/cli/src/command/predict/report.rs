//! What was found, for programs: `raddle.findings/1`.

use raddle_finding::{self as finding, Report};
use raddle_predict::{Deadlocks, Races};
use raddle_trace::format::Loaded;
use serde_json::{Value, json};

use super::Found;
use crate::command::trace::input::Input;
use crate::command::trace::repairs;

/// The report.
pub(super) fn report(input: &Input, loaded: &Loaded, found: &Found, seconds: f64) -> Report {
    let trace = &loaded.trace;
    let mut report = Report::new(finding::Input::named(&input.name));
    report.repairs = trace.repairs().iter().map(repairs::for_report).collect();
    if let Some(found) = &found.races {
        report.findings.extend(found.races.iter().map(|race| race.finding(trace)));
        report.stats.insert("race".to_owned(), race_stats(found));
    }
    if let Some(found) = &found.deadlocks {
        report.findings.extend(found.deadlocks.iter().map(|deadlock| deadlock.finding(trace)));
        report.stats.insert("deadlock".to_owned(), deadlock_stats(found));
    }
    report.timing.insert("seconds".to_owned(), json!(seconds));
    report.sort();
    report
}

fn race_stats(found: &Races) -> Value {
    json!({
        "candidates": found.n_candidates,
        "lsa": found.n_unprotected,
        "mhb": found.n_unsynchronised,
        "ucg": found.n_consistent,
        "witnessed": found.races.len(),
        "unknown": found.unknown.len(),
        "racy_events": found.racy_events.len(),
        "racy_locations": found.n_racy_locations,
    })
}

fn deadlock_stats(found: &Deadlocks) -> Value {
    json!({
        "candidates": found.n_circles,
        "witnessed": found.deadlocks.len(),
        "unknown": found.n_unknown,
    })
}
