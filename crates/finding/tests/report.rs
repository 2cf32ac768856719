//! Reports are written the same for the same contents, and read back or refused with a reason.

use raddle_finding::*;
use serde_json::json;

fn race(verdict: Verdict, place: &str, events: &[i64]) -> Finding {
    let site = Site::new("first access", Location::parse(place));
    let mut finding = Finding::new(Property::Race, verdict, "a race", vec![site], vec![]);
    finding.events = events.to_vec();
    finding
}

fn report(findings: Vec<Finding>) -> Report {
    let mut report = Report::new(Input::named("queue.std"));
    report.findings = findings;
    report
}

/// Expected: the locations in order, whatever order they came in.
#[track_caller]
fn check_order(findings: &[Finding], expected: &[&str]) {
    for rotation in 0..findings.len() {
        let mut rotated = findings.to_vec();
        rotated.rotate_left(rotation);
        let mut sorted = report(rotated);
        sorted.sort();
        let places: Vec<_> =
            sorted.findings.iter().map(|f| f.locations[0].location.name.as_str()).collect();
        assert_eq!(places, expected);
    }
}

#[track_caller]
fn check_refused(text: &str, expected: &str) {
    let error = Report::from_json(text).expect_err("it must not be read").to_string();
    assert!(error.starts_with(expected), "{error}");
}

#[test]
fn lines_sort_as_numbers() {
    check_order(
        &[
            race(Verdict::Candidate, "a.c:100", &[]),
            race(Verdict::Candidate, "a.c:9", &[]),
            race(Verdict::Candidate, "b.c:1", &[]),
        ],
        &["a.c:9", "a.c:100", "b.c:1"],
    );
}

#[test]
fn the_surest_come_first_and_unknown_last() {
    check_order(
        &[
            race(Verdict::Unknown(Budget::Time), "a.c:1", &[]),
            race(Verdict::NotRuledOutByBoth, "a.c:2", &[]),
            race(Verdict::Replayed, "a.c:3", &[]),
        ],
        &["a.c:3", "a.c:2", "a.c:1"],
    );
}

#[test]
fn properties_stay_together() {
    let mut deadlock = race(Verdict::Replayed, "a.c:1", &[]);
    deadlock.property = Property::Deadlock;
    check_order(&[deadlock, race(Verdict::Candidate, "a.c:2", &[])], &["a.c:2", "a.c:1"]);
}

#[test]
fn any_order_of_findings_gives_the_same_bytes() {
    let mut other_words = race(Verdict::Candidate, "a.c:1", &[1, 2]);
    other_words.message = "the same race".to_owned();
    let findings = [
        race(Verdict::Candidate, "a.c:1", &[1, 2]),
        race(Verdict::Candidate, "a.c:1", &[0, 7]),
        race(Verdict::Candidate, "a.c:1", &[1, 10]),
        other_words,
    ];
    let mut forwards = report(findings.to_vec());
    let mut backwards = report(findings.into_iter().rev().collect());
    forwards.sort();
    backwards.sort();
    assert_eq!(forwards.to_json(), backwards.to_json());
}

#[test]
fn repairs_sort_by_event() {
    let repair = |event| Repair {
        event: Some(event),
        line: None,
        rule: "locks are released by their holder".into(),
        action: "dropped".into(),
    };
    let mut sorted = report(vec![]);
    sorted.repairs = vec![repair(12), repair(9)];
    sorted.sort();
    assert_eq!(sorted.repairs, [repair(9), repair(12)]);
}

#[test]
fn all_that_differs_between_equal_runs_is_timing() {
    let mut slow = report(vec![race(Verdict::Candidate, "a.c:1", &[])]);
    let fast = slow.clone();
    slow.timing.insert("total_s".into(), json!(3.5));
    assert_ne!(slow.to_json(), fast.to_json());
    let json: serde_json::Value = serde_json::from_str(&slow.to_json()).expect("it is JSON");
    assert_eq!(json[TIMING_KEY], json!({"total_s": 3.5}));
    assert_eq!(slow.without_timing().to_json(), fast.to_json());
}

#[test]
fn fields_come_in_their_documented_order() {
    let mut full = report(vec![]);
    full.seed = Some(7);
    full.timing.insert("total_s".into(), json!(3.5));
    let text = full.to_json();
    let keys: Vec<_> = text
        .lines()
        .filter_map(|line| line.strip_prefix("  \"").and_then(|rest| rest.split('"').next()))
        .collect();
    assert_eq!(
        keys,
        ["schema", "tool", "seed", "input", "findings", "skipped", "repairs", "stats", "timing"]
    );
}

#[test]
fn other_versions_are_refused_before_anything_else() {
    check_refused(
        r#"{"findings": 7, "schema": "raddle.findings/2"}"#,
        "schema `raddle.findings/2` is not supported (this release reads `raddle.findings/1`)",
    );
}

#[test]
fn other_versions_are_refused_by_serde_too() {
    let error = serde_json::from_value::<SchemaVersion>(json!("raddle.findings/2"));
    assert!(error.expect_err("it must not be read").to_string().contains("not supported"));
}

#[test]
fn other_text_is_refused_with_its_position() {
    check_refused("", "not a report: EOF while parsing a value at line 1 column 0");
    check_refused("{}", "not a report: missing field `schema` at line 1 column 2");
    check_refused(
        r#"{"schema": "raddle.findings/1"}"#,
        "not a report: missing field `tool` at line 1 column 31",
    );
}

#[test]
fn a_witnessed_finding_without_witness_is_refused() {
    let text = report(vec![
        race(Verdict::Candidate, "a.c:1", &[]),
        race(Verdict::Witnessed, "a.c:2", &[]),
    ]);
    check_refused(&text.to_json(), "finding 1 (race) is witnessed but has no witness");
}

#[test]
fn what_breaks_a_program_and_is_simple_comes_first() {
    let finding = |property, verdict, preemptions| {
        let mut finding = Finding::new(property, verdict, "", Vec::new(), Vec::new());
        finding.preemptions = Some(preemptions);
        finding
    };
    let mut report = Report::new(Input::named("a.c"));
    report.findings = vec![
        finding(Property::Crash, Verdict::NotRuledOutByBoth, 0),
        finding(Property::Race, Verdict::Replayed, 0),
        finding(Property::Assertion, Verdict::Replayed, 2),
        finding(Property::Assertion, Verdict::Witnessed, 1),
        finding(Property::Deadlock, Verdict::Replayed, 0),
    ];
    report.rank();
    let order: Vec<_> = report.findings.iter().map(|f| (f.property, f.preemptions)).collect();
    let expected = [
        (Property::Assertion, Some(1)),
        (Property::Assertion, Some(2)),
        (Property::Deadlock, Some(0)),
        (Property::Race, Some(0)),
        (Property::Crash, Some(0)),
    ];
    assert_eq!(order, expected);
}
