//! What a search found, for programs: `raddle.findings/1`.

use std::collections::BTreeMap;

use raddle_explore::{BoundCoverage, Maxima, Report as Search};
use raddle_finding::{
    Finding, Input, Location, Object, ObjectKind, Property, Report, SchemaVersion, Site, Tool,
    Verdict, Witness,
};
use raddle_trace::{EventId, Events, Op};
use raddle_vm::Outcome;
use serde_json::{Value, json};

use super::guarantee::Guarantee;
use super::hunt::{Catch, Caught};
use super::way::Way;
use crate::command::program::ending;
use crate::diagnostic::Diagnostic;
use crate::output;

/// All that is reported.
pub(super) struct Outline<'a> {
    pub(super) name: String,
    pub(super) identity: String,
    pub(super) way: Way,
    pub(super) seed: u64,
    pub(super) caught: &'a Caught,
    pub(super) catches: &'a [Catch],
    pub(super) guarantee: &'a Guarantee,
    /// The command that replays, up to the schedule, and what comes after it.
    pub(super) replay: (String, String),
}

impl Outline<'_> {
    /// The command that replays a finding.
    pub(super) fn replay(&self, catch: &Catch) -> String {
        let (before, after) = &self.replay;
        format!("{before} {}{after}", catch.evidence.schedule)
    }
}

/// Prints the report.
pub(super) fn print(outline: &Outline) -> Result<(), Diagnostic> {
    let Outline { caught, guarantee, .. } = outline;
    let search = &caught.report;
    let mut findings: Vec<_> = outline
        .catches
        .iter()
        .map(|catch| Finding { replay: Some(outline.replay(catch)), ..finding(catch) })
        .collect();
    findings.sort_by_key(|finding| finding.property);
    let rate = search.executions as f64 / caught.seconds.max(1e-9);
    let timing = json!({
        "total_s": caught.seconds,
        "executions_per_s": rate,
        "memory_bytes": search.memory,
    });
    let stats = BTreeMap::from([
        ("bounds".to_owned(), search.bounds.iter().map(|row| bound(outline, row)).collect()),
        ("exploration".to_owned(), exploration(outline.way, search, guarantee)),
    ]);
    output::print_findings(&Report {
        schema: SchemaVersion,
        tool: Tool::default(),
        seed: Some(outline.seed),
        input: Input { name: outline.name.clone(), identity: Some(outline.identity.clone()) },
        findings,
        skipped: Vec::new(),
        repairs: Vec::new(),
        stats,
        timing: serde_json::from_value(timing).unwrap_or_default(),
    })
}

fn bound(outline: &Outline, row: &BoundCoverage) -> Value {
    let bound = row.bound.filter(|_| outline.way.counts_preemptions());
    let theorem = bound.and_then(|bound| outline.caught.report.theorem_1(bound));
    json!({
        "bound": row.bound,
        "executions": row.executions,
        "cut": row.cut,
        "states": row.states,
        "complete": row.complete,
        "theorem_1": theorem.map(|n| n.to_string()),
    })
}

fn exploration(way: Way, search: &Search, guarantee: &Guarantee) -> Value {
    let Maxima { threads, steps, blocking, preemptions, thread_steps, thread_blocking } =
        search.maxima;
    json!({
        "strategy": way.to_string(),
        "ending": search.ending.name(),
        "exhausted": search.exhausted,
        "executions": search.executions,
        "restarts": search.restarts,
        "assumptions": search.assumptions,
        "lost": search.n_lost,
        "spins": search.spins,
        "claim": guarantee.claim,
        "complete": guarantee.is_complete,
        "conditions": guarantee.conditions,
        "maxima": {
            "threads": threads,
            "steps": steps,
            "blocking_steps": blocking,
            "preemptions": preemptions,
            "thread_steps": thread_steps,
            "thread_blocking_steps": thread_blocking,
        },
    })
}

/// What a kind of trouble is about.
pub(super) fn property(kind: &str) -> Property {
    match kind {
        "race" => Property::Race,
        "deadlock" => Property::Deadlock,
        "livelock" => Property::Livelock,
        "assertion" => Property::Assertion,
        _ => Property::Crash,
    }
}

