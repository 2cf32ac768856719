//! Trace programs of C programs.
//!
//! `PROPTEST_CASES=2000 cargo test --release -p raddle-ranges --test all recorded::` searches for longer.

mod follow;
mod merged;
mod replays;
mod support;
mod syncs;
mod verdicts;
