//! One root cause, one finding: what was predicted, beside what the search found.
//!
//! Places are compared by their lines.
//!
//! - M1: a race is the same at the same two places.
//! - M2: a predicted deadlock is one that was found if all its threads stand at the same places there.
//! - M3: so is a wake-up that is lost: whoever waits for it stands at its wait.

use std::collections::BTreeSet;

use raddle_explore::Trouble;
use raddle_finding::{Finding, Location, Property};

use crate::error::Error;
use crate::forecast::Forecast;
use crate::hunt::{Catch, Catches};

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
        catches: &mut Catches,
        mut catch: impl FnMut(&Finding) -> Result<Option<Catch>, Error>,
    ) -> Result<(), Error> {
        for foreseen in std::mem::take(&mut self.new) {
            let Some(new) = catch(foreseen)? else {
                self.new.push(foreseen);
                continue;
            };
            let trouble = &new.found.trouble;
            let is_known = |known: &Catch| {
                known.found.trouble.kind == trouble.kind
                    && lines(&known.found.trouble) == lines(trouble)
            };
            match catches.all.iter().position(is_known) {
                Some(at) => self.is_predicted[at] = true,
                None => {
                    catches.all.push(new);
                    self.is_predicted.push(true);
                }
            }
        }
        Ok(())
    }
}

/// Compares them.
pub(crate) fn merge<'a>(forecast: &'a Forecast, catches: &Catches) -> Merged<'a> {
    let is_predicted = vec![false; catches.all.len()];
    let mut merged = Merged { new: Vec::new(), is_predicted, n_found: 0 };
    for foreseen in &forecast.all {
        let same: Vec<_> = catches.all.iter().map(|catch| is_same(foreseen, catch)).collect();
        match same.contains(&true) {
            true => merged.n_found += 1,
            false => merged.new.push(foreseen),
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

/// The lines that some trouble is in.
pub(crate) fn lines(trouble: &Trouble) -> BTreeSet<Line> {
    trouble.places.iter().map(|place| line(&Location::parse(place))).collect()
}

/// The lines that a finding is in.
pub(crate) fn lines_of(finding: &Finding) -> BTreeSet<Line> {
    finding.locations.iter().map(|site| line(&site.location)).collect()
}

fn is_same(predicted: &Finding, catch: &Catch) -> bool {
    let trouble = &catch.found.trouble;
    let (found, places) = (lines(trouble), lines_of(predicted));
    match predicted.property {
        Property::Race => trouble.kind == "race" && places == found,
        Property::Deadlock => trouble.kind == "deadlock" && places.is_subset(&found),
        Property::LostWakeup => {
            let wait = predicted.locations.first();
            trouble.kind == "deadlock"
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

    fn catch(kind: &str, places: &[&str]) -> Catch {
        let schedule = Schedule::new("9f3ac2".parse().unwrap());
        let places = places.iter().map(|&place| place.to_owned()).collect();
        let trouble = Trouble { kind: kind.to_owned(), places, message: String::new() };
        let found = Found {
            trouble,
            outcome: None,
            schedule,
            preemptions: 0,
            bound: None,
            execution: 0,
            promoted: 0,
            times: 1,
        };
        let (is_simplified, is_steered) = (true, false);
        Catch { found, shrunk: None, is_simplified, schedule: None, evidence: None, is_steered }
    }

    #[track_caller]
    fn check(property: Property, predicted: &[&str], found: (&str, &[&str]), expected: bool) {
        let sites = predicted.iter().map(|&place| Site::new("", place.into())).collect();
        let finding = Finding::new(property, Verdict::Witnessed, "", sites, Vec::new());
        let forecast = Forecast { all: vec![finding], ..Forecast::default() };
        let catches = Catches { all: vec![catch(found.0, found.1)], unrepeated: Vec::new() };
        let merged = merge(&forecast, &catches);
        assert_eq!((merged.new.is_empty(), merged.is_predicted[0]), (expected, expected));
    }

    #[test]
    fn races_at_the_same_places_are_one() {
        check(Property::Race, &["a.c:2", "a.c:1"], ("race", &["a.c:1", "a.c:2"]), true);
        check(Property::Race, &["a.c:2", "a.c:1"], ("race", &["a.c:1:7", "a.c:2:3"]), true);
        check(Property::Race, &["a.c:1", "a.c:1"], ("race", &["a.c:1", "a.c:2"]), false);
        check(Property::Race, &["a.c:1", "a.c:2"], ("deadlock", &["a.c:1", "a.c:2"]), false);
    }

    #[test]
    fn a_circle_of_locks_is_part_of_who_cannot_go_on() {
        let found: (_, &[&str]) = ("deadlock", &["a.c:1", "a.c:2", "a.c:9"]);
        check(Property::Deadlock, &["a.c:2", "a.c:1"], found, true);
        check(Property::Deadlock, &["a.c:2", "a.c:3"], found, false);
    }

    #[test]
    fn who_waits_for_a_lost_wake_up_cannot_go_on() {
        check(Property::LostWakeup, &["a.c:1", "a.c:5"], ("deadlock", &["a.c:1", "a.c:9"]), true);
        check(Property::LostWakeup, &["a.c:5", "a.c:1"], ("deadlock", &["a.c:1", "a.c:9"]), false);
    }
}
