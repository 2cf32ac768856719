//! What a search found, for programs: `raddle.findings/1`.

use std::collections::BTreeMap;

use raddle_explore::{BoundCoverage, Maxima, Report as Search, Trouble};
use raddle_finding::{
    Finding, Input, Location, Object, ObjectKind, Property, Report, SchemaVersion, Site, Tool,
    Verdict, Witness,
};
use raddle_trace::{EventId, Events, Op};
use raddle_vm::{Machine, Outcome};
use serde_json::{Value, json};

use super::evidence::is_line_of;
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
    /// The command that replays a finding; none if there was no time to find out its schedule.
    pub(super) fn replay(&self, catch: &Catch) -> Option<String> {
        let (before, after) = &self.replay;
        catch.schedule.as_ref().map(|schedule| format!("{before} {schedule}{after}"))
    }
}

/// Prints the report.
pub(super) fn print(outline: &Outline) -> Result<(), Diagnostic> {
    let Outline { caught, guarantee, .. } = outline;
    let search = &caught.report;
    let mut findings: Vec<_> = outline
        .catches
        .iter()
        .map(|catch| Finding { replay: outline.replay(catch), ..finding(catch) })
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

/// A finding, but for the command that replays it.
pub(super) fn finding(catch: &Catch) -> Finding {
    let Catch { found, shrunk, is_simplified, schedule, evidence } = catch;
    let is_replayed = evidence.as_ref().is_some_and(|evidence| evidence.is_replayed);
    let verdict = if is_replayed { Verdict::Replayed } else { Verdict::Witnessed };
    let (locations, objects) = match evidence {
        Some(evidence) if found.trouble.kind == "race" => {
            race(&evidence.events, &evidence.decisive, &found.trouble.places)
        }
        Some(evidence) => outcome(&found.trouble, &evidence.machine),
        None => (places(&found.trouble), Vec::new()),
    };
    let property = property(&found.trouble.kind);
    let mut finding = Finding::new(property, verdict, &found.trouble.message, locations, objects);
    let threads = finding.locations.iter().filter_map(|site| site.thread.clone());
    finding.threads = threads.collect();
    finding.threads.dedup();
    finding.occurrences = Some(found.times);
    let witness = schedule.clone().unwrap_or_else(|| found.schedule.clone());
    finding.witness = Some(Witness::Schedule { schedule: witness });
    finding.schedule.clone_from(schedule);
    finding.preemptions = Some(shrunk.preemptions);
    finding.outcome = Some(shrunk.outcome.name().to_owned());
    finding.details = BTreeMap::from([
        ("bound".to_owned(), json!(found.bound)),
        ("execution".to_owned(), json!(found.execution)),
        ("switches".to_owned(), json!(shrunk.switches)),
        ("minimal".to_owned(), json!(shrunk.minimal)),
        ("simplified".to_owned(), json!(is_simplified)),
    ]);
    if let Some(evidence) = evidence {
        let hash = format!("{:016x}", evidence.hash);
        finding.details.insert("event_hash".to_owned(), json!(hash));
    }
    finding
}

/// The two accesses and the variable. The trace has no accesses to what one thread alone accesses
/// until another one frees it: of such a race it knows the later half, and `places` the other one.
fn race(events: &Events, decisive: &[EventId], places: &[String]) -> (Vec<Site>, Vec<Object>) {
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
            let other = places.iter().find(|place| !is_line_of(&known.location.name, place));
            let unknown = other.or(places.first()).map_or("?", String::as_str);
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

/// Where the threads were at the end.
fn outcome(trouble: &Trouble, machine: &Machine) -> (Vec<Site>, Vec<Object>) {
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
                let role = if depth == 0 { trouble.kind.as_str() } else { "called from" };
                let function = &machine.program().function(frame.site.function).name;
                let place: Location = ending::site_text(machine, frame.site).as_str().into();
                Site::new(role, place.in_function(function.to_string()))
                    .by_thread(machine.thread_name(fault.thread))
            };
            (frames.map(site).collect(), Vec::new())
        }
        _ => (places(trouble), Vec::new()),
    }
}

/// Where the trouble is, as far as the search knows.
fn places(trouble: &Trouble) -> Vec<Site> {
    let site = |place: &String| Site::new(trouble.kind.as_str(), place.as_str().into());
    trouble.places.iter().map(site).collect()
}
