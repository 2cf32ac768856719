//! `raddle predict`: how results are presented, counted and exported, whatever their property.

use std::fs;

use serde_json::{Value, json};

use crate::harness::Dir;
use crate::predict::json as predict;

/// A bit of everything: races, a broken transaction, a deadlock, a lost wake-up, and a long tail.
const EVERYTHING: &str = "\
main|w(x)|1\nmain|fork(A)|1\nmain|fork(B)|1\n\
A|tx.begin(t)|2\nA|r(x)|3\nA|w(x)|4\nA|tx.end(t)|5\n\
A|acq(a)|6\nA|acq(b)|7\nA|rel(b)|8\nA|rel(a)|9\n\
B|w(x)|10\nB|acq(b)|11\nB|acq(a)|12\nB|rel(a)|13\nB|rel(b)|14\n\
A|acq(m)|20\nA|rel(m)|21\nA|wait(m)|21\nB|acq(m)|22\nB|notify(m)|23\nB|rel(m)|24\n\
A|acq(m)|21\nA|rel(m)|25\nB|w(y)|26\nA|r(y)|27\nB|w(y)|28\nA|w(y)|29\n";

const PROPERTIES: [&str; 5] = ["race", "atomicity", "deadlock", "lost-wakeup", "determinism"];

/// T1 writes x while it holds l, T2 while it holds m, so no lock keeps them apart. But each of them has taken the
/// lock of the other one inside, and cannot have if that one still holds it.
const CROSSED: &str = "T1|acq(l)|a.c:1\nT1|acq(m)|a.c:2\nT1|rel(m)|a.c:3\nT1|w(x)|a.c:4\nT1|rel(l)|a.c:5\n\
    T2|acq(m)|b.c:1\nT2|acq(l)|b.c:2\nT2|rel(l)|b.c:3\nT2|w(x)|b.c:4\nT2|rel(m)|b.c:5\n";

#[test]
fn what_is_ruled_out_is_listed_with_the_orders_that_rule_it_out() {
    let dir = Dir::with("t.std", CROSSED);
    let predict = "predict t.std --property race --ruled-out";
    let text = dir.raddle(predict).exits(0).stdout;
    let expected = "ruled out: T1|w(x) at a.c:4, T2|w(x) at b.c:4 do not race\n";
    assert!(text.contains(expected), "{text}");
    let report = |jobs: u32| {
        let report = dir.raddle(&format!("{predict} --format json --jobs {jobs}")).exits(0).json();
        report["stats"]["ruled_out"].clone()
    };
    let list = report(1);
    assert_eq!(list.as_array().unwrap().len(), 1);
    let core = list[0]["core"].as_array().unwrap();
    let because: Vec<_> = core.iter().filter_map(|order| order["because"].as_str()).collect();
    assert!(because.iter().any(|because| because.ends_with("holds l")), "{list:#}");
    assert!(core.iter().all(|order| order["events"][0].is_u64()), "{list:#}");
    assert_eq!(report(3), list);
    let without = dir.raddle("predict t.std --property race --format json").exits(0).json();
    assert!(without["stats"].get("ruled_out").is_none());
}

/// T1 stops while it holds l, so what T2 did with l comes before.
#[test]
fn what_must_come_first_is_said_of_a_predicted_race() {
    let trace = "T1|acq(l)|1\nT1|w(x)|2\nT1|rel(l)|3\nT2|acq(l)|4\nT2|rel(l)|5\nT2|w(x)|6\n";
    let report = predict(trace, "--property race", 1);
    let finding = &report["findings"][0];
    let because = "only one thread at a time holds l";
    assert_eq!(finding["details"]["orders"], json!([[1, 2, because]]));
    let steps = &finding["story"]["steps"];
    assert_eq!((&steps[1][1], &steps[2][1]), (&json!("unlock"), &json!("lock")));
}

#[test]
fn every_property_is_found_and_listed_in_order() {
    let report = predict(EVERYTHING, "", 1);
    let findings = report["findings"].as_array().unwrap();
    let mut properties: Vec<_> = findings.iter().map(|f| f["property"].as_str().unwrap()).collect();
    properties.dedup();
    assert_eq!(properties, PROPERTIES);
    for property in PROPERTIES {
        let of_it: Vec<_> = findings.iter().filter(|f| f["property"] == property).collect();
        let numbers = |f: &Value| -> Vec<i64> {
            f["events"].as_array().unwrap().iter().map(|e| e.as_i64().unwrap()).collect()
        };
        assert!(of_it.is_sorted_by_key(|f| numbers(f)), "{property}");
        let stats = &report["stats"][property.replace('-', "_")];
        assert_eq!(stats["witnessed"], of_it.len(), "{property}");
        assert_eq!(stats["complete"], true, "{property}");
    }
}

#[test]
fn the_number_of_jobs_does_not_show() {
    let dir = Dir::new();
    dir.raddle("trace generate --preset small-full --events 600 --seed 7 -o t.rdl").succeeds();
    let run = |jobs: u32| {
        let options = format!("predict --format json --stats --jobs {jobs} t.rdl");
        let mut report = dir.raddle(&options).json();
        report.as_object_mut().unwrap().remove("timing").unwrap();
        report.to_string()
    };
    let one = run(1);
    assert!(one.len() > 10_000);
    assert_eq!(one, run(2));
    assert_eq!(one, run(3));
}

