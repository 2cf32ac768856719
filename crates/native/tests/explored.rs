//! The programs of the corpus, explored as binaries.
//!
//! Iterative context bounding finds what each program says of itself at the bound that it states
//! and nothing below; the twins are clean. `RADDLE_EXPLORED_RUNS` is how many executions of a clean
//! program are made at most, 3,000 by default; `RADDLE_EXPLORED_BOUND` up to which bound, 2 by
//! default.

#[path = "explored/by_hand.rs"]
mod by_hand;
#[path = "explored/crowds.rs"]
mod crowds;
#[path = "explored/machine.rs"]
mod machine;
#[path = "explored/misused.rs"]
mod misused;
#[path = "explored/models.rs"]
mod models;
#[path = "explored/reduced.rs"]
mod reduced;
#[path = "explored/scouts.rs"]
mod scouts;
#[path = "explored/sound.rs"]
mod sound;
#[path = "explored/spinning.rs"]
mod spinning;

use crate::harness::facts::Facts;
use crate::harness::search::USUAL;
use crate::harness::{Workshop, for_each, levels, share};
use raddle_native::target::Target;

/// So many executions at most until a bug must have shown at its bound.
const N_RUNS_TO_FAIL: u64 = 20_000;

/// Programs that are not wrong any more when they are optimised: the compiler reads once what the source
/// reads twice. They are as clean as their twins, but for their data races.
const MERGED: [(&str, &str); 1] = [("connection_pool", "-O2")];

fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).map_or(default, |value| value.parse().unwrap())
}

/// What is said of a program is found at its bound, and nothing else before it.
fn check(workshop: &Workshop, facts: &Facts, target: &Target) -> Result<(), String> {
    let is_rust = facts.path.extension().is_some_and(|extension| extension == "rs");
    match (facts.value("verdict"), is_rust) {
        ("clean", _) => check_clean(workshop, target, false),
        (_, true) => check_rust_fails(workshop, facts, target),
        _ => check_fails(workshop, facts, target),
    }
}

/// A panic is an exit status.
fn check_rust_fails(workshop: &Workshop, facts: &Facts, target: &Target) -> Result<(), String> {
    let bound = facts.value("bound").parse().unwrap();
    let explored = workshop.explore_to(target, USUAL.with_exit(), bound, N_RUNS_TO_FAIL)?;
    let shows = facts.value("shows").replace("panic", "exit-status");
    match explored.first_failure() {
        Some(first)
            if (first.bound, first.failure.kind.name()) == (Some(bound), &shows)
                && explored
                    .report
                    .findings
                    .iter()
                    .all(|found| found.failure.kind.name() != "race") =>
        {
            Ok(())
        }
        _ => Err(explored.essence()),
    }
}

fn check_fails(workshop: &Workshop, facts: &Facts, target: &Target) -> Result<(), String> {
    let bound = facts.value("bound").parse().unwrap();
    let explored = workshop.explore_to(target, USUAL, bound, N_RUNS_TO_FAIL)?;
    let kinds = facts.list("kinds");
    let Some(first) = explored.first_failure() else {
        return Err(format!("nothing is found: {}", explored.essence()));
    };
    if first.bound != Some(bound) || !kinds.contains(first.failure.kind.name()) {
        return Err(format!("found at {:?}: {:?}", first.bound, first.failure));
    }
    // Some races need more preemptions than the bug.
    let racy = explored.report.findings.iter().any(|found| found.failure.kind.name() == "race");
    match racy && !kinds.contains("race") {
        false => Ok(()),
        true => Err(explored.essence()),
    }
}

fn check_clean(workshop: &Workshop, target: &Target, may_race: bool) -> Result<(), String> {
    let bound = setting("RADDLE_EXPLORED_BOUND", 2) as u32;
    let n_runs = setting("RADDLE_EXPLORED_RUNS", 3_000);
    let explored = workshop.explore_to(target, USUAL.with_exit(), bound, n_runs)?;
    let races = !may_race && !explored.report.findings.is_empty();
    match explored.first_failure().is_none() && !races && explored.report.n_lost == 0 {
        true => Ok(()),
        false => Err(explored.essence()),
    }
}

#[track_caller]
fn check_all(folder: &str) {
    let (workshop, all, levels) = (Workshop::new(), Facts::all(folder), levels());
    let mut trials = Vec::new();
    for (index, facts) in all.iter().enumerate() {
        let ways = share(index, &levels).into_iter();
        trials.extend(ways.map(|(compiler, flags)| (facts, compiler, flags)));
    }
    let results = for_each(&trials, |&(facts, compiler, flags)| {
        let more = facts.list("flags");
        let given: Vec<_> = flags.into_iter().chain(more.iter().map(String::as_str)).collect();
        let target = workshop.build(compiler, &facts.path, &given)?;
        let result = match MERGED.contains(&(facts.name().as_str(), flags[0])) {
            true => check_clean(&workshop, &target, true),
            false => check(&workshop, facts, &target),
        };
        result.map_err(|error| format!("{} by {} {}: {error}", facts.name(), compiler.c, flags[0]))
    });
    assert_no_faults(results);
}

#[track_caller]
fn assert_no_faults(results: Vec<Result<(), String>>) {
    let faults: Vec<_> = results.into_iter().filter_map(Result::err).collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn programs_in_c_fail_at_their_bounds() {
    check_all("c");
}

#[test]
fn programs_in_cpp_fail_at_their_bounds() {
    check_all("cpp");
}

#[test]
fn programs_in_rust_fail_at_their_bounds() {
    let (workshop, all) = (Workshop::new(), Facts::of_rust_binaries());
    let results = for_each(&all, |facts| {
        let target = workshop.build_rust(&facts.path)?;
        check(&workshop, facts, &target).map_err(|error| format!("{}: {error}", facts.name()))
    });
    assert_no_faults(results);
}
