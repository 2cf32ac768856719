//! Tests of the crate, in one executable, so that there is less to link. Each module says what it is about;
//! `cargo test -p raddle-native --test all values::` runs the tests of one.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod corpus;
mod explored;
mod harness;
mod hazards;
mod killed;
mod locals;
mod nowhere;
mod parallel;
mod parallel_corpus;
mod programs;
mod thinned;
mod values;
