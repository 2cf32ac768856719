//! Each program under `conformance/` does on the machine what it does when the system's C compiler
//! compiles it: the same output, the same exit status. Those under `conformance/threads` do so
//! whatever the schedule, which is tried at random a few times.
//!
//! `RADDLE_CONFORMANCE=expressions` limits the test to paths that contain this text.

use std::path::{Path, PathBuf};

use raddle_finding::Choice;
use raddle_vm::{Machine, Question};

use crate::compare::{self, random::Random};

/// How many schedules a program with threads is run by.
const N_SCHEDULES: u64 = 20;

#[test]
fn programs_do_what_the_compiled_ones_do() {
    let programs = programs();
    assert!(programs.len() > 150 || std::env::var_os("RADDLE_CONFORMANCE").is_some());
    let failures = compare::failures(&programs, |program| {
        check(program).map_err(|failure| format!("{}: {failure}", program.display()))
    });
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

fn check(program: &Path) -> Result<(), String> {
    let expected = compare::native(program)?;
    let mut machine = compare::machine(program)?;
    machine.run_default(&mut ());
    compare::compare(&expected, &compare::seen(&machine)?)?;
    if program.parent().is_some_and(|folder| folder.ends_with("threads")) {
        for seed in 0..N_SCHEDULES {
            machine.reset();
            run_at_random(&mut machine, &mut Random::new(seed));
            let same = compare::seen(&machine).and_then(|seen| compare::compare(&expected, &seen));
            same.map_err(|failure| format!("schedule {seed}: {failure}"))?;
        }
    }
    Ok(())
}

/// Chooses among the threads that can go on without a timeout, as long as there are any: a program
/// whose output depends on how long things take is not wrong.
fn run_at_random(machine: &mut Machine, random: &mut Random) {
    while let Some(question) = machine.question() {
        let choice = match question {
            Question::Thread(threads) => {
                let ready = |&thread: &u32| machine.pending(thread).is_some_and(|p| p.ready);
                let ready: Vec<u32> = threads.iter().copied().filter(ready).collect();
                match ready.as_slice() {
                    [] => machine.default_choice().unwrap(),
                    ready => Choice::Thread(*random.of(ready)),
                }
            }
            Question::Waiter(waiters) => Choice::Waiter(*random.of(waiters)),
            _ => machine.default_choice().unwrap(),
        };
        machine.answer(choice, &mut ()).unwrap();
    }
}
