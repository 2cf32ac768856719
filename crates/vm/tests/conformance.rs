//! Each program under `conformance/` does on the machine what it does when the system's C compiler
//! compiles it: the same output, the same exit status.
//!
//! `RADDLE_CONFORMANCE=expressions` limits the test to paths that contain this text.

#![allow(clippy::unwrap_used)] // Where a test cannot go on, it fails.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use raddle_cfront::compile::compile;
use raddle_cfront::preprocess::Options;
use raddle_vm::{Machine, Outcome, Settings};

/// What a run showed.
#[derive(PartialEq, Debug)]
struct Seen {
    stdout: String,
    status: i32,
}

#[test]
fn programs_do_what_the_compiled_ones_do() {
    let programs = programs();
    assert!(programs.len() > 150 || std::env::var_os("RADDLE_CONFORMANCE").is_some());
    let next = AtomicUsize::new(0);
    let failures = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(2, usize::from) {
            scope.spawn(|| {
                while let Some(program) = programs.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if let Err(failure) = compare(program) {
                        failures.lock().unwrap().push(format!("{}: {failure}", program.display()));
                    }
                }
            });
        }
    });
    let failures = failures.into_inner().unwrap();
    assert!(
        failures.is_empty(),
        "{} of {}:\n{}",
        failures.len(),
        programs.len(),
        failures.join("\n")
    );
}

fn programs() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/conformance");
    let wanted = std::env::var("RADDLE_CONFORMANCE").unwrap_or_default();
    let mut found = Vec::new();
    for entry in folder.read_dir().unwrap().map(Result::unwrap) {
        if entry.path().is_dir() {
            let files = entry.path().read_dir().unwrap().map(|file| file.unwrap().path());
            found.extend(files.filter(|file| file.extension().is_some_and(|end| end == "c")));
        }
    }
    found.retain(|file| file.to_string_lossy().contains(&wanted));
    found.sort();
    found
}

fn compare(program: &Path) -> Result<(), String> {
    let (expected, seen) = (native(program)?, on_machine(program)?);
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

fn native(program: &Path) -> Result<Seen, String> {
    let folder = tempfile::tempdir().unwrap();
    let binary = folder.path().join("program");
    let compiled = Command::new("cc")
        .args(["-std=gnu11", "-w", "-fwrapv", "-pthread", "-o"])
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

fn on_machine(program: &Path) -> Result<Seen, String> {
    let compiled = compile(&[program.to_owned()], &Options::default());
    let program = compiled.map_err(|error| error.to_string())?.program;
    let mut machine = Machine::new(Arc::new(program), &Settings::default()).unwrap();
    machine.run_default(&mut ());
    let parts = machine.output_parts().filter(|(fd, _)| *fd == 1);
    let stdout: Vec<u8> = parts.flat_map(|(_, part)| part).copied().collect();
    let stdout = String::from_utf8_lossy(&stdout).into_owned();
    match machine.outcome() {
        Some(Outcome::Exited(status)) => Ok(Seen { stdout, status: status & 0xff }),
        other => Err(format!("{other:?} after {stdout:?}")),
    }
}
