//! What a search found, for programs: `raddle.findings/1`.

use std::collections::BTreeMap;

use raddle_explore::{BoundCoverage, Growth, Maxima};
use raddle_finding::{Finding, Input, Property, Report, Schedule, Site, Verdict, Witness};
use raddle_report::source::{self, Lines};
use serde_json::{Value, json};

use crate::assertion::Assertion;
use crate::exploration::{Collected, Entry, Explored};
use crate::forecast::Forecast;
use crate::guarantee::{Claim, doubted};
use crate::merge::Merged;
use crate::method::Method;
use crate::relate;
use crate::subject::Unrepeated;

/// The option by which runs end where a thread unlocks what it does not hold.
pub(crate) const STRICT: &str = "--strict-locks";

/// All that is reported.
pub(crate) struct Outline<'a> {
    pub(crate) name: &'a str,
    pub(crate) method: &'a Method,
    pub(crate) explored: &'a Explored,
    pub(crate) collected: &'a Collected,
    pub(crate) claim: &'a Claim,
    /// The command that replays a schedule.
    pub(crate) replay: &'a dyn Fn(&Schedule) -> String,
    /// What was predicted from a recorded run, if that was asked.
    pub(crate) forecast: Option<&'a Forecast>,
    pub(crate) merged: &'a Merged<'a>,
    /// Whether what causes a failure is part of that, and no finding of its own.
    pub(crate) folds: bool,
    /// What is known of the program's assertions without searching.
    pub(crate) assertions: Option<&'a [Assertion]>,
}

impl Outline<'_> {
    /// The command that replays a finding.
    pub(crate) fn replay(&self, entry: &Entry) -> String {
        let command = (self.replay)(&entry.schedule);
        // What a program does after it is not part of a misuse.
        let adds = entry.is_passed && !command.contains(STRICT);
        let strictly = format!("raddle replay {STRICT}");
        if adds { command.replacen("raddle replay", &strictly, 1) } else { command }
    }
}

/// The report, ranked; `lines` looks up sources.
pub(crate) fn document(outline: &Outline, lines: Lines<'_>) -> Report {
    let Outline { explored, claim, .. } = outline;
    let search = &explored.report;
    let mut findings: Vec<_> = outline.collected.all.iter().map(finding).collect();
    for ((finding, entry), n) in findings.iter_mut().zip(&outline.collected.all).zip(0..) {
        finding.replay = Some(outline.replay(entry));
        if outline.merged.is_predicted.get(n) == Some(&true) {
            finding.details.insert("predicted".to_owned(), json!(true));
        }
        if entry.is_steered {
            // No execution of the search showed it.
            finding.details.retain(|key, _| key != "bound" && key != "execution");
        }
    }
    findings.extend(outline.merged.new.iter().map(|&predicted| {
        let mut finding = predicted.clone();
        finding.replay = predicted.schedule.as_ref().map(outline.replay);
        finding.details.insert("predicted".to_owned(), json!(true));
        finding
    }));
    for assertion in outline.assertions.unwrap_or_default() {
        findings.extend(assertion.finding(&findings, outline.replay));
    }
    relate::relate(&mut findings, outline.folds);
    let rate = search.executions as f64 / explored.seconds.max(1e-9);
    let timing = json!({
        "total_s": explored.seconds,
        "executions_per_s": rate,
        "memory_bytes": search.memory,
    });
    let mut stats = BTreeMap::from([
        ("bounds".to_owned(), search.bounds.iter().map(|row| bound(outline, row)).collect()),
        ("exploration".to_owned(), exploration(outline, claim)),
    ]);
    if !search.growth.is_empty() {
        stats.insert("growth".to_owned(), growth(&search.growth));
    }
    if let Some(forecast) = outline.forecast {
        stats.insert("prediction".to_owned(), prediction(forecast, outline.merged));
    }
    if let Some(assertions) = outline.assertions.filter(|all| !all.is_empty()) {
        let all: Vec<_> = assertions.iter().map(|one| one.value(&findings)).collect();
        stats.insert("ranges".to_owned(), json!({ "assertions": all }));
    }
    let mut report = Report {
        seed: Some(outline.method.seed),
        sources: source::sources(&findings, lines),
        findings,
        stats,
        timing: serde_json::from_value(timing).unwrap_or_default(),
        ..Report::new(Input {
            name: outline.name.to_owned(),
            identity: Some(explored.identity.clone()),
        })
    };
    report.rank();
    report
}

/// How the states grew, at most so many points of it.
fn growth(growth: &[Growth]) -> Value {
    const POINTS: usize = 200;
    let every = growth.len().div_ceil(POINTS).max(1);
    let last = growth.len() - 1;
    let chosen = growth.iter().enumerate().filter(|(n, _)| n % every == 0 || *n == last);
    chosen.map(|(_, at)| json!([at.executions, at.states])).collect()
}

