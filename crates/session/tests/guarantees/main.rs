//! Guarantees about random programs: what a session says of them, searching as `check` does by default,
//! is compared with what an enumerator finds (`crates/vm/tests/claims`).
//!
//! - G1: what is found is there, with at least as many preemptions as it takes, and with as many if they are called
//!   the fewest.
//! - G2: if every execution up to a bound was seen, everything that fails within it is found.
//! - G3: nothing was checked if, and only if, no execution counts.
//! - G4: loops whose states can be compared are no condition, and inputs are one if there are any.
//! - G5: a story shows as many preemptions as its finding has.
//!
//! `RADDLE_GUARANTEES=20000 cargo test --release -p raddle-session --test guarantees` takes more programs, and
//! `RADDLE_GUARANTEES_FROM` others.

#![allow(clippy::unwrap_used)] // Where a test cannot go on, it fails.
#![cfg_attr(feature = "defects", allow(unused_imports))]
#![allow(dead_code)] // The net for the machine uses more of it.

#[path = "../../../vm/tests/claims/by_hand.rs"]
mod by_hand;
#[path = "../../../vm/tests/claims/code.rs"]
mod code;
#[path = "../../../vm/tests/claims/compiled.rs"]
mod compiled;
#[path = "../../../vm/tests/claims/enumerate.rs"]
mod enumerate;
#[path = "../../../vm/tests/claims/generate.rs"]
mod generate;
#[path = "../../../vm/tests/claims/program.rs"]
mod program;
#[path = "../../../vm/tests/claims/state.rs"]
mod state;

use std::env;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread::{self, available_parallelism};

use enumerate::{Claims, enumerate};
use program::{N_LINES, Program};
use raddle_cfront::compile::on_large_stack;
use raddle_explore::StrategyKind;
use raddle_finding::{
    Coverage, Finding, Guarantee, Leaving, Property, Report, Restriction, Story, Switch,
};
use raddle_session::vm::Source;
use raddle_session::{Method, Session};
use raddle_vm::Settings;

/// How many programs are compared by default.
const N_PROGRAMS: u64 = 40;

/// The most executions of a session.
const N_RUNS: u64 = 600;

/// What a session says of a program; most of them neither predict nor shrink, which takes long.
fn report(program: &Program, spurious: bool, method: Method, seed: u64) -> Report {
    let settings = Settings { spurious, ..compiled::settings(program) };
    let subject = Source { program: Arc::new(compiled::compiled(program)), settings };
    let mut session = Session::new("program.c", subject);
    session.predicts = seed.is_multiple_of(16);
    session.method = method;
    session.exploration.budget.runs = Some(N_RUNS);
    session.exploration.budget.time = None;
    (session.exploration.shrinks, session.exploration.describes) =
        (seed.is_multiple_of(4), seed.is_multiple_of(2));
    session.run(&mut ()).unwrap().report
}

/// What a finding is called; none if it is no end of an execution.
fn name(finding: &Finding) -> Option<String> {
    let mut lines = finding.locations.iter().filter_map(|site| site.location.line);
    match finding.property {
        Property::Race => None,
        Property::Assertion => {
            let line = lines.find(|&line| line as usize >= N_LINES).unwrap_or(0);
            Some(format!("assertion {}", line as usize / N_LINES))
        }
        // A wake-up that was lost is how a deadlock came about.
        Property::LostWakeup => Some("deadlock".to_owned()),
        other => Some(other.to_string()),
    }
}

fn n_preempted(story: &Story) -> u32 {
    let preempted = |switch: &&Switch| matches!(switch.why, Leaving::Preempted { .. });
    story.switches.iter().filter(preempted).count() as u32
}

/// G1 to G5.
fn check(program: &Program, all: &Claims, report: &Report) -> Result<(), String> {
    let guarantee = &report.stats["exploration"]["guarantee"];
    let guarantee: Guarantee = serde_json::from_value(guarantee.clone()).unwrap();
    let mut found = Vec::new();
    for finding in &report.findings {
        let Some(name) = name(finding) else { continue };
        let sure = all.outcomes.get(&name).copied();
        let least = sure.or(all.perhaps.get(&name).copied());
        let least = least.ok_or_else(|| format!("{name} is impossible"))?;
        let is_minimal = finding.details.get("minimal").is_some_and(|it| it == true);
        // An input other than the first one counts, too, but is no preemption.
        let has_inputs = program.source().contains("nondet");
        let n = finding.preemptions.unwrap_or(0);
        if !has_inputs && (n < least || is_minimal && sure.is_some_and(|sure| n > sure)) {
            return Err(format!("{name} takes {least} preemptions, not {n}"));
        }
        found.push(name);
        let shown = finding.story.as_ref().map(n_preempted);
        if shown.is_some_and(|shown| shown != n) {
            return Err(format!("a story with {n} preemptions shows {shown:?}"));
        }
    }
    let covers = match &guarantee.coverage {
        Coverage::Every => u32::MAX,
        Coverage::Bounded { most, .. } => *most,
        Coverage::Nothing { why } => {
            let counts = !all.outcomes.is_empty() || !all.perhaps.is_empty();
            return if counts { Err(format!("nothing was checked: {why}")) } else { Ok(()) };
        }
        _ => return Ok(()),
    };
    if all.outcomes.is_empty() && all.perhaps.is_empty() {
        return Err("no execution counts".to_owned());
    }
    for restriction in &guarantee.restrictions {
        if !matches!(restriction, Restriction::WakeUps | Restriction::Inputs { .. }) {
            return Err(format!("{restriction:?} is no restriction here"));
        }
    }
    for (outcome, &least) in all.outcomes.iter().filter(|(it, _)| !it.starts_with("exit")) {
        if least <= covers && !found.contains(outcome) {
            return Err(format!("{outcome} takes {least}, and is not found"));
        }
    }
    Ok(())
}

