//! How a program is explored: what a user may choose.

use std::path::{Path, PathBuf};
use std::time::Duration;

use raddle_wire::board::Model;
use raddle_wire::{Flags, Threading};

use super::Spins;
use crate::launch::Request;
use crate::target::{Output, Target};

/// How a program is explored.
#[derive(Clone, Debug)]
pub struct Setup {
    /// The program.
    pub target: Target,
    /// The file of the runtime.
    pub runtime: PathBuf,
    /// How threads are run.
    pub threading: Threading,
    /// How a process runs many plans; the fastest that fits, if none is given.
    pub model: Option<Model>,
    /// Every access is a scheduling point.
    pub points_all: bool,
    /// A run ends after so many events.
    pub max_events: u64,
    /// A run ends after so long.
    pub timeout: Duration,
    /// The exit status that a run must have.
    pub expect_exit: Option<i32>,
    /// Whether all runs must write the same.
    pub same_output: bool,
    /// The program was not instrumented, and that is known.
    pub preload: bool,
    /// Where threads spin, as runs have shown; engines that search together share it.
    pub spins: Spins,
    /// Whether unlocking what a thread does not hold ends the run.
    pub strict_locks: bool,
}

impl Setup {
    /// With what is usual.
    pub fn new(target: Target, runtime: &Path) -> Setup {
        Setup {
            target: Target { output: Output::Discard, ..target },
            runtime: runtime.to_owned(),
            threading: Threading::Coroutines,
            model: None,
            points_all: false,
            max_events: 100_000_000,
            timeout: Duration::from_secs(60),
            expect_exit: None,
            same_output: false,
            preload: false,
            spins: Spins::default(),
            strict_locks: false,
        }
    }

    /// What every process of it is asked for.
    pub(super) fn request(&self) -> Request<'static> {
        Request {
            threading: self.threading,
            max_events: self.max_events,
            points_all: self.points_all,
            preload: self.preload,
            explore: true,
            flags: if self.strict_locks { Flags::STRICT_LOCKS } else { 0 },
            ..Request::default()
        }
    }
}
