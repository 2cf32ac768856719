//! Which findings belong together: a race that is part of the interleaving of a failure.
//!
//! In: all findings. Out: the same, where each failure names the races both of whose accesses its story has
//! at their places, by different threads: what fails most likely fails because of them.

use std::collections::BTreeSet;

use raddle_finding::{Finding, Property};
use serde_json::json;

/// Relates races to failures.
pub(crate) fn relate(findings: &mut [Finding]) {
    let is_race = |finding: &&Finding| finding.property == Property::Race;
    let races: Vec<Finding> = findings.iter().filter(is_race).cloned().collect();
    for finding in findings.iter_mut().filter(|finding| !is_race(&&**finding)) {
        let part = races.iter().filter(|race| is_part(race, finding));
        let named: Vec<_> = part.map(name).collect();
        if !named.is_empty() {
            finding.details.insert("related".to_owned(), json!(named));
        }
    }
}

/// A race by its places.
fn name(race: &Finding) -> String {
    let places: Vec<_> = race.locations.iter().map(|site| site.location.name.as_str()).collect();
    format!("the race of {} ({})", places.join(" and "), race.fingerprint)
}

/// Whether two threads were at the places of a race.
fn is_part(race: &Finding, failure: &Finding) -> bool {
    let Some(story) = &failure.story else { return false };
    let mut seen = BTreeSet::new();
    for step in &story.steps {
        let Some(place) = step.place.and_then(|n| story.places.get(n as usize)) else { continue };
        seen.extend(place.file.as_ref().map(|file| (file, place.line, step.thread)));
    }
    let at = |n: usize| {
        let place = race.locations.get(n).map(|site| &site.location)?;
        let known = seen
            .iter()
            .filter(|(file, line, _)| Some(*file) == place.file.as_ref() && *line == place.line);
        Some(known.map(|(_, _, thread)| *thread).collect::<BTreeSet<u32>>())
    };
    match (at(0), at(1)) {
        (Some(one), Some(other)) => {
            one.iter().any(|thread| other.iter().any(|another| another != thread))
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use raddle_finding::{Site, Verdict};
    use raddle_report::tell::Teller;

    /// A failure whose story has these threads at these places, beside a race of two places.
    #[track_caller]
    fn check(steps: &[(&str, &str)], places: [&str; 2], expected: bool) {
        let sites = places.map(|place| Site::new("access", place.into())).to_vec();
        let race = Finding::new(Property::Race, Verdict::Replayed, "", sites, Vec::new());
        let mut failure =
            Finding::new(Property::Assertion, Verdict::Replayed, "", Vec::new(), Vec::new());
        let mut teller = Teller::new();
        steps.iter().for_each(|(thread, place)| teller.fail(thread, place, "does"));
        failure.story = Some(teller.finish(0));
        let mut all = [failure, race];
        relate(&mut all);
        assert_eq!(all[0].details.contains_key("related"), expected);
        assert!(!all[1].details.contains_key("related"));
    }

    #[test]
    fn a_race_is_part_of_a_failure_if_two_threads_were_at_its_places() {
        check(&[("a", "x.c:1"), ("b", "x.c:2")], ["x.c:1", "x.c:2"], true);
        check(&[("a", "x.c:1"), ("b", "x.c:1")], ["x.c:1", "x.c:1"], true);
        check(&[("a", "x.c:1"), ("a", "x.c:2")], ["x.c:1", "x.c:2"], false);
        check(&[("a", "x.c:1"), ("b", "x.c:3")], ["x.c:1", "x.c:2"], false);
    }
}
