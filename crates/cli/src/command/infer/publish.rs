//! A specification as a report: `raddle.findings/1`, and so a page.
//!
//! In: what was found out. Out: a report with the specification among its statistics and the lines of the source;
//! that there is no specification is a finding.

use raddle_cfront::ir::Program;
use raddle_finding::{
    Finding, Input, Location, Object, ObjectKind, Property, Report, Site, Verdict,
};
use raddle_report::source;
use serde_json::json;

use super::document::{AccessDocument, Document};
use super::specification::Lines;

/// The report.
pub(super) fn report(name: &str, focus: &[String], found: &Document, program: &Program) -> Report {
    let mut report = Report::new(Input::named(name));
    report.findings.extend(finding(found));
    let start = |lines: &Lines| Location::source(&*lines.file, lines.from);
    let mut places: Vec<_> = found.if_star.iter().chain(&found.irrelevant).map(start).collect();
    places.extend(found.cycle.iter().flat_map(|c| [place(&c.before), place(&c.after)]));
    let line = |file: &str, line: u32| program.sources.line(file, line).map(str::to_owned);
    report.sources = source::of_places(&places, &line);
    report.stats.insert(
        "specification".to_owned(),
        json!({
            "verdict": found.verdict,
            "focus": focus,
            "traces": found.traces,
            "cost": found.if_star.len(),
            "optimal_for": found.optimal_for,
            "if_star": found.if_star,
            "irrelevant": found.irrelevant,
            "conflicts": found.cycle,
            "conflict_serializable": found.conflict_serializable,
            "replayed": found.replayed,
            "functional": found.functional,
        }),
    );
    report
}

/// That no sequential execution explains what was seen.
fn finding(found: &Document) -> Option<Finding> {
    if found.verdict != "none" {
        return None;
    }
    let mut sites = Vec::new();
    let mut objects: Vec<Object> = Vec::new();
    for conflict in &found.cycle {
        let site = |role: &str, access: &AccessDocument| {
            Site::new(format!("{role}, on {}", conflict.variable), place(access))
                .by_thread(access.thread.clone())
        };
        sites
            .extend([site("comes first", &conflict.before), site("comes second", &conflict.after)]);
        objects.push(Object::new(ObjectKind::Variable, conflict.variable.clone()));
    }
    objects.sort();
    objects.dedup();
    let message =
        "no sequential execution explains what the threads did: likely an atomicity error";
    Some(Finding::new(Property::Serializability, Verdict::Candidate, message, sites, objects))
}

fn place(access: &AccessDocument) -> Location {
    Location::source(&*access.file, access.line)
}
