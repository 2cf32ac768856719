//! What a plain run predicts: findings that other interleavings of its events show.

use std::time::Instant;

use raddle_finding::Finding;

use crate::observer::Stop;

/// What is said of a witness that the program did not follow.
pub const NOT_REPLAYED: &str = "not replayed: the program took another path";

/// What was predicted.
#[derive(Clone, Debug, Default)]
pub struct Forecast {
    /// The findings that reports should have; those that were replayed have a schedule.
    pub all: Vec<Finding>,
    /// How many events were recorded.
    pub n_events: usize,
    /// How many predictions there were, with those that are no findings.
    pub n_predicted: usize,
    /// How many of them values rule out, in every interleaving of the run.
    pub n_ruled_out: usize,
    /// Whether everything was decided within the time.
    pub is_complete: bool,
}

/// What making a forecast may take.
#[derive(Clone, Debug)]
pub struct Allowance {
    /// How many threads work on it; the result does not depend on it.
    pub n_workers: usize,
    /// When it has to end with what is known.
    pub deadline: Option<Instant>,
    /// Ends it early.
    pub stop: Stop,
}

impl Allowance {
    /// Whether it has to end.
    pub fn is_over(&self) -> bool {
        self.stop.is_asked() || self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }
}
