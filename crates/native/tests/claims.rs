//! Claims about random programs as binaries: what a search says is compared with what an enumerator finds that has no
//! notion of spinning, reduction, caches or points.
//!
//! Programs and enumerator are those of the machine (`crates/vm/tests/claims`). Hundreds of programs are one executable,
//! whose argument says which of them it is.
//!
//! `RADDLE_CLAIMS=20000 cargo test --release -p raddle-native --test claims` takes more programs, and
//! `RADDLE_CLAIMS_FROM` others.

//! With the feature `defects` the net itself is tested: rules are broken one by one, and each is noticed.

#![allow(clippy::unwrap_used)] // Where a test cannot go on, it fails.
#![cfg_attr(feature = "defects", allow(dead_code, unused_imports))]

#[path = "claims/bundle.rs"]
mod bundle;
#[path = "../../vm/tests/claims/by_hand.rs"]
mod by_hand;
#[path = "../../vm/tests/claims/code.rs"]
mod code;
#[path = "../../vm/tests/claims/enumerate.rs"]
mod enumerate;
#[path = "../../vm/tests/claims/generate.rs"]
mod generate;
mod harness;
#[path = "../../vm/tests/claims/program.rs"]
mod program;
#[path = "claims/searched.rs"]
mod searched;
#[path = "../../vm/tests/claims/state.rs"]
mod state;

use std::env;

use bundle::Bundle;
use enumerate::{Claims, Outcomes, enumerate};
use harness::search::USUAL;
use harness::{Workshop, for_each};
use program::Program;
use searched::{Searched, searched};

/// How many programs are compared by default.
const N_PROGRAMS: u64 = 300;

/// So many programs are one executable.
const N_BUNDLED: u64 = 400;

/// The most executions of a search; those that need more are counted and left out.
const N_RUNS: u64 = 600;
const N_RUNS_BY_HAND: u64 = 5_000;

/// The most preemptions of bounded searches.
const BOUND: u32 = 2;

/// What came of comparing: how many searches were, and how many were too long for that.
#[derive(Clone, Copy, Default)]
struct Compared {
    searches: u64,
    left_out: u64,
}

/// Compares a search with what there is; `bound` is how far it goes if it goes by preemptions.
fn compare(found: &Outcomes, all: &Claims, bound: Option<u32>) -> Result<(), String> {
    let least = |outcome: &String| all.outcomes.get(outcome).or(all.perhaps.get(outcome)).copied();
    for (outcome, &at) in found {
        let fits = |least: u32| bound.is_none() || at >= least;
        if !least(outcome).is_some_and(fits) {
            return Err(format!("{outcome} at {at}, which is {:?}", least(outcome)));
        }
    }
    for (outcome, &least) in &all.outcomes {
        let at = found.get(outcome).copied();
        match bound {
            Some(bound) if least > bound => {}
            Some(_) if at == Some(least) => {}
            None if at.is_some() => {}
            _ => return Err(format!("{outcome} takes {least}, found at {at:?}")),
        }
    }
    Ok(())
}

/// Compares all searches of one program.
fn check(
    (workshop, bundle): (&Workshop, &Bundle),
    (number, program): (usize, &Program),
    n_runs: u64,
) -> Result<Compared, String> {
    let mut compared = Compared::default();
    let Some(all) = enumerate(program, false) else { return Ok(compared) };
    // A status that is no failure could not be distinguished from others.
    let mut way = USUAL;
    way.exit = Some(255);
    let mut engine = workshop.engine(&bundle.target(number), way)?;
    for (name, make, bound) in searched::ways(BOUND) {
        match searched(&mut engine, &make, n_runs).map_err(|error| format!("{name}: {error}"))? {
            Searched::All(found) => {
                compare(&found, &all, bound).map_err(|error| format!("{name}: {error}"))?;
                compared.searches += 1;
            }
            Searched::TooMany => compared.left_out += 1,
        }
    }
    Ok(compared)
}

fn number(name: &str, otherwise: u64) -> u64 {
    env::var(name).ok().map_or(otherwise, |value| value.parse().unwrap())
}

