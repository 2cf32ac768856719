//! Settings: flag before environment before `raddle.toml` before default.

use crate::harness::{Dir, Environment, GOOD, Run};

/// Runs `trace info t.std` with a flag, an environment and a file, each of which may be empty.
fn info(flags: &str, environment: Environment, file: &str) -> Run {
    let dir = Dir::with("t.std", GOOD);
    if !file.is_empty() {
        dir.file("raddle.toml", file);
    }
    let mut command = dir.command(format!("trace info t.std {flags}").split_whitespace());
    command.envs(environment.iter().copied());
    Run::of(command.output().unwrap())
}

#[test]
fn flag_comes_before_environment_before_file_before_default() {
    let json = [("RADDLE_FORMAT", "json")];
    let text = [("RADDLE_FORMAT", "text")];
    let cases: [(&str, Environment, &str, bool); 7] = [
        ("", &[], "", false),
        ("", &[], "format = \"json\"", true),
        ("", &json, "", true),
        ("", &text, "format = \"json\"", false),
        ("--format json", &text, "format = \"text\"", true),
        ("--format text", &json, "format = \"json\"", false),
        ("--format text", &[], "format = \"json\"", false),
    ];
    for (flags, environment, file, is_json) in cases {
        let run = info(flags, environment, file).succeeds();
        assert_eq!(run.stdout.starts_with('{'), is_json, "{flags:?} {environment:?} {file:?}");
    }
}

#[test]
fn every_setting_of_the_trace_can_come_from_anywhere() {
    // Each is accepted, rejected or refused depending on one setting.
    let rejected = "T1|acq(a)|1\nT1|acq(b)|2\nT1|rel(a)|3\nT1|rel(b)|4\nT1|rel(c)|5\n";
    let crossing = "T1|acq(a)|1\nT1|acq(b)|2\nT1|rel(a)|3\nT1|rel(b)|4\n";
    let begin = "T1|w(x)|1\nT1|begin(0)|2\nT1|end(0)|3\n";
    let cases = [
        (rejected, "normalise", "true", "false", 0, 2),
        (crossing, "nested", "true", "false", 2, 0),
        (begin, "begin-end", "\"thread\"", "\"auto\"", 2, 0),
        (crossing, "max-memory", "\"10\"", "\"1GiB\"", 2, 0),
    ];
    for (trace, key, this, other, code, other_code) in cases {
        let run = |flag: Option<&str>, environment: Option<&str>, file: Option<&str>| {
            let dir = Dir::with("t.std", trace);
            if let Some(value) = file {
                dir.file("raddle.toml", format!("[trace]\n{key} = {value}\n"));
            }
            let bare = |value: &str| value.trim_matches('"').to_owned();
            let mut command = dir.command(["trace", "validate", "t.std"]);
            command.args(flag.map(|value| format!("--{key}={}", bare(value))));
            let name = format!("RADDLE_{}", key.to_uppercase().replace('-', "_"));
            command.envs(environment.map(|value| (name, bare(value))));
            Run::of(command.output().unwrap()).code
        };
        assert_eq!(run(None, None, None), other_code, "{key}: default");
        assert_eq!(run(None, None, Some(this)), code, "{key}: file");
        assert_eq!(run(None, Some(this), Some(other)), code, "{key}: environment");
        assert_eq!(run(Some(this), Some(other), Some(other)), code, "{key}: flag");
        assert_eq!(run(Some(other), Some(this), Some(this)), other_code, "{key}: flag, undone");
    }
}

#[test]
fn the_file_is_found_in_the_directories_above() {
    let dir = Dir::with("raddle.toml", "format = \"json\"\n");
    dir.file("a/b/t.std", GOOD);
    let mut command = dir.command(["trace", "info", "t.std"]);
    let run = Run::of(command.current_dir(dir.path("a/b")).output().unwrap()).succeeds();
    assert!(run.stdout.starts_with('{'));
    dir.file("a/raddle.toml", "format = \"text\"\n");
    let mut command = dir.command(["trace", "info", "t.std"]);
    let run = Run::of(command.current_dir(dir.path("a/b")).output().unwrap()).succeeds();
    assert!(run.stdout.starts_with("t.std"), "the nearest counts");
}

