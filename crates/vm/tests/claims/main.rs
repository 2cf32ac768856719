//! Claims about random programs: what a search says is compared with what an enumerator finds that has no notion of
//! spinning, reduction, caches or points.
//!
//! `RADDLE_CLAIMS=20000 cargo test --release -p raddle-vm --test claims` takes more programs, and
//! `RADDLE_CLAIMS_FROM` others; `RADDLE_CLAIMS_SHOW` shows them. What sessions say of the same programs is compared in `crates/session/tests`.
//!
//! With the feature `defects` the net itself is tested: rules are broken one by one, and each is noticed.

#![allow(clippy::unwrap_used)] // Where a test cannot go on, it fails.
#![cfg_attr(feature = "defects", allow(dead_code, unused_imports))]

mod by_hand;
mod code;
mod compiled;
mod enumerate;
mod generate;
mod program;
mod recorder;
mod state;

use std::env;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::thread::{self, available_parallelism};

use compiled::compiled;
use enumerate::{Claims, Outcomes, enumerate};
use program::{N_VARIABLES, Program};
use raddle_cfront::compile::on_large_stack;
use raddle_explore::{
    Bounded, Budget, Ending, Engine, Plan, Races, Reduced, Run, Strategy, search,
};
use raddle_vm::{Machine, Points, Settings, VmEngine};
use recorder::Recorder;

/// The most preemptions of bounded searches.
const BOUND: u32 = 2;

/// The most executions of a search; those that need more are counted and left out.
const N_RUNS: u64 = 400;

/// How many programs are compared by default.
const N_PROGRAMS: u64 = 300;

/// Programs that are compared before the others: few notice when some of the rules are broken.
const MORE: [u64; 14] =
    [325, 374, 388, 627, 650, 791, 1259, 3268, 6593, 10264, 11427, 13433, 17071, 18569];

/// A way to search, and what it claims.
struct Way {
    name: &'static str,
    strategy: Box<dyn Strategy>,
    /// Up to which bound it goes; without one it does not count preemptions.
    bound: Option<u32>,
    races: Races,
}

/// All ways; those without races need a point before every access that may race.
fn ways() -> Vec<Way> {
    let way = |name, strategy, bound| Way { name, strategy, bound, races: Races::Ignored };
    let icb = || Bounded::icb(Some(BOUND));
    let promoted = |way: Way| Way { races: Races::Promoted, ..way };
    vec![
        way("bounded", Box::new(icb()), Some(BOUND)),
        way("cached", Box::new(icb().cached()), Some(BOUND)),
        way("reduced", Box::new(Reduced::all()), None),
        way("reduced and bounded", Box::new(Reduced::bounded(Some(BOUND))), Some(BOUND)),
        promoted(way("promoted", Box::new(icb().cached()), Some(BOUND))),
        promoted(way("promoted and reduced", Box::new(Reduced::all()), None)),
    ]
}

/// What a search shows, each with the bound at which it does, and whether loops were taken for endless; none if it takes
/// too long.
fn searched(engine: &mut Recorder, way: &mut Way) -> Option<(Outcomes, bool)> {
    let budget = Budget { runs: Some(N_RUNS), races: way.races, ..Budget::default() };
    let stop = AtomicBool::new(false);
    let engines = std::slice::from_mut(engine);
    let report = search(engines, &mut *way.strategy, &budget, &stop).unwrap();
    // A loop without points is not looked at often enough to see that it comes back.
    let has_points = way.races == Races::Ignored;
    assert!(!has_points || report.endless.is_empty(), "complete states can be compared here");
    assert!(!has_points || report.n_lost == 0);
    let [engine] = engines else { unreachable!("there is one") };
    for finding in report.findings.iter().filter(|_| has_points) {
        let plan = Plan { prefix: finding.schedule.choices().collect(), ..Plan::default() };
        let mut run = Run::new();
        engine.engine.run(&plan, &(), &mut run).unwrap();
        let kind = run.outcome.failure().map(|failure| failure.kind.name());
        assert_eq!(kind, Some(finding.failure.kind.name()), "a replay shows what was found");
    }
    let mut found = std::mem::take(&mut engine.found);
    for finding in report.findings.iter().filter(|finding| finding.failure.kind.name() != "race") {
        let bound = finding.bound.unwrap_or(0);
        let known = found.entry(recorder::name(&finding.failure)).or_insert(bound);
        *known = bound.min(*known);
    }
    let is_done = report.ending == Ending::Done && report.n_lost == 0;
    is_done.then_some((found, !report.endless.is_empty()))
}

/// Compares a search with what there is; `bound` is how far it goes if it goes by preemptions.
fn compare(name: &str, found: &Outcomes, all: &Claims, bound: Option<u32>) -> Result<(), String> {
    for (outcome, &at) in found {
        let fits = |least: &u32| bound.is_none() || at >= *least;
        let [sure, perhaps] = [&all.outcomes, &all.perhaps].map(|of| of.get(outcome));
        if !sure.is_some_and(fits) && !perhaps.is_some_and(fits) {
            return Err(format!("{name}: {outcome} at {at}, which is {sure:?}"));
        }
    }
    for (outcome, &least) in &all.outcomes {
        if bound.is_some_and(|bound| least > bound) {
            continue;
        }
        let at = found.get(outcome).copied();
        // Where executions end when points are added, only findings have a bound.
        let counts =
            bound.is_some() && !(name.starts_with("promoted") && outcome.starts_with("exit"));
        if at.is_none_or(|at| counts && at > least) {
            return Err(format!("{name}: {outcome} takes {least}, found at {at:?}"));
        }
    }
    Ok(())
}

