//! The search itself: engines, progress, Ctrl-C, checkpoints; and what became of it.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use raddle_cfront::ir::Program;
use raddle_explore::{
    AnyStrategy, Budget, Checkpoint, Ledger, Monitor, Report, Shrunk, Strategy, resume, shrink,
};
use raddle_vm::{Machine, Settings, VmEngine};

use super::evidence::{self, Evidence};
use crate::command::program::record::machine;
use crate::context::Context;
use crate::destination::Destination;
use crate::diagnostic::Diagnostic;
use crate::interrupt::Interrupt;
use crate::progress::Progress;
use crate::quantity::count;

/// How often a search is saved.
const SAVE: Duration = Duration::from_secs(20);

/// What is searched, and how.
pub(super) struct Hunt<'a> {
    pub(super) program: Arc<Program>,
    pub(super) settings: Settings,
    pub(super) budget: Budget,
    pub(super) jobs: usize,
    /// Where the search is saved, and with what it can go on.
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
    pub(super) found: raddle_explore::Found,
    pub(super) shrunk: Shrunk,
    pub(super) evidence: Evidence,
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
            let saved = self.load(path, &engines[0])?;
            for engine in &mut engines {
                engine.restore_points(&saved.points);
            }
            (strategy, ledger) = (saved.strategy, saved.ledger);
        }
        let shown = self.context.shows_progress();
        let interrupt = &self.context.interrupt;
        let heeding = interrupt.heed();
        let mut watching = Watching {
            progress: Progress::counting("exploring", shown, interrupt),
            interrupt,
            start,
            saved: Instant::now(),
            save: self.checkpoint.map(|path| (path, self)),
            failure: None,
        };
        let report = resume(&mut engines, &mut strategy, &mut ledger, &self.budget, &mut watching);
        let failure = watching.failure.take();
        drop(watching);
        drop(heeding);
        let report = report.map_err(|error| {
            Diagnostic::error("the search cannot go on").because(&error)
        })?;
        if let Some(failure) = failure {
            self.context.tell(&failure);
        }
        if let Some(path) = self.checkpoint {
            self.end(path, &strategy, &ledger, &engines[0], &report)?;
        }
        let settings = engines[0].machine().settings().clone();
        Ok(Caught { report, settings, seconds: start.elapsed().as_secs_f64() })
    }

    fn engines(&self) -> Result<Vec<VmEngine>, Diagnostic> {
        let machine: Machine = machine(self.program.clone(), &self.settings)?;
        Ok((0..self.jobs).map(|_| VmEngine::new(machine.clone())).collect())
    }
}
