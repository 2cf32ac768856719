//! What takes a process of its own: the environment, a terminal, a stack that overflows.
//!
//! Each test runs itself again as a child, with a variable that says so.

use std::fs::File;
use std::io::Read;
use std::os::fd::{FromRawFd, OwnedFd};
use std::process::{Command, Stdio};
use std::ptr::{null, null_mut};

use libc::openpty;
use raddle::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use raddle::sync::{Arc, Mutex};
use raddle::{Config, Search, thread};
use raddle_needs::start;

const CHILD: &str = "RADDLE_TEST_CHILD";

fn is_child() -> bool {
    std::env::var_os(CHILD).is_some()
}

fn command(test: &str, variables: &[(&str, &str)]) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", &format!("processes::{test}"), "--nocapture"]).env(CHILD, "1");
    command.envs(variables.iter().copied());
    command
}

/// Whether a test passes with these variables, and all that it prints.
fn run(test: &str, variables: &[(&str, &str)]) -> (bool, String) {
    let output = command(test, variables).output().unwrap();
    let text = [output.stdout, output.stderr].concat();
    (output.status.success(), String::from_utf8(text).unwrap())
}

#[track_caller]
fn has(text: &str, part: &str) {
    assert!(text.contains(part), "{part} is missing in\n{text}");
}

/// Fails with one preemption.
fn lost_update() {
    let n = Arc::new(AtomicUsize::new(0));
    let other = n.clone();
    let add = |n: &AtomicUsize| n.store(n.load(SeqCst) + 1, SeqCst);
    let thread = thread::spawn(move || add(&other));
    add(&n);
    thread.join().unwrap();
    assert_eq!(n.load(SeqCst), 2, "an update is lost");
}

/// Has more interleavings than can be waited for.
fn endless() {
    let n = Arc::new(AtomicUsize::new(0));
    let start = |_| {
        let n = n.clone();
        thread::spawn(move || {
            for _ in 0..20 {
                n.fetch_add(1, SeqCst);
            }
        })
    };
    let threads: Vec<_> = (0..4).map(start).collect();
    threads.into_iter().for_each(|thread| thread.join().unwrap());
}

#[test]
fn a_schedule_in_the_environment_is_replayed() {
    let name = "a_schedule_in_the_environment_is_replayed";
    if is_child() {
        return raddle::check(lost_update);
    }
    let (passes, text) = run(name, &[]);
    assert!(!passes);
    let (_, schedule) = text.split_once("RADDLE_REPLAY=").unwrap();
    let (schedule, _) = schedule.split_once(' ').unwrap();
    let (passes, text) = run(name, &[("RADDLE_REPLAY", schedule)]);
    assert!(!passes);
    has(&text, "an update is lost");
    has(&text, "one schedule was replayed");
    let (passes, text) = run(name, &[("RADDLE_REPLAY", "nonsense")]);
    assert!(!passes);
    has(&text, "nonsense");
}

#[test]
fn a_bound_in_the_environment_is_kept() {
    let name = "a_bound_in_the_environment_is_kept";
    if is_child() {
        return raddle::check(lost_update);
    }
    let (passes, text) = run(name, &[("RADDLE_BOUND", "0")]);
    assert!(passes, "{text}");
    has(&text, "no execution without preemptions fails");
    let (passes, text) = run(name, &[("RADDLE_BOUND", "1")]);
    assert!(!passes);
    has(&text, "an update is lost");
    let (passes, text) = run(name, &[("RADDLE_BOUND", "one")]);
    assert!(!passes);
    has(&text, "RADDLE_BOUND=one: invalid digit");
}

#[test]
fn a_budget_in_the_environment_is_kept() {
    let name = "a_budget_in_the_environment_is_kept";
    if is_child() {
        return raddle::check(endless);
    }
    let (passes, text) = run(name, &[("RADDLE_BUDGET", "77")]);
    assert!(passes, "{text}");
    has(&text, "nothing is covered: 77 executions were tried (ended by runs)");
    let (passes, text) = run(name, &[("RADDLE_BUDGET", "1s")]);
    assert!(passes, "{text}");
    has(&text, "(ended by time)");
}

