//! The programs of the corpus as binaries.
//!
//! What passing runs predict is what each program says of itself, no less and no more, and the
//! binary does all of it when it is steered there. Programs in C++ and Rust also fail as they say
//! under some schedule, and fail the same way when they are run along it again; their twins do not.

use std::collections::BTreeSet;
use std::ops::Range;

use crate::harness::facts::Facts;
use crate::harness::predict::{Subject, passed};
use crate::harness::{Compiler, Workshop, drawn, for_each, levels, share};
use raddle_native::launch::{Answer, Request};
use raddle_native::target::Target;
use raddle_wire::{OutcomeKind, Threading};

/// So many runs are made of each program, the first one without preemptions.
const N_RUNS: u64 = 5;

/// So many at most, until all that is said was predicted.
const N_RUNS_MAX: u64 = 60;

/// So many at most, until a program that can fail must have failed.
const N_RUNS_TO_FAIL: u64 = 300;

/// A program that was built, and how.
struct Trial<'a> {
    facts: &'a Facts,
    title: String,
    subject: Subject<'a>,
}

impl<'a> Trial<'a> {
    fn new(workshop: &'a Workshop, facts: &'a Facts, how: &str, target: Target) -> Trial<'a> {
        let atomic = facts.list("atomic").into_iter().collect();
        let title = format!("{} by {how}", facts.name());
        // Rust's standard library is not instrumented: how its locks order threads is not all
        // seen.
        let is_rust = facts.path.extension().is_some_and(|extension| extension == "rs");
        let is_whole = !is_rust;
        Trial { facts, title, subject: Subject { workshop, target, atomic, is_whole } }
    }

    fn fault(&self, error: &str) -> Result<(), String> {
        Err(format!("{}: {error}", self.title))
    }

    /// Passing runs predict what is said.
    fn predicts(&self) -> Result<(), String> {
        let (mut found, expected) = (BTreeSet::new(), self.facts.list("predict"));
        for seed in 0..N_RUNS_MAX {
            if seed >= N_RUNS && found == expected {
                break;
            }
            match self.try_seed(seed) {
                Ok(kinds) => found.extend(kinds),
                Err(error) => return self.fault(&format!("seed {seed}: {error}")),
            }
        }
        match found == expected {
            true => Ok(()),
            false => self.fault(&format!("predicts {found:?} instead of {expected:?}")),
        }
    }

    fn try_seed(&self, seed: u64) -> Result<BTreeSet<String>, String> {
        let (answer, path) = self.subject.record(seed)?;
        let kinds = match passed(&answer) {
            true => self.subject.predictions(&path),
            false if self.facts.value("verdict") == "clean" => {
                Err(format!("ended by {:?}: {}", answer.outcome, answer.message))
            }
            false => Ok(BTreeSet::new()),
        };
        std::fs::remove_file(&path).unwrap();
        kinds
    }

    /// Some run fails as is said, and does it again along its schedule on other threads. On those, the same seed fails,
    /// and none of those right before it.
    fn fails(&self) -> Result<(), String> {
        let (coroutines, threads) = (Threading::Coroutines, Threading::Threads);
        let expected = self.facts.value("shows");
        let n_runs = if expected == "none" { N_RUNS } else { N_RUNS_TO_FAIL };
        let first = self.first_to_fail(0..n_runs, coroutines, threads)?;
        if first.is_none() && expected != "none" {
            return self.fault(&format!("never {expected}"));
        }
        let end = first.map_or(N_RUNS, |seed| seed + 1);
        let other = self.first_to_fail(end.saturating_sub(N_RUNS)..end, threads, coroutines)?;
        match other == first {
            true => Ok(()),
            false => self.fault(&format!("seed {first:?} fails, and on threads {other:?}")),
        }
    }

    /// The first seed that fails, and does the same along its schedule in the other way.
    fn first_to_fail(
        &self,
        seeds: Range<u64>,
        threading: Threading,
        other: Threading,
    ) -> Result<Option<u64>, String> {
        let expected = self.facts.value("shows");
        let wrong = |error: String| format!("{}: {error}", self.title);
        for seed in seeds {
            let run =
                Request { threading, seed: drawn(seed), points_all: true, ..Request::default() };
            let run = self.subject.workshop.run(&self.subject.target, &run)?;
            if passed(&run) {
                continue;
            }
            if shown(&run) != expected {
                return Err(wrong(format!("seed {seed}: {} ({})", shown(&run), run.message)));
            }
            let again = Request { threading: other, plan: &run.taken, ..Request::default() };
            let again = self.subject.workshop.run(&self.subject.target, &again)?;
            if (again.outcome, again.event_hash) != (run.outcome, run.event_hash) {
                let (again, run) = (shown(&again), shown(&run));
                return Err(wrong(format!("seed {seed}: {again} is not {run}")));
            }
            return Ok(Some(seed));
        }
        Ok(None)
    }

    /// Everything.
    fn check(&self) -> Result<(), String> {
        self.fails()?;
        self.predicts()
    }
}

