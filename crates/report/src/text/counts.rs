//! What was analysed of a trace: repairs, what each step of the analyses left, what was skipped.

use std::fmt::Write;

use raddle_finding::Report;
use serde_json::Value;

use super::Styles;
use crate::quantity::{count, counted};
use crate::sanitise::visible;
use crate::table;

/// What is counted on the way from candidates to findings, in this order.
const FUNNEL: [(&str, &str); 7] = [
    ("candidates", "candidates"),
    ("lsa", "locks allow"),
    ("mhb", "order allows"),
    ("asked", "examined"),
    ("ucg", "both allow"),
    ("witnessed", "witnessed"),
    ("unknown", "unknown"),
];

/// The summary below all findings.
pub(super) fn text(report: &Report, styles: &Styles) -> String {
    let (heading, dim) = (styles.heading, styles.dim);
    let mut text = String::new();
    let n = counted(report.findings.len(), "finding");
    let _ = writeln!(text, "{heading}{}{heading:#}: {n}", visible(&report.input.name));
    for line in funnel(report) {
        let _ = writeln!(text, "  {line}");
    }
    if !report.repairs.is_empty() {
        let n = counted(report.repairs.len(), "repair");
        let _ = writeln!(text, "  {dim}{n} made the trace well-formed{dim:#}");
    }
    for skipped in &report.skipped {
        let (property, reason) = (skipped.property, visible(&skipped.reason));
        let _ = writeln!(text, "  {dim}{property} was not checked:{dim:#} {reason}");
    }
    if let Some(ruled_out) = report.stats.get("ruled_out") {
        text += &super::ruled_out(ruled_out, styles);
    }
    text
}

/// A row for each property that was looked for, with what each step left.
fn funnel(report: &Report) -> Vec<String> {
    let is_funnel = |(_, counts): &(&String, &Value)| counts.get("witnessed").is_some();
    let all: Vec<_> = report.stats.iter().filter(is_funnel).collect();
    let used = |key: &str| all.iter().any(|(_, counts)| counts.get(key).is_some());
    let columns: Vec<_> = FUNNEL.iter().filter(|(key, _)| used(key)).collect();
    if all.is_empty() {
        return Vec::new();
    }
    let header = columns.iter().map(|(_, name)| (*name).to_owned());
    let mut rows = vec![std::iter::once(String::new()).chain(header).collect::<Vec<_>>()];
    for (property, counts) in all {
        let cell = |(key, _): &&(&str, &str)| {
            counts.get(*key).and_then(Value::as_u64).map_or("-".to_owned(), count)
        };
        let name = visible(&property.replace('_', "-"));
        rows.push(std::iter::once(name).chain(columns.iter().map(cell)).collect());
    }
    table::lines(&rows, &[0])
}
