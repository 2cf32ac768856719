//! The examples in the documentation do what it says.
//!
//! A block of `console` is a command and what it prints: results first, then everything else.
//! `RADDLE_UPDATE_DOCS=1` writes into the pages what the commands print now.

use std::fs;
use std::path::PathBuf;

use crate::harness::{Dir, Run};

/// Runs every example of a page.
#[track_caller]
fn check(page: &str, dir: &Dir) {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/src").join(page);
    let text = fs::read_to_string(&path).unwrap();
    let actual = with_real_output(&text, dir);
    if std::env::var_os("RADDLE_UPDATE_DOCS").is_some() {
        fs::write(&path, &actual).unwrap();
    }
    assert_eq!(steady(&actual), steady(&text), "RADDLE_UPDATE_DOCS=1 updates the page");
}

/// The text without the columns and numbers that depend on how traces are stored.
fn steady(text: &str) -> String {
    let line = |line: &str| match line.split_whitespace().collect::<Vec<_>>()[..] {
        ["memory", ..] => "memory".to_owned(),
        ["note:", "wrote", name, ..] => format!("wrote {name}"),
        ["note:", "the", "program", "ended", ..] => "ended".to_owned(),
        ref words => words.join(" "),
    };
    text.lines().map(line).collect::<Vec<_>>().join("\n")
}

#[test]
fn every_strategy_is_described() {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/src/commands/explore.md");
    let page = fs::read_to_string(path).unwrap();
    for entry in raddle_explore::STRATEGIES {
        assert!(page.contains(&format!("\n| `{}` | ", entry.form)), "{} is not", entry.form);
    }
}

/// The page, with each example followed by what it prints.
fn with_real_output(text: &str, dir: &Dir) -> String {
    let mut page = String::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        page.push_str(&format!("{line}\n"));
        if line != "```console" {
            continue;
        }
        let command = lines.next().unwrap();
        let args = command.strip_prefix("$ raddle ").unwrap();
        let Run { stdout, stderr, .. } = dir.raddle(args);
        page.push_str(&format!("{command}\n{stdout}{stderr}```\n"));
        lines.find(|line| *line == "```").unwrap();
    }
    page
}

/// The traces that a page shows in blocks of `text`.
fn traces(page: &str) -> Vec<String> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/src").join(page);
    let text = fs::read_to_string(path).unwrap();
    let blocks = text.split("```text\n").skip(1);
    blocks.map(|block| block.split("```").next().unwrap().to_owned()).collect()
}

#[test]
fn the_examples_of_trace_are_real() {
    let dir = Dir::new();
    for (name, trace) in ["bank.std", "broken.std"].into_iter().zip(traces("commands/trace.md")) {
        dir.file(name, trace);
    }
    check("commands/trace.md", &dir);
}

#[test]
fn the_examples_of_predict_are_real() {
    let dir = Dir::new();
    let traces = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../corpus/traces");
    for name in ["bank.std", "counter.std", "forks.std", "wakeup.std"] {
        dir.file(name, fs::read(traces.join(name)).unwrap());
    }
    check("commands/predict.md", &dir);
}

#[test]
fn the_examples_of_record_and_replay_are_real() {
    let dir = Dir::new();
    let programs = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../corpus/c");
    for name in ["bank_atomicity.c", "ab_ba.c"] {
        dir.file(name, fs::read(programs.join(name)).unwrap());
    }
    check("commands/record.md", &dir);
    check("commands/replay.md", &dir);
}

#[test]
fn the_examples_of_check_and_explore_are_real() {
    let dir = Dir::new();
    let programs = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../corpus/c");
    for name in ["bank_atomicity.c", "bank_atomicity_fixed.c", "bluetooth.c"] {
        dir.file(name, fs::read(programs.join(name)).unwrap());
    }
    check("commands/check.md", &dir);
    check("commands/explore.md", &dir);
}

#[test]
fn the_example_of_flow_is_real() {
    let page = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/src/formats/flow.md");
    let text = fs::read_to_string(page).unwrap();
    let program = text.split("```c\n").nth(1).and_then(|rest| rest.split("```").next());
    check("formats/flow.md", &Dir::with("stock.c", program.unwrap()));
}

#[test]
fn the_example_of_configuration_is_real() {
    check("configuration.md", &Dir::with("raddle.toml", "format = \"text\"\ncolour = \"never\"\n"));
}

#[test]
fn the_documented_defaults_are_accepted() {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/src/configuration.md");
    let text = fs::read_to_string(path).unwrap();
    let block = text.split("```toml\n").nth(1).unwrap().split("```").next().unwrap();
    let dir = Dir::with("raddle.toml", block.replace("# max-memory", "max-memory"));
    dir.file("t.std", crate::harness::GOOD);
    let run = dir.raddle("trace info t.std").succeeds();
    assert_eq!(run.stderr, "");
}
