//! `raddle predict`: atomicity violations, lost wake-ups and nondeterministic reads, each with a near
//! miss; and what a trace cannot support.

use serde_json::json;

use crate::harness::Dir;
use crate::predict::json as predict;

/// Runs one property; what is expected of the events of all findings, and of the exit code.
#[track_caller]
fn check(trace: &str, property: &str, expected: serde_json::Value) -> serde_json::Value {
    let code = i32::from(expected != json!([]));
    let report = predict(trace, &format!("--property {property}"), code);
    let findings = report["findings"].as_array().unwrap();
    assert!(findings.iter().all(|finding| finding["property"] == property), "{findings:?}");
    let events: Vec<_> = findings.iter().map(|finding| finding["events"].clone()).collect();
    assert_eq!(json!(events), expected);
    report
}

const TRANSACTION: &str = "T1|tx.begin(t)|1\nT1|r(x)|2\nT1|r(x)|3\nT1|tx.end(t)|4\n";

#[test]
fn a_write_between_two_reads_of_a_transaction_breaks_it() {
    let report = check(&format!("{TRANSACTION}T2|w(x)|5\n"), "atomicity", json!([[1, 4, 2]]));
    let finding = &report["findings"][0];
    let message = "read of x by T1, write of it by T2, read of it by T1: not atomic (R-W-R)";
    assert_eq!(finding["message"], message);
    assert_eq!(finding["witness"]["events"], json!([0, 1, 4, 2]));
    assert_eq!(report["stats"]["atomicity"]["transactions"], 1);
    assert_eq!(report["stats"]["atomicity"]["ucg"], 1);
}

#[test]
fn a_read_between_two_reads_does_not() {
    let report = check(&format!("{TRANSACTION}T2|r(x)|5\n"), "atomicity", json!([]));
    assert_eq!(report["stats"]["atomicity"]["candidates"], 0);
}

#[test]
fn lock_scopes_can_be_taken_for_transactions() {
    let trace = "T1|acq(l)|1\nT1|r(x)|2\nT1|r(x)|3\nT1|rel(l)|4\nT2|w(x)|5\n";
    let report = predict(trace, "--property atomicity --transactions scopes", 1);
    assert_eq!(report["findings"][0]["events"], json!([1, 4, 2]));
    let locked = trace.replace("T2|w(x)|5", "T2|acq(l)|5\nT2|w(x)|5\nT2|rel(l)|5");
    predict(&locked, "--property atomicity --transactions scopes", 0);
}

const WAIT: &str = "T1|acq(m)|1\nT1|rel(m)|2\nT1|wait(m)|2\nT2|acq(m)|3\nT2|notify(m)|4\n\
                    T2|rel(m)|5\nT1|acq(m)|2\nT1|rel(m)|6\n";

#[test]
fn a_notify_that_can_come_first_is_lost() {
    let report = check(WAIT, "lost-wakeup", json!([[2, 4]]));
    assert_eq!(report["findings"][0]["objects"], json!([{"kind": "condition", "name": "m"}]));
    let counts = json!({
        "candidates": 1, "witnessed": 1, "one_per": "pair of locations", "unknown": 0,
        "complete": true,
    });
    assert_eq!(report["stats"]["lost_wakeup"], counts);
}

#[test]
fn a_wait_that_looks_first_loses_nothing() {
    // What the waiting thread reads before it waits is not written yet.
    let trace = WAIT
        .replace("T1|acq(m)|1\n", "T1|acq(m)|1\nT1|r(ready)|1\n")
        .replace("T2|acq(m)|3\n", "T2|acq(m)|3\nT2|w(ready)|3\n");
    check(&trace, "lost-wakeup", json!([]));
}

