//! A net for predicted deadlocks: what is found in the log of a random run is what trying every
//! reordering of that run finds.
//!
//! `run` makes random runs of threads with locks, reader-writer locks, tries, waits, forks, joins and
//! accesses, which may end at any time, also in a deadlock. `log` writes a run as text in one of many
//! ways that programs log: with requests, without, with some; with `end` behind threads that were killed
//! while they waited; with acquires that are logged before the lock is there; with reentrant acquires.
//! `enumerate` tries every reordering of the run itself: it knows neither the log nor repairs, and shares
//! no code with what is tested. `mutants` puts defects back, each of which has to be found.
//!
//! `PROPTEST_CASES=50000 cargo test --release -p raddle-predict --test all lock_cycles::` searches for longer;
//! `LOCK_CYCLES_SEED=7` begins with that seed, which a failure names.

mod compare;
mod enumerate;
mod log;
mod mutants;
mod random;
mod run;

use compare::{Case, Difference};
use run::Run;

/// How many runs are looked at, and the seed of the first.
fn cases(least: u64) -> impl Iterator<Item = u64> {
    let number = |name: &str| std::env::var(name).ok().and_then(|n| n.parse::<u64>().ok());
    let first = number("LOCK_CYCLES_SEED").unwrap_or(0);
    first..first + number("PROPTEST_CASES").unwrap_or(0).max(least)
}

/// Runs that once failed: a release was made up for a thread that still held its lock.
const KEPT: [u64; 1] = [21260];

/// How many runs are looked at where nothing else is said.
const CASES: u64 = 5000;

#[test]
fn deadlocks_are_those_of_all_reorderings() {
    let (mut n_deadlocked, mut n_cycles) = (0, 0);
    for seed in KEPT.into_iter().chain(cases(CASES)) {
        let case = Case::new(seed);
        n_deadlocked += u64::from(!case.expected.is_empty());
        n_cycles += case.expected.len();
        check(seed, &case);
    }
    println!("{n_deadlocked} runs can deadlock, in {n_cycles} ways");
    // Runs without deadlocks would show nothing.
    assert!(n_deadlocked >= CASES / 10 && n_cycles > 0, "{n_deadlocked} runs can deadlock");
}

#[test]
fn what_only_other_values_allow_is_a_possible_cycle() {
    let mut n_possible = 0;
    for seed in cases(CASES) {
        let case = Case::of(&Run::with_values(seed), seed);
        n_possible += case.possible.difference(&case.expected).count();
        check(seed, &case);
    }
    println!("{n_possible} cycles need other values");
    assert!(n_possible > 20, "{n_possible} cycles need other values");
}

#[track_caller]
fn check(seed: u64, case: &Case) {
    if let Err(Difference { text, missed, unreal }) = case.compare(|events| events) {
        panic!("seed {seed}: missed {missed:?}, not real {unreal:?}\n{text}");
    }
}
