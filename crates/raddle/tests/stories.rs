//! Stories, step by step: what they show, where they end, and why threads do not go on.

use raddle::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use raddle::sync::{Arc, Condvar, Mutex};
use raddle::{Config, Search, thread};

/// Compares the steps of what is found first, without places and names of objects.
#[track_caller]
fn check(f: fn(), expected: &[&str]) {
    let report = Config::new().search(Search::Bounded).explore(f);
    let story = report.findings[0].story();
    let bare = |line: &str| {
        let words = line.split_whitespace().filter(|word| !word.contains(".rs:"));
        words.collect::<Vec<_>>().join(" ")
    };
    let steps: Vec<_> = story.lines().skip(1).map(bare).collect();
    assert_eq!(steps, expected, "\n{story}");
}

#[test]
fn a_panic_is_the_end_and_not_what_is_unwound() {
    let f = || {
        let lock = Arc::new(Mutex::new(0));
        let other = lock.clone();
        let thread = thread::spawn(move || {
            let mut guard = other.lock().unwrap();
            *guard = 7;
            assert!(*guard == 0);
        });
        let _ = thread.join();
    };
    let expected =
        ["starts thread 1", "waits for the end of thread 1", "locks = 0", "▶ the assertion fails"];
    check(f, &expected);
}

#[test]
fn a_thread_without_a_name_is_called_one_once() {
    let report = Config::new().explore(|| thread::spawn(|| panic!("no")).join().unwrap());
    let text = report.findings[0].to_string();
    assert!(
        text.starts_with("crash: no\n  at crates/raddle/tests/stories.rs:39, thread 1\n"),
        "{text}"
    );
}

#[test]
fn who_waited_is_told_although_what_it_waited_for_came() {
    let f = || {
        let lock = Arc::new(Mutex::new(0));
        let other = lock.clone();
        let first = thread::spawn(move || *other.lock().unwrap() += 1);
        let second = thread::spawn(move || {
            let guard = lock.lock().unwrap();
            assert!(*guard == 0);
        });
        first.join().unwrap();
        second.join().unwrap();
    };
    let expected = [
        "starts thread 1",
        "starts thread 2",
        "waits for the end of thread 1",
        "locks = 0",
        "unlocks = 1",
        "ends",
        "locks = 1",
        "▶ the assertion fails",
    ];
    check(f, &expected);
}

#[test]
fn who_was_notified_before_the_end_waited_for_the_condition() {
    let f = || {
        let shared = Arc::new((Mutex::new(1), Condvar::new()));
        let other = shared.clone();
        let first = thread::spawn(move || {
            let mut guard = other.0.lock().unwrap();
            *guard = 2;
            drop(other.1.wait(guard));
        });
        let second = thread::spawn(move || {
            let guard = shared.0.lock().unwrap();
            shared.1.notify_one();
            assert!(*guard == 1);
        });
        first.join().unwrap();
        second.join().unwrap();
    };
    let expected = [
        "starts thread 1",
        "starts thread 2",
        "waits for the end of thread 1",
        "locks = 1",
        "waits on",
        "unlocks = 2",
        "waits for",
        "locks = 2",
        "signals",
        "▶ the assertion fails",
    ];
    check(f, &expected);
}

#[test]
fn the_value_of_a_lock_is_told_before_and_after_a_wait() {
    let f = || {
        let shared = Arc::new((Mutex::new(0), Condvar::new()));
        let other = shared.clone();
        let thread = thread::spawn(move || {
            *other.0.lock().unwrap() += 10;
            other.1.notify_all();
        });
        let mut guard = shared.0.lock().unwrap();
        *guard = 1;
        guard = shared.1.wait(guard).unwrap();
        assert!(*guard == 1);
        drop(guard);
        thread.join().unwrap();
    };
    let expected = [
        "starts thread 1",
        "locks = 0",
        "waits on",
        "unlocks = 1",
        "waits for",
        "locks = 1",
        "unlocks = 11",
        "broadcasts",
        "ends",
        "locks = 11",
        "wakes up from",
        "▶ the assertion fails",
    ];
    check(f, &expected);
}

#[test]
fn who_gives_way_does_not_wait() {
    let f = || {
        let (lock, n) = (Arc::new(Mutex::new(0)), Arc::new(AtomicUsize::new(0)));
        let (other, seen) = (lock.clone(), n.clone());
        let thread = thread::spawn(move || {
            drop(other.lock());
            seen.store(1, SeqCst);
        });
        thread::yield_now();
        drop(lock.lock());
        assert!(n.load(SeqCst) == 0);
        thread.join().unwrap();
    };
    let expected = [
        "starts thread 1",
        "locks = 0",
        "unlocks",
        "writes = 1",
        "ends",
        "yields",
        "locks = 0",
        "unlocks",
        "reads = 1",
        "▶ the assertion fails",
    ];
    check(f, &expected);
}

#[test]
fn who_asks_for_a_lock_in_vain_is_said_to_wait_while_others_go_on() {
    let f = || {
        let [a, b] = [(); 2].map(|()| Arc::new(Mutex::new(())));
        let (first, second) = (a.clone(), b.clone());
        let one = thread::spawn(move || {
            let _a = first.lock().unwrap();
            let _b = second.lock().unwrap();
        });
        let other = thread::spawn(move || {
            let _b = b.lock().unwrap();
            thread::spawn(|| ()).join().unwrap();
            let _a = a.lock().unwrap();
        });
        one.join().unwrap();
        other.join().unwrap();
    };
    let expected = [
        "starts thread 1",
        "starts thread 2",
        "waits for the end of thread 1",
        "locks",
        "starts thread 3",
        "waits for the end of thread 3",
        "ends",
        "locks",
        "waits for held by thread 2",
        "joins thread 3",
        "▶ asks for",
        "▶ asks for",
    ];
    check(f, &expected);
}