#[test]
fn a_file_can_be_named() {
    let dir = Dir::with("t.std", GOOD);
    dir.file("raddle.toml", "format = \"text\"\n");
    dir.file("json.toml", "format = \"json\"\n");
    let run = dir.raddle("trace info t.std --config json.toml").succeeds();
    assert!(run.stdout.starts_with('{'));
    let mut command = dir.command(["trace", "info", "t.std"]);
    let run = Run::of(command.env("RADDLE_CONFIG", "json.toml").output().unwrap()).succeeds();
    assert!(run.stdout.starts_with('{'));
    let run = dir.raddle("trace info t.std --config missing.toml").exits(2);
    insta::assert_snapshot!(run.stderr, @"
    error: cannot read the configuration `missing.toml`
     |
     = caused by: No such file or directory (os error 2)
    ");
}

#[test]
fn an_unknown_key_is_an_error_that_names_the_known_ones() {
    insta::assert_snapshot!(info("", &[], "format = \"text\"\nfromat = \"json\"\n").exits(2).stderr, @r#"
    error: the configuration is invalid: unknown key `fromat`, expected one of `format`, `color`, `quiet`, `log`, `trace`
     --> raddle.toml:2:1
      |
    2 | fromat = "json"
      | ^^^^^^
    "#);
    insta::assert_snapshot!(info("", &[], "[trace]\nnormalize = true\n").exits(2).stderr, @"
    error: the configuration is invalid: unknown key `normalize`, expected one of `normalise`, `begin-end`, `nested`, `max-memory`
     --> raddle.toml:2:1
      |
    2 | normalize = true
      | ^^^^^^^^^
    ");
}

#[test]
fn a_value_that_makes_no_sense_is_shown_in_its_line() {
    let cases = [
        "format = \"xml\"\n",
        "# first\n[trace]\nmax-memory = \"4Q\"\n",
        "[trace]\nnested = 3\n",
        "trace = 3\n",
        "color = = 3\n",
        "quiet = \"yes\"",
    ];
    let all: Vec<_> = cases.map(|file| info("", &[], file).exits(2).stderr).into();
    insta::assert_snapshot!(all.join("\n"), @r#"
    error: the configuration is invalid: unknown variant `xml`, expected one of `text`, `json`, `short`, `html`, `sarif`, `junit`, `perfetto`, `csv`
     --> raddle.toml:1:10
      |
    1 | format = "xml"
      |          ^^^^^

    error: the configuration is invalid: `4Q` is not a size; write it like 4GiB, 500MB or 1048576
     --> raddle.toml:3:14
      |
    3 | max-memory = "4Q"
      |              ^^^^

    error: the configuration is invalid: invalid type: integer `3`, expected a boolean
     --> raddle.toml:2:10
      |
    2 | nested = 3
      |          ^

    error: the configuration is invalid: invalid type: integer `3`, expected a table: [trace]
     --> raddle.toml:1:9
      |
    1 | trace = 3
      |         ^

    error: the configuration is invalid: extra `=`, expected nothing
     --> raddle.toml:1:9
      |
    1 | color = = 3
      |         ^

    error: the configuration is invalid: invalid type: string "yes", expected a boolean
     --> raddle.toml:1:9
      |
    1 | quiet = "yes"
      |         ^^^^^
    "#);
}

#[test]
fn a_value_in_the_environment_is_checked() {
    let run = info("", &[("RADDLE_FORMAT", "xml")], "").exits(2);
    assert!(run.stderr.contains("invalid value 'xml' for '--format <FORMAT>'"), "{}", run.stderr);
}