#[test]
fn a_seed_in_the_environment_decides_what_is_drawn() {
    let name = "a_seed_in_the_environment_decides_what_is_drawn";
    if is_child() {
        let config = Config::new().search(Search::Random).runs(30).quiet();
        return config.check(|| {
            let n = Arc::new(Mutex::new(Vec::new()));
            let start = |number| {
                let n = n.clone();
                thread::spawn(move || n.lock().unwrap().push(number))
            };
            let threads: Vec<_> = (0..4).map(start).collect();
            threads.into_iter().for_each(|thread| thread.join().unwrap());
            println!("order {:?}", n.lock().unwrap());
        });
    }
    let orders = |seed: &str| {
        let (passes, text) = run(name, &[("RADDLE_SEED", seed)]);
        assert!(passes, "{text}");
        text.lines().filter(|line| line.starts_with("order")).map(str::to_owned).collect::<Vec<_>>()
    };
    let one = orders("1");
    assert!(one.len() >= 30);
    assert_eq!(one, orders("1"));
    assert_ne!(one, orders("2"));
}

#[test]
fn progress_is_shown_on_a_terminal_only() {
    let name = "progress_is_shown_on_a_terminal_only";
    if is_child() {
        return raddle::check(endless);
    }
    let (mut ours, mut theirs) = (0, 0);
    // SAFETY: both descriptors are written to numbers that are here; nothing else is asked for.
    let opened = unsafe { openpty(&raw mut ours, &raw mut theirs, null_mut(), null(), null()) };
    assert_eq!(opened, 0);
    // SAFETY: they were just opened, and are used nowhere else.
    let (mut ours, theirs) = unsafe { (File::from_raw_fd(ours), OwnedFd::from_raw_fd(theirs)) };
    let mut command = command(name, &[("RADDLE_BUDGET", "3s")]);
    let mut child = start(command.stdout(Stdio::null()).stderr(theirs));
    drop(command); // It has the child's side of the terminal, which has to close with the child.
    let mut bytes = Vec::new();
    let mut part = [0; 1024];
    while let Ok(n @ 1..) = ours.read(&mut part) {
        bytes.extend_from_slice(&part[..n]);
    }
    assert!(child.wait().unwrap().success());
    let text = String::from_utf8(bytes).unwrap();
    has(&text, "\r\x1b[2Kraddle: processes::progress_is_shown_on_a_terminal_only: ");
    has(&text, " executions");
    let (_, text) = run(name, &[("RADDLE_BUDGET", "2s")]);
    assert!(!text.contains('\r'), "{text}");
}

/// Calls itself until the stack is used up.
#[allow(unconditional_recursion, reason = "that is the point")]
fn deep(n: usize) -> usize {
    let room = std::hint::black_box([n; 64]);
    deep(n + 1) + room[n % 64]
}

#[test]
fn a_stack_that_overflows_is_told() {
    let name = "a_stack_that_overflows_is_told";
    if is_child() {
        return raddle::check(|| {
            drop(thread::spawn(|| {
                thread::yield_now();
                deep(0)
            }));
        });
    }
    let (passes, text) = run(name, &[]);
    assert!(!passes);
    has(&text, "thread 1 of the test has overflowed its stack of 256 KiB");
    has(&text, "its last point was at crates/raddle/tests/processes.rs:");
    has(&text, "Use Config::stack_size to make it larger");
}

/// A fault that has nothing to do with stacks ends the process as it would without this crate.
#[test]
fn another_fault_is_none_of_that() {
    if is_child() {
        return raddle::check(|| {
            let thread = thread::spawn(|| {
                let nowhere = std::hint::black_box(64 as *const u8);
                // SAFETY: it is not: that is the point.
                unsafe { std::ptr::read_volatile(nowhere) }
            });
            drop(thread.join());
        });
    }
    let output = command("another_fault_is_none_of_that", &[]).output().unwrap();
    use std::os::unix::process::ExitStatusExt;
    assert_eq!(output.status.signal(), Some(libc::SIGSEGV));
    assert!(!String::from_utf8(output.stderr).unwrap().contains("overflowed"));
}
