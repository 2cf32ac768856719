//! What lowering makes of programs, and what it says about wrong ones.

#![allow(clippy::unwrap_used)] // Where a test cannot go on, it fails.

mod messages;
mod transitions;
