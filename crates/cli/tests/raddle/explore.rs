//! `raddle explore`: strategies, bounds, and what is claimed of them.

use serde_json::Value;

use crate::harness::Dir;
use crate::predict::check_schema;

/// The report of a search, checked against its schema.
#[track_caller]
pub fn report(dir: &Dir, args: &str, code: i32) -> Value {
    let report = dir.raddle(&format!("{args} --format json")).exits(code).json();
    check_schema(&report);
    report
}

/// The same as text, without what differs from run to run.
#[track_caller]
pub fn steady(dir: &Dir, args: &str, code: i32) -> String {
    let mut report = report(dir, args, code);
    report.as_object_mut().unwrap().remove("timing").unwrap();
    format!("{report:#}")
}

/// What was found: kinds and where they are, sorted.
pub fn found(report: &Value) -> Vec<(String, String)> {
    let key = |finding: &Value| {
        let names = finding["locations"].as_array().unwrap().iter().map(|l| l["name"].to_string());
        (finding["property"].to_string(), names.collect())
    };
    let mut found: Vec<_> = report["findings"].as_array().unwrap().iter().map(key).collect();
    found.sort();
    found
}

/// A number for each bound, in order.
pub fn per_bound(report: &Value, field: &str) -> Vec<u64> {
    let rows = report["stats"]["bounds"].as_array().unwrap();
    rows.iter().map(|row| row[field].as_u64().unwrap()).collect()
}

pub fn claim(report: &Value) -> &str {
    report["stats"]["exploration"]["claim"].as_str().unwrap()
}

pub fn conditions(report: &Value) -> String {
    report["stats"]["exploration"]["conditions"].to_string()
}

#[test]
fn bounds_are_explored_in_order_up_to_the_one_asked_for() {
    let dir = Dir::corpus("ab_ba_fixed.c");
    for (bound, claimed) in [
        ("0", "no execution without preemptions fails"),
        ("1", "no execution with at most 1 preemption fails"),
        ("2", "no execution with at most 2 preemptions fails"),
    ] {
        let report = report(&dir, &format!("explore ab_ba_fixed.c --cache off --bound {bound}"), 0);
        let expected: Vec<u64> = (0..=bound.parse().unwrap()).collect();
        assert_eq!(per_bound(&report, "bound"), expected);
        assert_eq!(claim(&report), claimed);
        let all: u64 = per_bound(&report, "executions").iter().sum();
        assert_eq!(report["stats"]["exploration"]["executions"], all);
    }
}

#[test]
fn everything_there_is_needs_no_bound() {
    let dir = Dir::corpus("ab_ba_fixed.c");
    let all = report(&dir, "explore ab_ba_fixed.c --bound all --cache off", 0);
    assert_eq!(claim(&all), "proved: no execution fails");
    assert_eq!(all["stats"]["exploration"]["exhausted"], true);
    let dfs = report(&dir, "explore ab_ba_fixed.c --strategy dfs --cache off", 0);
    assert_eq!(claim(&dfs), "proved: no execution fails");
    let executions = |report: &Value| report["stats"]["exploration"]["executions"].clone();
    assert_eq!(executions(&all), executions(&dfs), "each execution is made once by both");
}

#[test]
fn the_table_says_what_the_document_says() {
    let dir = Dir::corpus("ab_ba_fixed.c");
    let text = dir.raddle("explore ab_ba_fixed.c --bound 1").succeeds().stdout;
    let report = report(&dir, "explore ab_ba_fixed.c --bound 1", 0);
    for row in report["stats"]["bounds"].as_array().unwrap() {
        let words = [&row["bound"], &row["executions"], &row["states"]].map(Value::to_string);
        let is_row = |line: &str| {
            let line: Vec<_> = line.split_whitespace().collect();
            line.len() == 4 && line[..3] == words && line[3] == "complete"
        };
        assert!(text.lines().any(is_row), "{row}: {text}");
    }
    assert!(text.contains("preemptions  executions  states"), "{text}");
}

