//! Exploration of small models whose executions and states are known.

#![allow(clippy::unwrap_used)] // Where a test cannot go on, it fails.

mod golden;
mod model;
mod models;
mod oracle;
mod reduced;
mod strategies;
