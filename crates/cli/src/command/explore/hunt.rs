//! The search itself: engines, progress, Ctrl-C, checkpoints; and what became of it.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use raddle_explore::{
    AnyStrategy, Budget, Checkpoint, CheckpointError, Ending, Engine, EngineError, Found, Ledger,
    Monitor, Race, Report, ShrinkBudget, Shrunk, Strategy, resume, shrink,
};
use raddle_finding::{Choice, ProgramId, Schedule};

use super::alarm::Alarm;
use super::saving::Saving;
use super::subject::{Evidence, Gathered, Subject, Terms, Unrepeated};
use crate::context::Context;
use crate::diagnostic::Diagnostic;
use crate::interrupt::Interrupt;
use crate::progress::Progress;
use crate::quantity::{count, counted};

/// How long findings are simplified, all together.
const SIMPLIFYING: Duration = Duration::from_secs(20);

/// How far beyond its time a search may go for the stories of its findings.
const GRACE: Duration = Duration::from_secs(2);

/// What is searched, and how.
pub(super) struct Hunt<'a, S> {
    pub(super) subject: S,
    pub(super) budget: Budget,
    pub(super) jobs: usize,
    /// Where the search is saved, and how often.
    pub(super) checkpoint: Option<(&'a Path, Duration)>,
    pub(super) options: String,
    pub(super) context: &'a Context,
}

/// What became of a search.
pub(super) struct Caught {
    pub(super) report: Report,
    /// What it depends on, with the points that races made.
    pub(super) terms: Terms,
    /// The identity of the program.
    pub(super) identity: String,
    pub(super) seconds: f64,
    /// What is left of its time, if that is limited.
    left: Option<Duration>,
    /// Why it could not be saved at its end.
    pub(super) unsaved: Option<Diagnostic>,
}

/// A finding with everything about it.
pub(super) struct Catch {
    pub(super) found: Found,
    pub(super) shrunk: Shrunk,
    /// Whether there was time to simplify it.
    pub(super) is_simplified: bool,
    /// Repeats it, with a point before every access; none if there was no time to find it out.
    pub(super) schedule: Option<Schedule>,
    /// None if there was no time to run it again.
    pub(super) evidence: Option<Evidence>,
}

/// What became of the findings.
#[derive(Default)]
pub(super) struct Catches {
    pub(super) all: Vec<Catch>,
    /// Those that do not show again.
    pub(super) unrepeated: Vec<Unrepeated>,
}

/// How long findings may be worked on, all together; without an end if none.
#[derive(Clone, Copy)]
struct Patience {
    simplifying: Duration,
    /// From the same start: simplifying comes first, and leaves some of it.
    telling: Option<Duration>,
}

