//! Trace programs of C programs.
//!
//! `PROPTEST_CASES=2000 cargo test --release -p raddle-ranges --test recorded` searches for longer.

#![allow(clippy::unwrap_used)] // Where a test cannot go on, it fails.

#[path = "../shared/cases.rs"]
mod cases;
mod follow;
mod merged;
mod replays;
mod support;
mod syncs;
mod verdicts;

pub use cases::cases;