/// Compares all searches on one program; answers how many could be.
fn check(program: &Program, spurious: bool) -> Result<usize, String> {
    let Some(all) = enumerate(program, spurious) else { return Ok(0) };
    let compiled = Arc::new(compiled(program));
    let is_plain = program.plain != [false; N_VARIABLES];
    let mut n = 0;
    for mut way in ways() {
        let promotes = way.races == Races::Promoted;
        if promotes && !is_plain {
            continue;
        }
        let points = if is_plain && !promotes { Points::All } else { Points::Sync };
        let settings = Settings { points, spurious, ..compiled::settings(program) };
        let machine = Machine::new(compiled.clone(), &settings).unwrap();
        let mut engine = Recorder::new(VmEngine::new(machine));
        if let Some((mut found, is_endless)) = searched(&mut engine, &mut way) {
            // What a loop that is taken for endless keeps from ending is a condition of the result.
            if is_endless && let Some(&least) = all.outcomes.get("livelock") {
                found.insert("livelock".to_owned(), least);
            }
            compare(way.name, &found, &all, way.bound)?;
            n += 1;
        }
    }
    Ok(n)
}

fn number(name: &str, otherwise: u64) -> u64 {
    env::var(name).ok().map_or(otherwise, |value| value.parse().unwrap())
}

/// A program, what it is called, and whether waits in it end spuriously.
type Named = (String, Program, bool);

/// Those that few others stand for: by hand and by seed.
fn special() -> impl Iterator<Item = Named> {
    let by_hand = by_hand::programs().into_iter();
    let by_hand = by_hand.map(|(name, program)| (name, program, false));
    by_hand.chain(MORE.into_iter().map(random))
}

fn random(seed: u64) -> Named {
    (format!("seed {seed}"), generate::program(seed), seed % 2 == 1)
}

/// Compares programs: how many searches were compared, and what was wrong.
fn compare_all(programs: impl Iterator<Item = Named>) -> (u64, Vec<String>) {
    let (mut compared, mut wrong) = (0, Vec::new());
    for (name, program, spurious) in programs {
        if env::var_os("RADDLE_CLAIMS_SHOW").is_some() {
            println!("{name}\n{}", program.source());
        }
        // A panic names the program, too.
        let result = catch_unwind(AssertUnwindSafe(|| check(&program, spurious)));
        match result.unwrap_or_else(|_| Err("it panics".to_owned())) {
            Ok(n) => compared += n as u64,
            Err(what) => wrong.push(format!("{name}: {what}\n{}", program.source())),
        }
    }
    (compared, wrong)
}

/// The rules that were broken once, or could be.
#[cfg(feature = "defects")]
#[test]
fn every_defect_is_found() {
    use raddle_explore::Defect as D;
    let all = [
        D::LeavingCosts,
        D::QuietSpins,
        D::OneAnswer,
        D::RestoringWaits,
        D::RestoringIsStuck,
        D::NobodyIsLeft,
        D::TryBlocks,
        D::FirstInput,
    ];
    let is_found = |defect: &D| {
        defect.put_in();
        let programs = special().chain((0..number("RADDLE_CLAIMS", N_PROGRAMS)).map(random));
        let mut wrong = programs.flat_map(|program| compare_all([program].into_iter()).1);
        let by = wrong.next().and_then(|text| text.lines().next().map(str::to_owned));
        println!("{defect:?}: {by:?}");
        by.is_some()
    };
    let missed = || all.into_iter().filter(|defect| !is_found(defect)).collect::<Vec<_>>();
    assert_eq!(on_large_stack(missed).unwrap(), []);
}

#[cfg(not(feature = "defects"))]
#[test]
fn claims_about_random_programs_are_true() {
    let (from, n) = (number("RADDLE_CLAIMS_FROM", 0), number("RADDLE_CLAIMS", N_PROGRAMS));
    let n_workers = available_parallelism().map_or(1, usize::from);
    let results: Vec<_> = thread::scope(|scope| {
        let start = |worker: usize| {
            let programs = special().chain((from..from + n).map(random));
            let programs = programs.skip(worker).step_by(n_workers);
            // The library is parsed once for all programs of a worker.
            scope.spawn(move || on_large_stack(|| compare_all(programs)).unwrap())
        };
        let workers: Vec<_> = (0..n_workers).map(start).collect();
        workers.into_iter().map(|worker| worker.join().unwrap()).collect()
    });
    let compared: u64 = results.iter().map(|(compared, _)| compared).sum();
    let wrong: Vec<_> = results.into_iter().flat_map(|(_, wrong)| wrong).collect();
    println!("{compared} searches of {n} programs were compared");
    assert!(wrong.is_empty(), "{} wrong claims\n{}", wrong.len(), wrong.join("\n"));
    assert!(compared > 2 * n, "too few could be compared");
}
