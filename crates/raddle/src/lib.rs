//! Tests Rust code under every interleaving that matters.
//!
//! ```
//! use raddle::sync::{Arc, Mutex};
//! use raddle::thread;
//!
//! raddle::check(|| {
//!     let n = Arc::new(Mutex::new(0));
//!     let other = n.clone();
//!     let thread = thread::spawn(move || *other.lock().unwrap() += 1);
//!     *n.lock().unwrap() += 1;
//!     thread.join().unwrap();
//!     assert_eq!(*n.lock().unwrap(), 2);
//! });
//! ```
//!
//! The modules mirror those of `std`, under Raddle's control: replace `std::sync`, `std::thread`, … by
//! `raddle::sync`, `raddle::thread`, … under a `cfg`. [`check`] runs the closure under one
//! interleaving after another, those with few preemptions first, and panics with the simplest one
//! that fails. The book describes how, and what cannot be modelled: "Testing Rust code".
//!
//! - `world`: one execution, its threads and objects, and which thread runs next.
//! - `engine`: whole executions from plans, on fibers that are used again.
//! - `config`, `check`, `ladder`, `document`, `report`, `story`, `watchdog`: what a check does and says.
//! - `trace`: executions as files.
//! - `sync`, `thread`, `cell`, `hint`, `time`, `future`: the types of the program.

pub mod cell;
mod check;
mod config;
mod document;
mod engine;
pub mod future;
pub mod hint;
mod ladder;
mod report;
mod story;
pub mod sync;
pub mod thread;
pub mod time;
#[cfg(feature = "trace")]
mod trace;
mod watchdog;
mod world;

use std::any::type_name;
use std::panic::Location;
use std::sync::Arc;

use check::Check;
pub use config::{Config, Search};
pub use report::{Finding, Report, Stage};

/// Runs a closure under every interleaving that matters, or as many as 200,000 executions and a
/// minute allow; panics with the simplest one that fails.
///
/// The closure is called once per execution and must do the same every time, except for what
/// threads do in a different order.
#[track_caller]
pub fn check<F: Fn() + Send + Sync + 'static>(f: F) {
    Config::new().check(f);
}

impl Config {
    /// Like [`check()`], as configured; the environment overrides the configuration.
    #[track_caller]
    pub fn check<F: Fn() + Send + Sync + 'static>(self, f: F) {
        let site = Location::caller();
        let config = match self.with_environment() {
            Ok(config) => config,
            Err(error) => panic!("raddle: {error}"),
        };
        let is_quiet = config.quiet;
        let check = Check::new(config, Arc::new(f), type_name::<F>(), site);
        let report = match check.run() {
            Ok(report) => report,
            Err(error) => panic!("{error}"),
        };
        if let Some(failure) = check.failure(&report) {
            panic!("{failure}");
        }
        if !is_quiet {
            eprintln!("raddle: {}: {}", check.name, report.summary());
        }
    }

    /// Like [`Config::check`], but returns what was found and covered, and ignores the environment.
    /// Panics if the closure cannot be executed as required.
    #[track_caller]
    pub fn explore<F: Fn() + Send + Sync + 'static>(self, f: F) -> Report {
        let check = Check::new(self, Arc::new(f), type_name::<F>(), Location::caller());
        match check.run() {
            Ok(report) => report,
            Err(error) => panic!("{error}"),
        }
    }
}