#[test]
fn a_witness_names_no_position_twice() {
    // The wake-up and the acquire before it are one event of the input.
    let report = predict(&format!("{WAIT}T1|w(x)|7\nT3|w(x)|8\n"), "--property race", 1);
    let mut events = report["findings"][0]["witness"]["events"].as_array().unwrap().clone();
    let n = events.len();
    events.sort_by_key(|event| event.as_u64());
    events.dedup();
    assert_eq!(events.len(), n);
}

#[test]
fn a_read_can_see_the_initial_value_instead() {
    let report = check("T1|w(x)|1\nT2|r(x)|2\n", "determinism", json!([[1, 0, -1]]));
    assert_eq!(report["findings"][0]["type"], 3);
    let message = "read of x by T2 at 2 can see the initial value instead of the write by T1 at 1";
    assert_eq!(report["findings"][0]["message"], message);
    let stats = &report["stats"]["determinism"];
    assert_eq!((&stats["reads"], &stats["broken"]), (&json!(1), &json!(1)));
    assert_eq!(stats["nondeterministic"], true);
}

#[test]
fn a_read_behind_a_fork_sees_what_it_saw() {
    let trace = "T1|w(x)|1\nT1|fork(T2)|1\nT2|r(x)|2\n";
    let report = check(trace, "determinism", json!([]));
    assert_eq!(report["stats"]["determinism"]["nondeterministic"], false);
    let run = Dir::with("t.std", trace).raddle("predict --property determinism t.std").exits(0);
    assert!(run.stdout.contains("deterministic on this trace"), "{}", run.stdout);
}

#[test]
fn what_a_read_sees_is_told_even_if_it_is_not_the_challenger() {
    // The initial value challenges, but main has written before it forks.
    let trace = "T0|w(x)|0\nT0|fork(T1)|0\nT0|fork(T2)|0\nT1|w(x)|1\nT2|r(x)|2\n";
    let report = predict(trace, "--property determinism --all", 1);
    for finding in report["findings"].as_array().unwrap() {
        if finding["events"][0] == 4 {
            let message = finding["message"].as_str().unwrap();
            assert!(message.contains("can see the write by T0 at 0 instead"), "{message}");
        }
    }
}

#[test]
fn a_final_value_stands_one_past_the_last_event() {
    check("T1|w(x)|1\nT2|w(x)|2\n", "determinism", json!([[2, 1, 0]]));
}

#[test]
fn of_reads_that_are_alike_one_is_shown() {
    let trace = "T1|w(x)|1\nT2|r(x)|2\nT3|r(x)|2\n";
    let run = Dir::with("t.std", trace).raddle("predict --property determinism t.std").exits(1);
    let verdict = "nondeterministic: 2 of 2 reads can see another write\n";
    assert!(run.stdout.contains(verdict), "{}", run.stdout);
    let finding = "at 2 can see the initial value instead of the write by T1 at 1\n";
    assert_eq!(run.stdout.matches(finding).count(), 1, "{}", run.stdout);
}

/// A trace that cannot support a property says why, alone with exit code 3.
#[track_caller]
fn check_skipped(trace: &str, property: &str, reason: &str) {
    let report = predict(trace, &format!("--property {property}"), 3);
    assert_eq!(report["skipped"], json!([{"property": property, "reason": reason}]));
    assert_eq!(report["stats"], json!({}));
    let run = Dir::with("t.std", trace).raddle("predict t.std");
    let text = run.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(text.contains(&format!("were not checked: {reason}")), "{text}");
    assert_ne!(run.code, 3);
}

#[test]
fn what_a_trace_cannot_support_is_said() {
    let accesses = "T1|w(x)|1\nT2|r(x)|2\n";
    let unmarked = "no transactions are marked; --transactions scopes treats lock scopes without a wait as transactions";
    check_skipped(accesses, "atomicity", unmarked);
    check_skipped(accesses, "deadlock", "no locks are taken");
    check_skipped(accesses, "lost-wakeup", "no wait was ended by a notify");
    check_skipped("T1|acq(l)|1\nT1|rel(l)|2\n", "determinism", "nothing is read or written");
}
