//! One root cause, one finding: what was predicted, beside what the search found.
//!
//! Places are compared by their lines.
//!
//! - M1: a race is the same at the same two places.
//! - M2: a predicted deadlock is one that was found if all its threads stand at the same places there.
//! - M3: so is a lost wake-up if the thread that waits for it stands at its wait.

use std::collections::BTreeSet;

use raddle_finding::{Failure, FailureKind, Finding, Location, Property};

use crate::error::Error;
use crate::exploration::{Collected, Entry};
use crate::forecast::Forecast;

/// What was predicted, compared with what was found.
#[derive(Default)]
pub(crate) struct Merged<'a> {
    /// What was not found by searching.
    pub(crate) new: Vec<&'a Finding>,
    /// Per finding of the search, whether it was predicted, too.
    pub(crate) is_predicted: Vec<bool>,
    /// How many predictions were found by searching, too.
    pub(crate) n_found: usize,
}

impl Merged<'_> {
    /// Turns what the program did when it was steered into findings like those of the search.
    pub(crate) fn adopt(
        &mut self,
        collected: &mut Collected,
        mut entry: impl FnMut(&Finding) -> Result<Option<Entry>, Error>,
    ) -> Result<(), Error> {
        for predicted in std::mem::take(&mut self.new) {
            let Some(new) = entry(predicted)? else {
                self.new.push(predicted);
                continue;
            };
            let failure = &new.found.failure;
            let is_known = |known: &Entry| {
                known.found.failure.kind == failure.kind
                    && lines(&known.found.failure) == lines(failure)
            };
            match collected.all.iter().position(is_known) {
                Some(at) => self.is_predicted[at] = true,
                None => {
                    collected.all.push(new);
                    self.is_predicted.push(true);
                }
            }
        }
        Ok(())
    }
}

/// Compares them.
pub(crate) fn merge<'a>(forecast: &'a Forecast, collected: &Collected) -> Merged<'a> {
    let is_predicted = vec![false; collected.all.len()];
    let mut merged = Merged { new: Vec::new(), is_predicted, n_found: 0 };
    for predicted in &forecast.all {
        let same: Vec<_> = collected.all.iter().map(|entry| is_same(predicted, entry)).collect();
        match same.contains(&true) {
            true => merged.n_found += 1,
            false => merged.new.push(predicted),
        }
        for (is_predicted, is_same) in merged.is_predicted.iter_mut().zip(same) {
            *is_predicted |= is_same;
        }
    }
    merged
}

/// A line of a source, or the whole name of a place that is none.
pub(crate) type Line = (String, Option<u32>);

/// The line that a place is in: traces know lines, and machines also columns.
pub(crate) fn line(place: &Location) -> Line {
    (place.file.clone().unwrap_or_else(|| place.name.clone()), place.line)
}

/// The lines that some failure is in.
pub(crate) fn lines(failure: &Failure) -> BTreeSet<Line> {
    failure.places.iter().map(line).collect()
}

/// The lines that a finding is in.
pub(crate) fn lines_of(finding: &Finding) -> BTreeSet<Line> {
    finding.locations.iter().map(|site| line(&site.location)).collect()
}

fn is_same(predicted: &Finding, entry: &Entry) -> bool {
    let failure = &entry.found.failure;
    let (found, places) = (lines(failure), lines_of(predicted));
    match predicted.property {
        Property::Race => failure.kind == FailureKind::Race && places == found,
        Property::Deadlock => failure.kind == FailureKind::Deadlock && places.is_subset(&found),
        Property::LostWakeup => {
            let wait = predicted.locations.first();
            failure.kind == FailureKind::Deadlock
                && wait.is_some_and(|site| found.contains(&line(&site.location)))
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use raddle_explore::Found;
    use raddle_finding::{Schedule, Site, Verdict};

    fn entry(kind: FailureKind, places: &[&str]) -> Entry {
        let schedule = Schedule::new("9f3ac2".parse().unwrap());
        let failure = Failure::new(kind, places.iter().map(|&place| place.into()), "");
        let found = Found {
            failure,
            outcome: None,
            schedule: schedule.clone(),
            preemptions: 0,
            bound: None,
            execution: 0,
            promoted: 0,
            race: None,
            times: 1,
        };
        Entry::new(found, schedule)
    }

    #[track_caller]
    fn check(
        property: Property,
        predicted: &[&str],
        found: (FailureKind, &[&str]),
        expected: bool,
    ) {
        let sites = predicted.iter().map(|&place| Site::new("", place.into())).collect();
        let finding = Finding::new(property, Verdict::Witnessed, "", sites, Vec::new());
        let forecast = Forecast { all: vec![finding], ..Forecast::default() };
        let collected = Collected { all: vec![entry(found.0, found.1)], ..Collected::default() };
        let merged = merge(&forecast, &collected);
        assert_eq!((merged.new.is_empty(), merged.is_predicted[0]), (expected, expected));
    }

    #[test]
    fn races_at_the_same_places_are_one() {
        check(Property::Race, &["a.c:2", "a.c:1"], (FailureKind::Race, &["a.c:1", "a.c:2"]), true);
        check(
            Property::Race,
            &["a.c:2", "a.c:1"],
            (FailureKind::Race, &["a.c:1:7", "a.c:2:3"]),
            true,
        );
        check(Property::Race, &["a.c:1", "a.c:1"], (FailureKind::Race, &["a.c:1", "a.c:2"]), false);
        check(
            Property::Race,
            &["a.c:1", "a.c:2"],
            (FailureKind::Deadlock, &["a.c:1", "a.c:2"]),
            false,
        );
    }

    #[test]
    fn a_cycle_of_locks_is_part_of_a_deadlock() {
        let found: (_, &[&str]) = (FailureKind::Deadlock, &["a.c:1", "a.c:2", "a.c:9"]);
        check(Property::Deadlock, &["a.c:2", "a.c:1"], found, true);
        check(Property::Deadlock, &["a.c:2", "a.c:3"], found, false);
    }

    #[test]
    fn who_waits_for_a_lost_wake_up_cannot_go_on() {
        check(
            Property::LostWakeup,
            &["a.c:1", "a.c:5"],
            (FailureKind::Deadlock, &["a.c:1", "a.c:9"]),
            true,
        );
        check(
            Property::LostWakeup,
            &["a.c:5", "a.c:1"],
            (FailureKind::Deadlock, &["a.c:1", "a.c:9"]),
            false,
        );
    }
}
