//! The schema `raddle.infer/1`.

use raddle_ndseq::statement::Candidate;
use serde::Serialize;

use super::specification::Lines;

/// What is printed as JSON.
#[derive(Debug, Serialize)]
pub(super) struct Document {
    pub(super) schema: &'static str,
    /// `serializable`, `inferred`, `none`, or `unknown` if the solver gave up.
    pub(super) verdict: &'static str,
    /// Whether threads conflict at all.
    pub(super) conflicts: bool,
    /// Whether all events can be serialised, relevant or not.
    pub(super) conflict_serializable: bool,
    pub(super) if_star: Vec<Lines>,
    /// The same, for programs.
    #[serde(skip)]
    pub(super) specification: Vec<Candidate>,
    /// `all events` or `groups of events`: what the number of `if(*)` is the least for.
    pub(super) optimal_for: &'static str,
    pub(super) cycle: Vec<ConflictDocument>,
    pub(super) traces: usize,
    pub(super) irrelevant: Vec<Lines>,
    pub(super) races: Vec<String>,
    pub(super) failed_runs: usize,
    pub(super) replayed: usize,
    pub(super) functional: Option<FunctionalDocument>,
    pub(super) stats: Option<Stats>,
}

/// What sequential executions of the specification have shown.
#[derive(Debug, Serialize)]
pub(super) struct FunctionalDocument {
    pub(super) holds: bool,
    pub(super) orders: u32,
    pub(super) text: String,
}

/// Two accesses whose order matters.
#[derive(Debug, Serialize)]
pub(super) struct ConflictDocument {
    pub(super) variable: String,
    pub(super) before: AccessDocument,
    pub(super) after: AccessDocument,
}

/// One of them.
#[derive(Debug, Serialize)]
pub(super) struct AccessDocument {
    pub(super) thread: String,
    pub(super) file: String,
    pub(super) line: u32,
}

/// The columns of S1's Table 1; events are those of the last trace.
#[derive(Debug, Serialize)]
pub(super) struct Stats {
    pub(super) events: usize,
    pub(super) sliced_out: usize,
    pub(super) parallel_constructs: usize,
    pub(super) focus_statements: usize,
    pub(super) if_star: usize,
    pub(super) cycles: usize,
    pub(super) sat_ms: f64,
    pub(super) min_cost_sat_ms: f64,
}
