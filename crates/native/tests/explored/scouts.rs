//! Scouts find in binaries what they find on the machine, in the same executions.

use std::sync::atomic::AtomicBool;

use raddle_explore::{Budget, Engine, Portfolio, Races, Reduced, search};

use super::machine;
use crate::explored::assert_no_faults;
use crate::harness::facts::Facts;
use crate::harness::search::USUAL;
use crate::harness::{GCC, Workshop, for_each};

/// Threads that are preempted where each of them has seen half of something.
const NAMES: [&str; 7] = [
    "ab_ba",
    "bank_atomicity",
    "bank_race",
    "dining_philosophers",
    "reorder_3",
    "string_buffer",
    "two_stage",
];

/// In which execution a program fails first, and how.
fn failure<E: Engine + Send>(engine: E) -> Result<(u64, String), String> {
    let budget = Budget { runs: Some(64), races: Races::Promoted, ..Budget::default() };
    let mut strategy: Portfolio<Reduced, 16, 1> = Portfolio::in_blocks(Reduced::all(), 1);
    let report = search(&mut [engine], &mut strategy, &budget, &AtomicBool::new(false));
    let report = report.map_err(|error| error.to_string())?;
    let mut failures =
        report.findings.into_iter().filter(|found| found.failure.kind.name() != "race");
    let first = failures.next().ok_or("it does not fail")?;
    match first.bound {
        None => Ok((first.execution, first.failure.kind.to_string())),
        Some(bound) => Err(format!("no scout finds it, but bound {bound}")),
    }
}

#[test]
fn scouts_find_in_binaries_what_they_find_on_the_machine() {
    let (workshop, mut all) = (Workshop::new(), Facts::all("c"));
    all.retain(|facts| NAMES.contains(&facts.name().as_str()));
    assert_eq!(all.len(), NAMES.len());
    let results = for_each(&all, |facts| {
        let target = workshop.build(GCC, &facts.path, &["-O1", "-fno-inline"])?;
        let binary = failure(workshop.engine(&target, USUAL)?)?;
        let machine = failure(machine::engine(facts))?;
        match binary == machine {
            true => Ok(()),
            false => Err(format!("{}: {binary:?} instead of {machine:?}", facts.name())),
        }
    });
    assert_no_faults(results);
}
