//! `raddle predict --property deadlock`: which acquires wait, and what the result says of its limits.

use crate::harness::Dir;
use crate::predict::json;

/// The lines of a trace, each with its number as the place, and how many deadlocks it has.
#[track_caller]
fn check(lines: &str, n_deadlocks: u64) -> serde_json::Value {
    let numbered = lines.split_whitespace().enumerate();
    let trace: String = numbered.map(|(n, line)| format!("{line}|{}\n", n + 1)).collect();
    let report = json(&trace, "--property deadlock", i32::from(n_deadlocks > 0));
    assert_eq!(report["stats"]["deadlock"]["witnessed"], n_deadlocks, "{report:#}");
    report
}

const OPPOSITE: &str =
    "T1|acq(a) T1|acq(b) T1|rel(b) T1|rel(a) T2|acq(b) T2|acq(a) T2|rel(a) T2|rel(b)";

#[test]
fn a_request_elsewhere_makes_no_acquire_a_try() {
    check(OPPOSITE, 1);
    check(&format!("{OPPOSITE} T3|req(c) T3|acq(c) T3|rel(c)"), 1);
    let wait = "T3|acq(m) T3|rel(m) T3|wait(m) T1|acq(m) T1|notify(m) T1|rel(m)";
    check(&format!("{OPPOSITE} {wait} T3|acq(m) T3|rel(m)"), 1);
    check(&format!("{OPPOSITE} {wait} T3|req(m) T3|acq(m) T3|rel(m)"), 1);
}

#[test]
fn an_acquire_that_was_only_tried_waits_for_nothing() {
    check(&OPPOSITE.replace("T2|acq(a)", "T2|tryacq(a)"), 0);
    check(&OPPOSITE.replace("T2|acq(a)", "T2|req(a) T2|tryacq(a)"), 0);
    // What it holds, others may wait for.
    check(&OPPOSITE.replace("T2|acq(b)", "T2|tryacq(b)"), 1);
}

#[test]
fn something_between_request_and_acquire_does_not_matter() {
    check(&OPPOSITE.replace("T1|acq(b)", "T1|req(b) T1|r(x) T1|acq(b)"), 1);
}

#[test]
fn a_request_that_was_never_granted_blocks() {
    let observed = "T1|req(a) T1|acq(a) T2|req(b) T2|acq(b) T1|req(b) T2|req(a)";
    let report = check(observed, 1);
    assert_eq!(report["findings"][0]["events"], serde_json::json!([4, 5]));
    check(&format!("{observed} T1|end(0) T2|end(0)"), 1);
    check("T1|acq(a) T2|acq(b) T1|acq(b) T2|acq(a)", 1);
    check("T1|acq(a) T2|acq(b) T1|acq(b) T2|acq(a) T1|end(0) T2|end(0)", 1);
    check("T1|acq(a) T2|acq(b) T3|acq(c) T1|req(b) T2|req(c) T3|acq(a)", 1);
    // No thread holds what it asks for, or the holder waits for nothing.
    check("T1|acq(a) T1|req(b)", 0);
    check("T1|acq(a) T2|acq(b) T1|req(b)", 0);
}

#[test]
fn readers_that_both_want_to_write_deadlock() {
    check("T1|acq.sh(a) T2|acq.sh(a) T1|req(a) T2|req(a)", 1);
    check("T1|acq.sh(a) T2|acq.sh(a) T1|req(a) T2|rel.sh(a)", 0);
    check("T1|acq.sh(a) T2|acq.sh(b) T1|req.sh(b) T2|req.sh(a)", 0);
}

#[test]
fn deadlocks_without_places_are_told_apart() {
    let four = "T1|acq(a)|\nT1|acq(b)|\nT1|rel(b)|\nT1|rel(a)|\nT2|acq(b)|\nT2|acq(a)|\nT2|rel(a)|\n\
                T2|rel(b)|\nT1|acq(c)|\nT1|acq(d)|\nT1|rel(d)|\nT1|rel(c)|\nT2|acq(d)|\nT2|acq(c)|\n";
    assert_eq!(json(four, "--property deadlock", 1)["stats"]["deadlock"]["witnessed"], 2);
}

#[test]
fn the_result_says_what_it_covers() {
    let stats = &check(OPPOSITE, 1)["stats"]["deadlock"];
    assert_eq!(stats["covers"], serde_json::json!(["lock-cycles"]));
    assert!(stats["not_covered"].as_array().unwrap().contains(&"condition".into()));
    let run = Dir::with("t.std", "T1|acq(a)|1\nT1|rel(a)|2\n").raddle("predict t.std").exits(0);
    assert!(run.stdout.contains("only lock cycles were looked for"), "{}", run.stdout);
}

#[test]
fn a_repair_that_hides_a_wait_is_said() {
    let hides = "T1|acq(a) T2|acq(b) T2|acq(a) T2|w(x) T1|rel(a)";
    let report = check(hides, 0);
    assert_eq!(report["stats"]["deadlock"]["hidden_by_repairs"], serde_json::json!([2]));
    let report = check("T1|acq(a) T2|acq(b) T2|acq(a) T1|rel(a)", 0);
    assert_eq!(report["stats"]["deadlock"]["hidden_by_repairs"], serde_json::json!([]));
    let text = hides.replace(' ', "|1\n") + "|1\n";
    let run = Dir::with("t.std", text).raddle("predict --property deadlock t.std").exits(0);
    let said = "repairs removed 1 wait for a lock: deadlocks there are not found";
    assert!(run.stdout.contains(said), "{}", run.stdout);
}

/// A program in which one thread takes `a` then `b`, the other `b` and then `a` by `inner`.
fn program(inner: &str) -> String {
    format!(
        "#include <pthread.h>\n#include <time.h>\n\
         static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;\n\
         static struct timespec soon = {{ 1, 0 }};\n\
         static void *other(void *p) {{\n pthread_mutex_lock(&b);\n\
         if ({inner} == 0) pthread_mutex_unlock(&a);\n pthread_mutex_unlock(&b);\n return p; }}\n\
         int main(void) {{\n pthread_t t;\n pthread_create(&t, 0, other, 0);\n\
         pthread_mutex_lock(&a);\n pthread_mutex_lock(&b);\n\
         pthread_mutex_unlock(&b);\n pthread_mutex_unlock(&a);\n pthread_join(t, 0); }}\n"
    )
}

#[test]
fn who_gives_up_on_a_lock_is_in_no_deadlock_of_a_program() {
    let run = |inner: &str, code| {
        Dir::with("p.c", program(inner)).raddle("predict --property deadlock p.c").exits(code)
    };
    run("pthread_mutex_lock(&a)", 1);
    run("pthread_mutex_trylock(&a)", 0);
    run("pthread_mutex_timedlock(&a, &soon)", 0);
}
