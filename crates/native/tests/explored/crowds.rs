//! Programs with many threads, whose bugs need one particular order of few of them.

use std::path::Path;

use raddle_explore::{Bounded, Portfolio};

use crate::explored::assert_no_faults;
use crate::harness::search::USUAL;
use crate::harness::{GCC, Workshop, for_each};

/// So many executions at most.
const N_RUNS: u64 = 1_000;

/// The programs, and what is wrong with them.
const PROGRAMS: [(&str, &str); 5] = [
    ("last_first", "assertion"),
    ("reorder", "assertion"),
    ("ring", "deadlock"),
    ("two_stage", "assertion"),
    ("wrong_lock", "assertion"),
];

/// One execution in a thousand fails of this one, which a test cannot rely on.
const TOO_RARE: (&str, u32) = ("reorder", 100);

fn check(workshop: &Workshop, name: &str, n_threads: u32, kind: &str) -> Result<(), String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/crowds");
    let source = folder.join(name).with_extension("c");
    let flags = ["-O1", &format!("-DN_THREADS={n_threads}")];
    let target = workshop.build(GCC, &source, &flags)?;
    let strategy = Portfolio::new(Bounded::icb(Some(2)), 1);
    let explored = workshop.explore(&target, USUAL, strategy, N_RUNS)?;
    match explored.first_failure() {
        Some(first) if first.failure.kind.name() == kind => Ok(()),
        other => Err(format!("{name} with {n_threads} threads: {other:?}")),
    }
}

#[test]
fn one_particular_order_is_found_among_many_threads() {
    let workshop = Workshop::new();
    let trials: Vec<_> = PROGRAMS
        .into_iter()
        .flat_map(|(name, kind)| [20, 100].map(|n_threads| (name, n_threads, kind)))
        .filter(|&(name, n_threads, _)| (name, n_threads) != TOO_RARE)
        .collect();
    let results =
        for_each(&trials, |&(name, n_threads, kind)| check(&workshop, name, n_threads, kind));
    assert_no_faults(results);
}
