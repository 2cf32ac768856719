//! Exploration of small models whose executions and states are known.

#![allow(clippy::unwrap_used)] // Where a test cannot go on, it fails.

mod checkpoints;
mod classes;
mod golden;
mod growth;
mod model;
mod models;
mod oracle;
mod parts;
mod portfolio;
mod racing;
mod reduced;
mod sampling;
mod scouts;
mod shrinking;
mod strategies;
