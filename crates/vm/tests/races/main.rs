//! Data races: by hand, and of random programs against brute force.

#![allow(clippy::unwrap_used)] // Where a test cannot go on, it fails.

mod by_hand;
mod oracle;
mod program;
mod random;
mod support;
