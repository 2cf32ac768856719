//! `raddle predict`: races, as people and programs see them.

use crate::harness::Dir;

const RACY: &str = "T1|w(x)|1\nT2|w(x)|2\n";
const PROTECTED: &str =
    "T1|acq(l)|1\nT1|w(x)|2\nT1|rel(l)|3\nT2|acq(l)|1\nT2|w(x)|2\nT2|rel(l)|3\n";

fn json(trace: &str, options: &str, code: i32) -> serde_json::Value {
    let dir = Dir::with("t.std", trace);
    let run = dir.raddle(&format!("predict --format json {options} t.std")).exits(code);
    serde_json::from_str(&run.stdout).unwrap()
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
    let report = json(PROTECTED, "", 0);
    assert_eq!(report["findings"], serde_json::json!([]));
    assert_eq!(report["stats"]["race"]["candidates"], 1);
    assert_eq!(report["stats"]["race"]["lsa"], 0);
}

#[test]
fn one_pair_of_locations_is_one_finding_unless_all_are_asked_for() {
    let twice = "T1|w(x)|1\nT1|w(x)|1\nT2|w(x)|2\n";
    assert_eq!(json(twice, "", 1)["findings"].as_array().unwrap().len(), 1);
    assert_eq!(json(twice, "--all", 1)["findings"].as_array().unwrap().len(), 2);
}

#[test]
fn a_budget_that_runs_out_is_unknown_and_said_with_the_exit_code() {
    // A write has to come first, which is a step of the search.
    let trace = "T3|w.sc(y)|9\nT1|r.sc(y)|1\nT1|w(x)|1\nT2|r.sc(y)|1\nT2|w(x)|2\n";
    let report = json(trace, "--budget 0", 3);
    assert_eq!(report["stats"]["race"]["unknown"], 1);
    assert_eq!(json(trace, "", 1)["stats"]["race"]["unknown"], 0);
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
    let run = Dir::with("t.std", RACY).raddle("predict t.std").exits(1);
    let marked: Vec<_> = run.stdout.lines().filter(|line| line.contains('▶')).collect();
    assert_eq!(marked.len(), 2);
    assert!(run.stdout.contains("write of x by T1 and write of it by T2 race"), "{}", run.stdout);
}
