//! The search itself, and what becomes of its findings.
//!
//! In: a subject, a strategy and a budget. Out: what was covered ([`Caught`]), and each finding reduced to
//! its simplest run, run again and told ([`Catches`]).

use std::time::{Duration, Instant};

use raddle_explore::{
    AnyStrategy, Budget, Checkpoint, Ending, Engine, EngineError, Found, Ledger, Monitor, Race,
    Report, ShrinkBudget, Shrunk, Strategy, resume, shrink,
};
use raddle_finding::{Choice, ProgramId, Schedule};

use crate::alarm::Alarm;
use crate::error::Error;
use crate::merge::Merged;
use crate::observer::{Notice, Observer, Searching, Status, Stop};
use crate::subject::{Evidence, Gathered, Subject, Terms, Unrepeated};

/// How long findings are simplified, all together.
const SIMPLIFYING: Duration = Duration::from_secs(20);

/// How far beyond its time a search may go for the stories of its findings.
const GRACE: Duration = Duration::from_secs(2);

/// What is searched, and how.
pub struct Hunt<S> {
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
}

/// What became of a search.
pub struct Caught {
    /// What was counted and found.
    pub report: Report,
    /// What it depends on, with the points that races made.
    pub terms: Terms,
    /// The identity of the program.
    pub identity: String,
    /// How long it took.
    pub seconds: f64,
    /// What is left of its time, if that is limited.
    left: Option<Duration>,
}

/// A finding with everything about it.
pub struct Catch {
    /// As the search found it.
    pub found: Found,
    /// Its simplest run.
    pub shrunk: Shrunk,
    /// Whether there was time to simplify it.
    pub is_simplified: bool,
    /// Repeats it, with a point before every access; none if there was no time to find it out.
    pub schedule: Option<Schedule>,
    /// None if there was no time to run it again.
    pub evidence: Option<Evidence>,
    /// Whether it was predicted, and not found by searching.
    pub is_steered: bool,
}

/// What became of the findings.
#[derive(Default)]
pub struct Catches {
    /// Those that do, failures before races.
    pub all: Vec<Catch>,
    /// Those that do not show again.
    pub unrepeated: Vec<Unrepeated>,
}

/// How long findings may be worked on, all together; without an end if none.
#[derive(Clone, Copy)]
struct Patience {
    simplifying: Duration,
    /// From the same start: simplifying comes first, and leaves some of it.
    telling: Option<Duration>,
}

impl<S: Subject> Hunt<S> {
    /// Searches from the start, or from where a saved search was.
    pub fn run(
        &self,
        mut strategy: AnyStrategy,
        from: Option<Checkpoint>,
        observer: &mut dyn Observer,
    ) -> Result<Caught, Error> {
        let start = Instant::now();
        let mut ledger = Ledger::default();
        let mut engines = self.subject.engines(self.jobs)?;
        let program = engines[0].program();
        if let Some(saved) = from {
            saved.check(&program, &self.options, &strategy).map_err(Error::Checkpoint)?;
            Checkpoint { strategy, ledger, .. } = saved;
        }
        let left =
            |ledger: &Ledger| self.budget.time.map(|time| time.saturating_sub(ledger.spent()));
        let alarm = Alarm::set(left(&ledger), self.stop.asked.clone());
        engines.iter_mut().for_each(|engine| self.subject.stop_when(engine, alarm.flag()));
        let mut watching = Watching { hunt: self, program, observer };
        let report = resume(&mut engines, &mut strategy, &mut ledger, &self.budget, &mut watching);
        let report = match report {
            Ok(report) => report,
            Err(error @ EngineError::Diverged { .. }) if !ledger.findings().is_empty() => {
                let broken = self.subject.broken(&engines, error);
                watching.observer.notice(Notice::Broken(&broken));
                ledger.diverged(&strategy)
            }
            Err(error) => return Err(self.subject.broken(&engines, error)),
        };
        watching.ended(report.ending, &strategy, &ledger);
        let identity = watching.program.to_string();
        let terms = self.subject.terms(&engines);
        let (left, seconds) = (left(&ledger), start.elapsed().as_secs_f64());
        Ok(Caught { report, terms, identity, seconds, left })
    }

