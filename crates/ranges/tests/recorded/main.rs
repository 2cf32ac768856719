//! Trace programs of C programs.

#![allow(clippy::unwrap_used)] // Where a test cannot go on, it fails.

mod follow;
mod merged;
mod replays;
mod support;
mod syncs;
