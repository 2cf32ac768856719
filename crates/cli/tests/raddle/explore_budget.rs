//! `raddle explore`: budgets, and parts of a search.

use std::collections::BTreeSet;

use crate::explore::{claim, found, per_bound, report};
use crate::harness::Dir;

/// A search that a budget ends, without findings: the report, which says which budget it was.
#[track_caller]
fn ended(budget: &str, ending: &str) -> serde_json::Value {
    let dir = Dir::corpus("dining_philosophers_fixed.c");
    let args = format!("explore dining_philosophers_fixed.c --bound all --cache off {budget}");
    let report = report(&dir, &args, 3);
    assert_eq!(report["stats"]["exploration"]["ending"], ending);
    assert_eq!(report["stats"]["exploration"]["complete"], false);
    report
}

#[test]
fn a_budget_that_is_spent_is_said() {
    let runs = ended("--runs 7", "runs");
    assert_eq!(runs["stats"]["exploration"]["executions"], 7);
    assert_eq!(claim(&runs), "nothing is covered: 7 executions were tried");
    ended("--time 100ms", "time");
    ended("--memory 1k", "memory");
    let one = ended("--runs 1", "runs");
    assert_eq!(claim(&one), "nothing is covered: 1 execution was tried");
    let dir = Dir::corpus("ab_ba_fixed.c");
    let text = dir.raddle("explore ab_ba_fixed.c --runs 5").exits(3).stdout;
    assert!(text.contains("; ended by --runs\n") && text.contains("not complete"), "{text}");
}

#[test]
fn bounds_that_were_completed_before_the_end_still_count() {
    let dir = Dir::corpus("ab_ba_fixed.c");
    let whole = report(&dir, "explore ab_ba_fixed.c --cache off --bound 1", 0);
    let below: u64 = per_bound(&whole, "executions").iter().sum();
    let args = format!("explore ab_ba_fixed.c --cache off --bound 2 --runs {}", below + 1);
    let report = report(&dir, &args, 3);
    assert_eq!(claim(&report), "no execution with at most 1 preemption fails");
}

#[test]
fn a_search_ends_after_enough_findings() {
    let dir = Dir::corpus("shutdown.c");
    let all = report(&dir, "explore shutdown.c", 1);
    assert!(found(&all).len() > 1);
    let first = report(&dir, "explore shutdown.c --findings 1", 1);
    // Races do not count.
    let failures = found(&first).into_iter().filter(|(property, _)| property != "\"race\"");
    assert_eq!(failures.count(), 1);
    assert_eq!(first["stats"]["exploration"]["ending"], "findings");
    let claim = claim(&first);
    assert!(claim.starts_with("covered: every execution without preemptions"), "{claim}");
}

#[test]
fn parts_are_the_whole() {
    for (name, options) in [("two_stage.c", "--cache off"), ("ab_ba.c", "--strategy delay")] {
        let dir = Dir::corpus(name);
        let whole = report(&dir, &format!("explore {name} {options}"), 1);
        let (mut together, mut executions) = (BTreeSet::new(), vec![0; 3]);
        for part in 1..=3 {
            let run =
                dir.raddle(&format!("explore {name} {options} --part {part}/3 --format json"));
            assert!([0, 1].contains(&run.code), "{run:?}");
            let report = run.json();
            together.extend(found(&report));
            for (sum, n) in executions.iter_mut().zip(per_bound(&report, "executions")) {
                *sum += n;
            }
            let said = format!("within part {part} of 3");
            assert!(claim(&report).contains(&said), "{}", claim(&report));
        }
        assert_eq!(together.into_iter().collect::<Vec<_>>(), found(&whole), "{name} {options}");
        if options == "--cache off" {
            // What costs nothing is in every part, everything else in one.
            let mut expected = per_bound(&whole, "executions");
            expected[0] *= 3;
            assert_eq!(executions, expected);
        }
    }
}
