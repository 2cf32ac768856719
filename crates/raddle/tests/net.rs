//! Claims against an enumerator: random small programs, in the crate and by an explicit search of all states.
//!
//! In: programs as data (`net/program.rs`). Out: nothing, if whatever a search says of a program is true of it:
//!
//! - a search finds no outcome that the program does not have;
//! - an exhaustive search finds all of them, and a search up to a bound all that need no more preemptions;
//! - a failure that is found bound by bound needs as few preemptions as any.
//!
//! The enumerator (`net/model.rs`) shares no code with the crate, and has no notion of reduction, caching, rounds or
//! trials. `RADDLE_NET=20000 cargo test -p raddle --release --test net` tries as many programs; `RADDLE_NET_SEED`
//! is the number of the first one. With the feature `defects` the net itself is tested: rules are broken one by one.

#![allow(clippy::unwrap_used, reason = "tests")]
#![cfg_attr(feature = "defects", allow(dead_code, unused_imports))]

#[path = "net/execute.rs"]
mod execute;
#[path = "net/generate.rs"]
mod generate;
#[path = "net/model.rs"]
mod model;
#[path = "net/program.rs"]
mod program;

use std::collections::BTreeSet;
use std::env;
use std::ops::Range;
use std::panic::catch_unwind;
use std::thread::{self, available_parallelism};
use std::time::Duration;

use raddle::{Config, Report, Search};

use model::Model;
use program::{Outcome, Program};

/// After how many operations alone a loop is taken for endless: no loop here is left after as many.
const N_ALONE: u64 = 2_000;

/// How many programs are tried by default.
const N_PROGRAMS: u64 = 300;

/// Programs that are tried before the others: few of those notice where leaving a round is free.
const POLLING: Range<u64> = generate::POLLING..generate::POLLING + 20;

/// How long a search may take where rules are broken.
const SECONDS: Duration = Duration::from_secs(5);

/// What a search is compared by.
struct Tried {
    name: String,
    report: Report,
    outcomes: BTreeSet<Outcome>,
}

/// Programs that few others stand for.
fn special() -> impl Iterator<Item = u64> {
    let by_hand = generate::BY_HAND..generate::BY_HAND + generate::by_hand().len() as u64;
    by_hand.chain(POLLING)
}

