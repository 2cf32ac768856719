//! Help, version, colours, the log, completions.

use crate::harness::{Dir, Environment, GOOD, Run};

#[test]
fn raddle_alone_shows_help_and_exits_with_2() {
    for args in ["", "trace"] {
        let run = Dir::new().raddle(args).exits(2);
        assert_eq!(run.stdout, "");
        assert!(run.stderr.contains("Usage: raddle"), "{}", run.stderr);
    }
}

#[test]
fn the_version_is_that_of_the_package() {
    let run = Dir::new().raddle("--version").succeeds();
    assert_eq!(run.stdout, format!("raddle {}\n", env!("CARGO_PKG_VERSION")));
}

#[test]
fn every_command_has_help_with_examples() {
    let commands = [
        "",
        "trace",
        "trace info",
        "trace validate",
        "trace convert",
        "trace generate",
        "completions",
        "doctor",
        "clean",
    ];
    for command in commands {
        for flag in ["-h", "--help"] {
            let run = Dir::new().raddle(&format!("{command} {flag}")).succeeds();
            assert!(run.stdout.contains("\nExamples:\n  raddle "), "{command} {flag}");
            assert!(run.stdout.contains("Usage: raddle"), "{command} {flag}");
            assert!(run.stdout.lines().all(|line| line.chars().count() <= 100), "{command} {flag}");
        }
    }
}

#[test]
fn wrong_usage_exits_with_2() {
    let cases = [
        "frob",
        "trace frob",
        "trace info",
        "trace info a b",
        "trace info --frob a",
        "trace info --max-memory lots a",
        "trace convert a",
        "trace info --begin-end maybe a",
        "completions tcsh",
    ];
    for args in cases {
        let run = Dir::new().raddle(args).exits(2);
        assert_eq!(run.stdout, "", "{args}");
        assert!(run.stderr.starts_with("error: "), "{args}: {}", run.stderr);
    }
}

#[test]
fn every_shell_has_completions_whatever_the_configuration_says() {
    let dir = Dir::with("raddle.toml", "nonsense");
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let run = dir.raddle(&format!("completions {shell}")).succeeds();
        for word in ["validate", "max-memory", "normalise"] {
            assert!(run.stdout.contains(word), "{shell} does not know {word}");
        }
    }
}

/// Whether the results and the errors of a run have colours.
fn colours(flags: &str, environment: Environment, file: &str) -> (bool, bool) {
    let dir = Dir::with("good.std", GOOD);
    dir.file("bad.std", "T1|rel(m)|1\n");
    dir.file("raddle.toml", file);
    let run = |name: &str| {
        let mut command = dir.command(format!("trace validate {name} {flags}").split_whitespace());
        Run::of(command.envs(environment.iter().copied()).output().unwrap())
    };
    (run("good.std").stdout.contains('\x1b'), run("bad.std").stderr.contains('\x1b'))
}

#[test]
fn colours_are_for_terminals_and_those_who_ask() {
    let no_color = [("NO_COLOR", "1")];
    let empty = [("NO_COLOR", "")];
    let always = [("RADDLE_COLOR", "always"), ("NO_COLOR", "1")];
    let cases: [(&str, Environment, &str, bool); 9] = [
        ("", &[], "", false),
        ("--color auto", &[], "", false),
        ("--color always", &[], "", true),
        ("--color always", &no_color, "", true),
        ("--color never", &always, "color = \"always\"", false),
        ("", &[], "color = \"always\"", true),
        ("", &no_color, "color = \"always\"", false),
        ("", &empty, "color = \"always\"", true),
        ("", &always, "", true),
    ];
    for (flags, environment, file, coloured) in cases {
        let case = format!("{flags:?} {environment:?} {file:?}");
        assert_eq!(colours(flags, environment, file), (coloured, coloured), "{case}");
    }
}

#[test]
fn help_and_usage_errors_obey_color_too() {
    let dir = Dir::new();
    assert!(dir.raddle("--color always --help").succeeds().stdout.contains('\x1b'));
    assert!(dir.raddle("--color=always frob").exits(2).stderr.contains('\x1b'));
    assert!(!dir.raddle("--color never --help").succeeds().stdout.contains('\x1b'));
}

#[test]
fn the_log_says_more_the_more_is_asked_for() {
    let log = |flags: &str, environment: Environment, file: &str| {
        let dir = Dir::with("t.std", GOOD);
        dir.file("raddle.toml", file);
        let mut command = dir.command(format!("trace validate t.std {flags}").split_whitespace());
        let run = Run::of(command.envs(environment.iter().copied()).output().unwrap()).succeeds();
        (run.stderr.contains("INFO"), run.stderr.contains("DEBUG"))
    };
    let debug = [("RADDLE_LOG", "raddle=debug")];
    assert_eq!(log("", &[], ""), (false, false));
    assert_eq!(log("-v", &[], ""), (true, false));
    assert_eq!(log("-vv", &[], ""), (true, true));
    assert_eq!(log("", &debug, ""), (true, true));
    assert_eq!(log("-v", &debug, ""), (true, false), "the flag counts");
    assert_eq!(log("", &[], "log = \"info\""), (true, false));
    assert_eq!(log("", &[("RADDLE_LOG", "warn")], "log = \"info\""), (false, false));
}

#[test]
fn no_progress_is_shown_without_a_terminal() {
    let dir = Dir::new();
    dir.raddle("trace generate --preset 100k -o t.std --quiet").succeeds();
    assert_eq!(dir.raddle("trace info t.std").succeeds().stderr, "");
}
