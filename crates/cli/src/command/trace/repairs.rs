//! Lists what was repaired: the first few for people, all for programs.

use raddle_trace::check::Repair;
use serde::Serialize;

use crate::quantity::{count, counted};
use raddle_report::sanitise::visible;

/// How many repairs people see unless they ask for all.
const FIRST: usize = 20;

/// One line a repair, and how many were left out.
pub(crate) fn lines(repairs: &[Repair], all: bool) -> Vec<String> {
    let shown = if all { repairs.len() } else { repairs.len().min(FIRST) };
    let mut lines: Vec<_> = repairs[..shown].iter().map(|r| visible(&r.to_string())).collect();
    if shown < repairs.len() {
        let rest = (repairs.len() - shown) as u64;
        lines.push(format!("… and {} more; --all lists them", count(rest)));
    }
    lines
}

/// How many there are.
pub(crate) fn total(repairs: &[Repair]) -> String {
    counted(repairs.len(), "repair")
}

/// A repair, for programs.
#[derive(Debug, Serialize)]
pub(crate) struct RepairDocument<'a> {
    rule: &'static str,
    action: &'static str,
    event: &'a str,
    position: Option<u32>,
    line: Option<u64>,
    detail: &'a str,
    /// The properties of which findings may be missed because of it.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    hides: &'static [&'static str],
}

impl<'a> From<&'a Repair> for RepairDocument<'a> {
    fn from(repair: &'a Repair) -> RepairDocument<'a> {
        RepairDocument {
            rule: repair.rule.code(),
            action: repair.action.name(),
            event: &repair.place.event,
            position: repair.place.position,
            line: repair.place.line,
            detail: &repair.detail,
            hides: if repair.hides_wait { &["deadlock"] } else { &[] },
        }
    }
}

/// A repair, for a report of findings.
pub(crate) fn for_report(repair: &Repair) -> raddle_finding::Repair {
    raddle_finding::Repair {
        event: repair.place.position.map(u64::from),
        line: repair.place.line,
        rule: repair.rule.code().to_owned(),
        action: format!("{} {}", repair.action.name(), repair.place.event),
    }
}

/// All repairs, for programs.
pub(crate) fn documents(repairs: &[Repair]) -> Vec<RepairDocument<'_>> {
    repairs.iter().map(RepairDocument::from).collect()
}