    /// Reduces each finding to its simplest run, and runs it again. What does not repeat is told.
    pub fn collect(&self, caught: &Caught, observer: &mut dyn Observer) -> Result<Catches, Error> {
        let left = if self.stop.is_asked() { Some(Duration::ZERO) } else { caught.left };
        let simplifying = left.map_or(SIMPLIFYING, |left| SIMPLIFYING.min(left + GRACE / 2));
        let telling = left.map(|left| left + GRACE);
        self.collect_within(caught, Patience { simplifying, telling }, observer)
    }

    /// The same, each finding within its share of the time.
    fn collect_within(
        &self,
        caught: &Caught,
        patience: Patience,
        observer: &mut dyn Observer,
    ) -> Result<Catches, Error> {
        let start = Instant::now();
        let Stop { asked, urged } = &self.stop;
        let stop = if self.stop.is_asked() { urged } else { asked };
        let mut catches = Catches::default();
        let of = caught.report.findings.len();
        for (done, found) in caught.report.findings.iter().enumerate() {
            observer.status(&Status::Simplifying { done, of });
            let promoted = &caught.report.promoted[..found.promoted];
            let n_left = (of - done) as u32;
            let share = |time: Duration| time.saturating_sub(start.elapsed()) / n_left;
            let simplifying = Alarm::set(Some(share(patience.simplifying)), asked.clone());
            let telling = || Alarm::set(patience.telling.map(share), stop.clone());
            match self.catch(found, promoted, &simplifying, telling)? {
                Ok(catch) => catches.all.push(catch),
                Err(unrepeated) => {
                    let is_defect = self.subject.is_controlled();
                    observer.notice(Notice::Unrepeated { what: &unrepeated, is_defect });
                    catches.unrepeated.push(unrepeated);
                }
            }
        }
        // What breaks the program comes before what may.
        catches.all.sort_by_key(|catch: &Catch| catch.found.trouble.kind == "race");
        Ok(catches)
    }

    /// Makes findings of the search of what the program did when it was steered.
    pub(crate) fn adopt(
        &self,
        caught: &Caught,
        catches: &mut Catches,
        merged: &mut Merged<'_>,
    ) -> Result<(), Error> {
        if merged.new.is_empty() || self.stop.is_asked() {
            return Ok(());
        }
        let time = caught.left.map_or(SIMPLIFYING, |left| SIMPLIFYING.min(left + GRACE));
        let alarm = Alarm::set(Some(time), self.stop.asked.clone());
        merged.adopt(catches, |foreseen| self.subject.catch(foreseen, &alarm.flag()))
    }

    fn catch(
        &self,
        found: &Found,
        promoted: &[Race],
        alarm: &Alarm,
        telling: impl FnOnce() -> Alarm,
    ) -> Result<Result<Catch, Unrepeated>, Error> {
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
        let found = found.clone();
        Ok(Ok(Catch { found, shrunk, is_simplified, schedule, evidence, is_steered: false }))
    }
}

/// A finding as it is.
pub(crate) fn as_found(found: &Found) -> Shrunk {
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

/// Passes on how far the search is, and stops it when asked to.
struct Watching<'a, S> {
    hunt: &'a Hunt<S>,
    program: ProgramId,
    observer: &'a mut dyn Observer,
}

impl<S> Watching<'_, S> {
    fn ended(&mut self, ending: Ending, strategy: &AnyStrategy, ledger: &Ledger) {
        let (program, options) = (&self.program, &self.hunt.options);
        self.observer.ended(ending, &|| checkpoint(program, options, strategy, ledger));
    }
}

impl<S> Monitor<AnyStrategy> for Watching<'_, S> {
    fn is_stopped(&self) -> bool {
        self.hunt.stop.is_asked()
    }

    fn progress(&mut self, strategy: &AnyStrategy, ledger: &Ledger) {
        let spent = ledger.spent();
        self.observer.status(&Status::Searching(Searching {
            executions: ledger.executions(),
            bound: strategy.bound(),
            states: ledger.states(),
            findings: ledger.findings().len(),
            spent,
            left: self.hunt.budget.time.map(|time| time.saturating_sub(spent)),
        }));
        let (program, options) = (&self.program, &self.hunt.options);
        self.observer.remember(&|| checkpoint(program, options, strategy, ledger));
    }
}

/// The search as it is.
fn checkpoint(
    program: &ProgramId,
    options: &str,
    strategy: &AnyStrategy,
    ledger: &Ledger,
) -> Checkpoint {
    Checkpoint {
        program: program.clone(),
        options: options.to_owned(),
        strategy: strategy.clone(),
        ledger: ledger.clone(),
    }
}

#[cfg(test)]
#[cfg(feature = "vm")]
mod tests;
