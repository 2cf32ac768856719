//! Programs that are right: nothing is ever found in them.
//!
//! `RADDLE_SOUND_RUNS=100000 cargo test -p raddle-native --test all explored::sound` is the long way; by
//! default each program is run some hundred times.

use std::path::Path;

use raddle_explore::{Sample, Sampler};
use raddle_native::target::Target;

use crate::explored::{assert_no_faults, setting};
use crate::harness::facts::Facts;
use crate::harness::search::USUAL;
use crate::harness::{GCC, Workshop, for_each};

const N_RUNS: u64 = 300;

fn check(workshop: &Workshop, target: &Target) -> Result<(), String> {
    let samplers = vec![Sampler::Surw, Sampler::Pos, Sampler::Pct { depth: 3 }, Sampler::Random];
    let sample = Sample::rotating(samplers, 1);
    let n_runs = setting("RADDLE_SOUND_RUNS", N_RUNS);
    let explored = workshop.explore(target, USUAL.with_exit(), sample, n_runs)?;
    let report = &explored.report;
    match report.findings.is_empty() && report.n_lost == 0 && report.executions == n_runs {
        true => Ok(()),
        false => Err(explored.essence()),
    }
}

#[test]
fn nothing_is_found_in_repaired_programs() {
    let workshop = Workshop::new();
    let all = ["c", "cpp"].into_iter().flat_map(Facts::all);
    let clean: Vec<_> = all.filter(|facts| facts.value("verdict") == "clean").collect();
    let results = for_each(&clean, |facts| {
        let more = facts.list("flags");
        let flags: Vec<_> = ["-O1"].into_iter().chain(more.iter().map(String::as_str)).collect();
        let target = workshop.build(GCC, &facts.path, &flags)?;
        check(&workshop, &target).map_err(|error| format!("{}: {error}", facts.name()))
    });
    assert_no_faults(results);
}

#[test]
fn nothing_is_found_in_repaired_programs_in_rust() {
    let (workshop, all) = (Workshop::new(), Facts::of_rust_binaries());
    let clean: Vec<_> = all.iter().filter(|facts| facts.value("verdict") == "clean").collect();
    let results = for_each(&clean, |facts| {
        let target = workshop.build_rust(&facts.path)?;
        check(&workshop, &target).map_err(|error| format!("{}: {error}", facts.name()))
    });
    assert_no_faults(results);
}

/// Rust's standard library is not instrumented, so much of what orders threads is not seen. The one
/// race that is there is found, and no other.
#[test]
fn order_that_is_not_seen_makes_no_races() {
    const NAMES: [&str; 6] = ["condvar", "once", "park", "rwlock", "scope", "sync_channel"];
    let workshop = Workshop::new();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/rust");
    let results = for_each(&NAMES, |name| {
        let target = workshop.build_rust(&folder.join(name).with_extension("rs"))?;
        check(&workshop, &target).map_err(|error| format!("{name}: {error}"))
    });
    assert_no_faults(results);
    let target = workshop.build_rust(&folder.join("race.rs")).unwrap();
    let explored = workshop.explore(&target, USUAL, Sample::new(Sampler::Random, 1), 200).unwrap();
    let found: Vec<_> = explored.report.findings.iter().map(|found| &found.failure).collect();
    assert!(
        matches!(found[..], [only] if only.kind.name() == "race" && only.message.contains("PLAIN")),
        "{found:?}"
    );
}

/// Heavy computation, loops that wait, threads that are not joined, waits that time ends.
#[test]
fn nothing_is_found_in_programs_that_look_suspicious() {
    const NAMES: [&str; 7] = [
        "sleep_polls.c",
        "spin_atomic.c",
        "spin_compute.c",
        "thread_destructors.cpp",
        "threads_detached.c",
        "time_passes.c",
        "timeouts.c",
    ];
    let workshop = Workshop::new();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/hazards");
    let results = for_each(&NAMES, |name| {
        let target = workshop.build(GCC, &folder.join(name), &["-O1"])?;
        check(&workshop, &target).map_err(|error| format!("{name}: {error}"))
    });
    assert_no_faults(results);
}
