//! One root cause, one finding: a race that is part of the interleaving of a failure is its cause.
//!
//! In: all findings. Out: the failures, each with the races both of whose accesses its story has at their
//! places, by different threads; and the races that are part of no failure. Of races with one fingerprint, as
//! the reads and the writes of `x = x + 1` in two threads have, the first is left. Of such failures it is the simplest:
//! engines that know columns shrink each place in a line by itself, others the line.

use std::collections::{BTreeMap, BTreeSet};

use raddle_finding::{Cause, Finding, Property};

use crate::merge::line;

/// Gives failures their causes. With `folds`, what is one is no finding of its own any more, and nothing
/// is found twice.
pub fn relate(findings: &mut Vec<Finding>, folds: bool) {
    let is_race = |finding: &Finding| finding.property == Property::Race;
    let races: Vec<Finding> = findings.iter().filter(|one| is_race(one)).cloned().collect();
    let mut folded = BTreeSet::new();
    for failure in findings.iter_mut().filter(|finding| !is_race(finding)) {
        let mut causes: Vec<_> = races.iter().filter(|race| is_part(race, failure)).collect();
        // Engines differ in which one they meet first.
        causes.sort_by_key(|race| {
            race.locations.iter().map(|site| line(&site.location)).collect::<Vec<_>>()
        });
        causes.dedup_by_key(|race| race.fingerprint);
        failure.causes = causes.into_iter().map(Cause::from).collect();
        folded.extend(failure.causes.iter().map(|cause| cause.fingerprint));
    }
    if folds {
        let mut simplest = BTreeMap::new();
        for (n, one) in findings.iter().enumerate() {
            let cost = (!is_race(one)).then(|| cost(one));
            let best = simplest.entry(one.fingerprint).or_insert((cost, n));
            *best = (*best).min((cost, n));
        }
        let mut n = 0..;
        findings.retain(|one| {
            let is_left = !is_race(one) || !folded.contains(&one.fingerprint);
            let n = n.next();
            is_left && simplest.get(&one.fingerprint).map(|&(_, best)| best) == n
        });
    }
}

