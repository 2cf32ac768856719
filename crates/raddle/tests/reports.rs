//! What a check says: the interleaving, what was covered, how to replay it, and why a closure
//! cannot be checked.

#![allow(clippy::unwrap_used, reason = "tests")]

mod shared;

use std::sync::atomic as std_atomic;

use raddle::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use raddle::sync::{Arc, Mutex};
use raddle::{Config, Search, thread};
use shared::finding;

fn lost_update() {
    let n = Arc::new(AtomicUsize::new(0));
    let other = n.clone();
    let thread = thread::spawn(move || {
        let old = other.load(SeqCst);
        other.store(old + 1, SeqCst);
    });
    let old = n.load(SeqCst);
    n.store(old + 1, SeqCst);
    thread.join().unwrap();
    assert_eq!(n.load(SeqCst), 2, "an update is lost");
}

fn opposite_orders() {
    let (one, other) = (Arc::new(Mutex::new(())), Arc::new(Mutex::new(())));
    let (one_2, other_2) = (one.clone(), other.clone());
    let thread = thread::spawn(move || {
        let _one = one_2.lock().unwrap();
        let _other = other_2.lock().unwrap();
    });
    let guard = other.lock().unwrap();
    drop(one.lock().unwrap());
    drop(guard);
    thread.join().unwrap();
}

fn message(f: impl FnOnce() + std::panic::UnwindSafe) -> String {
    let payload = std::panic::catch_unwind(f).expect_err("it fails");
    *payload.downcast::<String>().unwrap()
}

#[test]
fn a_failing_check_tells_the_interleaving() {
    let text = message(|| Config::new().quiet().check(lost_update));
    for part in [
        "assertion: assertion `left == right` failed: an update is lost",
        "at crates/raddle/tests/reports.rs:25, thread main",
        "1 preemption, the fewest possible; ",
        "25 |     assert_eq!(n.load(SeqCst), 2, \"an update is lost\");",
        "reads atomic@reports.rs:16 = 0",
        "writes atomic@reports.rs:16 = 1",
        "── interrupted here: preemption 1 ──",
        "▶ reports.rs:25  the assertion fails",
        "replay: RADDLE_REPLAY=rs1:",
    ] {
        assert!(text.contains(part), "{part} is missing in\n{text}");
    }
}

#[test]
fn without_shrinking_a_finding_is_told_as_it_was_found() {
    let report = Config::new().shrink(false).explore(lost_update);
    assert_eq!(finding(&report).0, "panic");
    assert!(!report.findings[0].is_minimal);
}

#[test]
fn values_of_locks_are_told_where_their_type_is_known() {
    struct Own;
    let report = Config::new().explore(|| {
        let lock = Arc::new((Mutex::new(3), Mutex::new(Own)));
        let other = lock.clone();
        drop(lock.1.lock());
        thread::spawn(move || *other.0.lock().unwrap() += 4).join().unwrap();
        assert_eq!(*lock.0.lock().unwrap(), 3);
    });
    let story = report.findings[0].story();
    for part in [
        " locks mutex@reports.rs:75:30 = 3\n",
        " unlocks mutex@reports.rs:75:30 = 7\n",
        " locks mutex@reports.rs:75:30 = 7\n",
        " locks mutex@reports.rs:75:45\n",
    ] {
        assert!(story.contains(part), "{part} is missing in\n{story}");
    }
}

#[test]
fn a_deadlock_names_its_circle_and_where_locks_were_made() {
    let report = Config::new().explore(opposite_orders);
    let (kind, message) = finding(&report);
    assert_eq!(kind, "deadlock");
    for part in [
        "main waits where it locks mutex (crates/raddle/tests/reports.rs:29:34)",
        "which thread 1 holds, taken at crates/raddle/tests/reports.rs:32:",
        "in a cycle: main \u{2192} thread 1 \u{2192} main",
    ] {
        assert!(message.contains(part), "{part} is missing in\n{message}");
    }
    let story = report.findings[0].story();
    for part in
        ["▶ reports.rs:36  asks for mutex@reports.rs:29:34", "asks for mutex@reports.rs:29:60"]
    {
        assert!(story.contains(part), "{story}");
    }
    assert!(!story.contains("unlocks"), "what comes after the end is no part of it\n{story}");
}

