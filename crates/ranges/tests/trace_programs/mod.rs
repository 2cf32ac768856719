//! Trace programs in a small notation: graphs, intervals and answers against brute force.
//!
//! `PROPTEST_CASES=2000 cargo test --release -p raddle-ranges --test all trace_programs::` searches for longer.

mod adequate;
mod brute;
mod exact;
mod golden;
mod lean;
mod notation;
mod questions;
mod sound;
mod stops;
