//! `raddle predict`: races and deadlocks, as people and programs see them.

use crate::harness::Dir;

const RACY: &str = "T1|w(x)|1\nT2|w(x)|2\n";
const PROTECTED: &str =
    "T1|acq(l)|1\nT1|w(x)|2\nT1|rel(l)|3\nT2|acq(l)|1\nT2|w(x)|2\nT2|rel(l)|3\n";

pub fn json(trace: &str, options: &str, code: i32) -> serde_json::Value {
    let dir = Dir::with("t.std", trace);
    let run = dir.raddle(&format!("predict --format json {options} t.std")).exits(code);
    let report = serde_json::from_str(&run.stdout).unwrap();
    check_schema(&report);
    report
}

/// What is printed is what the schema promises.
#[track_caller]
pub fn check_schema(report: &serde_json::Value) {
    let (mut schemas, mut compiler) = (boon::Schemas::new(), boon::Compiler::new());
    let schema = serde_json::from_str(raddle_finding::SCHEMA_JSON).unwrap();
    compiler.add_resource("findings.json", schema).unwrap();
    let index = compiler.compile("findings.json", &mut schemas).unwrap();
    if let Err(error) = schemas.validate(report, index) {
        panic!("{error}\n{report:#}");
    }
}

#[test]
fn unprotected_writes_race() {
    let report = json(RACY, "", 1);
    assert_eq!(report["schema"], "raddle.findings/1");
    let race = &report["findings"][0];
    assert_eq!((&race["property"], &race["verdict"]), (&"race".into(), &"witnessed".into()));
    assert_eq!(race["events"], serde_json::json!([0, 1]));
    assert_eq!(report["stats"]["race"]["racy_events"], 1);
}

#[test]
fn a_common_lock_prevents_the_race() {
    let report = json(PROTECTED, "--property race", 0);
    assert_eq!(report["findings"], serde_json::json!([]));
    assert_eq!(report["stats"]["race"]["candidates"], 1);
    assert_eq!(report["stats"]["race"]["lsa"], 0);
}

#[test]
fn one_pair_of_locations_is_one_finding_unless_all_are_asked_for() {
    let twice = "T1|w(x)|1\nT1|w(x)|1\nT2|w(x)|2\n";
    assert_eq!(json(twice, "--property race", 1)["findings"].as_array().unwrap().len(), 1);
    assert_eq!(json(twice, "--property race --all", 1)["findings"].as_array().unwrap().len(), 2);
}

#[test]
fn a_budget_that_runs_out_is_unknown_and_said_with_the_exit_code() {
    // Which sections to leave out is found by searching.
    let trace = "T1|acq(m)|1\nT1|rel(m)|2\nT1|wait(m)|2\nT2|acq(m)|3\nT2|notify(m)|4\n\
                 T2|rel(m)|5\nT1|acq(m)|2\nT1|rel(m)|6\n";
    let report = json(trace, "--property lost-wakeup --budget 0", 3);
    assert_eq!(report["stats"]["lost_wakeup"]["unknown"], 1);
    let report = json(trace, "--property lost-wakeup", 1);
    assert_eq!(report["stats"]["lost_wakeup"]["unknown"], 0);
}

#[test]
fn an_ill_formed_trace_is_repaired_with_the_repairs_listed_or_refused() {
    let reentrant = "T1|acq(l)|1\nT1|acq(l)|1\nT1|w(x)|2\nT1|rel(l)|3\nT1|rel(l)|3\nT2|w(x)|4\n";
    let report = json(reentrant, "", 1);
    assert_eq!(report["repairs"].as_array().unwrap().len(), 2);
    assert_eq!(report["findings"][0]["events"], serde_json::json!([2, 5]));
    Dir::with("t.std", reentrant).raddle("predict --normalise=false t.std").exits(2);
}

#[test]
fn an_exported_witness_is_a_well_formed_trace() {
    let dir = Dir::with("t.std", "T0|fork(T1)|0\nT0|fork(T2)|0\nT1|w(x)|1\nT2|w(x)|2\n");
    dir.raddle("predict --witness out t.std").exits(1);
    dir.raddle("trace validate out/race-1.std").exits(0);
}