/// How many guarantees of a program were compared.
fn compare(program: &Program, seed: u64) -> Result<u64, String> {
    let spurious = seed % 2 == 1;
    let Some(all) = enumerate(program, spurious) else { return Ok(0) };
    let all_bounds = Method { bound: None, ..Method::default() };
    let reduced =
        Method { kind: StrategyKind::Dfs, bound: None, is_reduced: true, ..Method::default() };
    let method = match seed % 8 {
        0..=3 => Method::default(),
        4 | 5 => all_bounds,
        6 => Method { kind: StrategyKind::Icb, is_reduced: true, ..Method::default() },
        _ => reduced,
    };
    let report = report(program, spurious, method, seed / 8);
    check(program, &all, &report).map_err(|why| format!("{method:?}: {why}"))?;
    let is_covered = report.stats["exploration"]["guarantee"]["executions"] != "sampled";
    Ok(is_covered.into())
}

fn number(name: &str, otherwise: u64) -> u64 {
    env::var(name).ok().map_or(otherwise, |value| value.parse().unwrap())
}

/// A program, and the number that says how it is searched.
type Numbered = (Program, u64);

/// Programs that few random ones stand for, each searched in every way.
fn special() -> impl Iterator<Item = Numbered> {
    let by_hand = by_hand::with_inputs().into_iter().chain(by_hand::programs());
    by_hand.flat_map(|(_, program)| (0..8).step_by(2).map(move |seed| (program.clone(), seed)))
}

fn random(seed: u64) -> Numbered {
    (generate::program(seed), seed)
}

fn compare_all(programs: impl Iterator<Item = Numbered>) -> (u64, Vec<String>) {
    let (mut compared, mut wrong) = (0, Vec::new());
    for (program, seed) in programs {
        // A panic names the program, too.
        let result = catch_unwind(AssertUnwindSafe(|| compare(&program, seed)));
        match result.unwrap_or_else(|_| Err("it panics".to_owned())) {
            Ok(n) => compared += n,
            Err(what) => wrong.push(format!("seed {seed}: {what}\n{}", program.source())),
        }
    }
    (compared, wrong)
}

/// The rules that were broken once, or could be.
#[cfg(feature = "defects")]
#[test]
fn every_defect_is_found() {
    use raddle_explore::Defect as D;
    let wrong = || {
        let programs = special().chain((0..N_PROGRAMS).map(random));
        programs.flat_map(|program| compare_all([program].into_iter()).1).next()
    };
    let is_found = |defect: &D| {
        defect.put_in();
        let by = wrong();
        println!("{defect:?}: {by:?}");
        by.is_some()
    };
    let none = on_large_stack(|| compare_all(special()).1).unwrap();
    assert_eq!(none, Vec::<String>::new(), "no rule is broken yet");
    let all = [D::AssumptionsCount, D::FirstInput, D::LeavingCosts];
    let missed = || all.into_iter().filter(|defect| !is_found(defect)).collect::<Vec<_>>();
    assert_eq!(on_large_stack(missed).unwrap(), []);
}

#[cfg(not(feature = "defects"))]
#[test]
fn guarantees_about_random_programs_are_true() {
    let (from, n) = (number("RADDLE_GUARANTEES_FROM", 0), number("RADDLE_GUARANTEES", N_PROGRAMS));
    let n_workers = available_parallelism().map_or(1, usize::from);
    let results: Vec<_> = thread::scope(|scope| {
        let start = |worker: usize| {
            let programs = special().chain((from..from + n).map(random));
            let programs = programs.skip(worker).step_by(n_workers);
            scope.spawn(move || on_large_stack(|| compare_all(programs)).unwrap())
        };
        let workers: Vec<_> = (0..n_workers).map(start).collect();
        workers.into_iter().map(|worker| worker.join().unwrap()).collect()
    });
    let compared: u64 = results.iter().map(|(compared, _)| compared).sum();
    let wrong: Vec<_> = results.into_iter().flat_map(|(_, wrong)| wrong).collect();
    println!("{compared} guarantees about {n} programs were compared");
    assert!(wrong.is_empty(), "{} wrong guarantees\n{}", wrong.len(), wrong.join("\n"));
    assert!(compared > n / 3, "too few could be compared");
}
