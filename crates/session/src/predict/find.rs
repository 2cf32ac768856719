//! Finds: runs the analyses that were asked for and that the trace can support.
//!
//! In: what is known of a trace, and a plan. Out: [`Found`]: the results of each analysis, and the properties that were
//! skipped with the reason. A request to stop ends the analyses early, and each says that it is incomplete.

use std::collections::BTreeMap;
use std::time::Instant;

use raddle_finding::{Property, Skipped};
use raddle_predict::{ANALYSES, Causes, Job, Prediction, Refused, Results, Scope};
use raddle_trace::Trace;
use serde_json::{Value, json};

use crate::error::Error;
use crate::forecast::Allowance;
use crate::observer::{Observer, Status};

/// What to look for, and how.
pub struct Plan {
    /// The properties, of [`ANALYSES`].
    pub properties: Vec<Property>,
    /// What else the analyses are asked for.
    pub scope: Scope,
    /// What this may take.
    pub allowance: Allowance,
}

/// What was asked for and found.
#[derive(Default)]
pub struct Found {
    /// What each analysis found, in the order of [`ANALYSES`].
    pub results: Vec<(Property, Box<dyn Results>)>,
    /// What the trace gives no answer about.
    pub skipped: Vec<Skipped>,
    /// Seconds, by analysis.
    pub timing: BTreeMap<String, Value>,
}

impl Found {
    /// Every prediction, by property, then in the order of its events.
    pub fn predictions(&self) -> impl Iterator<Item = &dyn Prediction> {
        self.results.iter().flat_map(|(_, results)| results.predictions())
    }

    /// How many predictions there are.
    pub fn n_predictions(&self) -> usize {
        self.results.iter().map(|(_, results)| results.n_predictions()).sum()
    }

    /// True if every analysis came to its end and left nothing unknown.
    pub fn is_decided(&self) -> bool {
        self.results.iter().all(|(_, results)| results.is_decided())
    }

    /// What the analysis of a property found.
    pub fn of(&self, property: Property) -> Option<&dyn Results> {
        let all = self.results.iter();
        all.filter(|(of, _)| *of == property).map(|(_, results)| &**results).next()
    }
}

/// Runs the analyses.
pub fn find(causes: &Causes, plan: &Plan, observer: &mut dyn Observer) -> Result<Found, Error> {
    let trace = causes.trace();
    let mut found = Found::default();
    for analysis in ANALYSES {
        let property = analysis.property();
        if !plan.properties.contains(&property) {
            continue;
        }
        if let Some(reason) = analysis.unsupported(trace, plan.scope) {
            found.skipped.push(Skipped { property, reason: reason.to_owned() });
            continue;
        }
        let n_found = found.n_predictions();
        let mut search = Search { plan, n_found, observer: &mut *observer };
        let start = Instant::now();
        let run = |job: Job| analysis.run(causes, plan.scope, job);
        found.results.push((property, search.run(property.plural(), run)?));
        found.timing.insert(key(property).to_owned() + "_s", json!(seconds(start)));
    }
    Ok(found)
}

/// How to run an analysis.
pub struct Search<'a> {
    /// What to look for.
    pub plan: &'a Plan,
    /// Findings of the analyses before.
    pub n_found: usize,
    /// Receives the progress.
    pub observer: &'a mut dyn Observer,
}

impl Search<'_> {
    /// Runs it, reports its progress, and stops it when that is asked for.
    pub fn run<T>(
        &mut self,
        analysis: &'static str,
        run: impl FnOnce(Job) -> Result<T, Refused>,
    ) -> Result<T, Error> {
        log::info!("looking for {analysis}");
        let (found, allowance) = (self.n_found, &self.plan.allowance);
        let mut progress = |done, of| {
            self.observer.status(&Status::Predicting { analysis, done, of, found });
            !allowance.is_over()
        };
        let job = Job { n_workers: allowance.n_workers, progress: &mut progress };
        run(job).map_err(|refused| Error::Refused(refused.into()))
    }
}

/// Seconds since then.
pub fn seconds(start: Instant) -> f64 {
    start.elapsed().as_secs_f64()
}

/// The key of a property in the statistics.
pub fn key(property: Property) -> &'static str {
    match property {
        Property::LostWakeup => "lost_wakeup",
        property => property.name(),
    }
}

/// Refuses a trace with more threads than can be looked at.
pub fn check_threads(trace: &Trace) -> Result<(), Error> {
    match (trace.n_threads(), Causes::MAX_THREADS) {
        (n, limit) if n > limit => Err(Error::Threads { n, limit }),
        _ => Ok(()),
    }
}
