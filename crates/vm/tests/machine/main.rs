//! The machine on programs made by hand and on C programs.

#![allow(clippy::unwrap_used)] // Where a test cannot go on, it fails.

mod c;
mod canon;
mod compute;
mod faults;
mod primitives;
mod record;
mod support;