#[test]
fn text_shows_the_two_accesses_and_the_way_there() {
    let run = Dir::with("t.std", RACY).raddle("predict --property race t.std").exits(1);
    let marked: Vec<_> = run.stdout.lines().filter(|line| line.contains('▶')).collect();
    assert_eq!(marked.len(), 2);
    assert!(run.stdout.contains("write of x by T1 and write of it by T2 race"), "{}", run.stdout);
}

/// Two threads that take the locks in `first` and `second`, one thread after the other.
fn two_orders(first: [&str; 2], second: [&str; 2], guard: &str) -> String {
    let thread = |name: &str, locks: [&str; 2], n: u32| {
        let mut lines = String::new();
        let inner = [guard, locks[0], locks[1]];
        let locks: Vec<_> = inner.iter().filter(|lock| !lock.is_empty()).collect();
        for (i, lock) in locks.iter().enumerate() {
            lines.push_str(&format!("{name}|acq({lock})|{}\n", 10 * n + i as u32));
        }
        for lock in locks.iter().rev() {
            lines.push_str(&format!("{name}|rel({lock})|{n}9\n"));
        }
        lines
    };
    thread("T1", first, 1) + &thread("T2", second, 2)
}

#[test]
fn opposite_orders_of_locks_deadlock() {
    let report = json(&two_orders(["a", "b"], ["b", "a"], ""), "", 1);
    let deadlock = &report["findings"][0];
    assert_eq!(deadlock["property"], "deadlock");
    assert_eq!(deadlock["events"], serde_json::json!([1, 5]));
    assert_eq!(report["stats"]["deadlock"]["witnessed"], 1);
}

#[test]
fn the_same_order_of_locks_does_not() {
    let report = json(&two_orders(["a", "b"], ["a", "b"], ""), "", 0);
    assert_eq!(report["stats"]["deadlock"]["candidates"], 0);
}

#[test]
fn a_guard_lock_prevents_the_deadlock() {
    let report = json(&two_orders(["a", "b"], ["b", "a"], "g"), "", 0);
    assert_eq!(report["stats"]["deadlock"]["witnessed"], 0);
}

#[test]
fn a_fork_between_prevents_the_deadlock() {
    let lines = two_orders(["a", "b"], ["b", "a"], "");
    let (first, second) = lines.split_at(lines.find("T2").unwrap());
    let report = json(&format!("{first}T1|fork(T2)|5\n{second}"), "", 0);
    assert_eq!(report["stats"]["deadlock"]["candidates"], 0);
    assert_eq!(report["stats"]["deadlock"]["witnessed"], 0);
}

#[test]
fn three_philosophers_deadlock() {
    let trace = "T1|acq(a)|1\nT1|acq(b)|2\nT1|rel(b)|3\nT1|rel(a)|3\nT2|acq(b)|1\nT2|acq(c)|2\n\
                 T2|rel(c)|3\nT2|rel(b)|3\nT3|acq(c)|1\nT3|acq(a)|2\nT3|rel(a)|3\nT3|rel(c)|3\n";
    let report = json(trace, "--property deadlock", 1);
    assert_eq!(report["findings"][0]["events"], serde_json::json!([1, 5, 9]));
    assert!(report["stats"]["race"].is_null());
}

#[test]
fn readers_that_share_a_lock_do_not_deadlock_on_it() {
    let trace = "T1|acq.sh(a)|1\nT1|acq(b)|2\nT1|rel(b)|3\nT1|rel.sh(a)|3\n\
                 T2|acq(b)|1\nT2|acq.sh(a)|2\nT2|rel.sh(a)|3\nT2|rel(b)|3\n";
    assert_eq!(json(trace, "", 0)["stats"]["deadlock"]["witnessed"], 0);
}

#[test]
fn more_threads_than_predict_can_take_are_refused() {
    let trace: String = (0..5000).map(|t| format!("T{t}|r(x)|1\n")).collect();
    let run = Dir::with("t.std", trace).raddle("predict t.std").exits(2);
    assert!(run.stderr.contains("5,000 threads"), "{}", run.stderr);
}
