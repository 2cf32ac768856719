//! The machine on programs made by hand and on C programs.

#![allow(clippy::unwrap_used, reason = "helpers of tests, too")]

mod c;
mod canon;
mod compute;
mod faults;
mod primitives;
mod record;
mod support;
