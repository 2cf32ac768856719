//! Data flow of small C programs, derived by hand, and against runs with other values.

#![allow(clippy::unwrap_used)] // Where a test cannot go on, it fails.

mod by_hand;
mod perturbed;
mod support;
