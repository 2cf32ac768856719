//! Plans: what an engine gets before one run.

use raddle_finding::Choice;

use crate::policy::Policy;

/// What an engine gets before one run.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Plan {
    /// The first choices. They are those of an earlier run, up to the last one.
    pub prefix: Vec<Choice>,
    /// Who decides after that.
    pub policy: Policy,
    /// After how many points the run is cut; it may be shorter.
    pub n_points_max: Option<u32>,
    /// What the engine has to note.
    pub observe: Observe,
    /// Whether the run goes on where earlier runs have been, whatever the strategy watches.
    pub unwatched: bool,
    /// Whether the search goes by what preemptions cost.
    pub counts_preemptions: bool,
    /// Whether plans that preempt this run behind its prefix are far off, so that it does not pay
    /// to keep the states before them.
    pub defers_preemptions: bool,
}

/// What an engine has to note beside the choices.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Observe {
    /// A fingerprint of the state before each point and at the end, if the engine can.
    pub fingerprints: bool,
    /// The pending operation of each thread that can be chosen, per point.
    pub operations: bool,
    /// Data races.
    pub races: bool,
    /// Whether the points of a run that passes are not needed: an engine may leave them out then.
    pub ends_only: bool,
}
