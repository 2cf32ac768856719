//! Claims about random programs: what a search says is compared with what an enumerator finds that has no notion of
//! spinning, reduction, caches or points.
//!
//! `RADDLE_CLAIMS=20000 cargo test --release -p raddle-vm --test claims` takes more programs, and
//! `RADDLE_CLAIMS_FROM` others.

#![allow(clippy::unwrap_used)] // Where a test cannot go on, it fails.

mod enumerate;
mod generate;
mod program;

use std::env;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread::{self, available_parallelism};

use enumerate::{Enumerator, Outcomes};
use program::Program;
use raddle_cfront::compile::compile;
use raddle_cfront::preprocess::Options;
use raddle_explore::{Bounded, Engine, Next, Outcome as End, Reduced, Run, Strategy};
use raddle_vm::{Machine, Outcome, Points, Settings, VmEngine};

/// The most preemptions of bounded searches.
const BOUND: u32 = 2;

/// The most executions of a search; those that need more are counted and left out.
const N_RUNS: usize = 2_000;

fn engine(program: &Program, spurious: bool) -> VmEngine {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("program.c");
    fs::write(&path, program.source()).unwrap();
    let compiled = compile(&[path], &Options::default()).unwrap();
    let settings = Settings { points: Points::All, spurious, ..Settings::default() };
    VmEngine::new(Machine::new(Arc::new(compiled.program), &settings).unwrap())
}

/// What a search shows, each with the bound at which it does; none if it takes too long.
fn search(engine: &mut VmEngine, mut strategy: Box<dyn Strategy>) -> Option<Outcomes> {
    let (mut found, mut run, watch) = (Outcomes::new(), Run::new(), strategy.watch());
    for _ in 0..N_RUNS {
        let Next::Ready(id, plan) = strategy.next() else { return Some(found) };
        let bound = strategy.bound().unwrap_or(0);
        engine.run(&plan, &*watch, &mut run).unwrap();
        let name = match &run.outcome {
            End::Passed => match engine.machine().outcome() {
                Some(Outcome::Exited(status)) => format!("exit {status}"),
                other => panic!("{other:?}"),
            },
            End::Known | End::Cut => String::new(),
            other => other.name().to_owned(),
        };
        if !name.is_empty() {
            found.entry(name).or_insert(bound);
        }
        assert_eq!(run.endless, [], "complete states can be compared here");
        strategy.learn(id, &mut run);
    }
    None
}

/// Compares a search with what there is; `bounds` is whether it goes by preemptions.
#[track_caller]
fn compare(
    name: &str,
    found: &Outcomes,
    all: &(Outcomes, Outcomes),
    bound: Option<u32>,
) -> Result<(), String> {
    let (sure, perhaps) = all;
    let known = |outcome: &String| sure.get(outcome).or(perhaps.get(outcome)).copied();
    for (outcome, &at) in found {
        let fits = |least: u32| bound.is_none() || at >= least;
        if !known(outcome).is_some_and(fits) {
            return Err(format!("{name}: {outcome} at {at}, which is {:?}", known(outcome)));
        }
    }
    for (outcome, &least) in sure {
        if bound.is_some_and(|bound| least > bound) {
            continue;
        }
        let at = found.get(outcome).copied();
        if at.is_none() || bound.is_some() && at != Some(least) {
            return Err(format!("{name}: {outcome} takes {least}, found at {at:?}"));
        }
    }
    Ok(())
}

/// Compares all searches on one program; answers how many could be.
fn check(program: &Program, spurious: bool) -> Result<usize, String> {
    let Some(all) = Enumerator::new(program, spurious).run() else { return Ok(0) };
    let mut n = 0;
    let strategies: [(&str, Box<dyn Strategy>, Option<u32>); 4] = [
        ("bounded", Box::new(Bounded::icb(Some(BOUND))), Some(BOUND)),
        ("cached", Box::new(Bounded::icb(Some(BOUND)).cached()), Some(BOUND)),
        ("reduced", Box::new(Reduced::all()), None),
        ("reduced and bounded", Box::new(Reduced::bounded(Some(BOUND))), Some(BOUND)),
    ];
    let mut engine = engine(program, spurious);
    for (name, strategy, bound) in strategies {
        if let Some(found) = search(&mut engine, strategy) {
            compare(name, &found, &all, bound)?;
            n += 1;
        }
    }
    Ok(n)
}

fn number(name: &str, otherwise: u64) -> u64 {
    env::var(name).ok().map_or(otherwise, |value| value.parse().unwrap())
}

/// Compares the programs of some seeds: how many searches were compared, and what was wrong.
fn compare_all(seeds: impl Iterator<Item = u64>) -> (u64, Vec<String>) {
    let (mut compared, mut wrong) = (0, Vec::new());
    for seed in seeds {
        let program = generate::program(seed);
        // A panic names the program, too.
        let result = catch_unwind(AssertUnwindSafe(|| check(&program, seed % 2 == 1)));
        match result.unwrap_or_else(|_| Err("it panics".to_owned())) {
            Ok(n) => compared += n as u64,
            Err(what) => wrong.push(format!("seed {seed}: {what}\n{}", program.source())),
        }
    }
    (compared, wrong)
}

#[test]
fn claims_about_random_programs_are_true() {
    let (from, n) = (number("RADDLE_CLAIMS_FROM", 0), number("RADDLE_CLAIMS", 300));
    let n_workers = available_parallelism().map_or(1, usize::from);
    let results: Vec<_> = thread::scope(|scope| {
        let start = |worker: usize| {
            scope.spawn(move || compare_all((from..from + n).skip(worker).step_by(n_workers)))
        };
        let workers: Vec<_> = (0..n_workers).map(start).collect();
        workers.into_iter().map(|worker| worker.join().unwrap()).collect()
    });
    let compared: u64 = results.iter().map(|(compared, _)| compared).sum();
    let wrong: Vec<_> = results.into_iter().flat_map(|(_, wrong)| wrong).collect();
    println!("{compared} searches of {n} programs were compared");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(compared > 2 * n, "too few could be compared");
}