#[test]
fn all_lists_every_pair_triple_and_triplet() {
    let once = predict(EVERYTHING, "", 1);
    let all = predict(EVERYTHING, "--all", 1);
    assert!(all["findings"].as_array().unwrap().len() > once["findings"].as_array().unwrap().len());
    let reads = &all["stats"]["determinism"];
    let finals = |f: &&Value| f["property"] == "determinism" && f["events"][0] != 28;
    let listed = all["findings"].as_array().unwrap().iter().filter(finals).count();
    assert_eq!(reads["feasible"], listed);
    let broken = reads["broken_reads"].as_array().unwrap();
    assert_eq!(reads["broken"], broken.len());
    assert!(once["stats"]["determinism"]["broken_reads"].is_null());
}

#[test]
fn statistics_stand_beside_those_of_the_papers() {
    let report = predict(EVERYTHING, "--stats", 1);
    let paper = &report["stats"]["paper"];
    let all = predict(EVERYTHING, "--all", 1);
    assert_eq!(paper["trace"]["events"], 29);
    for property in ["race", "atomicity"] {
        assert_eq!(paper[property]["total"], all["stats"][property]["candidates"], "{property}");
        assert_eq!(paper[property]["witnessed"], all["stats"][property]["witnessed"]);
    }
    let reads = &paper["reads"];
    assert_eq!(reads["possible"], reads["exact"]["possible"]);
    assert_eq!(reads["exact"]["feasible"], all["stats"]["determinism"]["feasible"]);
    assert!(report["timing"]["paper_reads_s"].is_number());
    assert_eq!(report["findings"], predict(EVERYTHING, "", 1)["findings"]);
}

#[test]
fn tables_of_statistics_are_text_too() {
    let run = Dir::with("t.std", EVERYTHING).raddle("predict --stats --limit 0 t.std").exits(1);
    for row in ["shared variables", "  races", "  atomicity violations", "feasible"] {
        assert!(run.stdout.lines().any(|line| line.contains(row)), "{row}: {}", run.stdout);
    }
}

#[test]
fn exported_witnesses_are_well_formed() {
    let dir = Dir::with("t.std", EVERYTHING);
    dir.raddle("predict --witness out --all t.std").exits(1);
    let names: Vec<_> = fs::read_dir(dir.path("out")).unwrap().map(|e| e.unwrap().path()).collect();
    for property in PROPERTIES {
        assert!(dir.path("out").join(format!("{property}-1.std")).exists(), "{property}");
    }
    for name in names {
        dir.run(["trace", "validate", name.to_str().unwrap()]).succeeds();
    }
}

#[test]
fn lines_fit_but_for_those_of_interleavings() {
    let long = EVERYTHING.replace("(x)", "(a_rather_long_name_of_a_global_variable)");
    let long = long.replace("|4\n", "|some/folder/with/a/long/name/source_file.c:123:45\n");
    let run = Dir::with("t.std", long).raddle("predict t.std").exits(1);
    let is_row = |line: &&str| line.starts_with("    ") || line.starts_with("  ▶");
    for line in run.stdout.lines().filter(|line| !is_row(line)) {
        assert!(line.chars().count() <= 112, "{line}");
    }
}

#[test]
fn many_threads_share_a_column() {
    // Each thread forks the next one, and the last two race.
    let mut trace: String = (0..8).map(|t| format!("T{t}|fork(T{})|0\n", t + 1)).collect();
    trace.push_str("T7|w(x)|1\nT8|w(x)|2\n");
    let run = Dir::with("t.std", &trace).raddle("predict --property race t.std").exits(1);
    assert!(run.stdout.lines().any(|line| line.ends_with("T8  writes x")), "{}", run.stdout);
}

#[test]
fn decisive_events_are_marked_wherever_they_are() {
    let mut trace = String::from("T1|tx.begin(t)|1\nT1|r(x)|2\n");
    trace.push_str(&"T1|r(z)|9\n".repeat(40));
    trace.push_str("T1|w(x)|3\nT1|tx.end(t)|4\nT2|w(x)|5\n");
    let run = Dir::with("t.std", &trace).raddle("predict --property atomicity t.std").exits(1);
    let marked: Vec<_> = run.stdout.lines().filter(|line| line.contains('▶')).collect();
    assert_eq!(marked.len(), 3, "{}", run.stdout);
    assert!(run.stdout.contains("… 3"), "{}", run.stdout);
}

#[test]
fn a_deadlock_says_who_holds_the_lock() {
    let run = Dir::with("t.std", EVERYTHING).raddle("predict --property deadlock t.std").exits(1);
    assert!(run.stdout.contains("b is held by B since 11"), "{}", run.stdout);
}

#[test]
fn a_limit_is_one_for_each_property() {
    let dir = Dir::with("t.std", EVERYTHING);
    let run = dir.raddle("predict -v --limit 1 t.std").exits(1);
    let shown = run.stdout.lines().filter(|line| line.contains("fingerprint")).count();
    assert_eq!(shown, PROPERTIES.len(), "{}", run.stdout);
    assert!(run.stdout.contains("more (race); --limit shows them"), "{}", run.stdout);
}

#[test]
fn a_saved_report_is_shown_as_it_was_printed() {
    let dir = Dir::with("t.std", EVERYTHING);
    let printed = dir.raddle("predict t.std -o t.json").exits(1).stdout;
    let saved = dir.raddle("report t.json").succeeds().stdout;
    // What was printed leaves out reads that are alike; what was saved comes in the order of severity.
    let (_, printed) = printed.split_once("\nt.std\n").unwrap();
    let (_, saved) = saved.split_once("\nt.std\n").unwrap();
    assert_eq!(printed, saved);
}

#[test]
fn a_report_reads_back() {
    let run = Dir::with("t.std", EVERYTHING).raddle("predict --format json --all --stats t.std");
    let report = raddle_finding::Report::from_json(&run.stdout).unwrap();
    assert_eq!(json!(report.findings), run.json()["findings"]);
}
