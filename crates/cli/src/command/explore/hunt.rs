//! The search itself: engines, progress, Ctrl-C, checkpoints; and what became of it.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use raddle_cfront::ir::Program;
use raddle_explore::{
    AnyStrategy, Budget, Checkpoint, CheckpointError, Ending, Engine, Found, Ledger, Monitor, Race,
    Report, ShrinkBudget, Shrunk, Strategy, resume, shrink,
};
use raddle_finding::{Choice, ProgramId, Schedule};
use raddle_vm::{Settings, VmEngine};

use super::alarm::Alarm;
use super::evidence::{self, Evidence, Gathered};
use super::saving::Saving;
use crate::command::program::record::machine;
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
pub(super) struct Hunt<'a> {
    pub(super) program: Arc<Program>,
    pub(super) settings: Settings,
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
    /// Those of the last machine, with the points that races made.
    pub(super) settings: Settings,
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

/// How long findings may be worked on, all together; without an end if none.
#[derive(Clone, Copy)]
struct Patience {
    simplifying: Duration,
    /// From the same start: simplifying comes first, and leaves some of it.
    telling: Option<Duration>,
}

impl Hunt<'_> {
    /// Searches from the start, or from where a saved search was.
    pub(super) fn run(
        &self,
        mut strategy: AnyStrategy,
        from: Option<&Path>,
    ) -> Result<Caught, Diagnostic> {
        let start = Instant::now();
        let mut ledger = Ledger::default();
        let mut engines = self.engines()?;
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
        engines.iter_mut().for_each(|engine| engine.stop_when(alarm.flag()));
        let mut watching = Watching { progress, interrupt, saving };
        let report = resume(&mut engines, &mut strategy, &mut ledger, &self.budget, &mut watching);
        let Watching { saving, .. } = watching;
        drop(heeding);
        let report =
            report.map_err(|error| Diagnostic::error("the search cannot go on").because(&error))?;
        let unsaved = saving.and_then(|saving| match report.ending {
            Ending::Done => {
                saving.forget();
                None
            }
            _ => saving.end(&strategy, &ledger).err(),
        });
        let settings = engines[0].machine().settings().clone();
        let left = self.budget.time.map(|time| time.saturating_sub(ledger.spent()));
        Ok(Caught { report, settings, seconds: start.elapsed().as_secs_f64(), left, unsaved })
    }

    /// The identity of the program.
    pub(super) fn identity(&self) -> Result<String, Diagnostic> {
        Ok(machine(self.program.clone(), &self.settings)?.program_id().to_string())
    }

    fn engines(&self) -> Result<Vec<VmEngine>, Diagnostic> {
        let machine = machine(self.program.clone(), &self.settings)?;
        Ok((0..self.jobs).map(|_| VmEngine::new(machine.clone())).collect())
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
    pub(super) fn collect(&self, caught: &Caught) -> Vec<Catch> {
        let asked = self.context.interrupt.is_asked();
        let left = if asked { Some(Duration::ZERO) } else { caught.left };
        let simplifying = left.map_or(SIMPLIFYING, |left| SIMPLIFYING.min(left + GRACE / 2));
        let telling = left.map(|left| left + GRACE);
        self.collect_within(caught, Patience { simplifying, telling })
    }

    /// The same, each finding within its share of the time.
    fn collect_within(&self, caught: &Caught, patience: Patience) -> Vec<Catch> {
        let interrupt = &self.context.interrupt;
        let heeding = interrupt.heed_twice();
        let start = Instant::now();
        let stop = if interrupt.is_asked() { interrupt.urged() } else { interrupt.flag() };
        let progress = Progress::counting("simplifying", self.context.shows_progress(), interrupt);
        let mut catches = Vec::new();
        for (n, found) in caught.report.findings.iter().enumerate() {
            progress.counted(n as u64);
            let promoted = &caught.report.promoted[..found.promoted];
            let n_left = (caught.report.findings.len() - n) as u32;
            let share = |time: Duration| time.saturating_sub(start.elapsed()) / n_left;
            let simplifying = Alarm::set(Some(share(patience.simplifying)), interrupt.flag());
            let telling = || Alarm::set(patience.telling.map(share), stop.clone());
            match self.catch(found, promoted, &simplifying, telling) {
                Ok(catch) => catches.push(catch),
                Err(error) => self.context.tell(&error),
            }
        }
        drop(heeding);
        // What breaks the program comes before what may.
        catches.sort_by_key(|catch: &Catch| catch.found.trouble.kind == "race");
        catches
    }

    fn catch(
        &self,
        found: &Found,
        promoted: &[Race],
        alarm: &Alarm,
        telling: impl FnOnce() -> Alarm,
    ) -> Result<Catch, Diagnostic> {
        let mut engine = VmEngine::new(machine(self.program.clone(), &self.settings)?);
        engine.promote(promoted);
        engine.stop_when(alarm.flag());
        let Found { schedule, trouble, .. } = found;
        let budget = ShrinkBudget::default();
        let shrunk = shrink(&mut engine, schedule, trouble, &budget, &alarm.flag()).ok().flatten();
        let is_simplified = !alarm.rings();
        // When the time is over, the run that was found has to do.
        let shrunk = shrunk.or_else(|| alarm.rings().then(|| as_found(found)));
        let Some(shrunk) = shrunk else {
            return Err(Diagnostic::error("a finding does not repeat; this is a defect of Raddle")
                .remark(&trouble.message)
                .remark(schedule.to_string()));
        };
        let settings = engine.machine().settings();
        let telling = telling();
        let stop = telling.flag();
        let gathered = evidence::gather(&self.program, settings, &shrunk.schedule, trouble, &stop)?;
        let (schedule, evidence) = match gathered {
            Gathered::Told(evidence) => (Some(evidence.schedule.clone()), Some(*evidence)),
            Gathered::Untold(schedule) => (schedule, None),
        };
        Ok(Catch { found: found.clone(), shrunk, is_simplified, schedule, evidence })
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
}

impl Monitor<AnyStrategy> for Watching<'_> {
    fn is_stopped(&self) -> bool {
        self.interrupt.is_asked()
    }

    fn progress(&mut self, strategy: &AnyStrategy, ledger: &Ledger) {
        let bound = strategy.bound().map_or(String::new(), |bound| format!(", bound {bound}"));
        let executions = count(ledger.executions());
        let found = match ledger.findings().len() {
            0 => String::new(),
            n => format!(", {}", counted(n, "finding")),
        };
        self.progress.say(format!("{executions} executions{bound}{found}"));
        if let Some(saving) = &mut self.saving {
            saving.remind(strategy, ledger);
        }
    }
}

#[cfg(test)]
mod tests;