fn finding(catch: &Catch) -> Finding {
    let Catch { found, shrunk, evidence } = catch;
    let verdict = if evidence.is_replayed { Verdict::Replayed } else { Verdict::Witnessed };
    let (locations, objects) = match found.trouble.kind.as_str() {
        "race" => race(&evidence.events, &evidence.decisive, &found.trouble.place),
        _ => outcome(catch),
    };
    let property = property(&found.trouble.kind);
    let mut finding = Finding::new(property, verdict, &found.trouble.message, locations, objects);
    let threads = finding.locations.iter().filter_map(|site| site.thread.clone());
    finding.threads = threads.collect();
    finding.threads.dedup();
    finding.occurrences = Some(found.times);
    finding.witness = Some(Witness::Schedule { schedule: evidence.schedule.clone() });
    finding.schedule = Some(evidence.schedule.clone());
    finding.preemptions = Some(shrunk.preemptions);
    finding.outcome = Some(shrunk.outcome.name().to_owned());
    finding.details = BTreeMap::from([
        ("bound".to_owned(), json!(found.bound)),
        ("execution".to_owned(), json!(found.execution)),
        ("switches".to_owned(), json!(shrunk.switches)),
        ("minimal".to_owned(), json!(shrunk.minimal)),
        ("event_hash".to_owned(), json!(format!("{:016x}", evidence.hash))),
    ]);
    finding
}

/// The two accesses and the variable. The trace has no accesses to what one thread alone accesses
/// until another one frees it: of such a race it knows the later half, and `places` the other one.
fn race(events: &Events, decisive: &[EventId], places: &str) -> (Vec<Site>, Vec<Object>) {
    let role = |event: EventId, position: &str| match events.op(event) {
        Op::Read { .. } => format!("{position} access, reads"),
        Op::Free { .. } => format!("{position} access, frees"),
        _ => format!("{position} access, writes"),
    };
    let site = |(&event, position): (&EventId, &str)| {
        let place = events.location(event).and_then(|l| events.tables.locations.get(l.0));
        Site::new(role(event, position), place.unwrap_or("?").into())
            .by_thread(events.tables.thread(events.thread(event)))
    };
    let sites = match decisive {
        [known] => {
            let known = site((known, "second"));
            let unknown = other_place(places, &known.location.name).unwrap_or("?");
            vec![Site::new("first access", unknown.into()), known]
        }
        all => all.iter().zip(["first", "second"]).map(site).collect(),
    };
    let is_access = |event: &&EventId| !matches!(events.op(**event), Op::Free { .. });
    let object = decisive.iter().rev().find(is_access).map(|&event| {
        let (code, object) = events.op(event).encode();
        let names = events.tables.names(code.kind().class());
        Object::new(ObjectKind::Variable, names.and_then(|n| n.get(object)).unwrap_or("?"))
    });
    (sites, object.into_iter().collect())
}

/// Of two places `file:line:column`, with a blank between them, the one that is not `file:line`.
fn other_place<'a>(places: &'a str, known: &str) -> Option<&'a str> {
    let behind = |place: &'a str| place.strip_prefix(known)?.strip_prefix(':');
    let is_column = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let halves = places.match_indices(' ').map(|(at, _)| (&places[..at], &places[at + 1..]));
    halves.into_iter().find_map(|(one, two)| match (behind(one), behind(two)) {
        (Some(column), _) if is_column(column) => Some(two),
        (_, Some(column)) if is_column(column) => Some(one),
        _ => None,
    })
}

/// Where the threads were at the end.
fn outcome(catch: &Catch) -> (Vec<Site>, Vec<Object>) {
    let machine = &catch.evidence.machine;
    match machine.outcome() {
        Some(Outcome::Deadlock(blocked)) => {
            let site = |one: &raddle_vm::Blocked| {
                let place = ending::blocked_place(machine, one);
                Site::new(format!("waits for {}", one.object), place.as_str().into())
                    .by_thread(machine.thread_name(one.thread))
            };
            let locks = blocked.iter().filter(|one| one.holder.is_some());
            let lock = |one: &raddle_vm::Blocked| Object::new(ObjectKind::Lock, one.object.clone());
            (blocked.iter().map(site).collect(), locks.map(lock).collect())
        }
        Some(Outcome::Fault(fault)) => {
            let frames = fault.stack.iter().filter(|frame| !frame.library).enumerate();
            let site = |(depth, frame): (usize, &raddle_vm::FrameSite)| {
                let role =
                    if depth == 0 { catch.found.trouble.kind.as_str() } else { "called from" };
                let function = &machine.program().function(frame.site.function).name;
                let place: Location = ending::site_text(machine, frame.site).as_str().into();
                Site::new(role, place.in_function(function.to_string()))
                    .by_thread(machine.thread_name(fault.thread))
            };
            (frames.map(site).collect(), Vec::new())
        }
        _ => {
            let place = catch.found.trouble.place.as_str().into();
            (vec![Site::new(catch.found.trouble.kind.as_str(), place)], Vec::new())
        }
    }
}
