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

use crate::cases::programs;
use crate::harness::Dir;

mod fails {
    super::programs! { super::shows_what_is_expected_first }
}

mod fixed {
    super::programs! { super::is_covered_up_to_the_bound }
}

/// The names of the files in a part of the corpus, without their endings.
fn corpus(part: &str) -> Vec<String> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../corpus").join(part);
    let paths = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let name = |path: PathBuf| path.file_stem().unwrap().to_str().unwrap().to_owned();
    let mut names: Vec<_> = paths.map(name).collect();
    names.sort();
    names
}

#[test]
fn every_program_of_the_corpus_is_a_case() {
    let cases = fails::CASES.iter().flat_map(|name| [name.to_string(), format!("{name}_fixed")]);
    let mut cases: Vec<_> = cases.collect();
    cases.sort();
    assert_eq!(cases, corpus("c"));
}

/// Checks a program: its report, and its text.
fn check(name: &str, code: i32) -> (Value, String) {
    let dir = Dir::corpus(&format!("{name}.c"));
    let text = dir.raddle(&format!("check {name}.c --time 10m -o report.json")).exits(code).stdout;
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
    let name = format!("{name}.c");
    let text = Dir::corpus(&name).text(&name);
    let line = text.lines().find_map(|line| line.strip_prefix(&format!(" * {key}:")));
    line.unwrap().split(',').map(|word| word.trim().to_owned()).collect()
}

fn shows_what_is_expected_first(name: &str) {
    let (report, text) = check(name, 1);
    let kinds = said(name, "kinds");
    let first = report["findings"][0]["property"].as_str().unwrap();
    assert!(kinds.iter().any(|kind| property(kind) == first), "{first} is none of {kinds:?}");
    insta::assert_snapshot!(name, steady(&text));
}

/// The property that a kind of failure belongs to.
fn property(kind: &str) -> &str {
    match kind {
        "use-after-free" | "misuse" => "crash",
        kind => kind,
    }
}

fn is_covered_up_to_the_bound(name: &str) {
    let name = format!("{name}_fixed");
    let (report, text) = check(&name, 0);
    let claim = report["stats"]["exploration"]["claim"].as_str().unwrap();
    let is_covered = claim.starts_with("proved: ") || claim.starts_with("no execution");
    assert!(is_covered, "{claim}");
    insta::assert_snapshot!(name, steady(&text));
}