fn number(name: &str, default: u64) -> u64 {
    env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

fn search(program: &Program, name: &str, config: Config) -> Result<Tried, String> {
    let explored = catch_unwind(|| execute::explore(program, config));
    let (report, outcomes) = explored.map_err(|panic| {
        let why = panic.downcast_ref::<String>().map_or("it panics", String::as_str);
        format!("{name}: {why}\n{program:?}")
    })?;
    Ok(Tried { name: name.to_owned(), report, outcomes })
}

fn base(program: &Program) -> Config {
    let config = Config::new().quiet().findings(50).runs(1_000).alone(N_ALONE);
    // Where a rule is broken, some program may go on for ever.
    let config = if cfg!(feature = "defects") { config.time(SECONDS) } else { config };
    config.spurious(program.spurious).races(false)
}

fn searches(program: &Program, seed: u64) -> Vec<Result<Tried, String>> {
    let config = || base(program);
    let bounded = |bound| config().search(Search::Bounded).bound(bound);
    let reduced = |bound| config().search(Search::ReducedBounded).bound(bound);
    let mut all = vec![
        search(program, "reduced", config().search(Search::Reduced)),
        search(program, "depth first", config().search(Search::DepthFirst)),
    ];
    match seed % 4 {
        0 => all.push(search(program, "bound 0", bounded(0))),
        1 => all.push(search(program, "bound 1", bounded(1))),
        2 => all.push(search(program, "reduced, bound 1", reduced(1))),
        _ => {
            all.push(search(program, "default", config()));
            all.push(search(
                program,
                "random",
                config().search(Search::Random).runs(50).findings(1),
            ));
        }
    }
    all
}

/// Whatever was claimed is true.
fn check(program: &Program, model: &Model, tried: &Tried) -> Result<(), String> {
    let Tried { name, report, outcomes } = tried;
    let kinds = report.findings.iter().map(|finding| Outcome::of_kind(&finding.kind));
    let kinds: Vec<_> = kinds.collect();
    let found: BTreeSet<_> = outcomes.iter().chain(&kinds).cloned().collect();
    let says =
        |what: &str| Err(format!("{name}: {what}\n{}\n{kinds:?}\n{program:?}", report.summary()));
    if let Some(wrong) = found.iter().find(|outcome| !model.least.contains_key(*outcome)) {
        return says(&format!("{wrong:?} is found, but impossible"));
    }
    if report.lost > 0 {
        return Ok(());
    }
    let covers = match (report.exhausted, report.complete_to) {
        (true, _) => u32::MAX,
        (false, Some(bound)) => bound,
        (false, None) => return Ok(()),
    };
    for (outcome, &least) in &model.least {
        if least <= covers && !found.contains(outcome) {
            return says(&format!("{outcome:?} is missed, which needs {least} preemptions"));
        }
    }
    if !name.starts_with("bound") {
        return Ok(());
    }
    for kind in ["panic", "deadlock", "livelock"] {
        let all = report.findings.iter().filter(|finding| finding.kind == kind);
        let Some(fewest) = all.map(|finding| finding.preemptions).min() else { continue };
        let least = model.least[&Outcome::of_kind(kind)];
        if fewest != least {
            return says(&format!("{kind} needs {least} preemptions, not {fewest}"));
        }
    }
    Ok(())
}

/// Tries the programs of some numbers: how many were small enough, how many claims there were, and what was wrong.
fn run(seeds: impl Iterator<Item = u64>) -> (u64, u64, Vec<String>) {
    let (mut n_tried, mut n_claimed, mut wrong) = (0, 0, Vec::new());
    for seed in seeds {
        let program = generate::program(seed);
        let Some(model) = Model::of(&program) else { continue };
        n_tried += 1;
        for tried in searches(&program, seed) {
            let checked = tried.and_then(|tried| {
                let report = &tried.report;
                n_claimed += u64::from(report.exhausted || report.complete_to.is_some());
                check(&program, &model, &tried)
            });
            if let Err(why) = checked {
                wrong.push(format!("program {seed}: {why}\n{:?}", model.least));
                break;
            }
        }
    }
    (n_tried, n_claimed, wrong)
}

/// The rules that were broken once, or could be.
#[cfg(feature = "defects")]
#[test]
fn every_defect_is_found() {
    use raddle_explore::Defect as D;
    let all = [
        D::LeavingCosts,
        D::KeepsLock,
        D::NoTrial,
        D::AlwaysWakes,
        D::ReadersPass,
        D::NobodyIsLeft,
    ];
    let wrong = || {
        let mut seeds = special().chain(0..number("RADDLE_NET", N_PROGRAMS));
        seeds.find(|&seed| !run([seed].into_iter()).2.is_empty())
    };
    assert!(run(special()).2.is_empty(), "no rule is broken yet");
    let is_found = |defect: &D| {
        defect.put_in();
        let by = wrong();
        println!("{defect:?} is found by program {by:?}");
        by.is_some()
    };
    let missed: Vec<_> = all.into_iter().filter(|defect| !is_found(defect)).collect();
    assert_eq!(missed, []);
}

#[cfg(not(feature = "defects"))]
#[test]
fn claims_about_random_programs_are_true() {
    let (first, n) = (number("RADDLE_NET_SEED", 0), number("RADDLE_NET", N_PROGRAMS));
    let n_workers = available_parallelism().map_or(1, usize::from);
    let results: Vec<_> = thread::scope(|scope| {
        let start = |worker: usize| {
            let seeds = special().chain(first..first + n);
            scope.spawn(move || run(seeds.skip(worker).step_by(n_workers)))
        };
        let workers: Vec<_> = (0..n_workers).map(start).collect();
        workers.into_iter().map(|worker| worker.join().unwrap()).collect()
    });
    let n_tried: u64 = results.iter().map(|result| result.0).sum();
    let n_claimed: u64 = results.iter().map(|result| result.1).sum();
    let wrong: Vec<_> = results.into_iter().flat_map(|result| result.2).collect();
    println!("{n_claimed} claims about {n_tried} of {n} programs");
    assert!(wrong.is_empty(), "{} wrong claims\n{}", wrong.len(), wrong.join("\n"));
    assert!(n_tried > n / 2, "{n_tried} of {n} programs were small enough");
    assert!(n_claimed > n_tried, "{n_claimed} claims about {n_tried} programs");
}