#[test]
fn a_schedule_replays_to_the_same_end() {
    let replay =
        |config: Config| [config.clone().explore(lost_update), config.explore(opposite_orders)];
    for found in replay(Config::new()) {
        let schedule = &found.findings[0].schedule;
        let again = replay(Config::new().replay(schedule));
        let again = again.iter().find(|report| report.executions == 1).expect("it is one of them");
        assert_eq!(finding(again), finding(&found));
        assert_eq!(again.findings[0].story(), found.findings[0].story());
    }
}

#[test]
fn a_schedule_of_another_program_is_left_aside() {
    let found = Config::new().explore(lost_update);
    let schedule = found.findings[0].schedule.clone();
    let report = Config::new().replay(&schedule).explore(|| {
        thread::spawn(|| {}).join().unwrap();
    });
    assert!(report.findings.is_empty() && report.exhausted);
}

#[test]
#[should_panic = "the schedule does not match"]
fn a_schedule_that_does_not_fit_is_refused() {
    let found = Config::new().explore(lost_update);
    let schedule = found.findings[0].schedule.clone() + ",7";
    Config::new().replay(&schedule).explore(lost_update);
}

#[test]
fn a_summary_says_what_was_covered() {
    let all = Config::new().explore(|| drop(thread::spawn(|| {}).join()));
    let summary = all.summary();
    assert!(summary.starts_with("proved: no execution fails; "), "{summary}");
    let config = Config::new().search(Search::Bounded).bound(1).findings(usize::MAX);
    let some = config.explore(lost_update);
    let summary = some.summary();
    assert!(
        summary.contains(
            "covered: every execution with at most 1 preemption; they show nothing but the findings"
        ),
        "{summary}"
    );
    let few = Config::new().search(Search::Random).runs(3).findings(usize::MAX);
    let summary = few.explore(opposite_orders).summary();
    assert!(summary.starts_with("nothing is covered: 3 executions were tried"), "{summary}");
}

#[test]
fn the_result_is_the_same_every_time_and_for_any_number_of_jobs() {
    let program = || {
        let n = Arc::new(Mutex::new(0));
        let start = |_| {
            let n = n.clone();
            thread::spawn(move || *n.lock().unwrap() += 1)
        };
        let threads: Vec<_> = (0..3).map(start).collect();
        threads.into_iter().for_each(|thread| thread.join().unwrap());
    };
    let describe = |config: Config, program: fn()| {
        let report = config.unlimited().findings(9).explore(program);
        let findings: Vec<_> = report.findings.iter().map(ToString::to_string).collect();
        (report.executions, report.exhausted, report.bounds, findings)
    };
    for program in [program as fn(), lost_update] {
        let two = describe(Config::new().jobs(2), program);
        assert!(two.1);
        assert_eq!(two, describe(Config::new().jobs(3), program));
        assert_eq!(describe(Config::new(), program), describe(Config::new(), program));
    }
}

#[test]
fn a_report_is_written_in_the_form_of_its_name() {
    let folder = tempfile::tempdir().unwrap();
    let explore = |name: &str| {
        let path = folder.path().join(name).display().to_string();
        Config::new().report(path).explore(lost_update);
    };
    let cases = [
        ("{test}.json", "a_report_is_written_in_the_form_of_its_name.json", "{\n  \"schema\": "),
        ("new/r.html", "new/r.html", "<!doctype html>"),
        ("r.sarif", "r.sarif", "{\n  \"$schema\": "),
    ];
    for (asked, name, begin) in cases {
        explore(asked);
        let text = std::fs::read_to_string(folder.path().join(name)).unwrap();
        assert!(text.starts_with(begin), "{name}: {text:.40}");
        assert!(text.contains("an update is lost") && text.contains("old + 1"), "{name}");
    }
    let random = Config::new().search(Search::Random).runs(2).explore(opposite_orders).to_json();
    assert!(random.contains("\"strategy\": \"random\""), "{random}");
    let text = message(move || explore("r.pdf"));
    assert!(text.contains("extensions of reports are .txt"), "{text}");
}

#[test]
fn a_test_without_a_second_thread_fails() {
    let text = message(|| Config::new().quiet().check(|| {}));
    assert!(text.contains("no second thread was started"), "{text}");
    Config::new().quiet().allow_sequential().check(|| {});
}

#[test]
#[should_panic = "two executions with the same choices differ"]
fn what_depends_on_the_number_of_the_execution_is_refused() {
    let n = std_atomic::AtomicUsize::new(0);
    Config::new().explore(move || {
        let is_odd = n.fetch_add(1, std_atomic::Ordering::Relaxed) % 2 == 1;
        let atomic = AtomicUsize::new(0);
        if is_odd {
            atomic.load(SeqCst);
        }
        thread::spawn(|| {}).join().unwrap();
    });
}

