//! What a search covered, and what that proves.

use std::fmt::Write;

use raddle_finding::Report;
use serde_json::Value;

use super::Styles;
use crate::quantity::{bytes, count, counted, plural};
use crate::sanitise::visible;
use crate::table;

/// The paragraph of what was covered, and the guarantee.
pub(super) fn text(report: &Report, exploration: &Value, styles: &Styles) -> String {
    let mut text = summary(report, exploration, styles);
    for line in rows(report, exploration, styles.details) {
        let _ = writeln!(text, "  {line}");
    }
    let dim = styles.dim;
    for line in remarks(report, exploration, styles.details) {
        let _ = writeln!(text, "  {dim}{line}{dim:#}");
    }
    text += &guarantee(report, exploration, styles);
    text
}

fn number(value: &Value, key: &str) -> u64 {
    value.get(key).and_then(Value::as_u64).unwrap_or(0)
}

fn word<'a>(value: &'a Value, key: &str) -> &'a str {
    value.get(key).and_then(Value::as_str).unwrap_or("")
}

fn summary(report: &Report, exploration: &Value, styles: &Styles) -> String {
    let (heading, dim) = (styles.heading, styles.dim);
    let executions = counted(number(exploration, "executions") as usize, "execution");
    let strategy = match visible(word(exploration, "strategy")) {
        // What `check` does by itself has no name that people need.
        name if name == "portfolio" && !styles.details => String::new(),
        name => format!(" by {name}"),
    };
    // How long a moment took says nothing.
    let time = match report.timing.get("total_s").and_then(Value::as_f64) {
        Some(seconds @ 1.0..) => format!(" in {seconds:.1} s"),
        _ => String::new(),
    };
    let memory = report.timing.get("memory_bytes").and_then(Value::as_u64);
    let memory = memory.map_or(String::new(), |n| format!(", {}", bytes(n)));
    let ended = match word(exploration, "ending") {
        "runs" => "; ended by --runs",
        "time" => "; ended by --time",
        "memory" => "; ended by --memory",
        "findings" => "; ended by --findings",
        "stopped" => "; stopped",
        "diverged" => "; ended because a planned schedule could not be followed",
        _ => "",
    };
    format!("{heading}{executions}{heading:#}{strategy}{time}{memory}{dim}{ended}{dim:#}\n")
}

/// One row for each bound; what is beside all bounds is sampled. With details, Theorem 1 says how many executions there
/// can be.
fn rows(report: &Report, exploration: &Value, details: bool) -> Vec<String> {
    let Some(Value::Array(bounds)) = report.stats.get("bounds") else { return Vec::new() };
    let unit = word(exploration, "unit");
    let header = [unit, "executions", "states", "Theorem 1", ""].map(str::to_owned).to_vec();
    let without_theorem = |mut row: Vec<String>| {
        if !details {
            row.remove(3);
        }
        row
    };
    let row = |row: &Value| {
        let bound = row.get("bound").and_then(Value::as_u64);
        let theorem = row.get("theorem_1").and_then(Value::as_str);
        let theorem = match theorem.map(str::parse::<u128>) {
            Some(Ok(n)) if n < 10_000_000 => count(n as u64),
            Some(Ok(n)) => format!("{:.1e}", n as f64),
            _ if bound.is_some() && unit == "preemptions" => "> 1e38".to_owned(),
            _ => "-".to_owned(),
        };
        let is_enumeration = bound.is_some() || word(exploration, "strategy") == "dfs";
        let is_sampled = row.get("sampled").and_then(Value::as_bool).unwrap_or(!is_enumeration);
        let is_complete = row.get("complete") == Some(&Value::Bool(true));
        vec![
            match bound {
                Some(bound) => bound.to_string(),
                None if is_sampled => "sampled".to_owned(),
                None => "all".to_owned(),
            },
            count(number(row, "executions")),
            row.get("states").and_then(Value::as_u64).map_or("-".to_owned(), count),
            theorem,
            match is_complete {
                true => "complete".to_owned(),
                false if is_sampled => String::new(),
                false => "not complete".to_owned(),
            },
        ]
    };
    let rows = std::iter::once(header).chain(bounds.iter().map(row));
    let rows: Vec<_> = rows.map(without_theorem).collect();
    table::lines(&rows, &[if details { 4 } else { 3 }])
}

