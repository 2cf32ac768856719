//! What was analysed of a trace: repairs, what each analysis found and looked at, what was skipped.

use std::fmt::Write;

use raddle_finding::{Property, Report};
use serde_json::Value;

use super::{Styles, wrap};
use crate::quantity::{count, counted, plural};
use crate::sanitise::visible;

/// How many repairs are listed.
const REPAIRS: usize = 20;

/// The summary below all findings.
pub(super) fn text(report: &Report, styles: &Styles) -> String {
    let (heading, dim) = (styles.heading, styles.dim);
    let mut text = repairs(report, styles);
    let counted: Vec<_> =
        Property::ALL.into_iter().filter_map(|it| Some((it, of(report, it)?))).collect();
    let n = match counted.is_empty() {
        true => format!(": {}", plural(report.findings.len(), "finding", "findings")),
        false => String::new(),
    };
    let _ = writeln!(text, "{heading}{}{heading:#}{n}", visible(&report.input.name));
    for (property, counts) in counted {
        text += &paragraph(property, counts, styles);
    }
    if let Some(confirmation) = report.stats.get("confirmation") {
        let n = |key: &str| count(number(confirmation, key));
        let _ = write!(text, "  {} of {} replayed on the program", n("replayed"), n("tried"));
        match number(confirmation, "ruled_out") {
            0 => text.push('\n'),
            _ => _ = writeln!(text, ", {} ruled out by values", n("ruled_out")),
        }
    }
    for skipped in &report.skipped {
        let what = format!("{} were not checked:", skipped.property.plural());
        let reason = wrap(&visible(&skipped.reason), what.len() + 3, 4);
        let _ = writeln!(text, "  {dim}{what}{dim:#} {reason}");
    }
    if let Some(all) = report.stats.get("ruled_out") {
        text += &super::ruled_out::text(all, styles);
    }
    text
}

/// What an analysis of a trace counted.
fn of(report: &Report, property: Property) -> Option<&Value> {
    let counts = report.stats.get(&property.name().replace('-', "_"))?;
    counts.get("witnessed").map(|_| counts)
}

fn repairs(report: &Report, styles: &Styles) -> String {
    let heading = styles.heading;
    let mut text = String::new();
    if report.repairs.is_empty() {
        return text;
    }
    let _ = writeln!(text, "{heading}Repairs{heading:#}");
    for repair in report.repairs.iter().take(REPAIRS) {
        let at = match (repair.line, repair.event) {
            (Some(line), _) => format!("line {line}: "),
            (None, Some(event)) => format!("event {event}: "),
            (None, None) => String::new(),
        };
        let (action, rule) = (visible(&repair.action), visible(&repair.rule));
        let _ = writeln!(text, "  {at}{action} ({rule})");
    }
    if let Some(rest @ 1..) = report.repairs.len().checked_sub(REPAIRS) {
        let _ = writeln!(text, "  … and {} more; a JSON report has all", count(rest as u64));
    }
    text.push('\n');
    text
}

/// The verdict on a property, and below it what was looked at.
fn paragraph(property: Property, counts: &Value, styles: &Styles) -> String {
    let caution = styles.caution;
    let mut text = format!("  {}\n", verdict(property, counts, styles));
    for line in lines(counts) {
        let _ = writeln!(text, "    {}", wrap(&line, 4, 4));
    }
    if counts.get("complete") == Some(&Value::Bool(false)) {
        let _ = writeln!(text, "    {caution}stopped before the end{caution:#}");
    }
    text
}

fn verdict(property: Property, counts: &Value, styles: &Styles) -> String {
    let Styles { good, caution, .. } = styles;
    if let Some(is_nondeterministic) = counts.get("nondeterministic") {
        let style = if *is_nondeterministic == Value::Bool(false) { good } else { caution };
        return format!("{style}{}{style:#}", determinism(is_nondeterministic, counts));
    }
    let is_complete = counts.get("complete") != Some(&Value::Bool(false));
    let noun = property.noun();
    match number(counts, "witnessed") {
        0 if is_complete && number(counts, "unknown") == 0 => {
            format!("{good}no {noun}{good:#}")
        }
        0 => format!("no {noun} found, but not everything is decided"),
        n => {
            let unit = counts.get("one_per").and_then(Value::as_str);
            let unit = unit.map_or(String::new(), |unit| format!(", one per {}", visible(unit)));
            format!("{caution}{}{caution:#}{unit}", counted(n as usize, noun))
        }
    }
}

