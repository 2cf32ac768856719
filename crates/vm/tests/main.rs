//! Tests of the crate, in one executable, so that there is less to link. Each module says what it is about;
//! `cargo test -p raddle-vm --test all races::` runs the tests of one.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod compare;
mod conformance;
mod corpus;
mod flow;
mod generated;
mod ilp32;
mod machine;
mod portable;
mod posix;
mod races;
