//! The search itself: engines, progress, Ctrl-C, checkpoints; and what became of it.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use raddle_cfront::ir::Program;
use raddle_explore::{
    Budget, Found, Ledger, Monitor, Report, ShrinkBudget, Shrunk, Strategy, resume, shrink,
};
use raddle_vm::{Settings, VmEngine};

use super::evidence::{self, Evidence};
use crate::command::program::record::machine;
use crate::context::Context;
use crate::diagnostic::Diagnostic;
use crate::interrupt::Interrupt;
use crate::progress::Progress;
use crate::quantity::{count, counted};

/// What is searched, and how.
pub(super) struct Hunt<'a> {
    pub(super) program: Arc<Program>,
    pub(super) settings: Settings,
    pub(super) budget: Budget,
    pub(super) jobs: usize,
    pub(super) checkpoint: Option<&'a Path>,
    pub(super) options: String,
    pub(super) context: &'a Context,
}

/// What became of a search.
pub(super) struct Caught {
    pub(super) report: Report,
    /// Those of the last machine, with the points that races made.
    pub(super) settings: Settings,
    pub(super) seconds: f64,
}

/// A finding with everything about it.
pub(super) struct Catch {
    pub(super) found: Found,
    pub(super) shrunk: Shrunk,
    pub(super) evidence: Evidence,
}

impl Hunt<'_> {
    /// Searches from the start, or from where a saved search was.
    pub(super) fn run(
        &self,
        mut strategy: Box<dyn Strategy>,
        _from: Option<&Path>,
    ) -> Result<Caught, Diagnostic> {
        let start = Instant::now();
        let mut ledger = Ledger::default();
        let mut engines = self.engines()?;
        let interrupt = &self.context.interrupt;
        let heeding = interrupt.heed();
        let shown = self.context.shows_progress();
        let progress = Progress::counting("exploring", shown, interrupt);
        let mut watching = Watching { progress, interrupt };
        let report = resume(
            &mut engines,
            strategy.as_mut(),
            &mut ledger,
            &self.budget,
            &mut watching,
        );
        drop(watching);
        drop(heeding);
        let report = report
            .map_err(|error| Diagnostic::error("the search cannot go on").because(&error))?;
        let settings = engines[0].machine().settings().clone();
        Ok(Caught { report, settings, seconds: start.elapsed().as_secs_f64() })
    }

    fn engines(&self) -> Result<Vec<VmEngine>, Diagnostic> {
        let machine = machine(self.program.clone(), &self.settings)?;
        Ok((0..self.jobs).map(|_| VmEngine::new(machine.clone())).collect())
    }

    /// Reduces each finding to its simplest run, and runs it again.
    pub(super) fn collect(&self, caught: &Caught) -> Result<Vec<Catch>, Diagnostic> {
        let stop = AtomicBool::new(self.context.interrupt.is_asked());
        let interrupt = &self.context.interrupt;
        let heeding = interrupt.heed();
        let progress =
            Progress::counting("simplifying", self.context.shows_progress(), interrupt);
        let mut catches = Vec::new();
        for (n, found) in caught.report.findings.iter().enumerate() {
            progress.counted(n as u64);
            stop.fetch_or(interrupt.is_asked(), Ordering::Relaxed);
            catches.push(self.catch(found, &caught.settings, &stop)?);
        }
        drop(heeding);
        Ok(catches)
    }

    fn catch(
        &self,
        found: &Found,
        settings: &Settings,
        stop: &AtomicBool,
    ) -> Result<Catch, Diagnostic> {
        let machine = machine(self.program.clone(), settings)?;
        let mut engine = VmEngine::new(machine);
        let Found { schedule, trouble, .. } = found;
        let shrunk = shrink(&mut engine, schedule, trouble, &ShrinkBudget::default(), stop)
            .ok()
            .flatten();
        let Some(shrunk) = shrunk else {
            return Err(Diagnostic::error("a finding does not repeat; this is a defect of Raddle")
                .remark(&trouble.message)
                .remark(schedule.to_string()));
        };
        let evidence = evidence::gather(&self.program, settings, &shrunk.schedule, trouble)?;
        Ok(Catch { found: found.clone(), shrunk, evidence })
    }
}

/// Shows how far the search is, and stops it on Ctrl-C.
struct Watching<'a> {
    progress: Progress,
    interrupt: &'a Interrupt,
}

impl<S: Strategy + ?Sized> Monitor<S> for Watching<'_> {
    fn is_stopped(&self) -> bool {
        self.interrupt.is_asked()
    }

    fn progress(&mut self, strategy: &S, ledger: &Ledger) {
        let bound = strategy.bound().map_or(String::new(), |bound| format!(", bound {bound}"));
        let executions = count(ledger.executions());
        let found = match ledger.findings().len() {
            0 => String::new(),
            n => format!(", {}", counted(n, "finding")),
        };
        self.progress.say(format!("{executions} executions{bound}{found}"));
    }
}
