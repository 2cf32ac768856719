//! A closure as what a session searches.
//!
//! In: findings of a search. Out: evidence, with a schedule that needs no knowledge of the points (K3).
//! Runs are short and nobody can end one, so no alarm is set and no thread is started; what hangs is seen
//! to by the watchdog.

use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use raddle_explore::{Classes, Engine, EngineError, Found, Plan, Race, Run, Trouble, Watch};
use raddle_finding::{ProgramId, Schedule};
use raddle_session::{Error, Gathered, Subject};

use super::Check;
use crate::document;
use crate::engine::RustEngine;
use crate::world::Beat;

/// The closure of a check, with what shows how far its engines are.
pub(super) struct Closure<'a> {
    check: &'a Check,
    beat: &'a Arc<Beat>,
    /// The engine of the first execution, which the search goes on with.
    rehearsed: Cell<Option<RustEngine>>,
}

/// Runs a closure; for several jobs with states, which their search needs.
pub(super) enum Runner {
    Alone(RustEngine),
    Among(Classes<RustEngine>),
}

impl<'a> Closure<'a> {
    pub(super) fn new(check: &'a Check, beat: &'a Arc<Beat>, engine: RustEngine) -> Closure<'a> {
        Closure { check, beat, rehearsed: Cell::new(Some(engine)) }
    }
}

impl Subject for Closure<'_> {
    type Engine = Runner;

    fn engines(&self, n: usize) -> Result<Vec<Runner>, Error> {
        let engine = || self.rehearsed.take().unwrap_or_else(|| self.check.engine(self.beat));
        let runner = |_| match n {
            1 => Runner::Alone(engine()),
            _ => Runner::Among(Classes::new(engine())),
        };
        Ok((0..n).map(runner).collect())
    }

    fn can_stop(&self) -> bool {
        false
    }

    fn stop_when(&self, _: &mut Runner, _: Arc<AtomicBool>) {}

    fn gather(
        &self,
        runner: &mut Runner,
        schedule: &Schedule,
        trouble: &Trouble,
        _: &Arc<AtomicBool>,
    ) -> Result<Gathered, Error> {
        let engine = runner.engine_mut();
        let mut run = Run::new();
        let mut plan = Plan { prefix: schedule.choices().collect(), ..Plan::default() };
        plan.observe.races = self.check.config.races;
        let tale = engine.tell(&plan, &mut run).map_err(Error::Search)?;
        let mut shown = trouble.clone();
        if let Some(last) = run.outcome.trouble().filter(|last| last.kind == trouble.kind) {
            shown.message.clone_from(&last.message);
        }
        let schedule = match engine.world().cells.has_promoted() {
            false => schedule.clone(),
            true => self.check.with_all_points(engine.portable()), // K3
        };
        let race = run.races.iter().find(|race| engine.race(race).places == trouble.places);
        let execution = (engine.world(), &tale, &run);
        let evidence = document::evidence(execution, &shown, race, schedule);
        Ok(Gathered::Told(Box::new(evidence)))
    }

    fn is_controlled(&self) -> bool {
        true
    }

    fn compares_runs(&self) -> bool {
        true
    }

    fn is_portable(&self, found: &Found) -> bool {
        found.promoted == 0
    }

    fn broken(&self, _: &[Runner], error: EngineError) -> Error {
        Error::Search(error)
    }
}

impl Runner {
    fn engine(&self) -> &RustEngine {
        match self {
            Runner::Alone(engine) => engine,
            Runner::Among(classes) => classes.engine(),
        }
    }

    fn engine_mut(&mut self) -> &mut RustEngine {
        match self {
            Runner::Alone(engine) => engine,
            Runner::Among(classes) => classes.engine_mut(),
        }
    }
}

impl Engine for Runner {
    fn run(&mut self, plan: &Plan, watch: &dyn Watch, run: &mut Run) -> Result<(), EngineError> {
        match self {
            Runner::Alone(engine) => engine.run(plan, watch, run),
            Runner::Among(classes) => classes.run(plan, watch, run),
        }
    }

    fn program(&self) -> ProgramId {
        self.engine().program()
    }

    fn race(&self, race: &Race) -> Trouble {
        self.engine().race(race)
    }

    fn promote(&mut self, races: &[Race]) -> bool {
        self.engine_mut().promote(races)
    }
}
