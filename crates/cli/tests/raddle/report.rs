//! `raddle report`, the forms of reports, baselines and suppressions.

use serde_json::Value;

use crate::harness::Dir;

/// A report of a program, saved as JSON, and the text that went with it.
fn saved(name: &str) -> (Dir, String) {
    let dir = Dir::corpus(name);
    let text = dir.raddle(&format!("check {name} -q -o report.json")).exits(1).stdout;
    (dir, text)
}

#[test]
fn a_saved_report_reads_like_a_fresh_one() {
    for name in ["bank_race.c", "ab_ba.c", "refcount.c"] {
        let (dir, text) = saved(name);
        assert_eq!(dir.raddle("report report.json").succeeds().stdout, text);
        let piped = dir.shell("raddle report - < report.json").succeeds();
        assert_eq!(piped.stdout, text);
    }
}

#[test]
fn a_predicted_finding_can_be_told_from_its_report() {
    let dir =
        Dir::with("t.std", "T1|w(x)|a.c:1\nT2|acq(l)|b.c:6\nT2|w(x)|b.c:7\nT2|rel(l)|b.c:8\n");
    dir.raddle("predict t.std --property race -q -o report.json").exits(1);
    let text = dir.raddle("report report.json").succeeds().stdout;
    assert!(text.starts_with("race: "), "{text}");
    let marked: Vec<_> = text.lines().filter(|line| line.contains('▶')).collect();
    assert_eq!(marked.len(), 2, "{text}");
    assert!(text.contains("locks l"), "the scope around what decides is shown: {text}");
}

#[test]
fn every_ending_has_its_form() {
    let dir = Dir::corpus("bank_race.c");
    let names =
        ["r.html", "r.json", "r.sarif", "r.xml", "r.perfetto.json", "r.csv", "r.txt", "r.baseline"];
    let outputs: String = names.iter().map(|name| format!(" -o {name}")).collect();
    dir.raddle(&format!("check bank_race.c -q{outputs}")).exits(1);
    let begins = [
        ("r.html", "<!doctype html>"),
        ("r.json", "{\n  \"schema\": \"raddle.findings/1\""),
        ("r.sarif", "{\n  \"$schema\""),
        ("r.xml", "<?xml"),
        ("r.perfetto.json", "{\"displayTimeUnit\""),
        ("r.csv", "fingerprint,property"),
        ("r.txt", "assertion: "),
        ("r.baseline", "raddle.baseline/1\n"),
    ];
    for (name, begin) in begins {
        assert!(dir.text(name).starts_with(begin), "{name}: {}", &dir.text(name)[..40]);
    }
    let sarif: Value = serde_json::from_str(&dir.text("r.sarif")).unwrap();
    let printed = dir.raddle("report r.json --format sarif").succeeds().json();
    assert_eq!(printed, sarif);
}

#[test]
fn an_ending_without_a_form_is_refused_before_the_search() {
    let run = Dir::corpus("bank_race.c").raddle("check bank_race.c -o report.pdf").exits(2);
    assert!(run.stderr.contains("unknown report format: `report.pdf`"), "{}", run.stderr);
    assert_eq!(run.stdout, "");
}

#[test]
fn other_commands_have_text_and_json_only() {
    let dir = Dir::with("t.std", crate::harness::GOOD);
    let run = dir.raddle("trace info t.std --format html").exits(2);
    assert!(run.stderr.contains("this command supports only text and JSON"), "{}", run.stderr);
    let text = dir.raddle("trace info t.std").succeeds().stdout;
    dir.file("raddle.toml", "format = \"html\"\n");
    assert_eq!(
        dir.raddle("trace info t.std").succeeds().stdout,
        text,
        "the file is for all commands"
    );
}