impl<S: Subject> Hunt<'_, S> {
    /// Searches from the start, or from where a saved search was.
    pub(super) fn run(
        &self,
        mut strategy: AnyStrategy,
        from: Option<&Path>,
    ) -> Result<Caught, Diagnostic> {
        let start = Instant::now();
        let mut ledger = Ledger::default();
        let mut engines = self.subject.engines(self.jobs)?;
        let identity = engines[0].program().to_string();
        if let Some(path) = from {
            Checkpoint { strategy, ledger, .. } =
                self.load(path, engines[0].program(), &strategy)?;
        }
        let saving = self.saving(engines[0].program())?;
        let interrupt = &self.context.interrupt;
        let heeding = interrupt.heed_twice();
        let shown = self.context.shows_progress();
        let progress = Progress::counting("exploring", shown, interrupt);
        let left = self.budget.time.map(|time| time.saturating_sub(ledger.spent()));
        let alarm = Alarm::set(left, interrupt.flag());
        engines.iter_mut().for_each(|engine| self.subject.stop_when(engine, alarm.flag()));
        let time = self.budget.time;
        let mut watching = Watching { progress, interrupt, saving, time };
        let report = resume(&mut engines, &mut strategy, &mut ledger, &self.budget, &mut watching);
        let Watching { saving, .. } = watching;
        drop(heeding);
        let report = match report {
            Ok(report) => report,
            Err(error @ EngineError::Diverged { .. }) if !ledger.findings().is_empty() => {
                self.context.tell(&self.subject.broken(&engines, &error));
                ledger.diverged(&strategy)
            }
            Err(error) => return Err(self.subject.broken(&engines, &error)),
        };
        let unsaved = saving.and_then(|saving| match report.ending {
            Ending::Done => {
                saving.forget();
                None
            }
            _ => saving.end(&strategy, &ledger).err(),
        });
        let terms = self.subject.terms(&engines);
        let left = self.budget.time.map(|time| time.saturating_sub(ledger.spent()));
        let seconds = start.elapsed().as_secs_f64();
        Ok(Caught { report, terms, identity, seconds, left, unsaved })
    }

    fn saving(&self, program: ProgramId) -> Result<Option<Saving<'_>>, Diagnostic> {
        let prepare =
            |(path, every)| Saving::prepare(path, program, &self.options, every, self.context);
        self.checkpoint.map(prepare).transpose()
    }

    /// The search that was saved in a file.
    fn load(
        &self,
        path: &Path,
        program: ProgramId,
        begun: &AnyStrategy,
    ) -> Result<Checkpoint, Diagnostic> {
        let cannot = || Diagnostic::error(format!("cannot go on with `{}`", path.display()));
        let bytes = fs::read(path).map_err(|error| cannot().because(&error))?;
        let saved = Checkpoint::from_bytes(&bytes).map_err(|error| cannot().because(&error))?;
        saved.check(&program, &self.options, begun).map_err(|error| match error {
            CheckpointError::Options { .. } => cannot()
                .remark("it was made with other options")
                .help("give the same options; budgets and --jobs may differ"),
            error => cannot().because(&error),
        })?;
        Ok(saved)
    }

    /// Reduces each finding to its simplest run, and runs it again. What does not repeat is told.
    pub(super) fn collect(&self, caught: &Caught) -> Result<Catches, Diagnostic> {
        let asked = self.context.interrupt.is_asked();
        let left = if asked { Some(Duration::ZERO) } else { caught.left };
        let simplifying = left.map_or(SIMPLIFYING, |left| SIMPLIFYING.min(left + GRACE / 2));
        let telling = left.map(|left| left + GRACE);
        self.collect_within(caught, Patience { simplifying, telling })
    }

    /// The same, each finding within its share of the time.
    fn collect_within(&self, caught: &Caught, patience: Patience) -> Result<Catches, Diagnostic> {
        let interrupt = &self.context.interrupt;
        let heeding = interrupt.heed_twice();
        let start = Instant::now();
        let stop = if interrupt.is_asked() { interrupt.urged() } else { interrupt.flag() };
        let progress = Progress::counting("simplifying", self.context.shows_progress(), interrupt);
        let mut catches = Catches::default();
        for (n, found) in caught.report.findings.iter().enumerate() {
            progress.counted(n as u64);
            let promoted = &caught.report.promoted[..found.promoted];
            let n_left = (caught.report.findings.len() - n) as u32;
            let share = |time: Duration| time.saturating_sub(start.elapsed()) / n_left;
            let simplifying = Alarm::set(Some(share(patience.simplifying)), interrupt.flag());
            let telling = || Alarm::set(patience.telling.map(share), stop.clone());
            match self.catch(found, promoted, &simplifying, telling)? {
                Ok(catch) => catches.all.push(catch),
                Err(unrepeated) => {
                    self.context.tell(&self.subject.doubt(&unrepeated));
                    catches.unrepeated.push(unrepeated);
                }
            }
        }
        drop(heeding);
        // What breaks the program comes before what may.
        catches.all.sort_by_key(|catch: &Catch| catch.found.trouble.kind == "race");
        Ok(catches)
    }

    fn catch(
        &self,
        found: &Found,
        promoted: &[Race],
        alarm: &Alarm,
        telling: impl FnOnce() -> Alarm,
    ) -> Result<Result<Catch, Unrepeated>, Diagnostic> {
        let Found { schedule, trouble, .. } = found;
        let unrepeated = |schedule: &Schedule, why| {
            Ok(Err(Unrepeated { trouble: trouble.clone(), schedule: schedule.clone(), why }))
        };
        let mut engine = self.subject.engines(1)?.remove(0);
        engine.promote(promoted);
        self.subject.stop_when(&mut engine, alarm.flag());
        let budget = ShrinkBudget::default();
        let shrunk = shrink(&mut engine, schedule, trouble, &budget, &alarm.flag());
        let shrunk = shrunk.ok().flatten();
        let (is_simplified, repeats) = (shrunk.is_some() && !alarm.rings(), shrunk.is_some());
        // When the time is over, or it does not show again, the run that was found has to do.
        let shrunk = shrunk.unwrap_or_else(|| as_found(found));
        let telling = telling();
        let stop = telling.flag();
        self.subject.stop_when(&mut engine, stop.clone());
        let gathered = self.subject.gather(&mut engine, &shrunk.schedule, trouble, &stop)?;
        let (schedule, evidence) = match gathered {
            Gathered::Told(evidence) if !evidence.is_replayed && !repeats => {
                return unrepeated(&shrunk.schedule, "other runs by it end otherwise".to_owned());
            }
            Gathered::Told(evidence) => (Some(evidence.schedule.clone()), Some(*evidence)),
            Gathered::Untold(schedule) => (schedule, None),
            Gathered::Lost(why) => return unrepeated(&shrunk.schedule, why),
        };
        Ok(Ok(Catch { found: found.clone(), shrunk, is_simplified, schedule, evidence }))
    }
}

