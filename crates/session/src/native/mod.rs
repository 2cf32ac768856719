//! Binaries, under the control of the runtime inside them.
//!
//! ```text
//!  schedule of the search ─► fresh process ─► steps ─► recorded replay ─► chronicle ─► Evidence
//!                                  └─► not the same: uncontrolled nondeterminism
//!  steps along a witness ─ steer ─► choices ─► as above
//! ```

mod chronicle;
mod confirm;
mod ending;
mod evidence;
mod files;
mod forecast;
mod launch;
mod own;
mod recording;
mod sites;
mod steer;
mod turns;

use std::cell::OnceCell;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use raddle_explore::{Engine, EngineError, Failure, Plan, Race, Run};
use raddle_finding::{Choice, Finding, Restriction, Schedule};
use raddle_native::explore::{Divergence, NativeEngine, Setup};
use raddle_report::quantity::count;
use raddle_wire::board::Model;

use crate::error::{Cause, Error};
use crate::exploration::Entry;
use crate::forecast::{Allowance, Forecast};
use crate::observer::Observer;
use crate::subject::{Gathered, Subject, Terms};
use files::Files;

pub use confirm::confirm;
pub use ending::outcome_name;
pub use launch::Launch;
pub use recording::{Opened, open, read_ended};
pub use sites::what_is_wrong;

/// A binary, and how it is explored.
pub struct Binary {
    /// How it is run once.
    pub launch: Launch,
    /// How it is run again and again.
    pub setup: Setup,
    /// The functions that are meant to be atomic.
    pub atomic: Vec<String>,
    /// What a plain run writes, if all runs must write the same.
    output: OnceCell<Option<u64>>,
    files: Files,
}

impl Binary {
    /// One that nothing is known of yet.
    pub fn new(launch: Launch, setup: Setup, atomic: Vec<String>) -> Binary {
        Binary { launch, setup, atomic, output: OnceCell::new(), files: Files::default() }
    }
}

impl Subject for Binary {
    type Engine = NativeEngine;

    fn engines(&self, n: usize) -> Result<Vec<NativeEngine>, Error> {
        let engine = |_| NativeEngine::new(self.setup.clone()).map_err(refused);
        let mut engines: Vec<_> = (0..n).map(engine).collect::<Result<_, _>>()?;
        for at in 0..engines.len() {
            let prepared = engines[at].prepare();
            prepared.map_err(|error| self.broken(&engines, error))?;
        }
        if self.setup.same_output {
            // Whichever engine runs what, all are compared with the same run.
            if self.output.get().is_none() {
                let error = |error: EngineError| self.broken(&engines, error);
                let mut first = NativeEngine::new(self.setup.clone()).map_err(refused)?;
                first.run(&Plan::default(), &(), &mut Run::new()).map_err(error)?;
                // No other engine can have set it meanwhile.
                let _ = self.output.set(first.output());
            }
            let output = self.output.get().copied().flatten();
            engines.iter_mut().for_each(|engine| engine.expect_output(output));
        }
        Ok(engines)
    }

    fn stop_when(&self, engine: &mut NativeEngine, stop: Arc<AtomicBool>) {
        engine.stop_when(stop);
    }

    fn gather(
        &self,
        engine: &mut NativeEngine,
        schedule: &Schedule,
        failure: &Failure,
        stop: &Arc<AtomicBool>,
    ) -> Result<Gathered, Error> {
        evidence::gather(self, engine, schedule, failure, stop)
    }

    fn as_found(&self, schedule: &Schedule, promoted: &[Race]) -> Schedule {
        self.launch.name_points(schedule, promoted, self.setup.points_all)
    }

    fn is_controlled(&self) -> bool {
        false
    }

    fn broken(&self, engines: &[NativeEngine], error: EngineError) -> Error {
        let divergences = || engines.iter().filter_map(NativeEngine::divergence);
        match error {
            EngineError::Diverged { position, choice } => {
                let same = |one: &&Divergence| one.position == position && one.choice == choice;
                let instead = divergences().find(same).map(|one| one.instead.as_str());
                Error::Uncontrolled { difference: diverged(position, choice, instead) }
            }
            EngineError::Broken(why) => Error::Control(why.into()),
            other => Error::Search(other),
        }
    }

    fn line(&self, file: &str, line: u32) -> Option<String> {
        self.files.line(file, line)
    }

    fn forecast(
        &self,
        allowance: &Allowance,
        observer: &mut dyn Observer,
    ) -> Result<Option<Forecast>, Error> {
        forecast::forecast(self, allowance, observer).map(Some)
    }

    fn adopt(&self, predicted: &Finding, stop: &Arc<AtomicBool>) -> Result<Option<Entry>, Error> {
        forecast::adopt(self, predicted, stop)
    }

    fn terms(&self, engines: &[NativeEngine]) -> Terms {
        let mut more = vec![
            "code that was not built with `raddle cc` is not interrupted, and its accesses are \
             not seen"
                .to_owned(),
            "external input (files, standard input, other processes) is the same in every run"
                .to_owned(),
        ];
        let facts = raddle_native::elf::look(&self.launch.target.program, &[]);
        let may_wait = facts.map_or(true, |facts| facts.may_wait);
        let (model, reason) = model(engines);
        let because = reason.as_ref().map_or(String::new(), |reason| format!(", since {reason}"));
        more.push(
            match model {
                Model::Snapshot => {
                    "one process makes all runs: its memory is restored after every run"
                }
                Model::Fork => "every run is a fork of one process",
                Model::Once => "every run is a new process",
            }
            .to_owned()
                + &because,
        );
        Terms {
            all_points: self.setup.points_all,
            n_promoted: engines.iter().map(|engine| engine.sites().len()).max().unwrap_or(0),
            is_blind: self.setup.preload,
            restrictions: may_wait.then_some(Restriction::WakeUps).into_iter().collect(),
            limit: format!("they have more than {} events", count(self.setup.max_events)),
            more,
            model: Some((model_name(model), reason)),
        }
    }
}

/// The model that was needed in the end, and why.
fn model(engines: &[NativeEngine]) -> (Model, Option<String>) {
    let models = engines.iter().map(NativeEngine::model);
    // The slowest has the smallest number.
    let slowest = models.min_by_key(|(model, reason)| (*model as u32, reason.map(str::to_owned)));
    slowest.map_or((Model::Once, None), |(model, reason)| (model, reason.map(str::to_owned)))
}

fn model_name(model: Model) -> &'static str {
    match model {
        Model::Snapshot => "snapshot",
        Model::Fork => "fork",
        Model::Once => "spawn",
    }
}

/// What two runs did at a point where one could not follow the other.
fn diverged(position: usize, choice: Choice, instead: Option<&str>) -> String {
    let point = count(position + 1);
    let did = match choice {
        Choice::Waiter(thread) => format!("woke thread {thread}"),
        Choice::Thread(thread) => format!("continued with thread {thread}"),
        other => format!("took {other}"),
    };
    let instead = instead.unwrap_or("another run cannot do that there");
    format!("at point {point} the first run {did}; {instead}")
}

fn refused(error: impl Into<Cause>) -> Error {
    Error::Control(error.into())
}
