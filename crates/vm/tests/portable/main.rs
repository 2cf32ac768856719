//! Portable schedules: what a search with few points finds shows again with points everywhere.

#![allow(clippy::unwrap_used)] // Where a test cannot go on, it fails.

mod by_hand;
mod program;
mod random;
mod support;