/// A finding as it is.
fn as_found(found: &Found) -> Shrunk {
    let is_thread = |choice: &Choice| matches!(choice, Choice::Thread(_));
    let threads = found.schedule.runs().iter().filter(|(choice, _)| is_thread(choice));
    Shrunk {
        schedule: found.schedule.clone(),
        outcome: found.outcome.clone(),
        preemptions: found.preemptions,
        switches: threads.count().saturating_sub(1) as u32,
        points: found.schedule.len() as u32,
        minimal: false,
        runs: 0,
    }
}

/// Shows how far the search is, saves it from time to time, and stops it on Ctrl-C.
struct Watching<'a> {
    progress: Progress,
    interrupt: &'a Interrupt,
    saving: Option<Saving<'a>>,
    /// How long the search may take.
    time: Option<Duration>,
}

impl Monitor<AnyStrategy> for Watching<'_> {
    fn is_stopped(&self) -> bool {
        self.interrupt.is_asked()
    }

    fn progress(&mut self, strategy: &AnyStrategy, ledger: &Ledger) {
        let bound = strategy.bound().map_or(String::new(), |bound| format!(", bound {bound}"));
        let executions = count(ledger.executions());
        let seconds = ledger.spent().as_secs_f64();
        let rate = count((ledger.executions() as f64 / seconds.max(0.001)) as u64);
        let states = match ledger.states() {
            0 => String::new(),
            n => format!(", {} states", count(n)),
        };
        let left = self.time.map_or(String::new(), |time| {
            format!(", {} s left", time.saturating_sub(ledger.spent()).as_secs())
        });
        let found = match ledger.findings().len() {
            0 => String::new(),
            n => format!(", {}", counted(n, "finding")),
        };
        self.progress.say(format!("{executions} runs, {rate}/s{bound}{states}{found}{left}"));
        if let Some(saving) = &mut self.saving {
            saving.remind(strategy, ledger);
        }
    }
}

#[cfg(test)]
mod tests;
