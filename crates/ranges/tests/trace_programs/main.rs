//! Trace programs in a small notation: graphs, intervals and answers against brute force.
//!
//! `PROPTEST_CASES=2000 cargo test --release -p raddle-ranges --test trace_programs` searches for longer.

#![allow(clippy::unwrap_used)] // Where a test cannot go on, it fails.

mod adequate;
mod brute;
#[path = "../shared/cases.rs"]
mod cases;
mod exact;
mod golden;
mod lean;
mod notation;
mod questions;
mod sound;
mod stops;

pub use cases::cases;
