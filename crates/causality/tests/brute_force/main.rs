//! On small random traces, what the crate computes equals what follows from the rules by brute force.
//!
//! The traces and the rules of reorderings are those of the brute force of predictions; nothing here
//! shares code with the crate.
//!
//! `PROPTEST_CASES=100000 cargo test --release -p raddle-causality` searches for longer.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]
#![allow(dead_code, reason = "predictions use more of the rules and the traces")]

mod chains;
mod held;
mod matrix;
mod naive;
mod order;
mod query;
mod reorderings;
#[path = "../../../predict/tests/brute_force/rules.rs"]
mod rules;
mod saturate;
#[path = "../../../predict/tests/brute_force/small_trace.rs"]
mod small_trace;
