//! Tests of the crate, in one executable, so that there is less to link. Each module says what it is about;
//! `cargo test -p raddle-ranges --test all trace_programs::` runs the tests of one.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

#[path = "shared/cases.rs"]
mod cases;
mod recorded;
mod trace_programs;