/// How a run has failed.
fn shown(answer: &Answer) -> String {
    match answer.outcome {
        // How a panic ends a program.
        OutcomeKind::Exited if answer.exit.code == 101 => "panic".to_owned(),
        OutcomeKind::Exited => format!("exited {}", answer.exit.code),
        outcome => format!("{outcome:?}").to_lowercase(),
    }
}

/// Builds programs in each way and looks at them.
fn check_all(folder: &str, check: impl Fn(&Trial<'_>) -> Result<(), String> + Sync) {
    let (workshop, all, levels) = (Workshop::new(), Facts::all(folder), levels());
    let mut trials = Vec::new();
    for (index, facts) in all.iter().enumerate() {
        let ways = share(index, &levels).into_iter();
        trials.extend(ways.map(|(compiler, flags)| (facts, compiler, flags)));
    }
    let results = for_each(&trials, |&(facts, compiler, flags)| {
        let target = build(&workshop, facts, compiler, flags)?;
        let how = format!("{} {}", compiler.c, flags[0]);
        check(&Trial::new(&workshop, facts, &how, target))
    });
    assert_no_faults(results);
}

fn build(
    workshop: &Workshop,
    facts: &Facts,
    compiler: Compiler,
    flags: [&str; 2],
) -> Result<Target, String> {
    let more = facts.list("flags");
    let flags: Vec<_> = flags.into_iter().chain(more.iter().map(String::as_str)).collect();
    workshop.build(compiler, &facts.path, &flags)
}

#[track_caller]
fn assert_no_faults(results: Vec<Result<(), String>>) {
    let faults: Vec<_> = results.into_iter().filter_map(Result::err).collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn passing_runs_predict_what_programs_in_c_say() {
    check_all("c", |trial| trial.predicts());
}

#[test]
fn programs_in_cpp_fail_and_predict_what_they_say() {
    check_all("cpp", |trial| trial.check());
}

#[test]
fn programs_in_rust_fail_and_predict_what_they_say() {
    let (workshop, mut all) = (Workshop::new(), Facts::of_rust_binaries());
    // In the others, threads are over before random walks have started the next ones.
    all.retain(|facts| facts.states("predict"));
    assert!(all.len() >= 6);
    let results = for_each(&all, |facts| {
        let target = workshop.build_rust(&facts.path)?;
        Trial::new(&workshop, facts, "rustc", target).check()
    });
    assert_no_faults(results);
}

#[test]
fn every_program_has_a_twin_and_all_facts() {
    for facts in ["cpp", "rust"].into_iter().flat_map(Facts::all) {
        let (name, is_fixed) = match facts.name().strip_suffix("_fixed") {
            Some(name) => (name.to_owned(), true),
            None => (format!("{}_fixed", facts.name()), false),
        };
        let extension = facts.path.extension().unwrap();
        let twin = facts.path.with_file_name(name).with_extension(extension);
        assert!(twin.exists(), "{}", twin.display());
        assert_eq!(facts.value("verdict"), if is_fixed { "clean" } else { "fails" });
        assert!(facts.value("threads").parse::<u32>().is_ok(), "{}", facts.name());
        for key in ["bug", "kinds", "shows"] {
            assert_eq!(facts.value(key) == "none", is_fixed, "{}: {key}", facts.name());
        }
        assert!(facts.list("predict").is_subset(&facts.list("kinds")), "{}", facts.name());
    }
}
