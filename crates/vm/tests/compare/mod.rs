//! What a program does when the system's C compiler compiles it, and what it does on the machine.

pub mod random;

use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use raddle_cfront::compile::compile;
use raddle_cfront::preprocess::Options;
use raddle_vm::{Machine, Outcome, Settings};

/// What a run showed.
#[derive(Clone, PartialEq, Debug)]
pub struct Seen {
    pub stdout: String,
    pub status: i32,
}

/// Checks all items on all processors and answers with what failed.
pub fn failures<T: Sync>(
    items: &[T],
    check: impl Fn(&T) -> Result<(), String> + Sync,
) -> Vec<String> {
    let next = AtomicUsize::new(0);
    let failures = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(2, usize::from) {
            scope.spawn(|| {
                while let Some(item) = items.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if let Err(failure) = check(item) {
                        failures.lock().unwrap().push(failure);
                    }
                }
            });
        }
    });
    failures.into_inner().unwrap()
}

/// Where two runs differ.
pub fn compare(expected: &Seen, seen: &Seen) -> Result<(), String> {
    if expected == seen {
        return Ok(());
    }
    let pairs = expected.stdout.lines().zip(seen.stdout.lines());
    let difference = pairs.enumerate().find(|(_, (expected, seen))| expected != seen);
    Err(match difference {
        Some((line, (expected, seen))) => format!("line {}: {expected:?}, not {seen:?}", line + 1),
        None => format!(
            "{} lines and status {}, not {} and {}",
            expected.stdout.lines().count(),
            expected.status,
            seen.stdout.lines().count(),
            seen.status
        ),
    })
}

/// Compiles with the system's compiler and runs.
pub fn native(program: &Path) -> Result<Seen, String> {
    let folder = tempfile::tempdir().unwrap();
    let binary = folder.path().join("program");
    let compiled = Command::new("cc")
        .args(["-std=gnu11", "-w", "-fwrapv", "-O0", "-pthread", "-o"])
        .args([binary.as_path(), program])
        .arg("-lm")
        .output()
        .unwrap();
    if !compiled.status.success() {
        return Err(format!("cc: {}", String::from_utf8_lossy(&compiled.stderr)));
    }
    let output = Command::new(&binary).stdin(Stdio::null()).output().unwrap();
    let stdout = String::from_utf8_lossy(&output.stdout).into_owned();
    Ok(Seen { stdout, status: output.status.code().unwrap_or(-1) })
}

/// A machine before the first transition of a program.
pub fn machine(program: &Path) -> Result<Machine, String> {
    let compiled = compile(&[program.to_owned()], &Options::default());
    let program = compiled.map_err(|error| error.to_string())?.program;
    Ok(Machine::new(Arc::new(program), &Settings::default()).unwrap())
}

/// What a run that is over showed.
pub fn seen(machine: &Machine) -> Result<Seen, String> {
    let parts = machine.output_parts().filter(|(fd, _)| *fd == 1);
    let stdout: Vec<u8> = parts.flat_map(|(_, part)| part).copied().collect();
    let stdout = String::from_utf8_lossy(&stdout).into_owned();
    match machine.outcome() {
        Some(Outcome::Exited(status)) => Ok(Seen { stdout, status: status & 0xff }),
        other => Err(format!("{other:?} after {stdout:?}")),
    }
}
