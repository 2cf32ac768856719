//! What an execution gets from outside, and what it shows there.

use std::panic::Location;
use std::sync::atomic::{AtomicPtr, AtomicU32};

/// What executions are like, the same in all runs of an engine.
#[derive(Clone, Debug)]
pub(crate) struct Rules {
    /// Whether waits on conditions may end for no reason.
    pub(crate) spurious: bool,
    /// Whether the panic of a thread is for the thread that joins it, and no finding.
    pub(crate) panics_are_results: bool,
    /// Whether threads may be blocked for ever when the test's closure has returned.
    pub(crate) may_leave_blocked: bool,
    /// The most points of a run.
    pub(crate) n_points_max: usize,
    /// Whether panics are shown as they happen.
    pub(crate) shows_panics: bool,
}

/// How far an execution is, for others to see.
#[derive(Debug, Default)]
pub(crate) struct Beat {
    /// Changes from point to point.
    pub(crate) n_points: AtomicU32,
    /// The most threads that an execution had.
    pub(crate) n_threads: AtomicU32,
    /// Where the last point was.
    pub(crate) site: AtomicPtr<Location<'static>>,
}
