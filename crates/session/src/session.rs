//! A session: everything that `raddle check` does with a program, within its budget.
//!
//! In: a subject, and how to search it. Out: [`Checked`], with the report.
//!
//! - S1: part of the time goes to a plain run, to what that predicts, and to steering the program along it;
//!   the search has the rest.
//! - S2: what was found is simplified and described; what was predicted and found is one finding, and so is a
//!   failure with the races that cause it.
//! - S3: when it is stopped, what is known until then is the report.

use std::time::{Duration, Instant};

use raddle_explore::{Budget, Checkpoint, Ending, Outcome, Races};
use raddle_finding::{Failure, FailureKind, Property, Report, Schedule};

use crate::document::{self, Outline};
use crate::error::Error;
use crate::exploration::Exploration;
use crate::forecast::{Allowance, Forecast};
use crate::guarantee::claim;
use crate::merge::merge;
use crate::method::Method;
use crate::observer::Observer;
use crate::subject::Subject;

/// How long a program is searched by default.
const PATIENCE: Duration = Duration::from_secs(60);

/// What a search may keep in memory by default.
const MEMORY: usize = 2 << 30;

/// One part in so many of the time is for predicting from a plain run.
const FORECAST: u32 = 10;

/// A program, and what is done with it.
pub struct Session<'a, S> {
    /// What the report calls it.
    pub name: String,
    /// The program, and what may be used.
    pub exploration: Exploration<S>,
    /// How executions are chosen.
    pub method: Method,
    /// A saved search to go on with.
    pub resume: Option<Checkpoint>,
    /// Whether a plain run is looked at, too: what other orders of its steps show.
    pub predicts: bool,
    /// Whether a race that is part of a failure is reported only as its cause.
    pub folds: bool,
    /// The command that replays a schedule.
    pub replay: Box<dyn Fn(&Schedule) -> String + 'a>,
}

/// What became of a session.
pub struct Checked {
    /// All that is known.
    pub report: Report,
    /// Why the search ended.
    pub ending: Ending,
    /// Whether it has come to its goal, so that nothing found means that nothing is there.
    pub is_complete: bool,
    /// What executions need that the engine does not have, if one ended for that.
    pub unsupported: Option<Failure>,
    /// Whether no execution was followed to its end.
    pub is_void: bool,
}

impl<S: Subject> Session<'_, S> {
    /// What `raddle check` does with a program if nothing else is said. Schedules replay themselves.
    pub fn new(name: impl Into<String>, subject: S) -> Self {
        let budget = Budget {
            time: Some(PATIENCE),
            memory: Some(MEMORY),
            states: true,
            races: Races::Promoted,
            ..Budget::default()
        };
        Session {
            name: name.into(),
            exploration: Exploration::new(subject, budget),
            method: Method::default(),
            resume: None,
            predicts: true,
            folds: true,
            replay: Box::new(Schedule::to_string),
        }
    }

    /// Runs the session.
    pub fn run(mut self, observer: &mut dyn Observer) -> Result<Checked, Error> {
        let forecast = if self.predicts { self.forecast(observer)? } else { None };
        let Session { name, exploration, method, resume, predicts, folds, replay } = self;
        let mut explored = exploration.run(method.strategy(), resume, observer)?;
        let mut collected = exploration.collect(&mut explored, observer)?;
        // What breaks the program comes before what may.
        collected.all.sort_by_key(|entry| entry.found.failure.kind == FailureKind::Race);
        let ending = explored.report.ending;
        let asks = predicts && ending != Ending::Stopped;
        let assertions = asks.then(|| exploration.subject.assertions()).flatten();
        let mut merged = forecast.as_ref().map(|all| merge(all, &collected)).unwrap_or_default();
        exploration.adopt(&explored, &mut collected, &mut merged)?;
        let claim = claim(&explored, (&collected, &merged), &method, &exploration.budget);
        let outline = Outline {
            name: &name,
            method: &method,
            explored: &explored,
            collected: &collected,
            claim: &claim,
            replay: &*replay,
            forecast: forecast.as_ref(),
            merged: &merged,
            folds,
            assertions: assertions.as_deref(),
        };
        let report =
            document::document(&outline, &|file, line| exploration.subject.line(file, line));
        let search = &explored.report;
        let unsupported = match &search.lost {
            Some(Outcome::Unsupported(failure)) => Some(failure.clone()),
            _ => None,
        };
        let is_void = search.n_lost > 0 && search.n_lost >= search.executions;
        Ok(Checked { report, ending, is_complete: claim.is_complete, unsupported, is_void })
    }

    /// S1.
    fn forecast(&mut self, observer: &mut dyn Observer) -> Result<Option<Forecast>, Error> {
        let Exploration { subject, budget, jobs, stop, reports_races, .. } = &mut self.exploration;
        let start = Instant::now();
        let deadline = budget.time.map(|time| start + time / FORECAST);
        let allowance = Allowance { n_workers: *jobs, deadline, stop: stop.clone() };
        let mut forecast = subject.forecast(&allowance, observer)?;
        let has_races = *reports_races && budget.races != Races::Ignored;
        if let Some(forecast) = forecast.as_mut().filter(|_| !has_races) {
            forecast.all.retain(|finding| finding.property != Property::Race);
        }
        budget.time = budget.time.map(|time| time.saturating_sub(start.elapsed()));
        Ok(forecast)
    }
}
