//! Loops: those that are left by themselves lose no execution, those that are not cost no preemption.
//!
//! Each program fails at the bound that is stated, or not at all, whichever way its runs are made.

use std::path::Path;

use crate::explored::assert_no_faults;
use crate::harness::search::{FORKED, SPAWNED, THREADS, USUAL, Way};
use crate::harness::{GCC, Workshop, for_each};

/// What a program does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Does {
    /// It fails like this, without preemptions.
    Fails(&'static str),
    /// It fails like this with one preemption.
    FailsPreempted(&'static str),
    /// It never fails.
    Passes,
    /// It never fails, if a loop is endless.
    PassesIfEndless,
}

use Does::{Fails, FailsPreempted, Passes, PassesIfEndless};

/// The programs of `loops.c`, by number.
const PROGRAMS: [(&str, Does); 15] = [
    ("a loop that looks so often, then asserts", Fails("assertion")),
    ("a loop with three looks, left between them", Fails("assertion")),
    ("a loop that depends on what a library keeps to itself", Fails("assertion")),
    ("one function with a bounded and an endless caller", FailsPreempted("assertion")),
    ("a lock that is only tried so often", FailsPreempted("assertion")),
    ("an endless loop that counts in shared memory", PassesIfEndless),
    ("an endless loop that counts in a register", PassesIfEndless),
    ("an endless loop that yields", Passes),
    ("an endless loop that sleeps", Passes),
    ("an endless loop of waits that run out", Passes),
    ("a lock by compare and exchange", Passes),
    ("a loop that takes a lock and gives it back", Passes),
    ("two threads that wait for each other", Fails("livelock")),
    ("a thread that looks for long before it sets the flag of another", Passes),
    ("a flag on the stack of another thread", Passes),
];

fn check(workshop: &Workshop, way: Way, level: &str, program: usize) -> Result<(), String> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/spinning/loops.c");
    let flags = [level.to_owned(), format!("-DPROGRAM={program}")];
    let flags = flags.each_ref().map(String::as_str);
    let target = workshop.build(GCC, &source, &flags)?;
    let (name, does) = PROGRAMS[program];
    let fails = |bound: u32, kind: &str| (Some(bound), kind.to_owned());
    let (expected, bound) = match does {
        Fails(kind) => (Some(fails(0, kind)), 0),
        FailsPreempted(kind) => (Some(fails(1, kind)), 1),
        Passes | PassesIfEndless => (None, 1),
    };
    let explored = workshop.explore_to(&target, way, bound, 3_000)?;
    let first = explored.first_failure().map(|first| (first.bound, first.failure.kind.to_string()));
    let report = &explored.report;
    let is_endless = !report.endless.is_empty();
    let is_right = first == expected
        && report.n_lost == 0
        && (is_endless == (does == PassesIfEndless) || way.model.is_some());
    match is_right {
        true => Ok(()),
        false => {
            Err(format!("{name} ({level}, {way:?}): {} {:?}", explored.essence(), report.endless))
        }
    }
}

#[test]
fn loops_are_left_where_they_can_be() {
    let workshop = Workshop::new();
    let programs: Vec<_> = (0..PROGRAMS.len()).flat_map(|it| [("-O0", it), ("-O2", it)]).collect();
    assert_no_faults(for_each(&programs, |&(level, it)| check(&workshop, USUAL, level, it)));
}

#[test]
fn loops_are_the_same_however_runs_are_made() {
    let workshop = Workshop::new();
    let programs: Vec<_> =
        (0..PROGRAMS.len()).filter(|&it| !matches!(PROGRAMS[it].1, PassesIfEndless)).collect();
    for way in [FORKED, THREADS] {
        assert_no_faults(for_each(&programs, |&it| check(&workshop, way, "-O1", it)));
    }
    // A process for every run takes long.
    let short = [0, 1, 12];
    assert_no_faults(for_each(&short, |&it| check(&workshop, SPAWNED, "-O1", it)));
}
