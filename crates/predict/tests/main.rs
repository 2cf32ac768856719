//! Tests of the crate, in one executable, so that there is less to link. Each module says what it is about;
//! `cargo test -p raddle-predict --test all golden::` runs the tests of one.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod brute_force;
mod golden;
mod lock_cycles;
