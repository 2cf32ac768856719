//! What is searched: a program, the engines that run it, and what only its kind can tell of a run.
//!
//! In: a finding of a search. Out: [`Evidence`], plain data that reports show, whatever the program is.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use raddle_explore::{Engine, EngineError, Trouble};
use raddle_finding::{Object, Schedule, Site, Story};

use super::vm::Assertion;
use crate::diagnostic::Diagnostic;

/// A program that can be searched.
pub(super) trait Subject {
    /// What runs it.
    type Engine: Engine + Send;

    /// So many engines.
    fn engines(&self, n: usize) -> Result<Vec<Self::Engine>, Diagnostic>;

    /// Ends runs early when the flag is set.
    fn stop_when(&self, engine: &mut Self::Engine, stop: Arc<AtomicBool>);

    /// Runs a schedule of a search again; the points of the engine are those that it was found
    /// with. Ends early when `stop` is set.
    fn gather(
        &self,
        engine: &mut Self::Engine,
        schedule: &Schedule,
        trouble: &Trouble,
        stop: &Arc<AtomicBool>,
    ) -> Result<Gathered, Diagnostic>;

    /// What to tell people of a finding that does not show again.
    fn doubt(&self, unrepeated: &Unrepeated) -> Diagnostic;

    /// What to tell people of a search that cannot go on.
    fn broken(&self, engines: &[Self::Engine], error: &EngineError) -> Diagnostic;

    /// A line of a source file of the program, by its number from 1.
    fn line(&self, file: &str, line: u32) -> Option<String>;

    /// What is known of its assertions without searching; none if nothing can be.
    fn assertions(&self) -> Option<Vec<Assertion>> {
        None
    }

    /// What the result of a search with these engines depends on.
    fn terms(&self, engines: &[Self::Engine]) -> Terms;
}

/// A finding that was run again.
pub(super) struct Evidence {
    /// Repeats it, whatever the points are.
    pub(super) schedule: Schedule,
    /// Whether the run showed the same trouble again.
    pub(super) is_replayed: bool,
    /// The hash of everything that happened.
    pub(super) hash: u64,
    pub(super) story: Story,
    /// Where it is.
    pub(super) locations: Vec<Site>,
    /// What it is about.
    pub(super) objects: Vec<Object>,
}

/// What became of a finding.
pub(super) enum Gathered {
    /// It was run again and recorded.
    Told(Box<Evidence>),
    /// There was no time for that: the schedule that repeats it, if there was time for this.
    Untold(Option<Schedule>),
    /// It does not show again, for this reason.
    Lost(String),
}

/// A finding that does not show again.
#[derive(Clone, Debug)]
pub(super) struct Unrepeated {
    pub(super) trouble: Trouble,
    /// What showed it in the search.
    pub(super) schedule: Schedule,
    /// What the other run did instead.
    pub(super) why: String,
}

/// What a result depends on, as far as the kind of the program decides.
#[derive(Clone, Debug, Default)]
pub(super) struct Terms {
    /// Whether every access is a point.
    pub(super) all_points: bool,
    /// How many accesses became points because they race.
    pub(super) n_promoted: usize,
    /// Whether accesses are seen at all.
    pub(super) is_blind: bool,
    /// When a thread is taken to spin.
    pub(super) spinning: &'static str,
    /// Why a run may have taken more steps than it may.
    pub(super) limit: String,
    /// What else.
    pub(super) more: Vec<String>,
    /// How processes run many plans, and why not in a faster way; none if there are none.
    pub(super) model: Option<(&'static str, Option<String>)>,
}

/// Where the trouble is, as far as the search knows.
pub(super) fn places(trouble: &Trouble) -> Vec<Site> {
    let site = |place: &String| Site::new(trouble.kind.as_str(), place.as_str().into());
    trouble.places.iter().map(site).collect()
}
