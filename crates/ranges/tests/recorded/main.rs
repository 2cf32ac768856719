//! Trace programs of C programs.
//!
//! `PROPTEST_CASES=2000 cargo test --release -p raddle-ranges --test recorded` searches for longer.

#![allow(clippy::unwrap_used)] // Where a test cannot go on, it fails.

mod follow;
mod merged;
mod replays;
mod support;
mod syncs;
mod verdicts;

/// As many cases, or as many as `PROPTEST_CASES` says: tests that try all interleavings have few.
pub fn cases(n: u32) -> proptest::test_runner::Config {
    let asked = std::env::var("PROPTEST_CASES").ok().and_then(|text| text.parse().ok());
    proptest::test_runner::Config {
        cases: asked.unwrap_or(n),
        failure_persistence: None,
        ..Default::default()
    }
}