#[test]
fn known_findings_do_not_fail() {
    let (dir, _) = saved("bank_race.c");
    dir.raddle("check bank_race.c -q --baseline report.json").exits(0);
    dir.raddle("report report.json -q -o all.baseline").succeeds();
    dir.raddle("check bank_race.c -q --baseline all.baseline").exits(0);
    let all = dir.text("all.baseline");
    assert_eq!(all.matches(" race ").count(), 2, "what causes a failure is known with it");
    let some: Vec<_> = all.lines().filter(|line| !line.contains("assertion")).collect();
    dir.file("some.baseline", some.join("\n"));
    let run = dir.raddle("check bank_race.c --baseline some.baseline --format json").exits(1);
    let known = run.json();
    let known: Vec<_> = known["findings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|f| f["details"]["known"].clone())
        .collect();
    assert_eq!(known.iter().filter(|known| **known == false).count(), 1);
    dir.raddle("report report.json -q --baseline some.baseline").exits(1);
    dir.raddle("report report.json -q --baseline all.baseline").exits(0);
}

#[test]
fn a_new_race_below_a_known_failure_fails() {
    let (dir, _) = saved("bank_race.c");
    dir.raddle("report report.json -q -o all.baseline").succeeds();
    let all = dir.text("all.baseline");
    let race = all.lines().find(|line| line.contains(" race ")).unwrap();
    let fingerprint = race.split(' ').next().unwrap();
    dir.file("old.baseline", all.replace(&format!("{race}\n"), ""));
    let run = dir.raddle("check -v bank_race.c --baseline old.baseline").exits(1);
    assert!(run.stderr.contains("1 new, 0 known"), "{}", run.stderr);
    assert!(run.stdout.contains(&format!("({fingerprint}), new\n")), "{}", run.stdout);
    assert_eq!(run.stdout.matches("), new\n").count(), 1, "the other race is known");
    // What is suppressed without it is shown with it.
    let run = dir.raddle("check bank_race.c --suppress old.baseline").exits(1);
    assert!(run.stdout.contains("assertion: "), "{}", run.stdout);
    dir.raddle("check bank_race.c -q --baseline old.baseline --suppress all.baseline").exits(0);
}

#[test]
fn suppressed_findings_are_not_shown() {
    let (dir, _) = saved("bank_race.c");
    dir.raddle("report report.json -q -o all.baseline").succeeds();
    let run = dir.raddle("check bank_race.c --suppress all.baseline --format json").exits(0);
    assert_eq!(run.json()["findings"], Value::Array(Vec::new()));
    assert!(run.stderr.contains("0 new, 0 known, 1 suppressed"), "{}", run.stderr);
}

#[test]
fn predictions_have_baselines_too() {
    let dir = Dir::with("t.std", "T1|w(x)|a.c:1\nT2|w(x)|b.c:7\n");
    dir.raddle("predict t.std -q -o known.baseline --property race").exits(1);
    dir.raddle("predict t.std -q --property race --baseline known.baseline").exits(0);
    let run = dir.raddle("predict t.std --property race --suppress known.baseline").exits(0);
    assert!(!run.stdout.contains("race: "), "{}", run.stdout);
}

#[test]
fn what_is_no_report_is_refused_with_its_reason() {
    let dir = Dir::with("no.json", "{\"schema\": \"raddle.findings/9\"}");
    let run = dir.raddle("report no.json").exits(2);
    assert!(run.stderr.contains("raddle.findings/9"), "{}", run.stderr);
    let run = dir.raddle("check a.c --baseline no.json").exits(2);
    assert!(!run.stderr.is_empty());
}

/// A trace cannot make a report show files that were not meant to be shown.
#[test]
fn sources_are_read_only_from_here() {
    let dir = Dir::with("here/t.std", "T1|w(x)|../secret.c:1\nT2|w(x)|near.c:1\n");
    dir.file("secret.c", "a secret\n");
    dir.file("here/near.c", "x = 1; // nearby\n");
    let run = dir.shell("cd here && raddle predict t.std --format json");
    assert!(run.stdout.contains("nearby"), "{}", run.stdout);
    assert!(!run.stdout.contains("a secret"), "{}", run.stdout);
}

#[test]
fn a_trace_opens_in_perfetto() {
    let dir = Dir::with("t.std", crate::harness::GOOD);
    dir.raddle("trace perfetto t.std -o t.perfetto.json").succeeds();
    let json: Value = serde_json::from_slice(&dir.read("t.perfetto.json")).unwrap();
    let events = json["traceEvents"].as_array().unwrap();
    let named = |event: &&Value| event["ph"] == "X";
    assert_eq!(events.iter().filter(named).count(), 8);
    assert_eq!(events.iter().filter(|event| event["ph"] == "b").count(), 2, "two scopes");
}

#[test]
fn one_line_a_finding_fits_the_problem_matcher() {
    let matcher = include_str!("../../../../docs/src/ci/raddle-problem-matcher.json");
    let matcher: Value = serde_json::from_str(matcher).unwrap();
    let pattern = matcher["problemMatcher"][0]["pattern"][0]["regexp"].as_str().unwrap();
    assert_eq!(pattern, r"^(.+?):(\d+)(?::(\d+))?: (error|warning): (.*)$");
    let (dir, _) = saved("bank_race.c");
    let text = dir.raddle("report report.json --format short").succeeds().stdout;
    for line in text.lines() {
        let mut parts = line.splitn(3, ':');
        assert_eq!(parts.next(), Some("bank_race.c"), "{line}");
        assert!(parts.next().unwrap().parse::<u32>().is_ok(), "{line}");
        assert!(line.contains(": error: "), "{line}");
    }
}

/// Who did what with what where, in the story of the first finding.
fn steps(dir: &Dir, check: &str) -> Vec<String> {
    dir.raddle(&format!("check {check} -q -o same.json")).exits(1);
    let table = dir.raddle("report same.json --format csv --table steps").succeeds().stdout;
    let rows = table.lines().skip(1).map(|row| row.split(',').collect::<Vec<_>>());
    let first = table.lines().nth(1).unwrap().split(',').next().unwrap().to_owned();
    let rows = rows.filter(|row| row[0] == first);
    rows.map(|row| [row[2], row[3], row[4], row[6], row[7]].join(" ")).collect()
}

/// Values apart, which binaries do not record.
#[test]
fn a_finding_reads_the_same_on_the_machine_and_on_a_binary() {
    for name in ["bank_race", "ab_ba"] {
        let dir = Dir::corpus(&format!("{name}.c"));
        dir.shell(&format!("raddle cc -O1 -g {name}.c -o {name} -pthread")).succeeds();
        let (mut machine, mut binary) =
            (steps(&dir, &format!("{name}.c")), steps(&dir, &format!("./{name}")));
        assert!(machine.len() >= 4, "{machine:?}");
        if name == "ab_ba" {
            // Which of the two takes its first lock first is the search's choice.
            machine.sort();
            binary.sort();
        }
        assert_eq!(machine, binary);
    }
}

#[test]
fn a_trace_can_be_checked() {
    let dir = Dir::with("t.std", "T1|w(x)|a.c:1\nT2|w(x)|b.c:7\n");
    let run = dir.raddle("check t.std -o r.html").exits(1);
    assert!(run.stdout.starts_with("race: "), "{}", run.stdout);
    assert!(!run.stdout.contains("determinism"), "{}", run.stdout);
    assert!(dir.text("r.html").contains("a.c:1"));
    let dir = Dir::with("-t.std", crate::harness::GOOD);
    let output = dir.command(["check", "./-t.std"]).output().unwrap();
    crate::harness::Run::of(output).exits(0);
}
