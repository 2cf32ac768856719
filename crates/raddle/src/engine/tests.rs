//! Executions of which only the end is wanted are those that are described.

use std::panic::Location;
use std::sync::Mutex as Log;

use raddle_explore::Outcome;

use super::*;
use crate::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use crate::sync::{Condvar, Mutex};
use crate::thread;

/// Threads that all change an atomic, take a mutex, and wake each other; they log who they are.
fn program(n: usize, log: Arc<Log<Vec<usize>>>) -> impl Fn() + Send + Sync {
    move || {
        let shared = Arc::new((AtomicUsize::new(0), Mutex::new(0), Condvar::new()));
        let start = |number: usize| {
            let (shared, log) = (shared.clone(), log.clone());
            thread::spawn(move || {
                let note = || log.lock().unwrap().push(number);
                shared.0.fetch_add(1, SeqCst);
                note();
                let mut n_inside = shared.1.lock().unwrap();
                *n_inside += 1;
                note();
                while *n_inside < 3 {
                    n_inside = shared.2.wait(n_inside).unwrap();
                    note();
                }
                shared.2.notify_one();
                shared.0.load(SeqCst);
                note();
            })
        };
        let threads: Vec<_> = (0..n).map(start).collect();
        threads.into_iter().for_each(|thread| thread.join().unwrap());
    }
}

#[track_caller]
fn engine(program: Program) -> RustEngine {
    let rules = Rules {
        spurious: false,
        panics_are_results: false,
        may_leave_blocked: false,
        n_points_max: 100_000,
        shows_panics: false,
    };
    let id = "tests".parse().unwrap();
    RustEngine::new(program, id, rules, 64 << 10, Location::caller())
}

/// What an execution logs, and how it ends.
fn executed(n: usize, policy: &Policy, ends_only: bool) -> (Vec<usize>, Run) {
    let log = Arc::new(Log::new(Vec::new()));
    let mut engine = engine(Arc::new(program(n, log.clone())));
    let observe = Observe { operations: true, ends_only, ..Observe::default() };
    let plan = Plan { policy: policy.clone(), observe, ..Plan::default() };
    let mut run = Run::new();
    engine.run(&plan, &(), &mut run).unwrap();
    let log = std::mem::take(&mut *log.lock().unwrap());
    (log, run)
}

#[track_caller]
fn check(n: usize, policy: &Policy) {
    let (described, run) = executed(n, policy, false);
    let (ended, lean) = executed(n, policy, true);
    assert_eq!(lean.outcome, run.outcome);
    if run.outcome == Outcome::Passed {
        assert_eq!(ended, described);
        assert!(lean.points().is_empty());
        assert_eq!(lean.left_out.points as usize, run.points().len());
        assert_eq!(lean.left_out.threads as usize, n + 1);
    } else {
        // It was executed twice.
        assert_eq!(ended, [&described[..], &described[..]].concat());
        assert_eq!(lean, run);
    }
}

#[test]
fn the_same_is_drawn_whether_points_are_described_or_not() {
    for seed in 0..50 {
        check(3, &Policy::Random { seed });
        check(3, &Policy::Pct { seed, depth: 3, n_points: 40 });
        check(3, &Policy::Pos { seed });
    }
}

#[test]
fn more_threads_than_a_set_has() {
    (0..3).for_each(|seed| check(70, &Policy::Random { seed }));
}

#[test]
fn a_world_that_another_engine_had_is_like_a_new_one() {
    struct Shared(crate::cell::UnsafeCell<u32>);
    // SAFETY: threads of an execution run on one thread of the system.
    unsafe impl Sync for Shared {}
    impl Shared {
        fn touch(&self) {
            self.0.with_mut(|_| ());
        }
    }
    let races = || {
        let cell = Arc::new(Shared(crate::cell::UnsafeCell::new(0)));
        let other = cell.clone();
        let thread = thread::spawn(move || other.touch());
        cell.touch();
        thread.join().unwrap();
    };
    let observe = Observe { races: true, operations: true, ..Observe::default() };
    let plan = Plan { observe, ..Plan::default() };
    let (mut first, mut second) = (Run::new(), Run::new());
    let mut one = engine(Arc::new(races));
    one.run(&plan, &(), &mut first).unwrap();
    assert!(one.promote(&first.races.clone()));
    one.make_all_points();
    one.tell(&plan, &mut second).unwrap();
    assert!(second.points().len() > first.points().len());
    drop(one);
    engine(Arc::new(races)).run(&plan, &(), &mut second).unwrap();
    assert_eq!(second, first);
}

#[test]
fn the_execution_without_preemptions_must_be_the_same_each_time() {
    let n = std::sync::atomic::AtomicUsize::new(0);
    let mut engine = engine(Arc::new(move || {
        let is_last = n.fetch_add(1, std::sync::atomic::Ordering::Relaxed) == 2;
        AtomicUsize::new(0).load(SeqCst);
        assert!(!is_last, "only the third one fails");
    }));
    let mut run = Run::new();
    let asleep = Plan { policy: Policy::Awake { asleep: Vec::new() }, ..Plan::default() };
    assert_eq!(engine.run(&Plan::default(), &(), &mut run), Ok(()));
    assert_eq!(engine.run(&asleep, &(), &mut run), Ok(()));
    let error = engine.run(&asleep, &(), &mut run).unwrap_err();
    assert!(error.to_string().contains("differ in how they end"), "{error}");
}
