//! What passing runs of the corpus predict, on binaries: what each program says of itself, no less
//! and no more, and the binary does all of it when it is steered there.

#![allow(clippy::unwrap_used)] // Where a test cannot go on, it fails.

mod harness;

use std::collections::BTreeSet;

use harness::facts::Facts;
use harness::predict::{Subject, passed};
use harness::{Compiler, Workshop, compilers, for_each};

/// So many runs are made of each program, the first one without preemptions.
const N_RUNS: u64 = 5;

/// So many at most, until all that is said was predicted.
const N_RUNS_MAX: u64 = 60;

/// Optimisation, and calls that stay calls.
const FLAGS: [[&str; 2]; 2] = [["-O0", "-fno-inline"], ["-O2", "-fno-inline"]];

/// What a binary predicts otherwise than its source says.
fn differs(_name: &str, _compiler: Compiler, _level: &str) -> Option<&'static [&'static str]> {
    None
}

fn check(workshop: &Workshop, facts: &Facts, compiler: Compiler, flags: &[&str]) -> Vec<String> {
    let title = format!("{} by {} {}", facts.name(), compiler.c, flags[0]);
    let target = match workshop.build(compiler, &facts.path, flags) {
        Ok(target) => target,
        Err(error) => return vec![format!("{title}: {error}")],
    };
    let atomic = facts.list("atomic").into_iter().collect();
    let subject = Subject { workshop, target, atomic };
    let expected = match differs(&facts.name(), compiler, flags[0]) {
        Some(kinds) => kinds.iter().map(|kind| (*kind).to_owned()).collect(),
        None => facts.list("predict"),
    };
    let (mut found, mut faults) = (BTreeSet::new(), Vec::new());
    for seed in 0..N_RUNS_MAX {
        if seed >= N_RUNS && found == expected {
            break;
        }
        match try_seed(&subject, facts, seed) {
            Ok(kinds) => found.extend(kinds),
            Err(error) => {
                faults.push(format!("{title}, seed {seed}: {error}"));
                break;
            }
        }
    }
    if found != expected && faults.is_empty() {
        faults.push(format!("{title}: predicts {found:?} instead of {expected:?}"));
    }
    faults
}

fn try_seed(subject: &Subject<'_>, facts: &Facts, seed: u64) -> Result<BTreeSet<String>, String> {
    let (answer, path) = subject.record(seed)?;
    let kinds = match passed(&answer) {
        true => subject.predictions(&path),
        false if facts.value("verdict") == "clean" => {
            Err(format!("ended by {:?}: {}", answer.outcome, answer.message))
        }
        false => Ok(BTreeSet::new()),
    };
    std::fs::remove_file(&path).unwrap();
    kinds
}

#[test]
fn passing_runs_predict_what_programs_in_c_say() {
    let (workshop, all, compilers) = (Workshop::new(), Facts::all("c"), compilers());
    let mut trials = Vec::new();
    for facts in &all {
        for &compiler in &compilers {
            trials.extend(FLAGS.map(|flags| (facts, compiler, flags)));
        }
    }
    let faults =
        for_each(&trials, |(facts, compiler, flags)| check(&workshop, facts, *compiler, flags));
    let faults: Vec<_> = faults.into_iter().flatten().collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
