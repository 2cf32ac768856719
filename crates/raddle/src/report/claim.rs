//! What a check claims: how much was covered, and what that depends on.
//!
//! In: a report. Out: its guarantee, as data, in the ladder of all engines (`raddle_finding::Guarantee`), and what is
//! said beside it.
//!
//! What the model leaves out stands in every report: weak memory, and state that is shared without the types of
//! this crate.

use raddle_finding::{Coverage, Guarantee, Restriction};
use raddle_report::quantity::{counted, plural};

use super::Report;

/// How much was covered, and what is left out of that.
pub(super) fn guarantee(report: &Report) -> Guarantee {
    let coverage = match (report.exhausted, report.complete_to) {
        _ if report.lost > 0 && report.lost >= report.executions => {
            Coverage::Nothing { why: "every execution was too long to be followed".to_owned() }
        }
        (true, _) if report.lost == 0 => Coverage::Every,
        (_, Some(most)) if report.lost == 0 => {
            let unit = ["preemption", "preemptions"].map(str::to_owned);
            Coverage::Bounded { unit, most }
        }
        _ => Coverage::Sampled { n: report.executions },
    };
    let restrictions = match coverage {
        Coverage::Every | Coverage::Bounded { .. } => restrictions(report),
        _ => Vec::new(),
    };
    Guarantee::new(coverage, restrictions)
}

fn restrictions(report: &Report) -> Vec<Restriction> {
    let endless = report.endless.iter();
    let endless = endless.map(|(place, operations)| Restriction::Endless {
        place: place.clone(),
        operations: *operations,
    });
    let mut all: Vec<_> = endless.collect();
    if !report.pointers.is_empty() {
        all.push(Restriction::Pointers { places: report.pointers.clone() });
    }
    if report.lacks_spurious {
        all.push(Restriction::WakeUps);
    }
    all
}

/// One sentence.
pub(super) fn headline(report: &Report) -> String {
    match report.ending {
        "replayed" => "one schedule was replayed".to_owned(),
        _ => guarantee(report).headline(report.findings.is_empty()),
    }
}

/// What it depends on beside what it says, and what would cover more.
pub(super) fn conditions(report: &Report) -> Vec<String> {
    let guarantee = guarantee(report);
    let mut all: Vec<_> = guarantee.others().collect();
    if report.lost > 0 {
        let lost = plural(report.lost as usize, "execution was", "executions were");
        all.push(format!("{lost} too long to be followed"));
    }
    all.extend(more(&guarantee, report));
    all.push("sequential consistency".to_owned());
    if report.spins > 0 {
        all.push("executions that never end are found if nothing can end them".to_owned());
    }
    all.push("data that is shared without raddle's types is not seen".to_owned());
    all
}

/// What to add for more.
fn more(guarantee: &Guarantee, report: &Report) -> Option<String> {
    let mut options = Vec::new();
    if let Coverage::Bounded { most, .. } = guarantee.coverage
        && report.ending == "done"
    {
        options.push(format!("RADDLE_BOUND={}", most + 1));
    }
    if guarantee.restrictions.contains(&Restriction::WakeUps) {
        options.push("`.spurious(true)`".to_owned());
    }
    (!options.is_empty()).then(|| format!("to cover more: {}", options.join(", ")))
}

/// How large what was seen is.
pub(super) fn size(report: &Report) -> String {
    let threads = counted(report.threads as usize, "thread");
    let points = counted(report.points as usize, "point");
    match guarantee(report).coverage {
        Coverage::Every | Coverage::Bounded { .. } => {
            let executions = counted(report.executions as usize, "execution");
            format!("{executions}, at most {threads}, {points}")
        }
        _ => format!("at most {threads}, {points}"),
    }
}
