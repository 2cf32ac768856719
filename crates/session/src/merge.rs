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
    fn places_without_lines_are_compared_by_their_names() {
        check(Property::Race, &["main", "work"], (FailureKind::Race, &["work", "main"]), true);
        check(Property::Race, &["main", "work"], (FailureKind::Race, &["main", "other"]), false);
        check(Property::Race, &["a.c:1", "a.c:2"], (FailureKind::Race, &["b.c:1", "a.c:2"]), false);
    }

    #[test]
    fn other_properties_are_never_what_a_search_finds() {
        let found: (_, &[&str]) = (FailureKind::Assertion, &["a.c:1"]);
        check(Property::Assertion, &["a.c:1"], found, false);
        check(Property::Atomicity, &["a.c:1"], found, false);
    }

    #[test]
    fn a_cycle_of_locks_is_part_of_a_deadlock() {
        let found: (_, &[&str]) = (FailureKind::Deadlock, &["a.c:1", "a.c:2", "a.c:9"]);
        check(Property::Deadlock, &["a.c:2", "a.c:1"], found, true);
        check(Property::Deadlock, &["a.c:2", "a.c:3"], found, false);
        check(Property::Deadlock, &["a.c:2", "a.c:1"], (FailureKind::Crash, found.1), false);
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
    fn races(all: &[[&str; 2]]) -> Forecast {
        let race = |places: &[&str; 2]| {
            let sites = places.map(|place| Site::new("", place.into())).to_vec();
            Finding::new(Property::Race, Verdict::Witnessed, "", sites, Vec::new())
        };
        Forecast { all: all.iter().map(race).collect(), ..Forecast::default() }
    }

    #[test]
    fn each_prediction_is_found_or_new_and_each_finding_predicted_or_not() {
        let forecast = races(&[["a.c:1", "a.c:2"], ["a.c:3", "a.c:4"], ["a.c:2", "a.c:1"]]);
        let found = [&["a.c:1", "a.c:2"], &["a.c:5", "a.c:6"]];
        let all = found.map(|places| entry(FailureKind::Race, places)).to_vec();
        let merged = merge(&forecast, &Collected { all, ..Collected::default() });
        assert_eq!(merged.is_predicted, [true, false]);
        assert_eq!((merged.n_found, merged.new.len()), (2, 1));
        assert!(std::ptr::eq(merged.new[0], &forecast.all[1]));
    }

    /// Predicted are races at lines 1 to 3; steered, the program shows these places, if it shows any.
    #[track_caller]
    fn check_adopted(
        shown: [Option<(FailureKind, &[&str])>; 3],
        n_new: usize,
        is_predicted: &[bool],
    ) {
        let forecast = races(&[["a.c:1"; 2], ["a.c:2"; 2], ["a.c:3"; 2]]);
        let all = vec![entry(FailureKind::Race, &["b.c:1", "b.c:2"])];
        let mut collected = Collected { all, ..Collected::default() };
        let mut merged = merge(&forecast, &collected);
        let mut shown = shown.into_iter();
        let entry_of = |_: &Finding| {
            let shown = shown.next().expect("it is asked once for each");
            Ok(shown.map(|(kind, places)| entry(kind, places)))
        };
        merged.adopt(&mut collected, entry_of).unwrap();
        assert_eq!(merged.new.len(), n_new);
        assert_eq!(merged.is_predicted, is_predicted);
        assert_eq!(collected.all.len(), is_predicted.len());
    }

    #[test]
    fn what_a_steered_program_shows_is_a_finding_unless_it_is_known() {
        use FailureKind::{Deadlock, Race};
        check_adopted([None; 3], 3, &[false]);
        check_adopted([Some((Race, &["a.c:1"])), None, None], 2, &[false, true]);
        // At the lines of what was found, whatever the columns.
        check_adopted([Some((Race, &["b.c:2:7", "b.c:1"])), None, None], 2, &[true]);
        check_adopted([Some((Deadlock, &["b.c:2", "b.c:1"])), None, None], 2, &[false, true]);
        // Two predictions that turn out to be one.
        let same: Option<(_, &[&str])> = Some((Race, &["a.c:1"]));
        check_adopted([same, same, None], 1, &[false, true]);
    }

    #[test]
    fn what_cannot_be_steered_ends_the_work() {
        let forecast = races(&[["a.c:1"; 2]]);
        let mut collected = Collected::default();
        let mut merged = merge(&forecast, &collected);
        let error = || Error::Control("no".into());
        assert!(merged.adopt(&mut collected, |_| Err(error())).is_err());
    }
}