/// What is known of the program as a whole.
fn determinism(is_nondeterministic: &Value, counts: &Value) -> String {
    let part = |key: &str, of: &str, noun: &str, can: &str| {
        let (n, all) = (number(counts, key), number(counts, of) as usize);
        (n > 0).then(|| format!("{} of {} can {can}", count(n), counted(all, noun)))
    };
    let reads = part("broken", "reads", "read", "see another write");
    let finals = part("broken_final_values", "final_values", "final value", "differ");
    match is_nondeterministic {
        Value::Bool(true) => {
            let parts: Vec<_> = reads.into_iter().chain(finals).collect();
            format!("nondeterministic: {}", parts.join(", "))
        }
        Value::Bool(false) => "deterministic on this trace".to_owned(),
        _ => "unknown whether it is deterministic".to_owned(),
    }
}

/// What was looked at on the way from candidates to findings, and what was not.
fn lines(counts: &Value) -> Vec<String> {
    let has = |key: &str| counts.get(key).is_some_and(Value::is_u64);
    let n = |key: &str| number(counts, key);
    let mut parts = Vec::new();
    for (key, noun) in [("transactions", "transaction"), ("candidates", "candidate")] {
        parts.extend(has(key).then(|| counted(n(key) as usize, noun)));
    }
    for (key, what) in [("lsa", "not protected by a common lock"), ("asked", "examined")] {
        parts.extend(has(key).then(|| format!("{} {what}", count(n(key)))));
    }
    parts.push(format!("{} unknown", count(n("unknown"))));
    let mut lines = vec![parts.join(", ")];
    if has("racy_events") {
        let events = n("racy_events") as usize;
        lines.push(format!("{} with an earlier one", plural(events, "event races", "events race")));
    }
    let list = |key: &str| counts.get(key).and_then(Value::as_array).into_iter().flatten();
    let not_covered: Vec<_> =
        list("not_covered").filter_map(Value::as_str).map(|kind| visible(&phrase(kind))).collect();
    if let Some((last, others)) = not_covered.split_last() {
        let all = match others {
            [] => last.clone(),
            others => format!("{} or {last}", others.join(", ")),
        };
        lines.push(format!("only lock cycles were looked for, not threads that wait for {all}"));
    }
    lines.extend(possible(counts));
    match list("hidden_by_repairs").count() {
        0 => {}
        n => lines.push(format!(
            "repairs removed {} for a lock: deadlocks there are not found",
            counted(n, "wait")
        )),
    }
    lines
}

/// How many cycles of waits are listed.
const N_POSSIBLE: usize = 3;

/// Deadlocks that no reordering shows, but that other values may lead to.
fn possible(counts: &Value) -> Vec<String> {
    let cycles = counts.get("possible").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let part = |wait: &Value, key: &str| wait.get(key).and_then(Value::as_str).map(visible);
    let wait = |wait: &Value| {
        let (thread, lock) = (part(wait, "thread"), part(wait, "lock"));
        let place = part(wait, "location").map_or(String::new(), |place| format!(" at {place}"));
        let unknown = || "?".to_owned();
        let (thread, lock) = (thread.unwrap_or_else(unknown), lock.unwrap_or_else(unknown));
        format!("{thread} waits for {lock}{place}")
    };
    let cycle = |waits: &Value| {
        let waits = waits.as_array().into_iter().flatten().map(wait);
        waits.collect::<Vec<_>>().join(", ")
    };
    let mut lines = Vec::new();
    if !cycles.is_empty() {
        let are_all = counts.get("possible_complete").and_then(Value::as_bool) == Some(true);
        let least = if are_all { "" } else { "at least " };
        lines.push(format!(
            "{least}{} in the order of locks; only a run that reads other values can deadlock there:",
            plural(cycles.len(), "other cycle", "other cycles")
        ));
        lines.extend(cycles.iter().take(N_POSSIBLE).map(|waits| format!("  {}", cycle(waits))));
        if cycles.len() > N_POSSIBLE {
            lines.push(format!("  and {} more", count((cycles.len() - N_POSSIBLE) as u64)));
        }
    }
    lines
}

/// What a thread can wait for, with its article.
fn phrase(kind: &str) -> String {
    match kind {
        "condition" => "a condition".to_owned(),
        "join" => "the end of a thread".to_owned(),
        "semaphore" => "a semaphore".to_owned(),
        "barrier" => "a barrier".to_owned(),
        "own-lock" => "a lock of their own".to_owned(),
        "waiting-writer" => "a waiting writer".to_owned(),
        other => other.replace('-', " "),
    }
}

fn number(value: &Value, key: &str) -> u64 {
    value.get(key).and_then(Value::as_u64).unwrap_or(0)
}
