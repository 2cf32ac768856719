//! Searches through programs that were built, and what comes out of them.

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use raddle_explore::{AnyStrategy, Bounded, Budget, FailureKind, Found, Races, Report, search};
use raddle_native::explore::{NativeEngine, Setup};
use raddle_native::target::Target;
use raddle_wire::Threading;
use raddle_wire::board::Model;

use super::Workshop;

/// Nothing that is run here takes so long.
const RUN_MAX: Duration = Duration::from_secs(30);

/// How a program is run again and again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Way {
    pub model: Option<Model>,
    pub threading: Threading,
    /// The exit status that is no failure, if others are.
    pub exit: Option<i32>,
}

impl Way {
    /// The same for programs whose exit status says that something is wrong.
    pub const fn with_exit(self) -> Way {
        Way { exit: Some(0), ..self }
    }
}

/// What is used by default.
pub const USUAL: Way = Way { model: None, threading: Threading::Coroutines, exit: None };
/// A child for every run.
pub const FORKED: Way =
    Way { model: Some(Model::Fork), threading: Threading::Coroutines, exit: None };
/// A child for every run, and a thread of the system for each of the program.
pub const THREADS: Way =
    Way { model: Some(Model::Fork), threading: Threading::Threads, exit: None };
/// A process for every run.
pub const SPAWNED: Way =
    Way { model: Some(Model::Once), threading: Threading::Coroutines, exit: None };

/// A search that has ended.
pub struct Explored {
    pub report: Report,
    /// How runs were made at the end, and why not in a faster way.
    pub model: (Model, Option<String>),
}

impl Workshop {
    /// Searches through a program; its races become points.
    pub fn explore(
        &self,
        target: &Target,
        way: Way,
        strategy: impl Into<AnyStrategy>,
        n_runs: u64,
    ) -> Result<Explored, String> {
        let budget = Budget { runs: Some(n_runs), races: Races::Promoted, ..Budget::default() };
        self.explore_within(target, way, strategy, &budget)
    }

    /// Searches through a program as far as the budget goes.
    pub fn explore_within(
        &self,
        target: &Target,
        way: Way,
        strategy: impl Into<AnyStrategy>,
        budget: &Budget,
    ) -> Result<Explored, String> {
        let (mut engines, mut strategy) = ([self.engine(target, way)?], strategy.into());
        let report = search(&mut engines, &mut strategy, budget, &AtomicBool::new(false));
        let report = report.map_err(|error| error.to_string())?;
        let (model, reason) = engines[0].model();
        Ok(Explored { report, model: (model, reason.map(str::to_owned)) })
    }

    /// What runs a program again and again.
    pub fn engine(&self, target: &Target, way: Way) -> Result<NativeEngine, String> {
        let mut setup = Setup::new(target.clone(), &self.installation.runtime());
        setup.model = way.model;
        setup.threading = way.threading;
        setup.expect_exit = way.exit;
        setup.timeout = RUN_MAX;
        NativeEngine::new(setup).map_err(|error| error.to_string())
    }

    /// Searches up to a bound.
    pub fn explore_to(
        &self,
        target: &Target,
        way: Way,
        bound: u32,
        n_runs: u64,
    ) -> Result<Explored, String> {
        self.explore(target, way, Bounded::icb(Some(bound)), n_runs)
    }
}

impl Explored {
    /// What was found first, apart from data races.
    pub fn first_failure(&self) -> Option<&Found> {
        self.report.findings.iter().find(|found| found.failure.kind != FailureKind::Race)
    }

    /// What does not depend on how runs are made, as text: executions by bound, and what was found
    /// in which of them.
    pub fn essence(&self) -> String {
        let report = &self.report;
        let bounds: Vec<_> =
            report.bounds.iter().map(|row| (row.bound, row.executions, row.complete)).collect();
        let found: Vec<_> = report
            .findings
            .iter()
            .map(|found| {
                let failure = &found.failure;
                let places: Vec<_> = failure.places.iter().map(ToString::to_string).collect();
                let what = format!("{} at {places:?}", failure.kind);
                format!(
                    "{what}: {} times, first {} by {}",
                    found.times, found.execution, found.schedule
                )
            })
            .collect();
        format!("{bounds:?} {} lost {:?}, {found:#?}", report.n_lost, report.lost)
    }
}
