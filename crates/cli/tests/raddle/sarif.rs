//! SARIF of every kind of finding, judged by the official schema.

#[path = "../../../report/tests/official/mod.rs"]
mod official;

use serde_json::Value;

use crate::harness::Dir;
use official::Sarif;

/// Whether some text is a valid log.
#[track_caller]
pub fn judge(text: &str) {
    Sarif::new().judge(&serde_json::from_str(text).unwrap()).unwrap();
}

/// Makes a log, which must be valid, and answers with its results.
#[track_caller]
fn results(judge: &Sarif, dir: &Dir, args: &str) -> Vec<Value> {
    let log = dir.raddle(&format!("{args} -q --format sarif")).exits(1).json();
    if let Err(error) = judge.judge(&log) {
        panic!("{args}: {error}\n{log:#}");
    }
    let results = log["runs"][0]["results"].as_array().unwrap();
    assert!(!results.is_empty(), "{args}");
    results.clone()
}

#[track_caller]
fn check(judge: &Sarif, dir: &Dir, args: &str, rule: &str) {
    let results = results(judge, dir, args);
    let found = results.iter().find(|result| result["ruleId"] == rule);
    let found = found.unwrap_or_else(|| panic!("{args}: no {rule}"));
    let flows = found.pointer("/codeFlows/0/threadFlows").unwrap().as_array().unwrap();
    assert!(!flows.is_empty(), "{args}");
}

#[test]
fn findings_of_programs_are_valid() {
    let judge = Sarif::new();
    let cases = [
        ("bank_race.c", "assertion"),
        ("bank_race.c --all", "race"),
        ("ab_ba.c", "deadlock"),
        ("lost_wakeup.c", "deadlock"),
        ("refcount.c", "crash"),
        ("string_buffer.c", "assertion"),
    ];
    for (name, rule) in cases {
        let file = name.split(' ').next().unwrap();
        check(&judge, &Dir::corpus(file), &format!("check {name}"), rule);
    }
}

#[test]
fn predicted_findings_are_valid() {
    let judge = Sarif::new();
    let cases = [
        ("T1|w(x)|a.c:1\nT2|w(x)|b.c:7:3\n", "race"),
        ("T1|tx.begin(t)|1\nT1|r(x)|2\nT1|r(x)|3\nT1|tx.end(t)|4\nT2|w(x)|5\n", "atomicity"),
        (
            "T1|acq(a)|1\nT1|acq(b)|2\nT1|rel(b)|3\nT1|rel(a)|4\nT2|acq(b)|5\nT2|acq(a)|6\n\
          T2|rel(a)|7\nT2|rel(b)|8\n",
            "deadlock",
        ),
        (
            "T1|acq(m)|1\nT1|rel(m)|2\nT1|wait(m)|2\nT2|acq(m)|3\nT2|notify(m)|4\nT2|rel(m)|5\n\
          T1|acq(m)|2\nT1|rel(m)|6\n",
            "lost-wakeup",
        ),
        ("T1|w(x)|1\nT1|w(x)|2\nT2|r(x)|3\n", "determinism"),
    ];
    for (trace, rule) in cases {
        let dir = Dir::with("t.std", trace);
        check(&judge, &dir, &format!("predict t.std --property {rule}"), rule);
    }
}

#[test]
fn findings_of_rust_code_are_valid() {
    use raddle::sync::atomic::{AtomicU32, Ordering::SeqCst};
    let found = raddle::Config::new().explore(|| {
        let n = raddle::sync::Arc::new(AtomicU32::new(0));
        let other = n.clone();
        let thread = raddle::thread::spawn(move || other.store(other.load(SeqCst) + 1, SeqCst));
        n.store(n.load(SeqCst) + 1, SeqCst);
        thread.join().unwrap();
        assert_eq!(n.load(SeqCst), 2);
    });
    let dir = Dir::with("rust.json", found.to_json());
    judge(&dir.raddle("report rust.json --format sarif").exits(0).stdout);
    let text = dir.raddle("report rust.json").exits(0).stdout;
    assert!(text.contains("2 executions"), "{text}");
}

#[test]
fn hostile_names_are_valid() {
    let name = "</script>\"'\x1b[31m\u{202e}%2e%2e\\C:x #?";
    let trace = format!("T{name}|w({name})|{name}:3\nU{name}|w({name})|../{name} x.c:7:1\n");
    let dir = Dir::with("t.std", trace);
    check(&Sarif::new(), &dir, "predict t.std --property race", "race");
}

#[test]
fn files_below_the_current_directory_are_relative() {
    let dir = Dir::new();
    let inside = std::fs::canonicalize(dir.path("")).unwrap().join("src/a.c");
    dir.file("t.std", format!("T1|w(x)|{}:3\nT2|w(x)|/elsewhere/b.c:4\n", inside.display()));
    let results = results(&Sarif::new(), &dir, "predict t.std --property race");
    let places = [&results[0]["locations"][0], &results[0]["relatedLocations"][0]];
    let uris = places.map(|place| place["physicalLocation"]["artifactLocation"]["uri"].clone());
    assert!(uris.contains(&"src/a.c".into()), "{uris:?}");
    assert!(uris.contains(&"file:///elsewhere/b.c".into()), "{uris:?}");
}
