//! Tests of the crate, in one executable, so that there is less to link. Each module says what it is about;
//! `cargo test -p raddle-trace --test all corpus::` runs the tests of one.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod any_events;
mod corpus;
