//! Specifications of traces that are written down, against the definitions.

#![allow(clippy::unwrap_used)] // Where a test cannot go on, it fails.

mod brute;
mod golden;
mod random;
mod raw;