fn bound(outline: &Outline, row: &BoundCoverage) -> Value {
    let bound = row.bound.filter(|_| outline.method.kind.counts_preemptions());
    let theorem = bound.and_then(|bound| outline.explored.report.theorem_1(bound));
    let kind = outline.method.kind;
    // What has no bound although the strategy has them is beside them.
    let is_sampled = row.bound.is_none() && (!kind.enumerates() || kind.unit().is_some());
    json!({
        "bound": row.bound,
        "sampled": is_sampled,
        "executions": row.executions,
        "cut": row.cut,
        "states": row.states,
        "complete": row.complete,
        "theorem_1": theorem.map(|n| n.to_string()),
    })
}

fn exploration(outline: &Outline, claim: &Claim) -> Value {
    let search = &outline.explored.report;
    let Maxima { threads, steps, blocking, preemptions, thread_steps, thread_blocking } =
        search.maxima;
    let mut exploration = json!({
        "strategy": outline.method.kind.to_string(),
        "unit": outline.method.kind.unit().map(|(_, many)| many),
        "ending": search.ending.name(),
        "exhausted": search.exhausted,
        "executions": search.executions,
        "restarts": search.restarts,
        "promoted": search.promoted.len(),
        "assumptions": search.assumptions,
        "lost": search.n_lost,
        "spins": search.spins,
        "doubts": search.doubts.len(),
        "doubted": doubted(&search.doubts),
        "claim": claim.text,
        "guarantee": claim.guarantee,
        "complete": claim.is_complete,
        "conditions": claim.conditions,
        "maxima": {
            "threads": threads,
            "steps": steps,
            "blocking_steps": blocking,
            "preemptions": preemptions,
            "thread_steps": thread_steps,
            "thread_blocking_steps": thread_blocking,
        },
    });
    if let Some((model, reason)) = &outline.explored.terms.model {
        exploration["model"] = json!({ "name": model, "fallback": reason });
        let all = outline.collected.unrepeated.iter();
        exploration["unrepeated"] = all.map(unrepeated).collect();
    }
    exploration
}

/// What became of the plain run that was recorded.
fn prediction(forecast: &Forecast, merged: &Merged) -> Value {
    let is_replayed = |predicted: &&Finding| predicted.verdict == Verdict::Replayed;
    json!({
        "events": forecast.n_events,
        "findings": forecast.all.len(),
        "replayed": forecast.all.iter().filter(is_replayed).count(),
        "found_by_search": merged.n_found,
        "predictions": forecast.n_predicted,
        "ruled_out": forecast.n_ruled_out,
        "complete": forecast.is_complete,
    })
}

/// A finding that did not show again.
fn unrepeated(one: &Unrepeated) -> Value {
    let Unrepeated { failure, schedule, why } = one;
    json!({
        "kind": failure.kind,
        "message": failure.message,
        "places": failure.places,
        "schedule": schedule.to_string(),
        "why": why,
    })
}

/// A finding, but for the command that replays it.
pub(crate) fn finding(entry: &Entry) -> Finding {
    let failure = &entry.found.failure;
    let unshown = || (failure.message.clone(), failure.sites());
    let mut finding = entry.finding(failure.kind.property(), unshown);
    finding.details.insert("simplified".to_owned(), json!(entry.is_simplified));
    finding
}

impl Entry {
    /// What reports have of it, but for the command that replays it. If nothing more is known than what the
    /// search says, `unshown` is what it is and where.
    pub fn finding(
        &self,
        property: Property,
        unshown: impl FnOnce() -> (String, Vec<Site>),
    ) -> Finding {
        let Entry { found, schedule, .. } = self;
        let mut finding = self.shown.as_deref().cloned().unwrap_or_else(|| {
            let (message, places) = unshown();
            Finding::new(property, Verdict::Witnessed, message, places, Vec::new())
        });
        finding.occurrences = Some(found.times);
        finding.witness = Some(Witness::Schedule { schedule: schedule.clone() });
        finding.schedule = Some(schedule.clone());
        finding.preemptions = Some(self.preemptions());
        finding.outcome = Some(found.ended().to_owned());
        if found.failure.ordered_by_c11 {
            finding.details.insert("release_sequence".to_owned(), json!("c++20"));
        }
        finding.details.extend([
            ("bound".to_owned(), json!(found.bound)),
            ("execution".to_owned(), json!(found.execution)),
            ("switches".to_owned(), json!(self.switches())),
            ("minimal".to_owned(), json!(self.is_minimal)),
        ]);
        finding
    }
}
