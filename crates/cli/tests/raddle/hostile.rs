//! Text from outside never acts on the terminal.

use crate::harness::Dir;

/// Escape sequences, a bell, a C1 control, and text turned around.
const NAME: &str = "x\x1b[31m\x07\u{9b}2J\u{202e}y";

#[track_caller]
fn assert_harmless(text: &str) {
    let acts = |c: &char| (c.is_control() && *c != '\n') || *c == '\u{202e}';
    assert_eq!(text.chars().find(acts), None, "{text:?}");
}

#[test]
fn names_in_traces_are_made_visible_everywhere() {
    let trace = format!("T{NAME}|w({NAME})|{NAME}\nT{NAME}|rel(m{NAME})|2\n");
    let dir = Dir::with("t.std", trace);
    let commands = [
        "trace info t.std",
        "trace validate t.std",
        "trace validate --format json t.std",
        "trace info --normalise t.std",
        "trace validate --normalise t.std",
        "trace validate --normalise --format json t.std",
        "trace convert --normalise t.std -o out.std",
    ];
    for command in commands {
        let run = dir.raddle(command);
        assert_harmless(&run.stdout);
        assert_harmless(&run.stderr);
        assert!((run.stdout + &run.stderr).contains("[31m"), "the name is shown: {command}");
    }
}

#[test]
fn a_bad_line_is_made_visible_and_marked_where_it_is_bad() {
    let dir = Dir::with("t.std", "T\x1b[31m1|fr\x1b[5mob(x)|3\n");
    let run = dir.raddle("trace validate t.std").exits(2);
    insta::assert_snapshot!(run.stderr, @"
    error: unknown operation `fr␛[5mob`
     --> t.std:1:9
      |
    1 | T␛[31m1|fr␛[5mob(x)|3
      |         ^^^^^^^^
    ");
}

#[test]
fn operations_and_lines_are_made_visible() {
    for line in [format!("T|{NAME}(x)|1"), format!("{NAME} and no bar")] {
        let dir = Dir::with("t.std", line);
        let run = dir.raddle("trace validate t.std").exits(2);
        assert_harmless(&run.stderr);
        let run = dir.raddle("trace validate --format json t.std").exits(2);
        assert_harmless(&run.stdout);
    }
}

#[cfg(unix)]
#[test]
fn file_names_are_made_visible() {
    let name = format!("{NAME}.std");
    let dir = Dir::with(&name, "T1|w(x)|1\n");
    let missing = format!("missing{NAME}");
    let out = format!("out{NAME}.rdl");
    let extra = [name.as_str(), name.as_str()];
    let cases: [&[&str]; 8] = [
        &["trace", "info", &name],
        &["trace", "info", "-vv", &name],
        &["trace", "info", "--format", "json", &name],
        &["trace", "validate", &missing],
        &["trace", "convert", &name, "-o", &out],
        &["trace", "convert", &name, "-o", &missing],
        &["trace", "info", "--config", &missing, &name],
        &["trace", "info", extra[0], extra[1]],
    ];
    for args in cases {
        let run = dir.run(args);
        assert_harmless(&run.stdout);
        assert_harmless(&run.stderr);
        assert!(!(run.stdout + &run.stderr).is_empty(), "{args:?}");
    }
}

#[test]
fn the_configuration_is_made_visible() {
    let dir = Dir::with("raddle.toml", format!("\"{NAME}\" = 1\n"));
    assert_harmless(&dir.raddle("trace info x").exits(2).stderr);
    let dir = Dir::with("raddle.toml", "format = \"\u{9b}x\"\n");
    assert_harmless(&dir.raddle("trace info x").exits(2).stderr);
    let dir = Dir::with("raddle.toml", "log = \"\u{9b}=x,y=\"\n");
    assert_harmless(&dir.raddle("trace info x").exits(2).stderr);
}
