//! Trace programs in a small notation: graphs, intervals and answers against brute force.

#![allow(clippy::unwrap_used)] // Where a test cannot go on, it fails.

mod adequate;
mod brute;
mod exact;
mod golden;
mod lean;
mod notation;
mod questions;
mod sound;
mod stops;
