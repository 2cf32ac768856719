//! What `raddle check` says of every program of the corpus: the expected finding, or the guarantee.
//!
//! Programs in C++ are in `cpp`, what other commands say of their parts in `analyses`, and programs in Rust in the tests of
//! the Rust library. The text is kept as a snapshot without what depends on the machine. What is expected stands in the
//! comment at the top of each program.

mod analyses;
mod cpp;

use std::fs;
use std::path::PathBuf;

use serde_json::Value;

use crate::harness::Dir;

/// The programs of the corpus that are fixed, or those that are not.
pub(crate) fn programs(fixed: bool) -> Vec<String> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../corpus/c");
    let names = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name());
    let names = names.map(|name| name.into_string().unwrap());
    let is_wanted = |name: &String| name.ends_with(".c") && name.ends_with("_fixed.c") == fixed;
    let mut names: Vec<_> = names.filter(is_wanted).collect();
    names.sort();
    assert!(names.len() > 30, "the corpus has more programs");
    names
}

/// All programs: some include others.
pub(crate) fn corpus() -> Dir {
    let dir = Dir::new();
    for name in programs(false).into_iter().chain(programs(true)) {
        dir.file(&name, Dir::corpus(&name).read(&name));
    }
    dir
}

/// Checks a program: its report, and its text.
fn check(dir: &Dir, name: &str, code: i32) -> (Value, String) {
    let text = dir.raddle(&format!("check {name} --time 10m -o report.json")).exits(code).stdout;
    (serde_json::from_slice(&dir.read("report.json")).unwrap(), text)
}

/// The text without times and sizes.
fn steady(text: &str) -> String {
    let line = |line: &str| match line.split_once(" execution") {
        Some((n, _)) if is_number(n) => format!("{n} executions"),
        _ => line.to_owned(),
    };
    text.lines().map(line).collect::<Vec<_>>().join("\n")
}

/// Whether a text is a number, with its digits in groups or not.
fn is_number(text: &str) -> bool {
    text.chars().all(|c| c.is_ascii_digit() || c == ',')
}

/// What the comment of a program says under a name.
fn said(name: &str, key: &str) -> Vec<String> {
    let text = Dir::corpus(name).text(name);
    let line = text.lines().find_map(|line| line.strip_prefix(&format!(" * {key}:")));
    line.unwrap().split(',').map(|word| word.trim().to_owned()).collect()
}

#[test]
fn every_program_that_fails_shows_what_is_expected_first() {
    let dir = corpus();
    for name in programs(false) {
        let (report, text) = check(&dir, &name, 1);
        let kinds = said(&name, "kinds");
        let first = report["findings"][0]["property"].as_str().unwrap();
        let is_expected = |kind: &String| property(kind) == first;
        assert!(kinds.iter().any(is_expected), "{name}: {first} is none of {kinds:?}");
        insta::assert_snapshot!(name.trim_end_matches(".c"), steady(&text));
    }
}

/// The property that a kind of failure belongs to.
fn property(kind: &str) -> &str {
    match kind {
        "use-after-free" | "misuse" => "crash",
        kind => kind,
    }
}

#[test]
fn every_fixed_program_is_covered_up_to_the_bound() {
    let dir = corpus();
    for name in programs(true) {
        let (report, text) = check(&dir, &name, 0);
        let claim = report["stats"]["exploration"]["claim"].as_str().unwrap();
        let is_covered = claim.starts_with("proved: ") || claim.starts_with("no execution");
        assert!(is_covered, "{name}: {claim}");
        insta::assert_snapshot!(name.trim_end_matches(".c"), steady(&text));
    }
}
