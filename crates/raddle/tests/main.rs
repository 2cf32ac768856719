//! Tests of the crate, in one executable, so that there is less to link. Each module says what it is about;
//! `cargo test -p raddle --test all watchdog::` runs the tests of one. Where the names of tests are part of what is checked,
//! they have executables of their own: `golden`, `reports`.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod channels;
mod corpus;
mod documentation;
mod locks;
mod outside;
mod processes;
mod programs;
mod races;
#[path = "shared/corpus.rs"]
mod rust_corpus;
mod shared;
mod stories;
mod tasks;
mod threads;
mod traces;
mod vm;
mod watchdog;
