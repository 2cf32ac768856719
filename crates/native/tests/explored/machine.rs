//! Binaries against the machine: the same programs, from their sources, without any runtime.
//!
//! Where both have the same points, the executions are the same in number at every bound. Where
//! they differ, the reason is listed here; a reason that does not hold any more is a fault.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use raddle_cfront::compile::compile;
use raddle_cfront::preprocess::Options;
use raddle_explore::{Bounded, Budget, Races, Report, search};
use raddle_vm::{Machine, Settings, VmEngine};

use crate::explored::{assert_no_faults, setting};
use crate::harness::facts::Facts;
use crate::harness::search::USUAL;
use crate::harness::{GCC, Workshop, for_each};

/// Up to this bound executions are counted.
const BOUND: u32 = 1;
/// So many at most.
const N_RUNS: u64 = 30_000;

/// Why the executions of a program are not as many as those of the machine.
const DIFFERENT: &[(&str, &str)] = &[
    ("barrier_reuse", WAIT),
    ("barrier_reuse_fixed", WAIT),
    ("buffer_if", WAIT),
    ("buffer_if_fixed", WAIT),
    ("buffer_signal", WAIT),
    ("buffer_signal_fixed", WAIT),
    ("connection_pool", MERGED),
    ("elevator", WAIT),
    ("elevator_fixed", WAIT),
    ("file_system", MERGED),
    ("lost_wakeup", WAIT),
    ("lost_wakeup_fixed", WAIT),
    ("peterson", SPINS),
    ("peterson_fixed", SPINS),
    ("seqlock_fixed", SPINS),
    ("spsc_off_by_one", SPINS),
    ("spsc_off_by_one_fixed", SPINS),
    ("spsc_queue", SPINS),
    ("spsc_queue_fixed", SPINS),
];

const WAIT: &str = "the machine has two points at the end of a wait, where the binary has one";
const SPINS: &str = "a thread that spins is noticed after another number of rounds";
const MERGED: &str = "the compiler has merged accesses";

/// Programs that fail in several ways at once, where the machine and a binary meet another one first.
const OTHER_KIND: &[&str] = &["shutdown"];

/// What the machine finds.
fn by_machine(facts: &Facts, bound: u32, n_runs: u64) -> Report {
    let budget = Budget { runs: Some(n_runs), races: Races::Promoted, ..Budget::default() };
    let mut strategy = Bounded::icb(Some(bound));
    let stop = AtomicBool::new(false);
    search(&mut [engine(facts)], &mut strategy, &budget, &stop).unwrap()
}

/// What runs a program on the machine.
pub fn engine(facts: &Facts) -> VmEngine {
    let compiled = compile(std::slice::from_ref(&facts.path), &Options::default()).unwrap();
    VmEngine::new(Machine::new(Arc::new(compiled.program), &Settings::default()).unwrap())
}

/// Executions, bound by bound.
fn counts(report: &Report) -> Vec<u64> {
    report.bounds.iter().map(|row| row.executions).collect()
}

/// The first failure: its bound and its kind.
fn failure(report: &Report) -> Option<(Option<u32>, String)> {
    let first = report.findings.iter().find(|found| found.failure.kind.name() != "race")?;
    Some((first.bound, first.failure.kind.to_string()))
}

fn compare(workshop: &Workshop, facts: &Facts) -> Result<(), String> {
    let n_runs = setting("RADDLE_EXPLORED_RUNS", N_RUNS);
    let bound = setting("RADDLE_EXPLORED_BOUND", BOUND.into()) as u32;
    let target = workshop.build(GCC, &facts.path, &["-O1", "-fno-inline"])?;
    let native = workshop.explore_to(&target, USUAL, bound, n_runs)?.report;
    let machine = by_machine(facts, bound, n_runs);
    let at = |report: &Report| failure(report).map(|(bound, _)| bound);
    let is_same = match OTHER_KIND.contains(&facts.name().as_str()) {
        true => at(&native) == at(&machine),
        false => failure(&native) == failure(&machine),
    };
    if !is_same {
        return Err(format!("{:?} instead of {:?}", failure(&native), failure(&machine)));
    }
    let reason = DIFFERENT.iter().find(|(name, _)| *name == facts.name());
    let is_equal = counts(&native) == counts(&machine);
    match (reason, is_equal) {
        (Some((_, reason)), true) => Err(format!("the executions do not differ: {reason}")),
        (None, false) => Err(format!("{:?} instead of {:?}", counts(&native), counts(&machine))),
        _ => Ok(()),
    }
}

#[test]
fn binaries_have_the_verdicts_and_the_executions_of_the_machine() {
    let (workshop, all) = (Workshop::new(), Facts::all("c"));
    let results = for_each(&all, |facts| {
        compare(&workshop, facts).map_err(|error| format!("{}: {error}", facts.name()))
    });
    assert_no_faults(results);
}