fn remarks(report: &Report, exploration: &Value, details: bool) -> Vec<String> {
    let mut remarks = Vec::new();
    if let Some(model) = exploration.get("model") {
        let name = visible(word(model, "name"));
        remarks.push(match model.get("fallback").and_then(Value::as_str) {
            Some(why) => format!("process model {name}, not snapshot: {}", visible(why)),
            None => format!("process model {name}"),
        });
    }
    remarks.extend(report.stats.get("prediction").map(prediction));
    remarks.extend(report.stats.get("ranges").into_iter().flat_map(ranges));
    if let Some(maxima) = exploration.get("maxima") {
        let threads = counted(number(maxima, "threads") as usize, "thread");
        let steps = counted(number(maxima, "steps") as usize, "step");
        let blocking = count(number(maxima, "blocking_steps"));
        let preemptions = counted(number(maxima, "preemptions") as usize, "preemption");
        remarks.push(match details {
            true => {
                format!("at most {threads}, {steps} (K), {blocking} of them blocking (B), {preemptions} (c)")
            }
            false => format!("at most {threads}, {steps}, {preemptions}"),
        });
    }
    let restarts = number(exploration, "restarts") as usize;
    if restarts > 0 {
        let times = if restarts == 1 { "once".to_owned() } else { counted(restarts, "time") };
        remarks.push(match exploration.get("promoted").and_then(Value::as_u64) {
            Some(0) => format!("restarted {times}, because the program computes with addresses"),
            _ => format!("restarted {times}, with the racing accesses as scheduling points"),
        });
    }
    let spins = number(exploration, "spins") as usize;
    if spins > 0 {
        let spins = plural(spins, "switch", "switches");
        remarks.push(format!("{spins} away from spinning threads, not counted as preemptions"));
    }
    remarks
}

/// What was predicted from one recorded run.
fn prediction(prediction: &Value) -> String {
    let events = counted(number(prediction, "events") as usize, "event");
    let n = counted(number(prediction, "findings") as usize, "finding");
    let found = match number(prediction, "found_by_search") {
        0 => String::new(),
        both => format!(", {} found by searching", count(both)),
    };
    let ruled_out = match number(prediction, "ruled_out") {
        0 => String::new(),
        n => format!(", {} more ruled out by values", count(n)),
    };
    let cut = match prediction.get("complete") {
        Some(Value::Bool(false)) => "; incomplete for lack of time",
        _ => "",
    };
    format!("{n} predicted from one recorded run ({events}){found}{ruled_out}{cut}")
}

/// What is known of each assertion over all interleavings of a plain run.
fn ranges(ranges: &Value) -> Vec<String> {
    let assertions = ranges.get("assertions").and_then(Value::as_array);
    let line = |assertion: &Value| {
        let (text, verdict) = (word(assertion, "text"), word(assertion, "verdict"));
        let by = visible(word(assertion, "by"));
        let text = visible(text);
        let is_found = assertion.get("found") == Some(&Value::Bool(true));
        match verdict {
            "proved" => {
                let other = if is_found { "; it fails on another path" } else { "" };
                format!("{text}: holds in every interleaving of the recorded run, by {by}{other}")
            }
            "refuted" if by == "the plain run" => format!("{text}: fails in the recorded run"),
            "refuted" => format!("{text}: fails in another interleaving of the recorded run"),
            _ => format!(
                "{text}: unknown whether it holds in every interleaving of the recorded run"
            ),
        }
    };
    assertions.into_iter().flatten().map(line).collect()
}

fn guarantee(report: &Report, exploration: &Value, styles: &Styles) -> String {
    let is_complete = exploration.get("complete") == Some(&Value::Bool(true));
    let good = report.findings.is_empty() && is_complete;
    let (style, dim) = (if good { styles.good } else { styles.heading }, styles.dim);
    let mut text = format!("\n{style}{}{style:#}\n", visible(word(exploration, "claim")));
    let conditions = exploration.get("conditions").and_then(Value::as_array);
    for condition in conditions.into_iter().flatten().filter_map(Value::as_str) {
        let _ = writeln!(text, "  {dim}- {}{dim:#}", visible(condition));
    }
    text
}
