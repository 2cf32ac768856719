//! `raddle doctor`, `raddle clean`, and `raddle cargo`.

use std::process::Command;

use crate::harness::{Dir, Run};

fn with_cache(dir: &Dir, args: &str) -> Command {
    let mut command = dir.command(args.split_whitespace());
    command.env("RADDLE_CACHE", dir.path("cache"));
    command
}

fn run(dir: &Dir, args: &str) -> Run {
    Run::of(with_cache(dir, args).output().unwrap())
}

/// The state of a check and what was found.
fn check<'a>(document: &'a serde_json::Value, name: &str) -> (&'a str, &'a str) {
    let checks = document["checks"].as_array().unwrap();
    let check = checks.iter().find(|check| check["name"] == name).unwrap();
    (check["state"].as_str().unwrap(), check["found"].as_str().unwrap())
}

#[test]
fn a_compiler_that_works_is_tried_to_the_end() {
    let dir = Dir::new();
    let document = run(&dir, "doctor --format json").succeeds().json();
    assert_eq!(document["schema"], "raddle.doctor/1");
    assert_eq!(document["ready"], true);
    let (state, found) = check(&document, "trial of gcc");
    assert_eq!(state, "ok");
    assert!(found.starts_with("3 threads, ") && !found.contains(" 0 accesses"), "{found}");
    let text = run(&dir, "doctor").succeeds().stdout;
    assert!(text.ends_with("\nprograms can run under Raddle\n"), "{text}");
}

#[test]
fn without_compilers_nothing_can_be_run_and_it_says_what_to_do() {
    let dir = Dir::new();
    let run = Run::of(with_cache(&dir, "doctor").env("PATH", "").output().unwrap()).exits(3);
    assert!(run.stdout.contains("gcc "), "{}", run.stdout);
    assert!(run.stdout.contains("programs cannot be built with it: install"), "{}", run.stdout);
    assert!(run.stdout.ends_with("\nprograms cannot run under Raddle\n"), "{}", run.stdout);
}

#[test]
fn a_compiler_that_makes_nothing_is_a_problem() {
    let dir = Dir::new();
    let mut command = with_cache(&dir, "doctor --format json");
    let run = Run::of(command.env("RADDLE_CC", "ls").output().unwrap());
    let document = run.json();
    assert_eq!(check(&document, "trial of ls").0, "problem");
}

/// What `raddle doctor` says when something was set up before, in a shell.
fn doctor_after(before: &str) -> serde_json::Value {
    let dir = Dir::new();
    let cache = dir.path("cache");
    let line =
        format!("export RADDLE_CACHE='{}'; {before}; raddle doctor --format json", cache.display());
    dir.shell(&line).json()
}

#[test]
fn too_little_address_space_is_a_problem() {
    let document = doctor_after("ulimit -v 4000000");
    assert_eq!(check(&document, "reserving address space").0, "problem");
    // Only uses after free are not found then.
    assert_eq!(check(&document, "trial of gcc").0, "ok");
    assert_eq!(document["ready"], true);
}

#[test]
fn tools_that_are_not_there_or_do_not_run_are_told_apart() {
    // What is found first counts.
    let document = doctor_after(
        "mkdir bin; for tool in gdb clang; do printf '#!/bin/sh\\nexit 1\\n' >bin/$tool; \
         chmod +x bin/$tool; done; for tool in gcc g++ as ld collect2; do \
         found=$(command -v $tool) && ln -s \"$found\" bin/$tool; done; \
         raddle=$(command -v raddle); raddle() { PATH=$PWD/bin \"$raddle\" \"$@\"; }",
    );
    assert_eq!(check(&document, "gdb").0, "problem");
    assert_eq!(check(&document, "clang").0, "problem");
    assert_eq!(check(&document, "clang++").0, "absent");
    assert_eq!(check(&document, "cargo").0, "absent");
    assert_eq!(check(&document, "gcc").0, "ok");
    assert_eq!(document["ready"], true);
}

#[test]
fn a_cache_that_cannot_be_written_is_an_error() {
    let dir = Dir::with("file", "");
    let mut command = dir.command(["doctor"]);
    let run = Run::of(command.env("RADDLE_CACHE", dir.path("file/cache")).output().unwrap());
    let run = run.exits(2);
    assert!(run.stderr.contains("cannot unpack the runtime"), "{}", run.stderr);
}

