//! Programs with mistakes never make the compiler or the machine panic or hang: a mutant compiles
//! and runs, or there are diagnostics with places.
//!
//! `RADDLE_MUTANTS=N` tries so many mutants, `RADDLE_SEED=N` others. With `RADDLE_MUTANTS_CC=gcc`,
//! mutants that this compiler accepts and we refuse are printed.

mod mutate;

use std::io::Write;
use std::panic::AssertUnwindSafe;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use raddle_cfront::compile;
use raddle_cfront::diagnostic::Error;
use raddle_cfront::ir::{self, DataModel};
use raddle_cfront::library::HEADERS;
use raddle_cfront::preprocess::{Options, preprocess};
use raddle_vm::{Machine, Settings};

/// What a mutant may take before it counts as a hang; all of them take milliseconds.
const HANG: Duration = Duration::from_secs(60);

/// How many mutants are made of a program before the next one is taken.
const PER_PROGRAM: usize = 25;

type Job = Mutex<Option<(Instant, String)>>;

#[test]
fn mutants_compile_and_run_or_are_refused() {
    let n = variable("RADDLE_MUTANTS").unwrap_or(300);
    let mut programs = programs();
    fastrand::Rng::with_seed(variable("RADDLE_SEED").unwrap_or(1) as u64).shuffle(&mut programs);
    let (next, done) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let failures = Mutex::new(Vec::new());
    let n_threads = std::thread::available_parallelism().map_or(2, usize::from);
    let jobs: Vec<Job> = (0..n_threads).map(|_| Mutex::new(None)).collect();
    std::thread::scope(|scope| {
        for job in &jobs {
            let (programs, next, done, failures) = (&programs, &next, &done, &failures);
            scope.spawn(move || {
                compile::on_large_stack(|| {
                    loop {
                        let group = next.fetch_add(1, Ordering::Relaxed);
                        if group * PER_PROGRAM >= n {
                            break;
                        }
                        let found = group_of(&programs[group % programs.len()], group, job);
                        failures.lock().unwrap().extend(found);
                    }
                })
                .unwrap();
                done.fetch_add(1, Ordering::Relaxed);
            });
        }
        watch(&jobs, || done.load(Ordering::Relaxed) == n_threads);
    });
    let failures = failures.into_inner().unwrap();
    assert!(failures.is_empty(), "{}:\n{}", failures.len(), failures.join("\n"));
}

fn variable(name: &str) -> Option<usize> {
    std::env::var(name).ok()?.parse().ok()
}

/// Ends the process when a mutant takes too long: nothing else could.
fn watch(jobs: &[Job], is_done: impl Fn() -> bool) {
    while !is_done() {
        std::thread::sleep(Duration::from_millis(20));
        for job in jobs {
            if let Some((since, text)) = &*job.lock().unwrap()
                && since.elapsed() > HANG
            {
                eprintln!("no end of {}", keep(text).display());
                std::process::abort();
            }
        }
    }
}

/// The mutants of one program that are not as they should be.
fn group_of(file: &Path, group: usize, job: &Job) -> Vec<String> {
    let text = preprocess(file, &Options::default(), HEADERS).unwrap();
    let seed = variable("RADDLE_SEED").unwrap_or(1) as u64;
    let mut random = fastrand::Rng::with_seed(seed << 32 | group as u64);
    let mut failures = Vec::new();
    for _ in 0..PER_PROGRAM {
        let mutant = mutate::mutant(&text, file, &mut random);
        *job.lock().unwrap() = Some((Instant::now(), mutant.clone()));
        let tried = std::panic::catch_unwind(AssertUnwindSafe(|| try_mutant(&mutant)));
        let wrong = match tried {
            Ok(result) => result.err(),
            Err(panic) => {
                let text = panic.downcast_ref::<String>().cloned();
                let text = text.or(panic.downcast_ref::<&str>().map(|text| (*text).to_owned()));
                Some(format!("panic: {}", text.unwrap_or_default()))
            }
        };
        failures.extend(wrong.map(|wrong| format!("{}: {wrong}", keep(&mutant).display())));
    }
    *job.lock().unwrap() = None;
    failures
}

fn try_mutant(text: &str) -> Result<(), String> {
    match compile::compile_texts(&[("mutant.c", text)], DataModel::Lp64) {
        Ok(compiled) => {
            ir::verify(&compiled.program)?;
            let settings = Settings { n_steps_max: 20_000, ..Settings::default() };
            if let Ok(mut machine) = Machine::new(Arc::new(compiled.program), &settings) {
                machine.run_default(&mut ());
            }
            Ok(())
        }
        Err(Error::Diagnostics(reports)) => {
            let placed = reports.iter().all(|one| &*one.excerpt.location.file != "<unknown>");
            if reports.is_empty() || !placed {
                return Err(format!("no place in {reports:?}"));
            }
            compare(text, &reports[0].to_string());
            Ok(())
        }
        Err(other) => Err(other.to_string()),
    }
}

/// Says what another compiler accepts and we do not.
fn compare(text: &str, ours: &str) {
    let Some(compiler) = std::env::var_os("RADDLE_MUTANTS_CC") else { return };
    let mut child = Command::new(compiler)
        .args(["-std=gnu11", "-fsyntax-only", "-w", "-x", "cpp-output", "-"])
        .stdin(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    // A compiler that has seen enough closes its end.
    let _ = child.stdin.take().unwrap().write_all(text.as_bytes());
    if child.wait().unwrap().success() {
        println!("ACCEPTED ELSEWHERE: {ours}\n");
    }
}

/// Puts a mutant where it can be looked at.
fn keep(text: &str) -> PathBuf {
    static N: AtomicUsize = AtomicUsize::new(0);
    let name = format!("mutant-{}.i", N.fetch_add(1, Ordering::Relaxed));
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&file, text).unwrap();
    file
}

fn programs() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut found = Vec::new();
    let mut folders = vec![root.join("corpus/c"), root.join("crates/vm/tests/conformance")];
    while let Some(folder) = folders.pop() {
        for path in folder.read_dir().unwrap().map(|entry| entry.unwrap().path()) {
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|end| end == "c") {
                found.push(path);
            }
        }
    }
    assert!(found.len() > 100);
    found.sort();
    found
}
