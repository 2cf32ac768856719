//! What the command does without the engine for binaries: `cargo test -p raddle-cli --no-default-features`.
//!
//! With it these tests pass, too, but for the refusal, which is not there.

#![allow(clippy::unwrap_used)] // Where a test cannot go on, it fails.

use std::path::Path;
use std::process::{Command, Output};

/// Runs the command in the root of the repository.
fn raddle(args: &str) -> Output {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut command = Command::new(env!("CARGO_BIN_EXE_raddle"));
    command.env("RADDLE_CACHE", concat!(env!("CARGO_TARGET_TMPDIR"), "/portable"));
    command.args(args.split_whitespace()).current_dir(root).output().unwrap()
}

#[track_caller]
fn check(args: &str, code: i32, what: &str) {
    let ran = raddle(args);
    let said = String::from_utf8_lossy(&ran.stdout) + String::from_utf8_lossy(&ran.stderr);
    assert_eq!(ran.status.code(), Some(code), "{args}: {said}");
    assert!(said.contains(what), "{args}: {said}");
}

#[test]
fn c_files_are_checked() {
    check("check corpus/c/bank_race.c", 1, "raddle replay corpus/c/bank_race.c rs1:");
    check("check corpus/c/bank_race_fixed.c", 0, "every execution");
}

#[test]
fn traces_are_analysed() {
    check("predict corpus/traces/bank.std", 1, "race");
    check("trace info corpus/traces/bank.std", 0, "28");
}

#[test]
fn values_are_bounded() {
    check("ranges corpus/ranges/bank.c", 0, "balance");
}

#[cfg(not(feature = "native"))]
#[test]
fn binaries_are_refused_with_one_sentence() {
    let own = env!("CARGO_BIN_EXE_raddle");
    for args in ["check", "explore", "record"].map(|command| format!("{command} {own}")) {
        check(&args, 2, "this build of raddle cannot run binaries");
    }
    for args in ["cc a.c", "c++ a.cpp", "cargo build", "doctor"] {
        check(args, 2, "this build of raddle cannot run binaries");
    }
}
