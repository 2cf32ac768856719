//! Threads do what the documentation of `std` says.

use std::cell::{Cell, RefCell};
use std::time::Duration;

use crate::shared::{check, finding, outcomes};
use raddle::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use raddle::sync::{Arc, Mutex};
use raddle::time::Instant;
use raddle::{Config, Search, hint, thread};

#[test]
fn scoped_threads_borrow() {
    check(
        || {
            let mut numbers = vec![1, 2, 3];
            let mut sum = 0;
            thread::scope(|scope| {
                let thread = scope.spawn(|| numbers.iter().sum::<i32>());
                scope.spawn(|| assert_eq!(numbers.len(), 3));
                sum = thread.join().unwrap();
            });
            numbers.push(sum);
            format!("{numbers:?}")
        },
        &["[1, 2, 3, 6]"],
    );
}

#[test]
fn a_scope_waits_for_its_threads() {
    check(
        || {
            let n = AtomicUsize::new(0);
            thread::scope(|scope| {
                scope.spawn(|| _ = n.fetch_add(1, SeqCst));
                scope.spawn(|| _ = n.fetch_add(1, SeqCst));
            });
            n.load(SeqCst).to_string()
        },
        &["2"],
    );
}

#[test]
fn a_scope_panics_if_a_thread_did_that_nobody_joined() {
    let all = outcomes(Config::new().panics_are_results(), || {
        let joined = thread::scope(|scope| scope.spawn(|| panic!("one")).join().is_err());
        let unjoined = std::panic::catch_unwind(|| {
            thread::scope(|scope| drop(scope.spawn(|| panic!("other"))));
        });
        format!("{joined} {}", unjoined.is_err())
    });
    assert_eq!(all, ["true true"]);
}

#[test]
fn an_unpark_before_a_park_is_not_lost() {
    check(
        || {
            let flag = Arc::new(AtomicBool::new(false));
            let other = flag.clone();
            let thread = thread::spawn(move || {
                while !other.load(SeqCst) {
                    thread::park();
                }
            });
            flag.store(true, SeqCst);
            thread.thread().unpark();
            thread.join().unwrap();
            String::new()
        },
        &[""],
    );
}

#[test]
fn a_park_that_nobody_ends_is_a_deadlock() {
    let report = Config::new().explore(|| thread::spawn(thread::park).join().unwrap());
    let (kind, message) = finding(&report);
    assert_eq!(kind, "deadlock");
    assert!(message.contains("thread 1 waits to be unparked"), "{message}");
    let waits = Config::new().allow_blocked_threads().explore(|| drop(thread::spawn(thread::park)));
    assert!(waits.findings.is_empty(), "a thread may be left if that was allowed");
    let waits = Config::new().explore(|| drop(thread::spawn(thread::park)));
    assert_eq!(finding(&waits).0, "deadlock");
}

#[test]
fn a_park_with_a_time_ends() {
    check(
        || {
            let thread = thread::spawn(|| thread::park_timeout(Duration::from_secs(3)));
            thread.join().unwrap();
            String::new()
        },
        &[""],
    );
}

#[test]
fn names_and_identities() {
    check(
        || {
            let main = thread::current();
            let builder = thread::Builder::new().name("worker".to_owned());
            let thread = builder.spawn(|| thread::current().name().map(str::to_owned)).unwrap();
            assert_ne!(main.id(), thread.thread().id());
            let name = thread.join().unwrap();
            format!("{:?} {name:?}", main.name())
        },
        &["Some(\"main\") Some(\"worker\")"],
    );
}

raddle::thread_local! {
    static NUMBER: Cell<u32> = const { Cell::new(5) };
    static DROPS: RefCell<Option<Tell>> = RefCell::new(None);
}

struct Tell(Arc<Mutex<u32>>);

impl Drop for Tell {
    fn drop(&mut self) {
        *self.0.lock().unwrap() += 1;
    }
}

#[test]
fn each_thread_has_its_own_locals_and_drops_them_at_its_end() {
    check(
        || {
            let dropped = Arc::new(Mutex::new(0));
            let other = dropped.clone();
            NUMBER.set(6);
            let thread = thread::spawn(move || {
                DROPS.replace(Some(Tell(other)));
                NUMBER.replace(8)
            });
            let theirs = thread.join().unwrap();
            format!("{} {theirs} {}", NUMBER.get(), *dropped.lock().unwrap())
        },
        &["6 5 1"],
    );
}

#[test]
fn time_is_virtual_and_passes() {
    check(
        || {
            let begin = Instant::now();
            let thread = thread::spawn(|| thread::sleep(Duration::from_secs(3600)));
            thread.join().unwrap();
            let slept = begin.elapsed() >= Duration::from_secs(3600);
            while begin.elapsed() < Duration::from_secs(7200) {
                hint::spin_loop();
            }
            slept.to_string()
        },
        &["true"],
    );
}

#[test]
fn spinning_until_a_flag_is_set_ends() {
    check(
        || {
            let flag = Arc::new(AtomicBool::new(false));
            let other = flag.clone();
            let thread = thread::spawn(move || other.store(true, SeqCst));
            while !flag.load(SeqCst) {}
            thread.join().unwrap();
            String::new()
        },
        &[""],
    );
}

/// Who spins is left for nothing while others can go on, and every time that is counted.
#[test]
fn switches_away_from_threads_that_spin_are_counted() {
    let spinning = |n_others: usize| {
        let report = Config::new().search(Search::Bounded).bound(0).explore(move || {
            let flag = Arc::new(AtomicBool::new(false));
            let others: Vec<_> = (0..n_others)
                .map(|_| {
                    let flag = flag.clone();
                    thread::spawn(move || flag.store(true, SeqCst))
                })
                .collect();
            while !flag.load(SeqCst) {}
            others.into_iter().for_each(|other| other.join().unwrap());
        });
        assert!(report.findings.is_empty(), "{}", report.summary());
        (report.spins, report.executions)
    };
    assert_eq!(
        spinning(1),
        (2, 3),
        "at each point of two rounds, and behind them there is no choice"
    );
    assert_eq!(spinning(2), (13, 13), "at each point of two rounds, for each of the others");
}

#[test]
fn spinning_for_what_never_comes_is_a_livelock() {
    let report = Config::new().allow_sequential().explore(|| {
        let flag = AtomicBool::new(false);
        while !flag.load(SeqCst) {
            hint::spin_loop();
        }
    });
    assert_eq!(finding(&report).0, "livelock");
}

#[test]
fn more_threads_than_a_word_has_bits() {
    let report = Config::new().runs(10).explore(|| {
        let n = Arc::new(AtomicUsize::new(0));
        let start = |_| {
            let n = n.clone();
            thread::spawn(move || n.fetch_add(1, SeqCst))
        };
        let threads: Vec<_> = (0..100).map(start).collect();
        threads.into_iter().for_each(|thread| _ = thread.join().unwrap());
        assert_eq!(n.load(SeqCst), 100);
    });
    assert!(report.findings.is_empty() && report.threads == 101);
}

#[test]
fn a_thread_that_panics_is_a_finding_where_it_does() {
    let report = Config::new().explore(|| drop(thread::spawn(|| panic!("on purpose")).join()));
    assert_eq!(finding(&report), ("panic", "on purpose"));
    assert!(report.findings[0].places[0].contains("tests/threads.rs"));
}
