//! The programs of the corpus do what their first lines say.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use raddle_cfront::compile::compile;
use raddle_cfront::ir::Program;
use raddle_cfront::preprocess::Options;
use raddle_finding::Choice;
use raddle_predict::{
    Causes, Job, TransactionSource, deadlocks, lost_wakeups, races, transactions, violations,
};
use raddle_trace::{Trace, check::Mode};
use raddle_vm::record::Recorder;
use raddle_vm::{Machine, Observer, Outcome, Points, Question, Settings};

/// So many runs at random, after the one without preemptions.
const N_RUNS: u64 = 60;

/// So many runs at random until a program that can fail must have failed.
const N_RUNS_TO_FAIL: u64 = 5_000;

/// What can be wrong with a program.
const KINDS: [&str; 7] =
    ["race", "atomicity", "deadlock", "lost-wakeup", "assertion", "use-after-free", "misuse"];

/// The first lines of a program.
struct Facts {
    path: PathBuf,
    values: BTreeMap<String, String>,
}

impl Facts {
    fn all() -> Vec<Facts> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/c");
        let files = folder.read_dir().unwrap().map(|entry| entry.unwrap().path());
        let mut facts: Vec<_> = files.map(Facts::read).collect();
        facts.sort_by(|a, b| a.path.cmp(&b.path));
        facts
    }

    fn read(path: PathBuf) -> Facts {
        let text = fs::read_to_string(&path).unwrap();
        let header = text.split("*/").next().unwrap();
        let lines = header.lines().filter_map(|line| line.strip_prefix(" * ")?.split_once(':'));
        let trimmed = |(key, value): (&str, &str)| (key.to_owned(), value.trim().to_owned());
        Facts { path, values: lines.map(trimmed).collect() }
    }

    fn name(&self) -> String {
        self.path.file_stem().unwrap().to_string_lossy().into_owned()
    }

    fn list(&self, key: &str) -> BTreeSet<String> {
        let value = self.values.get(key).map_or("none", String::as_str);
        value.split(", ").filter(|word| *word != "none").map(str::to_owned).collect()
    }

    fn program(&self) -> Arc<Program> {
        let atomic = self.list("atomic").into_iter().collect();
        let options = Options { transactions: atomic, ..Options::default() };
        Arc::new(compile(std::slice::from_ref(&self.path), &options).unwrap().program)
    }
}

#[test]
fn every_program_has_a_twin_and_all_facts() {
    for facts in Facts::all() {
        for key in ["threads", "bug", "kinds", "predict", "bound", "verdict"] {
            assert!(facts.values.contains_key(key), "{}: {key}", facts.name());
        }
        let is_fixed = facts.name().ends_with("_fixed");
        assert_eq!(facts.values["verdict"] == "clean", is_fixed, "{}", facts.name());
        let twin = match facts.name().strip_suffix("_fixed") {
            Some(name) => format!("{name}.c"),
            None => format!("{}_fixed.c", facts.name()),
        };
        assert!(facts.path.with_file_name(&twin).exists(), "{twin}");
        let kinds = facts.list("kinds");
        assert!(kinds.iter().all(|kind| KINDS.contains(&kind.as_str())), "{}", facts.name());
        assert!(facts.list("predict").is_subset(&kinds), "{}", facts.name());
        assert_eq!(kinds.is_empty(), is_fixed, "{}", facts.name());
    }
}

#[test]
fn the_book_says_what_the_programs_say() {
    let book = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/src/corpus.md");
    let book = fs::read_to_string(book).unwrap();
    let rows: BTreeSet<_> = book.lines().filter(|line| line.starts_with("| `")).collect();
    let row = |facts: &Facts| {
        let [threads, bug, bound, verdict] =
            ["threads", "bug", "bound", "verdict"].map(|key| &facts.values[key]);
        format!("| `{}` | {threads} | {bug} | {bound} | {verdict} |", facts.name())
    };
    let expected: Vec<_> = Facts::all().iter().map(row).collect();
    assert_eq!(rows, expected.iter().map(String::as_str).collect());
}

#[test]
fn programs_fail_if_they_say_so() {
    for facts in Facts::all() {
        let settings = Settings { points: Points::All, ..Settings::default() };
        let mut machine = Machine::new(facts.program(), &settings).unwrap();
        let can_fail = facts.values["verdict"] == "fails";
        let n_runs = if can_fail { N_RUNS_TO_FAIL } else { N_RUNS };
        let failed = (0..=n_runs).any(|seed| {
            machine.reset();
            run(&mut machine, seed, &mut ());
            let n_threads: u32 = facts.values["threads"].parse().unwrap();
            assert!(machine.n_threads() <= n_threads, "{}", facts.name());
            !passed(&machine)
        });
        assert_eq!(failed, can_fail, "{}", facts.name());
    }
}

#[test]
fn predictions_from_passing_runs_are_as_said() {
    for facts in Facts::all() {
        let mut machine = Machine::new(facts.program(), &Settings::default()).unwrap();
        let (mut found, expected) = (BTreeSet::new(), facts.list("predict"));
        for seed in 0..=N_RUNS {
            machine.reset();
            let mut recorder = Recorder::new();
            run(&mut machine, seed, &mut recorder);
            if passed(&machine) {
                predict(recorder, &mut found);
            }
        }
        assert_eq!(found, expected, "{}", facts.name());
    }
}

fn passed(machine: &Machine) -> bool {
    machine.outcome() == Some(&Outcome::Exited(0))
}

/// Seed 0 is the run without preemptions.
fn run<O: Observer>(machine: &mut Machine, seed: u64, observer: &mut O) {
    let mut random = fastrand::Rng::with_seed(seed);
    while let Some(default) = machine.default_choice() {
        let choice = match machine.question() {
            Some(Question::Thread(threads)) if seed > 0 => {
                Choice::Thread(threads[random.usize(..threads.len())])
            }
            Some(Question::Waiter(waiters)) if seed > 0 => {
                Choice::Waiter(waiters[random.usize(..waiters.len())])
            }
            _ => default,
        };
        machine.answer(choice, observer).unwrap();
    }
}

fn predict(recorder: Recorder, found: &mut BTreeSet<String>) {
    let trace = Trace::new(recorder.finish(), Mode::Strict).unwrap();
    let causes = Causes::new(&trace);
    let blocks = transactions(&trace, TransactionSource::Marked);
    let mut on = |_, _| true;
    let counts = [
        ("race", races(&causes, false, job(&mut on)).unwrap().races.len()),
        ("atomicity", violations(&causes, &blocks, false, job(&mut on)).unwrap().violations.len()),
        ("deadlock", deadlocks(&causes, false, job(&mut on)).unwrap().deadlocks.len()),
        ("lost-wakeup", lost_wakeups(&causes, false, job(&mut on)).unwrap().lost.len()),
    ];
    let some = counts.into_iter().filter(|&(_, n)| n > 0);
    found.extend(some.map(|(name, _)| name.to_owned()));
}

fn job(progress: &mut dyn FnMut(usize, usize) -> bool) -> Job<'_> {
    Job { n_workers: 1, progress }
}
