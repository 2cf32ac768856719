//! Programs that searches have misjudged or would if a rule was broken, as small as they can be.

use crate::program::{N_VARIABLES, Program, Statement, Wait};
use Statement as S;

fn program(name: &str, threads: &[&[Statement]]) -> (String, Program) {
    let threads = threads.iter().map(|body| body.to_vec()).collect();
    let plain = [false; N_VARIABLES];
    (name.to_owned(), Program { threads, plain, semaphore: 0, n_inputs: 2, writers_first: false })
}

/// The same beside a writer before which readers wait.
fn writers_first(name: &str, reader: &[Statement]) -> (String, Program) {
    let (name, it) = program(name, &[reader, &[S::WriteLock(vec![])]]);
    (name, Program { writers_first: true, ..it })
}

/// Waits under the first lock, until the first variable is 1.
fn wait(timed: Option<usize>) -> Statement {
    S::Wait(Wait { cond: 0, lock: 0, timed, until: Some((0, 1)) })
}

/// Programs with inputs and assumptions, which only C files have.
#[allow(dead_code, reason = "binaries have neither")]
pub fn with_inputs() -> Vec<(String, Program)> {
    vec![
        program("assumes what is never so", &[&[S::Load(0, 0), S::Assume(0, 0)]]),
        program("fails for the second input", &[&[S::Input(0), S::Assert(0, 1)]]),
    ]
}

/// All of them, by name.
pub fn programs() -> Vec<(String, Program)> {
    let wakes = S::Lock(0, vec![S::Store(0, 1), S::Signal(0)]);
    let looks = S::Loop(vec![
        S::Load(0, 0),
        S::BreakIf(0, 1),
        S::Load(1, 1),
        S::BreakIf(1, 1),
        S::Load(2, 2),
        S::BreakIf(2, 1),
    ]);
    let sets = [S::Store(1, 1), S::Store(0, 1)];
    let reads_twice = [S::ReadLock(vec![S::ReadLock(vec![])])];
    vec![
        program(
            "tries to read what is written",
            &[&[S::TryRead(0, vec![])], &[S::WriteLock(vec![])]],
        ),
        program("reads again what one wants to write", &[&reads_twice, &[S::WriteLock(vec![])]]),
        writers_first("reads again behind who waits to write", &reads_twice),
        writers_first(
            "tries to read again behind who waits to write",
            &[S::ReadLock(vec![S::TryRead(0, vec![])])],
        ),
        program(
            "tries to write what is read",
            &[&[S::TryWrite(0, vec![])], &[S::ReadLock(vec![])]],
        ),
        program(
            "runs out before it is woken, and gets the lock behind",
            &[&[wait(Some(0))], std::slice::from_ref(&wakes)],
        ),
        program(
            "runs out, so that the signal is for another one",
            &[&[wait(Some(0))], &[wait(None)], &[wakes.clone(), S::Signal(0)]],
        ),
        program("is woken in time", &[&[wait(None)], &[wakes]]),
        program(
            "tries a lock in vain",
            &[&[S::TryLock(0, 0, vec![S::Store(0, 1)])], &[S::Lock(0, vec![S::Load(0, 0)])]],
        ),
        program(
            "waits for a lock in vain",
            &[&[S::TimedLock(0, 0, vec![S::Store(0, 1)])], &[S::Lock(0, vec![S::Load(0, 0)])]],
        ),
        program(
            "takes from a semaphore in vain",
            &[&[S::SemTry(0), S::SemTimed(1)], &[S::SemPost]],
        ),
        program(
            "looks more often than anybody would guess, and gives up",
            &[
                &[S::For(60, vec![S::Load(0, 0), S::BreakIf(0, 1)]), S::Assert(0, 0)],
                &[S::Store(0, 1)],
            ],
        ),
        program(
            "looks often, and sets what another one waits for",
            &[
                &[S::For(70, vec![S::Load(0, 0)]), S::Store(1, 1)],
                &[S::While(1, 1, vec![S::Yield])],
            ],
        ),
        program(
            "waits for one of three, in rounds of three looks",
            &[std::slice::from_ref(&looks), &sets],
        ),
        program(
            "fails if the second of three looks ends the wait",
            &[&[looks.clone(), S::Assert(1, 1)], &sets],
        ),
        program(
            "gives a lock back in its round that another one waits for",
            &[
                &[S::Both(0, 1, false, vec![])],
                &[S::Lock(1, vec![S::Load(0, 0), S::Lock(0, vec![])])],
            ],
        ),
        program(
            "takes a lock, tries another one and gives the first one back",
            &[&[S::Both(0, 1, false, vec![])], &[S::Both(1, 0, false, vec![])]],
        ),
        program(
            "looks often and gives up",
            &[
                &[S::For(6, vec![S::Load(0, 0), S::BreakIf(0, 1)]), S::Assert(0, 0)],
                &[S::Store(0, 1)],
            ],
        ),
    ]
}
