//! The same bug, through the machine, as a binary and in Rust, reads the same.
//!
//! Before texts are compared, this is made equal, and nothing else is:
//!
//! - S1: files and lines, since programs are different files, and how wide columns are; in which column
//!   something stands is compared. A function in Rust does not know its name.
//! - S2: lines of the source and the marks below them, since C is not Rust.
//! - S3: names of variables, locks and conditions: in Rust they have none, and are called after the place
//!   where they were made.
//! - S4: the event hash, which the library does not make: a fingerprint stands in its line. Fingerprints
//!   are made of places.
//! - S5: the commands that replay it.
//!
//! Interleavings are tried in the same order everywhere, so that none shows the mirror image of another's.

mod normal;
mod rust;

use crate::binaries;
use crate::harness::Dir;
use normal::normal;

/// Compares the first finding of a program in C with that of a closure.
#[track_caller]
fn check(name: &str, names: &[&str], n_findings: usize, closure: fn()) -> String {
    let file = format!("{name}.c");
    let dir = Dir::new();
    let source = binaries::source(name);
    dir.file(&file, &source);
    let machine = dir.raddle(&format!("explore {file} --strategy icb -q")).exits(1).stdout;
    let machine = normal(&machine, &source, names);
    let built = binaries::dir(name);
    let explore = format!("explore ./{name} --strategy icb -q");
    let binary = binaries::raddle(&built, &explore).exits(1).stdout;
    assert_eq!(normal(&binary, &source, names), machine);
    let config = raddle::Config::new().search(raddle::Search::Bounded).findings(n_findings);
    let found = config.explore(closure).findings[0].to_string();
    assert_eq!(normal(&found, include_str!("same/rust.rs"), &[]), machine);
    machine
}

#[test]
fn a_deadlock() {
    let text = check("ab_ba", &["a", "b"], 1, rust::ab_ba);
    assert!(text.contains("1: ▶ PLACE asks for NAME-2"), "{text}");
}

#[test]
fn a_race() {
    let text = check("same_race", &["counter"], 1, rust::race);
    let begin = "race: `NAME-1` is written by count#1 PLACE and read by count#2 PLACE, and nothing";
    assert!(text.starts_with(begin), "{text}");
    assert!(text.contains("1: ▶ PLACE writes NAME-1 = 1\n"), "{text}");
}

#[test]
fn a_failed_assertion_and_its_causes() {
    let text = check("same_assertion", &["balance"], 10, rust::assertion);
    assert!(text.starts_with("assertion: assertion failed: left == 20\n"), "{text}");
    assert!(text.contains("1: PLACE writes NAME-1 = -30\n"), "{text}");
    assert_eq!(text.matches("part of it: the race on NAME-1").count(), 3, "{text}");
}

#[test]
fn changes_have_both_values() {
    let text = check("same_change", &["tickets", "owner"], 1, rust::change);
    assert!(text.contains("0: PLACE writes NAME-1 = 0\n"), "{text}");
    assert!(text.contains("1: PLACE changes NAME-2 = 0 -> 1\n"), "{text}");
    assert!(text.contains("2: PLACE changes NAME-1 = 0 -> 7\n"), "{text}");
    assert!(text.contains("0: waits for the end of enter#1\n"), "{text}");
}

#[test]
fn a_lost_wake_up() {
    let names = ["ready", "mutex", "delivered"];
    let text = check("same_lost_wakeup", &names, 10, rust::lost_wakeup);
    assert!(text.contains("0: PLACE reads NAME-2 = 0\n"), "{text}");
    assert!(text.contains("part of it: the race on NAME-2"), "{text}");
}