#[test]
fn every_strategy_finds_the_bug() {
    let dir = Dir::corpus("bank_atomicity.c");
    let expected = found(&report(&dir, "explore bank_atomicity.c", 1));
    assert_eq!(expected.len(), 1);
    let ways = [
        "dfs",
        "depth:40",
        "idepth:20",
        "delay",
        "random",
        "pct:3",
        "pct",
        "pos",
        "surw",
        "portfolio",
    ];
    for way in ways {
        let args = format!("explore bank_atomicity.c --strategy {way} --runs 3000");
        assert_eq!(found(&report(&dir, &args, 1)), expected, "{way}");
    }
}

#[test]
fn only_strategies_that_enumerate_prove_anything() {
    let dir = Dir::corpus("bank_atomicity_fixed.c");
    for (way, claimed) in [
        ("dfs", "proved: no execution fails"),
        ("depth:8", "no execution in its first 8 steps fails"),
        ("idepth:20", "proved: no execution fails"),
        ("delay", "no execution with at most 2 delays fails"),
    ] {
        let args = format!("explore bank_atomicity_fixed.c --strategy {way}");
        assert_eq!(claim(&report(&dir, &args, 0)), claimed, "{way}");
    }
    for way in ["random", "pct:2", "pos", "surw"] {
        let args = format!("explore bank_atomicity_fixed.c --strategy {way} --runs 40");
        let report = report(&dir, &args, 3);
        assert_eq!(claim(&report), "nothing is covered: 40 executions were tried", "{way}");
    }
}

#[test]
fn theorem_1_is_about_preemptions_alone() {
    let dir = Dir::corpus("ab_ba_fixed.c");
    let icb = report(&dir, "explore ab_ba_fixed.c --bound 0", 0);
    assert!(icb["stats"]["bounds"][0]["theorem_1"].is_string());
    for way in ["delay", "depth:30"] {
        let report = report(&dir, &format!("explore ab_ba_fixed.c --strategy {way}"), 0);
        assert!(report["stats"]["bounds"][0]["theorem_1"].is_null(), "{way}");
    }
}

#[test]
fn reduction_finds_the_same_in_fewer_executions() {
    let dir = Dir::corpus("two_stage.c");
    for way in ["icb", "dfs"] {
        let plain = report(&dir, &format!("explore two_stage.c --strategy {way} --cache off"), 1);
        let args = format!("explore two_stage.c --strategy {way} --reduction partial-order");
        let reduced = report(&dir, &args, 1);
        assert_eq!(found(&plain), found(&reduced), "{way}");
        let n = |report: &Value| report["stats"]["exploration"]["executions"].as_u64().unwrap();
        assert!(n(&reduced) < n(&plain), "{way}: {} {}", n(&reduced), n(&plain));
        assert!(conditions(&reduced).contains("independent operations count as one"));
    }
}

#[test]
fn the_number_of_jobs_does_not_show() {
    let cases = [
        ("token_ring.c", ""),
        ("two_stage.c", "--reduction partial-order"),
        ("reorder_3.c", "--strategy pos --runs 100"),
    ];
    for (name, options) in cases {
        let dir = Dir::corpus(name);
        let run = |jobs| steady(&dir, &format!("explore {name} {options} --jobs {jobs}"), 1);
        let one = run(1);
        assert!(one.len() > 2_000);
        assert_eq!(one, run(2), "{name} {options}");
    }
}

#[test]
fn random_choices_depend_on_the_seed() {
    let dir = Dir::corpus("bank_atomicity.c");
    let run = |seed| {
        let args = "explore bank_atomicity.c --strategy random --runs 200 --findings 1";
        let report = report(&dir, &format!("{args} --seed {seed}"), 1);
        assert_eq!(report["seed"], seed);
        report["findings"][0]["details"]["execution"].as_u64().unwrap()
    };
    let first: Vec<_> = (1..=4).map(run).collect();
    assert_eq!(first[0], run(1));
    assert!(first.iter().any(|&n| n != first[0]), "{first:?}");
}
