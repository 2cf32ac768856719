//! Runs the built `raddle` as people and programs do.

#![allow(clippy::unwrap_used)] // Where a test cannot go on, it fails.

mod bad_input;
#[cfg(target_os = "linux")]
mod binaries;
mod cases;
mod check;
mod checkpoint;
mod compare;
#[cfg(unix)]
mod compilers;
mod configuration;
mod convert;
#[cfg(unix)]
mod doctor;
mod documentation;
mod explore;
mod explore_bad_input;
#[cfg(target_os = "linux")]
mod explore_binaries;
mod explore_budget;
#[cfg(unix)]
mod explore_interrupt;
mod explore_options;
#[cfg(target_os = "linux")]
mod first_contact;
mod formats;
mod general;
mod generate;
mod golden;
mod harness;
mod hostile;
mod infer;
mod info;
#[cfg(unix)]
mod interrupt;
#[cfg(target_os = "linux")]
mod native;
#[cfg(target_os = "linux")]
mod native_limits;
mod predict;
mod predict_deadlocks;
mod predict_output;
mod predict_properties;
mod ranges;
mod record;
mod record_flow;
mod report;
#[cfg(target_os = "linux")]
mod same;
mod sarif;
mod streams;
#[cfg(target_os = "linux")]
mod unseen;
mod validate;