/// The second execution is one of a scout; what it shows does not show again.
#[test]
#[should_panic = "differ in how they end"]
fn what_does_not_show_again_when_it_is_told_is_refused() {
    let n = std_atomic::AtomicUsize::new(0);
    Config::new().quiet().shrink(false).explore(move || {
        let is_second = n.fetch_add(1, std_atomic::Ordering::Relaxed) == 1;
        let shared = Arc::new(AtomicUsize::new(0));
        let other = shared.clone();
        let thread = thread::spawn(move || other.fetch_add(1, SeqCst));
        shared.store(shared.load(SeqCst) + 1, SeqCst);
        thread.join().unwrap();
        assert!(!is_second);
    });
}

#[test]
#[should_panic = "inside raddle::check"]
fn a_lock_outside_of_a_check_says_so() {
    drop(Mutex::new(()).lock());
}

#[test]
fn an_execution_that_does_not_end_is_lost_and_said_to_be() {
    let config = Config::new().max_points(500).runs(5).quiet();
    let text = message(move || {
        config.check(|| {
            let n = Arc::new(AtomicUsize::new(0));
            let other = n.clone();
            drop(thread::spawn(move || other.load(SeqCst)));
            loop {
                n.fetch_add(1, SeqCst);
            }
        });
    });
    assert!(text.contains("no execution ended within 500 points"), "{text}");
}

#[test]
fn without_a_story_there_is_what_replays_it() {
    let bare = || Config::new().quiet().shrink(false).story(false);
    let text = message(move || bare().check(lost_update));
    assert!(text.contains("an update is lost"), "{text}");
    assert!(!text.contains("preempted"), "{text}");
    let found = bare().explore(lost_update).findings.remove(0);
    let replayed = Config::new().quiet().replay(found.schedule.as_str()).explore(lost_update);
    assert_eq!(replayed.findings[0].message, found.message);
}

#[test]
fn changes_have_both_values() {
    let report = Config::new().explore(|| {
        let n = Arc::new(AtomicUsize::new(4));
        let other = n.clone();
        let thread = thread::spawn(move || {
            other.fetch_add(3, SeqCst);
        });
        assert_eq!(n.compare_exchange(5, 6, SeqCst, SeqCst), Err(7));
        thread.join().unwrap();
    });
    let story = report.findings[0].story();
    assert!(story.contains("= 4\n"), "a comparison that fails reads:\n{story}");
    let report = Config::new().explore(|| {
        let n = Arc::new(AtomicUsize::new(4));
        let other = n.clone();
        let thread = thread::spawn(move || {
            other.swap(9, SeqCst);
        });
        thread.join().unwrap();
        assert_eq!(n.compare_exchange(9, 6, SeqCst, SeqCst), Ok(4));
    });
    let story = report.findings[0].story();
    assert!(story.contains("= 4 -> 9\n") && story.contains("= 9 -> 6\n"), "{story}");
}

#[test]
fn values_of_cells_are_told_as_they_are_after_a_write() {
    use raddle::cell::Cell;
    struct Shared(Cell<i32>, Cell<String>);
    // SAFETY: the race is what this is about.
    unsafe impl Sync for Shared {}
    let report = Config::new().explore(|| {
        let shared = Arc::new(Shared(Cell::new(1), Cell::new("a".to_owned())));
        let other = shared.clone();
        let thread = thread::spawn(move || {
            other.1.set("b".to_owned());
            other.0.set(2);
        });
        shared.1.take();
        shared.0.get();
        thread.join().unwrap();
    });
    let stories: String = report.findings.iter().map(|finding| finding.story()).collect();
    assert!(stories.contains("cell@"), "{stories}");
    assert!(!stories.contains('"'), "what owns something is not shown:\n{stories}");
    let report = Config::new().findings(10).explore(|| {
        let shared = Arc::new(Shared(Cell::new(1), Cell::new(String::new())));
        let other = shared.clone();
        let thread = thread::spawn(move || other.0.set(2));
        shared.0.get();
        thread.join().unwrap();
    });
    let stories: String = report.findings.iter().map(|finding| finding.story()).collect();
    assert!(stories.contains("= 1\n") && stories.contains("= 2\n"), "{stories}");
}
