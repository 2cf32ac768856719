//! One schedule again: to see what it does, or to write it down.

use std::path::Path;
use std::sync::Arc;

use raddle_explore::{Engine, EngineError, Plan, Run};
use raddle_finding::{Choice, Schedule};
use raddle_session::Error;

use super::{ALL_SUFFIX, Check};
use crate::document;
use crate::engine::RustEngine;
use crate::report::{Finding, Report, replay_command};
use crate::world::{AGAIN, Beat, Tale};

/// What stands for the name of the test in the name of a file.
const TEST: &str = "{test}";

impl Check {
    /// Runs a schedule; none if it is that of another test.
    pub(super) fn replay(&self, text: &str) -> Result<Option<Report>, String> {
        let schedule: Schedule = text.parse().map_err(|error| format!("{text}: {error}"))?;
        let own = schedule.program().as_str();
        if own.trim_end_matches(ALL_SUFFIX) != self.id.as_str() {
            return Ok(None);
        }
        let beat = Arc::new(Beat::default());
        let mut engine = self.engine(&beat);
        engine.show_panics();
        if own.ends_with(ALL_SUFFIX) {
            engine.make_all_points();
        }
        let mut run = Run::new();
        let mut plan = Plan { prefix: schedule.choices().collect(), ..Plan::default() };
        plan.observe.races = self.config.races;
        let tale = self.tell_again(&mut engine, &plan, &mut run).map_err(|error| match error {
            EngineError::Diverged { position, choice } => format!(
                "the schedule does not match: step {position} should be {choice}, which is not \
                 possible there. The schedule was made for a different program"
            ),
            other => self.explain(&Error::Search(other)),
        })?;
        if run.points().len() < plan.prefix.len() {
            return Err(format!(
                "the schedule does not match: it has {} steps, but the execution ends after {}",
                plan.prefix.len(),
                run.points().len()
            ));
        }
        let race = run.races.first();
        let failure = run.outcome.failure().cloned().or_else(|| race.map(|race| engine.race(race)));
        let mut report =
            Report::of_replay(&self.name, run.points().len(), engine.world().n_threads);
        report.findings.extend(failure.map(|failure| {
            let execution = (engine.world(), &tale, &run);
            let evidence = document::evidence(execution, &failure, race, schedule.clone());
            let mut document = evidence.finding(document::property(&failure), &failure);
            document.outcome = Some(run.outcome.name().to_owned());
            document.preemptions = Some(run.n_preemptions());
            document.details.insert("switches".to_owned(), switches(&run).into());
            document.replay = Some(replay_command(text, &self.name));
            Finding {
                kind: failure.kind.name().to_owned(),
                message: failure.message,
                places: failure.places.into_iter().map(|place| place.name).collect(),
                preemptions: run.n_preemptions(),
                is_minimal: false,
                bound: None,
                execution: 0,
                schedule: text.to_owned(),
                document: document.into(),
            }
        }));
        self.publish(&report)?;
        Ok(Some(report))
    }

    /// Executes a plan, with the points that it needs (K4).
    fn tell_again(
        &self,
        engine: &mut RustEngine,
        plan: &Plan,
        run: &mut Run,
    ) -> Result<Tale, EngineError> {
        loop {
            let watches = self.table.watches();
            match engine.tell(plan, run) {
                Err(EngineError::Broken(why))
                    if why == AGAIN && self.table.watches() != watches => {}
                told => return told,
            }
        }
    }

    /// Writes the report into the file that is wanted, if any.
    pub(super) fn publish(&self, report: &Report) -> Result<(), String> {
        let Some(path) = &self.config.report else { return Ok(()) };
        let path = path.replace(TEST, &self.name.replace("::", "."));
        let written = report.write(Path::new(&path));
        written.map_err(|error| format!("raddle: {}: {path}: {error}", self.name))
    }

    /// Writes the execution that fails or, if none does, the first one, if that is wanted.
    pub(super) fn write_trace(&self, report: &Report, beat: &Arc<Beat>) -> Result<(), String> {
        let Some(path) = &self.config.trace else { return Ok(()) };
        let mut engine = self.engine(beat);
        let mut plan = Plan::default();
        if let Some(finding) = report.findings.first() {
            let schedule: Schedule = finding.schedule.parse().expect("it was just made");
            if schedule.program().as_str().ends_with(ALL_SUFFIX) {
                engine.make_all_points();
            }
            plan.prefix = schedule.choices().collect();
        }
        let told = self.tell_again(&mut engine, &plan, &mut Run::new());
        let tale = told.map_err(|error| self.explain(&Error::Search(error)))?;
        #[cfg(feature = "trace")]
        let written = crate::trace::write(path, engine.world(), &tale);
        #[cfg(not(feature = "trace"))]
        let written = Err::<(), _>(format!(
            "traces need the feature `trace` of raddle; {} steps are not written",
            tale.steps.len()
        ));
        written.map_err(|error| format!("{}: {error}", path.display()))
    }
}

/// How many times another thread goes on.
fn switches(run: &Run) -> u32 {
    let switches = |&point: &usize| {
        let at = run.points()[point];
        point > 0 && matches!(run.taken(point), Choice::Thread(next) if next != at.current)
    };
    (0..run.points().len()).filter(switches).count() as u32
}
