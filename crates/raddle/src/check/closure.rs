//! A closure as what a session searches.
//!
//! In: findings of a search. Out: evidence, with a schedule that needs no knowledge of the points (K3).
//! Runs are short and nobody can end one, so no alarm is set and no thread is started; what hangs is seen
//! to by the watchdog.

use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use raddle_explore::{Classes, Engine, EngineError, Failure, Found, Plan, Run};
use raddle_finding::Schedule;
use raddle_session::{Error, Gathered, Subject};

use super::Check;
use crate::document;
use crate::engine::{DIFFERS, RustEngine};
use crate::world::Beat;

/// The closure of a check, with what shows how far its engines are.
pub(super) struct Closure<'a> {
    check: &'a Check,
    beat: &'a Arc<Beat>,
    /// The engine of the first execution, which the search goes on with.
    rehearsed: Cell<Option<RustEngine>>,
}

/// The same for several jobs, whose search needs states. It only searches: findings are made simple without
/// states, as with one job.
pub(super) struct Shared<'a>(pub(super) &'a Closure<'a>);

impl<'a> Closure<'a> {
    pub(super) fn new(check: &'a Check, beat: &'a Arc<Beat>, engine: RustEngine) -> Closure<'a> {
        Closure { check, beat, rehearsed: Cell::new(Some(engine)) }
    }
}

impl Subject for Closure<'_> {
    type Engine = RustEngine;

    fn engines(&self, n: usize) -> Result<Vec<RustEngine>, Error> {
        let engine = |_| self.rehearsed.take().unwrap_or_else(|| self.check.engine(self.beat));
        Ok((0..n).map(engine).collect())
    }

    fn can_stop(&self) -> bool {
        false
    }

    fn stop_when(&self, _: &mut RustEngine, _: Arc<AtomicBool>) {}

    fn gather(
        &self,
        engine: &mut RustEngine,
        schedule: &Schedule,
        failure: &Failure,
        _: &Arc<AtomicBool>,
    ) -> Result<Gathered, Error> {
        let mut run = Run::new();
        let mut plan = Plan { prefix: schedule.choices().collect(), ..Plan::default() };
        plan.observe.races = self.check.config.races;
        let tale = engine.tell(&plan, &mut run).map_err(Error::Search)?;
        let race = run.races.iter().find(|race| engine.race(race).is_same(failure));
        let ended = run.outcome.failure().filter(|last| last.kind == failure.kind);
        if race.is_none() && ended.is_none() {
            return Err(Error::Search(EngineError::Broken(DIFFERS.to_owned()))); // K1
        }
        let mut shown = failure.clone();
        if let Some(last) = ended {
            shown.message.clone_from(&last.message);
        }
        let schedule = match engine.world().cells.has_promoted() {
            false => schedule.clone(),
            true => self.check.with_all_points(engine.portable()), // K3
        };
        let execution = (engine.world(), &tale, &run);
        let evidence = document::evidence(execution, &shown, race, schedule);
        let property = document::property(&shown);
        Ok(Gathered::Shown(Box::new(evidence.finding(property, &shown))))
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

    fn broken(&self, _: &[RustEngine], error: EngineError) -> Error {
        Error::Search(error)
    }
}

impl Subject for Shared<'_> {
    type Engine = Classes<RustEngine>;

    fn engines(&self, n: usize) -> Result<Vec<Self::Engine>, Error> {
        Ok(self.0.engines(n)?.into_iter().map(Classes::new).collect())
    }

    fn can_stop(&self) -> bool {
        self.0.can_stop()
    }

    fn stop_when(&self, _: &mut Self::Engine, _: Arc<AtomicBool>) {}

    fn gather(
        &self,
        engine: &mut Self::Engine,
        schedule: &Schedule,
        failure: &Failure,
        stop: &Arc<AtomicBool>,
    ) -> Result<Gathered, Error> {
        self.0.gather(engine.engine_mut(), schedule, failure, stop)
    }

    fn is_controlled(&self) -> bool {
        self.0.is_controlled()
    }

    fn compares_runs(&self) -> bool {
        self.0.compares_runs()
    }

    fn is_portable(&self, found: &Found) -> bool {
        self.0.is_portable(found)
    }

    fn broken(&self, _: &[Self::Engine], error: EngineError) -> Error {
        Error::Search(error)
    }
}
