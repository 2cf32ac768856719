//! The search itself.
//!
//! In: a subject, a strategy and a budget. Out: what was covered and found ([`Explored`]); `collect` works on the
//! findings.
//!
//! - T1: once a failure is found, the last quarter of the time is kept for working on what is found.
//! - T2: that work may take a fifth of the time more, from one to five seconds; nothing takes longer.

mod collect;

use std::time::{Duration, Instant};

use raddle_explore::{
    AnyStrategy, Budget, Checkpoint, Engine, EngineError, Ledger, Monitor, Report, Strategy, resume,
};

use crate::alarm::Alarm;
use crate::error::Error;
use crate::observer::{Notice, Observer, Searching, Status, Stop};
use crate::subject::{Subject, Terms};

pub use collect::{Collected, Entry};

/// What is searched, and how.
pub struct Exploration<S> {
    /// What is searched.
    pub subject: S,
    /// What the search may use.
    pub budget: Budget,
    /// How many threads search; the result does not depend on it.
    pub jobs: usize,
    /// What has to be the same when a saved search goes on, in the words of the caller.
    pub options: String,
    /// Ends it early.
    pub stop: Stop,
    /// Whether findings are reduced to their simplest runs.
    pub shrinks: bool,
    /// Whether findings are described.
    pub describes: bool,
    /// Whether data races are findings; they can also be looked for only to make points of them.
    pub reports_races: bool,
}

/// What became of a search.
pub struct Explored {
    /// What was counted, and found until findings are collected.
    pub report: Report,
    /// What it depends on, with the points that races made.
    pub terms: Terms,
    /// The identity of the program.
    pub identity: String,
    /// How long it took.
    pub seconds: f64,
    /// When its time is over, if that is limited.
    end: Option<Instant>,
}

impl Explored {
    /// What is left of its time with a grace, if that is limited.
    pub(crate) fn left(&self, grace: Duration) -> Option<Duration> {
        self.end.map(|end| (end + grace).saturating_duration_since(Instant::now()))
    }
}

/// The part of the time that is kept for failures (T1).
const KEPT: u32 = 4;

impl<S> Exploration<S> {
    /// With one thread; findings are simplified and described, and races are findings.
    pub fn new(subject: S, budget: Budget) -> Exploration<S> {
        let (options, stop) = (String::new(), Stop::default());
        Exploration {
            subject,
            budget,
            jobs: 1,
            options,
            stop,
            shrinks: true,
            describes: true,
            reports_races: true,
        }
    }

    /// How long findings may be worked on when the time is over (T2).
    fn grace(&self) -> Duration {
        let time = self.budget.time.unwrap_or_default() / 5;
        time.clamp(Duration::from_secs(1), Duration::from_secs(5))
    }
}

impl<S: Subject> Exploration<S> {
    /// Searches from the start, or from where a saved search was.
    pub fn run(
        &self,
        mut strategy: AnyStrategy,
        from: Option<Checkpoint>,
        observer: &mut dyn Observer,
    ) -> Result<Explored, Error> {
        let mut ledger = Ledger::default();
        let engines = self.subject.engines(self.jobs)?;
        let program = engines[0].program();
        if let Some(saved) = from {
            saved.check(&program, &self.options, &strategy).map_err(Error::Checkpoint)?;
            Checkpoint { strategy, ledger, .. } = saved;
        }
        let save = |strategy: &AnyStrategy, ledger: &Ledger| Checkpoint {
            program: program.clone(),
            options: self.options.clone(),
            strategy: strategy.clone(),
            ledger: ledger.clone(),
        };
        let remember = |observer: &mut dyn Observer, strategy: &AnyStrategy, ledger: &Ledger| {
            observer.remember(&|| save(strategy, ledger));
        };
        let mut watching = Watching { exploration: self, observer, remember, is_saved: true };
        let explored = watching.search(engines, &mut strategy, &mut ledger)?;
        watching.observer.ended(explored.report.ending, &|| save(&strategy, &ledger));
        Ok(explored)
    }

    /// Searches with a strategy that cannot be saved: its observer is asked to remember nothing.
    pub fn search<T: Strategy + ?Sized>(
        &self,
        strategy: &mut T,
        observer: &mut dyn Observer,
    ) -> Result<Explored, Error> {
        let engines = self.subject.engines(self.jobs)?;
        let remember = |_: &mut dyn Observer, _: &T, _: &Ledger| {};
        let mut watching = Watching { exploration: self, observer, remember, is_saved: false };
        watching.search(engines, strategy, &mut Ledger::default())
    }
}

/// Passes on how far the search is, and stops it when asked to.
struct Watching<'a, S, F> {
    exploration: &'a Exploration<S>,
    observer: &'a mut dyn Observer,
    /// Lets the observer save the search.
    remember: F,
    /// Whether the search can be saved.
    is_saved: bool,
}

impl<S: Subject, F> Watching<'_, S, F> {
    fn search<T: Strategy + ?Sized>(
        &mut self,
        mut engines: Vec<S::Engine>,
        strategy: &mut T,
        ledger: &mut Ledger,
    ) -> Result<Explored, Error>
    where
        F: Fn(&mut dyn Observer, &T, &Ledger),
    {
        let before = ledger.spent();
        let Exploration { subject, budget, stop, .. } = self.exploration;
        let left = budget.time.map(|time| time.saturating_sub(before));
        let end = left.map(|left| Instant::now() + left);
        let alarm = subject.can_stop().then(|| Alarm::set(left, stop.asked.clone()));
        if let Some(alarm) = &alarm {
            engines.iter_mut().for_each(|engine| subject.stop_when(engine, alarm.flag()));
        }
        let kept = if subject.can_stop() {
            budget.time.unwrap_or_default() / KEPT
        } else {
            Duration::ZERO
        };
        let budget = Budget { kept, ..*budget }; // T1
        let report = match resume(&mut engines, strategy, ledger, &budget, self) {
            Ok(report) => report,
            Err(error @ EngineError::Diverged { .. })
                if !ledger.findings().is_empty() && !subject.compares_runs() =>
            {
                let broken = subject.broken(&engines, error);
                self.observer.notice(Notice::Broken(&broken));
                ledger.diverged(strategy)
            }
            Err(error) => return Err(subject.broken(&engines, error)),
        };
        let (terms, identity) = (subject.terms(&engines), engines[0].program().to_string());
        let seconds = (ledger.spent() - before).as_secs_f64();
        Ok(Explored { report, terms, identity, seconds, end })
    }
}

impl<S, T, F> Monitor<T> for Watching<'_, S, F>
where
    T: Strategy + ?Sized,
    F: Fn(&mut dyn Observer, &T, &Ledger),
{
    fn is_stopped(&self) -> bool {
        self.exploration.stop.is_asked()
    }

    fn keeps_ledger(&self) -> bool {
        self.is_saved
    }

    fn progress(&mut self, strategy: &T, ledger: &Ledger) {
        let spent = ledger.spent();
        self.observer.status(&Status::Searching(Searching {
            executions: ledger.executions(),
            bound: strategy.bound(),
            states: ledger.states(),
            findings: ledger.findings().len(),
            spent,
            left: self.exploration.budget.time.map(|time| time.saturating_sub(spent)),
        }));
        (self.remember)(self.observer, strategy, ledger);
    }
}
