//! `raddle trace validate`

use crate::harness::{Dir, GOOD};

/// A trace that needs as many repairs.
fn with_repairs(n: usize) -> String {
    let releases: String = (0..n).map(|n| format!("T1|rel(m)|{}\n", n + 2)).collect();
    format!("T1|w(x)|1\n{releases}")
}

#[test]
fn a_good_trace_is_ok_with_its_counts() {
    let run = Dir::with("t.std", GOOD).raddle("trace validate t.std").succeeds();
    insta::assert_snapshot!(run.stdout, @"ok: t.std is well-formed: 8 events, 2 threads, 1 lock, 1 variable");
    assert_eq!(run.stderr, "");
}

#[test]
fn json_says_well_formed() {
    let run = Dir::with("t.std", GOOD).raddle("trace validate --format json t.std").succeeds();
    insta::assert_snapshot!(run.stdout, @r#"
    {
      "schema": "raddle.trace-validate/1",
      "file": "t.std",
      "mode": "strict",
      "result": "well-formed",
      "format": "std",
      "compression": "none",
      "begin_end": null,
      "counts": {
        "events": 8,
        "threads": 2,
        "locks": 1,
        "variables": 1
      },
      "repairs": [],
      "problem": null
    }
    "#);
}

#[test]
fn json_has_the_violation_and_so_has_stderr() {
    let dir = Dir::with("t.std", with_repairs(1));
    let run = dir.raddle("trace validate --format json t.std").exits(2);
    insta::assert_snapshot!(run.stdout, @r#"
    {
      "schema": "raddle.trace-validate/1",
      "file": "t.std",
      "mode": "strict",
      "result": "rejected",
      "format": null,
      "compression": null,
      "begin_end": null,
      "counts": null,
      "repairs": [],
      "problem": {
        "kind": "rule",
        "message": "T1 does not hold m",
        "rule": "M2",
        "event": "T1|rel(m)",
        "position": 1,
        "line": 2,
        "column": null,
        "offset": null
      }
    }
    "#);
    assert!(run.stderr.starts_with("error[M2]: the trace is not well-formed"), "{}", run.stderr);
}

#[test]
fn json_has_syntax_errors_too_but_no_file_no_document() {
    let dir = Dir::with("t.std", "T1|w(x)|1\nT1|frob(x)|2\n");
    let json = dir.raddle("trace validate --format json t.std").exits(2).json();
    assert_eq!(json["result"], "rejected");
    assert_eq!(json["problem"]["kind"], "syntax");
    assert_eq!(json["problem"]["line"], 2);
    assert_eq!(json["problem"]["column"], 4);
    assert_eq!(dir.raddle("trace validate --format json missing.std").exits(2).stdout, "");
}

#[test]
fn normalise_lists_the_repairs_in_either_spelling() {
    let dir = Dir::with("t.std", with_repairs(2));
    let run = dir.raddle("trace validate --normalise t.std").succeeds();
    insta::assert_snapshot!(run.stdout, @"
    repaired: t.std is well-formed after 2 repairs: 1 event, 1 thread, 1 lock, 1 variable
      line 2: `T1|rel(m)`: dropped (M2: T1 does not hold m)
      line 3: `T1|rel(m)`: dropped (M2: T1 does not hold m)
    ");
    let other = dir.raddle("trace validate --normalize t.std").succeeds();
    assert_eq!(run.stdout, other.stdout);
}

#[test]
fn people_see_the_first_20_repairs_unless_they_ask_for_all() {
    let dir = Dir::with("t.std", with_repairs(25));
    let some = dir.raddle("trace validate --normalise t.std").succeeds().stdout;
    assert_eq!(some.lines().count(), 1 + 20 + 1);
    assert_eq!(some.lines().last(), Some("  … and 5 more; --all lists them"));
    let all = dir.raddle("trace validate --normalise --all t.std").succeeds().stdout;
    assert_eq!(all.lines().count(), 1 + 25);
    let json = dir.raddle("trace validate --normalise --format json t.std").succeeds().json();
    assert_eq!(json["result"], "repaired");
    assert_eq!(json["mode"], "normalise");
    assert_eq!(json["repairs"].as_array().map(Vec::len), Some(25));
}

#[test]
fn nesting_is_checked_where_it_is_claimed() {
    let crossing = "T1|acq(a)|1\nT1|acq(b)|2\nT1|rel(a)|3\nT1|rel(b)|4\n";
    let dir = Dir::with("t.std", crossing);
    dir.raddle("trace validate t.std").succeeds();
    dir.raddle("trace validate --nested=false t.std").succeeds();
    let run = dir.raddle("trace validate --nested t.std").exits(2);
    assert!(run.stderr.starts_with("error[N1]"), "{}", run.stderr);
}

#[test]
fn the_hint_is_not_given_to_those_who_followed_it() {
    let dir = Dir::with("t.std", with_repairs(1));
    let strict = dir.raddle("trace validate t.std").exits(2).stderr;
    assert!(strict.ends_with("= help: use --normalise to repair this and list every repair\n"));
    let normalised = dir.raddle("trace validate --normalise t.std").succeeds();
    assert!(!normalised.stdout.contains("help"), "{}", normalised.stdout);
}