#[test]
fn cleaning_says_what_it_removed_and_leaves_the_rest() {
    let dir = Dir::with("cache/own.txt", "mine");
    assert!(run(&dir, "clean").succeeds().stdout.starts_with("nothing to remove in "));
    run(&dir, "cc -c a.c").exits(1);
    let text = run(&dir, "clean").succeeds().stdout;
    assert!(text.starts_with("removed 1 runtime ("), "{text}");
    assert_eq!(dir.text("cache/own.txt"), "mine");
    let document = run(&dir, "clean --format json").succeeds().json();
    assert_eq!(document["schema"], "raddle.clean/1");
    assert_eq!((&document["runtimes"], &document["bytes"]), (&0.into(), &0.into()));
}

const MANIFEST: &str = "[package]\nname = \"threads\"\nversion = \"0.1.0\"\nedition = \"2024\"\n";

const PROGRAM: &str = r#"
use std::sync::{Barrier, Condvar, Mutex, OnceLock, RwLock, mpsc};
static ONCE: OnceLock<u64> = OnceLock::new();
fn main() {
    let (pair, lock, barrier) = ((Mutex::new(0), Condvar::new()), RwLock::new(0), Barrier::new(2));
    let (send, receive) = mpsc::channel();
    std::thread::scope(|scope| {
        for i in 0..2u64 {
            let (pair, lock, barrier, send) = (&pair, &lock, &barrier, send.clone());
            scope.spawn(move || {
                barrier.wait();
                *lock.write().unwrap() += i;
                send.send(*ONCE.get_or_init(|| 7)).unwrap();
                *pair.0.lock().unwrap() += 1;
                pair.1.notify_one();
            });
        }
        let mut done = pair.0.lock().unwrap();
        while *done < 2 {
            done = pair.1.wait(done).unwrap();
        }
    });
    drop(send);
    println!("{} {} {}", receive.iter().sum::<u64>(), lock.read().unwrap(), cfg!(mine));
}
"#;

#[test]
fn cargo_builds_programs_that_ask_for_the_runtime_and_keeps_flags() {
    let dir = Dir::with("Cargo.toml", MANIFEST);
    dir.file("src/main.rs", PROGRAM);
    let build = |flags: &[(&str, &str)]| {
        let mut command = with_cache(&dir, "cargo build -q --offline");
        for name in ["CARGO_TARGET_DIR", "RUSTFLAGS", "CARGO_ENCODED_RUSTFLAGS", "CARGO"] {
            command.env_remove(name);
        }
        Run::of(command.envs(flags.iter().copied()).output().unwrap()).succeeds();
        let program = dir.path("target/raddle/x86_64-unknown-linux-gnu/debug/threads");
        let dynamic = Command::new("readelf").arg("-d").arg(&program).output().unwrap();
        let dynamic = Run::of(dynamic).succeeds().stdout;
        let needed = dynamic.lines().find(|line| line.contains("(NEEDED)")).unwrap();
        assert!(needed.contains("libraddle_runtime.so"), "{dynamic}");
        let imports = Run::of(Command::new("nm").arg("-D").arg(&program).output().unwrap());
        assert!(imports.stdout.contains("U __tsan_func_entry"));
        Run::of(Command::new(&program).output().unwrap()).succeeds().stdout
    };
    assert_eq!(build(&[]), "14 1 false\n");
    assert_eq!(build(&[("RUSTFLAGS", "--cfg mine")]), "14 1 true\n");
    let configuration = "[target.x86_64-unknown-linux-gnu]\nrustflags = [\"--cfg\", \"mine\"]\n";
    dir.file(".cargo/config.toml", configuration);
    assert_eq!(build(&[]), "14 1 true\n");
    for flags in ["[\"--cfg\", \"mine\"]", "\"--cfg mine\""] {
        dir.file(".cargo/config.toml", format!("[build]\nrustflags = {flags}\n"));
        assert_eq!(build(&[]), "14 1 true\n");
    }
    // As without us: what is for a target hides what is for all.
    let both = "[build]\nrustflags = [\"--cfg\", \"mine\"]\n\
                [target.x86_64-unknown-linux-gnu]\nrustflags = [\"--cfg\", \"other\"]\n";
    dir.file(".cargo/config.toml", both);
    assert_eq!(build(&[]), "14 1 false\n");
}

#[test]
fn cargo_answers_for_itself_and_refuses_other_machines() {
    let dir = Dir::new();
    assert!(run(&dir, "cargo --version").succeeds().stdout.starts_with("cargo "));
    let refused = run(&dir, "cargo build --target aarch64-unknown-linux-gnu").exits(2);
    assert!(refused.stderr.contains("aarch64-unknown-linux-gnu"), "{}", refused.stderr);
    run(&dir, "cargo build").exits(101);
}
