//! What is searched: a program, the engines that run it, and what only its kind can tell of a run.
//!
//! In: a finding of a search. Out: [`Evidence`], plain data that reports show, whatever the program is.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use raddle_explore::{Engine, EngineError, Found, Trouble};
use raddle_finding::{Finding, Object, Restriction, Schedule, Site, Story};

use crate::assertion::Assertion;
use crate::error::Error;
use crate::forecast::{Allowance, Forecast};
use crate::hunt::Catch;
use crate::observer::Observer;

/// A program that can be searched.
pub trait Subject {
    /// What runs it.
    type Engine: Engine + Send;

    /// So many engines.
    fn engines(&self, n: usize) -> Result<Vec<Self::Engine>, Error>;

    /// Whether runs can be ended early. Where not, they have to be short: no clock is looked at while one
    /// is under way, and no thread is started for that.
    fn can_stop(&self) -> bool {
        true
    }

    /// Ends runs early when the flag is set, if that can be done.
    fn stop_when(&self, engine: &mut Self::Engine, stop: Arc<AtomicBool>);

    /// Runs a schedule of a search again; the points of the engine are those that it was found
    /// with. Ends early when `stop` is set.
    fn gather(
        &self,
        engine: &mut Self::Engine,
        schedule: &Schedule,
        trouble: &Trouble,
        stop: &Arc<AtomicBool>,
    ) -> Result<Gathered, Error>;

    /// Whether nothing but the schedule decides what it does.
    fn is_controlled(&self) -> bool;

    /// Whether its engines compare runs themselves, and fail where two differ that should not. Then no
    /// finding is doubted, and such an error ends the session, whatever was found before.
    fn compares_runs(&self) -> bool {
        false
    }

    /// Whether the schedule of a finding repeats it as it is, without the points that it was found with.
    fn is_portable(&self, found: &Found) -> bool {
        let _ = found;
        false
    }

    /// Why a search with these engines cannot go on.
    fn broken(&self, engines: &[Self::Engine], error: EngineError) -> Error;

    /// A line of a source file of the program, by its number from 1.
    fn line(&self, file: &str, line: u32) -> Option<String> {
        let _ = (file, line);
        None
    }

    /// What is known of its assertions without searching; none if nothing can be.
    fn assertions(&self) -> Option<Vec<Assertion>> {
        None
    }

    /// What a plain run foretells of others, within what is allowed; none if none can be recorded.
    fn forecast(
        &self,
        allowance: &Allowance,
        observer: &mut dyn Observer,
    ) -> Result<Option<Forecast>, Error> {
        let _ = (allowance, observer);
        Ok(None)
    }

    /// Makes a finding like those of a search of one that was predicted and replayed, as simple as there is
    /// time for; none if only its witness can be told.
    fn catch(&self, foreseen: &Finding, stop: &Arc<AtomicBool>) -> Result<Option<Catch>, Error> {
        let _ = (foreseen, stop);
        Ok(None)
    }

    /// What the result of a search with these engines depends on.
    fn terms(&self, engines: &[Self::Engine]) -> Terms {
        let _ = engines;
        Terms::default()
    }
}

/// A finding that was run again.
#[derive(Clone, Debug)]
pub struct Evidence {
    /// Repeats it, whatever the points are.
    pub schedule: Schedule,
    /// Whether the run showed the same trouble again.
    pub is_replayed: bool,
    /// The hash of everything that happened, if there is one.
    pub hash: Option<u64>,
    /// What to tell people, if that run knows better than the search.
    pub message: Option<String>,
    /// What the program did before that it must not, while it went on.
    pub after: Option<String>,
    /// The interleaving.
    pub story: Story,
    /// How many preemptions that run has, if it knows better than the search: those of samplers are not settled.
    pub preemptions: Option<u32>,
    /// Where it is.
    pub locations: Vec<Site>,
    /// Where else to look; which finding it is does not depend on it.
    pub background: Vec<Site>,
    /// What it is about.
    pub objects: Vec<Object>,
}

/// What became of a finding.
#[derive(Clone, Debug)]
pub enum Gathered {
    /// It was run again and recorded.
    Told(Box<Evidence>),
    /// There was no time for that: the schedule that repeats it, if there was time for this.
    Untold(Option<Schedule>),
    /// It shows again, and is nothing to report: an execution without end that goes on like this, but need not.
    Passes,
    /// It does not show again, for this reason.
    Lost(String),
}

/// A finding that does not show again.
#[derive(Clone, Debug)]
pub struct Unrepeated {
    /// What it was.
    pub trouble: Trouble,
    /// What showed it in the search.
    pub schedule: Schedule,
    /// What the other run did instead.
    pub why: String,
}

/// What a result depends on, as far as the kind of the program decides.
#[derive(Clone, Debug, Default)]
pub struct Terms {
    /// Whether every access is a point.
    pub all_points: bool,
    /// How many accesses became points because they race.
    pub n_promoted: usize,
    /// Whether accesses are seen at all.
    pub is_blind: bool,
    /// What the kind of the program leaves out.
    pub restrictions: Vec<Restriction>,
    /// Why a run may have taken more steps than it may.
    pub limit: String,
    /// What else.
    pub more: Vec<String>,
    /// How processes run many plans, and why not in a faster way; none if there are none.
    pub model: Option<(&'static str, Option<String>)>,
}

/// Where the trouble is, as far as the search knows.
pub fn places(trouble: &Trouble) -> Vec<Site> {
    let site = |place: &String| Site::new(trouble.kind.as_str(), place.as_str().into());
    trouble.places.iter().map(site).collect()
}
