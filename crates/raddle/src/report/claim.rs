//! What a check claims: how much was covered, and what that depends on.
//!
//! In: a report. Out: a sentence and its conditions. There is one rung for each degree of certainty, and the
//! strongest restriction stands in the sentence:
//!
//! - R1: every execution: all were tried, and nothing was assumed but the model. Only this is *proved*.
//! - R2: every execution with at most so many preemptions.
//! - R3: the same, restricted: without executions that were too long, with loops taken for endless, without what
//!   is done with pointers, without spurious wake-ups.
//! - R4: executions were drawn or left out: nothing is covered completely.
//! - R5: no execution counts: nothing was checked.
//!
//! What the model leaves out stands in every report: weak memory, and state that is shared without the types of
//! this crate.

use raddle_report::quantity::{count, counted};

use super::Report;

/// What is claimed.
pub(super) struct Claim {
    /// The sentence.
    pub(super) headline: String,
    /// What it depends on beside what it says.
    pub(super) conditions: Vec<String>,
}

/// The claim of a report.
pub(super) fn claim(report: &Report) -> Claim {
    let mut restrictions = restrictions(report);
    let mut headline = rung(report, restrictions.is_empty());
    let is_restricted = report.exhausted || report.complete_to.is_some();
    if is_restricted && !restrictions.is_empty() {
        headline = format!("{headline}, {}", restrictions.remove(0));
    }
    let mut conditions = restrictions;
    conditions.extend(advice(report));
    conditions.push("sequential consistency".to_owned());
    conditions.push("what is shared without raddle's types is not seen".to_owned());
    Claim { headline, conditions }
}

fn rung(report: &Report, is_all: bool) -> String {
    match (report.exhausted, report.complete_to) {
        _ if report.ending == "replayed" => "one schedule, replayed".to_owned(),
        _ if report.lost >= report.executions => "nothing was checked".to_owned(),
        (true, _) if is_all && report.findings.is_empty() => {
            "proved: every execution is covered".to_owned()
        }
        (true, _) => "every execution is covered".to_owned(),
        (false, Some(bound)) => {
            let preemptions = counted(bound as usize, "preemption");
            format!("every execution with at most {preemptions} is covered")
        }
        (false, None) if report.is_sampled() => "sampled: nothing is covered completely".to_owned(),
        (false, None) => "nothing is covered completely".to_owned(),
    }
}

/// R3: the strongest one first.
fn restrictions(report: &Report) -> Vec<String> {
    let mut all = Vec::new();
    if report.lost > 0 {
        let were = if report.lost == 1 { "was" } else { "were" };
        let lost = counted(report.lost as usize, "execution");
        all.push(format!("but {lost} {were} too long to be followed"));
    }
    if let Some((_, operations)) = report.endless.first() {
        let places: Vec<_> = report.endless.iter().map(|(place, _)| place.as_str()).collect();
        let loops = if places.len() == 1 { "the loop" } else { "the loops" };
        let operations = count(*operations);
        all.push(format!(
            "with {loops} at {} taken for endless after {operations} operations",
            places.join(", ")
        ));
    }
    if !report.pointers.is_empty() {
        let places = report.pointers.join(", ");
        all.push(format!("without what is done with the pointers from {places}"));
    }
    if report.lacks_spurious {
        all.push("without spurious wake-ups (`.spurious(true)` adds them)".to_owned());
    }
    all
}

/// What covers more.
fn advice(report: &Report) -> Option<String> {
    let bound = report.complete_to.filter(|_| !report.exhausted)?;
    let is_bounded = report.ending == "done";
    is_bounded.then(|| format!("RADDLE_BOUND={} covers more", bound + 1))
}