/// What makes a failure hard to follow: preemptions, else switches, else what happens until then.
fn cost(failure: &Finding) -> (u32, usize, u64) {
    let n_switches = failure.story.as_ref().map_or(0, |story| story.switches.len());
    let n_choices = failure.schedule.as_ref().map_or(0, |schedule| schedule.len());
    (failure.preemptions.unwrap_or(0), n_switches, n_choices)
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
    use raddle_report::story::StoryBuilder;

    /// A failure whose story has these threads at these places, beside a race of two places.
    #[track_caller]
    fn check(steps: &[(&str, &str)], places: [&str; 2], expected: bool) {
        let sites = places.map(|place| Site::new("access", place.into())).to_vec();
        let race = Finding::new(Property::Race, Verdict::Replayed, "", sites, Vec::new());
        let mut failure =
            Finding::new(Property::Assertion, Verdict::Replayed, "", Vec::new(), Vec::new());
        let mut builder = StoryBuilder::new();
        steps.iter().for_each(|(thread, place)| builder.fail(thread, place, "does"));
        failure.story = Some(builder.finish(0));
        for folds in [false, true] {
            let mut all = vec![failure.clone(), race.clone()];
            relate(&mut all, folds);
            let causes: Vec<_> = all[0].causes.iter().map(|cause| cause.fingerprint).collect();
            assert_eq!(causes == [race.fingerprint], expected);
            assert_eq!(all.len(), if expected && folds { 1 } else { 2 });
        }
    }

    #[test]
    fn causes_are_in_the_order_of_their_lines() {
        let race = |places: [&str; 2]| {
            let sites = places.map(|place| Site::new("access", place.into())).to_vec();
            Finding::new(Property::Race, Verdict::Replayed, "", sites, Vec::new())
        };
        let mut failure =
            Finding::new(Property::Assertion, Verdict::Replayed, "", Vec::new(), Vec::new());
        let mut builder = StoryBuilder::new();
        for (thread, place) in [("a", "x.c:9"), ("a", "x.c:10"), ("b", "x.c:16"), ("b", "x.c:17")] {
            builder.fail(thread, place, "does");
        }
        failure.story = Some(builder.finish(0));
        let races = [["x.c:10", "x.c:17"], ["x.c:9", "x.c:17"], ["x.c:10", "x.c:16"]].map(race);
        let mut all: Vec<_> = races.clone().into_iter().chain([failure]).collect();
        relate(&mut all, true);
        let causes: Vec<_> = all[0].causes.iter().map(|cause| cause.fingerprint).collect();
        assert_eq!(causes, [1, 2, 0].map(|n: usize| races[n].fingerprint));
    }

    #[test]
    fn accesses_of_one_statement_race_once() {
        let race = |roles: [&str; 2]| {
            let sites = [("a", "x.c:1"), ("b", "x.c:2")];
            let site = |n: usize| Site::new(roles[n], sites[n].1.into());
            Finding::new(Property::Race, Verdict::Replayed, "", vec![site(0), site(1)], Vec::new())
        };
        let races = [race(["writes", "reads"]), race(["writes", "writes"])];
        let mut failure =
            Finding::new(Property::Assertion, Verdict::Replayed, "", Vec::new(), Vec::new());
        let mut builder = StoryBuilder::new();
        [("a", "x.c:1"), ("b", "x.c:2")].iter().for_each(|(t, at)| builder.fail(t, at, "does"));
        failure.story = Some(builder.finish(0));
        for folds in [false, true] {
            let mut all = races.to_vec();
            relate(&mut all, folds);
            assert_eq!(all.len(), if folds { 1 } else { 2 });
            all = races.iter().cloned().chain([failure.clone()]).collect();
            relate(&mut all, folds);
            assert_eq!(all.last().unwrap().causes.len(), 1);
        }
    }

    #[test]
    fn of_failures_at_one_line_the_simplest_is_left() {
        let failure = |column: u32, preemptions: u32| {
            let place = Site::new("crash", format!("x.c:1:{column}").as_str().into());
            let mut failure =
                Finding::new(Property::Crash, Verdict::Replayed, "", vec![place], Vec::new());
            failure.preemptions = Some(preemptions);
            failure
        };
        let all = [failure(5, 2), failure(9, 1), failure(12, 1)];
        for folds in [false, true] {
            let mut left = all.to_vec();
            relate(&mut left, folds);
            assert_eq!(left, if folds { vec![all[1].clone()] } else { all.to_vec() });
        }
    }

    #[test]
    fn a_race_is_part_of_a_failure_if_two_threads_were_at_its_places() {
        check(&[("a", "x.c:1"), ("b", "x.c:2")], ["x.c:1", "x.c:2"], true);
        check(&[("a", "x.c:1"), ("b", "x.c:1")], ["x.c:1", "x.c:1"], true);
        check(&[("a", "x.c:1"), ("a", "x.c:2")], ["x.c:1", "x.c:2"], false);
        check(&[("a", "x.c:1"), ("b", "x.c:3")], ["x.c:1", "x.c:2"], false);
        check(&[("a", "x.c:1"), ("b", "y.c:2")], ["x.c:1", "x.c:2"], false);
        check(&[("a", "x.c:1"), ("a", "x.c:2"), ("b", "x.c:2")], ["x.c:1", "x.c:2"], true);
        check(&[("a", "x.c:1")], ["x.c:1", "x.c:1"], false);
    }
    /// Of two failures at one line, which is left.
    #[track_caller]
    fn check_simplest(one: (u32, usize, u64), other: (u32, usize, u64), left: usize) {
        let failure = |(preemptions, n_switches, n_choices): (u32, usize, u64)| {
            let place = Site::new("crash", "x.c:1".into());
            let mut failure =
                Finding::new(Property::Crash, Verdict::Replayed, "", vec![place], Vec::new());
            failure.preemptions = Some(preemptions);
            let mut builder = StoryBuilder::new();
            for _ in 0..n_switches {
                builder.fail("a", "x.c:1", "does");
                builder.switch("a", raddle_finding::Leaving::GaveWay);
            }
            failure.story = Some(builder.finish(0));
            let mut schedule = raddle_finding::Schedule::new("9f3ac2".parse().unwrap());
            schedule.extend((0..n_choices).map(|_| raddle_finding::Choice::Thread(0)));
            failure.schedule = Some(schedule);
            failure
        };
        let all = [failure(one), failure(other)];
        assert_eq!([cost(&all[0]), cost(&all[1])], [one, other]);
        let mut kept = all.to_vec();
        relate(&mut kept, true);
        assert_eq!(kept, [all[left].clone()]);
    }

    #[test]
    fn preemptions_count_before_switches_and_switches_before_choices() {
        check_simplest((1, 9, 9), (2, 0, 0), 0);
        check_simplest((1, 9, 9), (1, 8, 20), 1);
        check_simplest((1, 2, 9), (1, 2, 8), 1);
        check_simplest((1, 2, 9), (1, 2, 9), 0);
    }

    #[test]
    fn without_a_story_nothing_is_part_of_a_failure() {
        let sites = ["x.c:1", "x.c:2"].map(|place| Site::new("access", place.into())).to_vec();
        let failure =
            Finding::new(Property::Assertion, Verdict::Replayed, "", sites.clone(), Vec::new());
        let race = Finding::new(Property::Race, Verdict::Replayed, "", sites, Vec::new());
        let mut all = vec![failure, race];
        relate(&mut all, true);
        assert_eq!(all.len(), 2);
        assert!(all[0].causes.is_empty());
    }

    #[test]
    fn a_race_may_be_the_cause_of_several_failures_and_is_folded_once() {
        let failure = |line: &str| {
            let place = Site::new("crash", line.into());
            let mut failure =
                Finding::new(Property::Crash, Verdict::Replayed, "", vec![place], Vec::new());
            let mut builder = StoryBuilder::new();
            [("a", "x.c:1"), ("b", "x.c:2")].iter().for_each(|(t, at)| builder.fail(t, at, "does"));
            failure.story = Some(builder.finish(0));
            failure
        };
        let race = |places: [&str; 2]| {
            let sites = places.map(|place| Site::new("access", place.into())).to_vec();
            Finding::new(Property::Race, Verdict::Replayed, "", sites, Vec::new())
        };
        let (part, other) = (race(["x.c:1", "x.c:2"]), race(["x.c:1", "x.c:3"]));
        let mut all = vec![part.clone(), failure("x.c:8"), other.clone(), failure("x.c:9")];
        relate(&mut all, true);
        let kinds: Vec<_> = all.iter().map(|one| (one.property, one.causes.len())).collect();
        let expected = [(Property::Crash, 1), (Property::Race, 0), (Property::Crash, 1)];
        assert_eq!(kinds, expected);
        assert_eq!(all[1].fingerprint, other.fingerprint);
    }
}