/// Compares programs; what was wrong is listed with the names of these.
fn compare_all(
    workshop: &Workshop,
    programs: &[(String, Program)],
    n_runs: u64,
) -> (Compared, Vec<String>) {
    let bundle = Bundle::build(workshop, programs.iter().map(|(_, program)| program)).unwrap();
    let numbers: Vec<_> = (0..programs.len()).collect();
    let results = for_each(&numbers, |&number| {
        let (name, program) = &programs[number];
        check((workshop, &bundle), (number, program), n_runs)
            .map_err(|error| format!("{name}: {error}\n{}", program.source()))
    });
    let (mut total, mut wrong) = (Compared::default(), Vec::new());
    for result in results {
        match result {
            Ok(Compared { searches, left_out }) => {
                total.searches += searches;
                total.left_out += left_out;
            }
            Err(error) => wrong.push(error),
        }
    }
    (total, wrong)
}

/// The rules that were broken once, or could be.
#[cfg(feature = "defects")]
#[test]
fn every_defect_is_found() {
    use raddle_explore::Defect as D;
    let all = [
        D::LeavingCosts,
        D::QuietSpins,
        D::RestoringWaits,
        D::RestoringIsStuck,
        D::NobodyIsLeft,
        D::TryBlocks,
        D::LateWakes,
    ];
    let random = 0..number("RADDLE_CLAIMS", N_PROGRAMS);
    let random = random.map(|seed| (format!("seed {seed}"), generate::program(seed)));
    let programs: Vec<_> = by_hand::programs().into_iter().chain(random).collect();
    let programs: Vec<_> =
        programs.into_iter().filter(|(_, program)| bundle::fits(program)).collect();
    let workshop = Workshop::new();
    let bundle = Bundle::build(&workshop, programs.iter().map(|(_, program)| program)).unwrap();
    let wrong = || {
        let mut programs = programs.iter().enumerate();
        programs.find_map(|(number, (name, program))| {
            let result = check((&workshop, &bundle), (number, program), N_RUNS);
            result.err().map(|error| format!("{name}: {error}"))
        })
    };
    assert_eq!(wrong(), None, "no rule is broken yet");
    let is_found = |defect: &D| {
        defect.put_in();
        let by = wrong();
        println!("{defect:?}: {by:?}");
        by.is_some()
    };
    let missed: Vec<_> = all.into_iter().filter(|defect| !is_found(defect)).collect();
    assert_eq!(missed, []);
}

#[cfg(not(feature = "defects"))]
#[test]
fn claims_about_programs_that_were_misjudged_are_true() {
    let (total, wrong) = compare_all(&Workshop::new(), &by_hand::programs(), N_RUNS_BY_HAND);
    assert!(wrong.is_empty(), "{} wrong claims\n{}", wrong.len(), wrong.join("\n"));
    assert!(total.searches > total.left_out, "too few could be compared");
}

#[cfg(not(feature = "defects"))]
#[test]
fn claims_about_random_programs_are_true() {
    let (from, n) = (number("RADDLE_CLAIMS_FROM", 0), number("RADDLE_CLAIMS", N_PROGRAMS));
    let workshop = Workshop::new();
    let (mut total, mut wrong) = (Compared::default(), Vec::new());
    for start in (from..from + n).step_by(N_BUNDLED as usize) {
        let seeds = start..(from + n).min(start + N_BUNDLED);
        let programs = seeds.map(|seed| (format!("seed {seed}"), generate::program(seed)));
        let programs: Vec<_> = programs.filter(|(_, program)| bundle::fits(program)).collect();
        let (compared, more) = compare_all(&workshop, &programs, N_RUNS);
        total.searches += compared.searches;
        total.left_out += compared.left_out;
        wrong.extend(more);
    }
    println!(
        "{} searches of {n} programs were compared, {} left out",
        total.searches, total.left_out
    );
    assert!(wrong.is_empty(), "{} wrong claims\n{}", wrong.len(), wrong.join("\n"));
    assert!(total.searches > n, "too few could be compared");
}
