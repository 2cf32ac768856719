//! Works on the findings of a search: each gets its replay, then its story, then a simpler run.
//!
//! In: what a search found. Out: [`Collected`].
//!
//! - C1: every finding has a schedule from the start: the choices of the search, with the points that they were made at
//!   (`Subject::as_found`). It needs no run.
//! - C2: failures come before races, and a failure at new places before one that shares a place with an earlier one.
//! - C3: where the time is limited, each finding is described as it was found before anything is simplified. What is
//!   left of the time is for simpler runs. Without a limit only the simplest run is described.
//! - C4: races on one variable are described once; the others have their places and their schedules.
//! - C5: what does not show again is reported as that, unless engines compare runs themselves: then
//!   a difference is an error.
//! - C6: where no story is wanted and the schedule needs no other form, nothing runs again; if no simplification is
//!   wanted either, no engine is made.

use std::cell::LazyCell;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use raddle_explore::{Engine, FailureKind, Found, Race, ShrinkBudget, Shrunk, shrink};
use raddle_finding::{Choice, Finding, Location, Schedule, Verdict};

use super::{Exploration, Explored};
use crate::alarm::Alarm;
use crate::error::Error;
use crate::merge::Merged;
use crate::observer::{Notice, Observer, Status, Stop};
use crate::subject::{Gathered, Subject, Unrepeated};

/// How long findings are simplified, all together.
const SIMPLIFYING: Duration = Duration::from_secs(20);

/// A finding of a search, as far as there was time to work on it.
#[derive(Clone, Debug)]
pub struct Entry {
    /// As the search found it; once it is simplified, its simplest run.
    pub found: Found,
    /// Whether the program went on after it.
    pub is_passed: bool,
    /// What that run shows, if it was run again.
    pub shown: Option<Box<Finding>>,
    /// Repeats it, whatever the points of the search were.
    pub schedule: Schedule,
    /// Whether it was simplified as far as that goes.
    pub is_simplified: bool,
    /// Whether no run shows it with fewer preemptions.
    pub is_minimal: bool,
    /// How often another thread goes on before the failure, if it was simplified.
    pub(crate) n_switches: Option<u32>,
    /// Whether it was predicted, and not found by searching.
    pub is_steered: bool,
}

/// What became of the findings.
#[derive(Default)]
pub struct Collected {
    /// Those that do, in the order in which they were found.
    pub all: Vec<Entry>,
    /// Those that do not show again.
    pub unrepeated: Vec<Unrepeated>,
    /// How many races were found that are not to be reported.
    pub n_unreported: usize,
}

/// How long findings may be worked on, all together; without an end if none.
#[derive(Clone, Copy)]
struct Patience {
    /// From the start of this work.
    simplifying: Duration,
    /// From the same start: until then there are stories.
    describing: Option<Duration>,
}

impl<S: Subject> Exploration<S> {
    /// Takes the findings and works on them.
    pub fn collect(
        &self,
        explored: &mut Explored,
        observer: &mut dyn Observer,
    ) -> Result<Collected, Error> {
        let describing = match self.stop.is_asked() {
            true => Some(self.grace()),
            false => explored.left(self.grace()),
        };
        let simplifying = describing.map_or(SIMPLIFYING, |time| SIMPLIFYING.min(time));
        self.collect_within(explored, Patience { simplifying, describing }, observer)
    }

    /// The same, within some time.
    fn collect_within(
        &self,
        explored: &mut Explored,
        patience: Patience,
        observer: &mut dyn Observer,
    ) -> Result<Collected, Error> {
        let mut findings = std::mem::take(&mut explored.report.findings);
        let n_all = findings.len();
        findings.retain(|found| self.reports_races || found.race.is_none());
        let n_unreported = n_all - findings.len();
        let order = order(&findings);
        let promoted = &explored.report.promoted;
        let mut work = Work {
            exploration: self,
            start: LazyCell::new(Instant::now),
            patience,
            n_left: 0,
            unrepeated: Vec::new(),
        };
        let mut entries: Vec<Option<Entry>> = Vec::with_capacity(findings.len());
        for found in findings {
            let points = &promoted[..found.promoted];
            let schedule = self.subject.as_found(&found.schedule, points);
            entries.push(Some(Entry::new(found, schedule)));
        }
        let is_hurried = patience.describing.is_some() && self.describes && self.subject.can_stop();
        // C3
        let stages = [Stage::AsFound, Stage::Simplest];
        for stage in &stages[usize::from(!is_hurried)..] {
            let mut variables = BTreeSet::new();
            for (done, &n) in order.iter().enumerate() {
                observer.status(&Status::Simplifying { done, of: order.len() });
                work.n_left = order.len() - done;
                let Some(entry) = entries[n].take() else { continue };
                let variable = entry.found.race.map(|race| race.object);
                let is_new = variable.is_none_or(|variable| variables.insert(variable));
                let waits = *stage == Stage::AsFound && !is_new; // C4
                entries[n] = match waits {
                    true => Some(entry),
                    false => work.advance(*stage, entry, promoted)?,
                };
            }
        }
        for unrepeated in &work.unrepeated {
            let is_defect = self.subject.is_controlled();
            observer.notice(Notice::Unrepeated { what: unrepeated, is_defect });
        }
        let all = entries.into_iter().flatten().collect();
        Ok(Collected { all, unrepeated: work.unrepeated, n_unreported })
    }

    /// Adds what the program did when it was steered to the findings of the search.
    pub(crate) fn adopt(
        &self,
        explored: &Explored,
        collected: &mut Collected,
        merged: &mut Merged<'_>,
    ) -> Result<(), Error> {
        if merged.new.is_empty() || self.stop.is_asked() {
            return Ok(());
        }
        let left = explored.left(self.grace());
        let time = left.map_or(SIMPLIFYING, |left| SIMPLIFYING.min(left));
        let alarm = Alarm::set(Some(time), self.stop.asked.clone());
        merged.adopt(collected, |predicted| self.subject.adopt(predicted, &alarm.flag()))
    }

    /// An alarm for runs, as far as they can be ended.
    fn alarm(&self, time: Option<Duration>, asked: &Arc<AtomicBool>) -> Alarm {
        match self.subject.can_stop() {
            true => Alarm::set(time, asked.clone()),
            false => Alarm::without_clock(asked.clone()),
        }
    }
}

/// How far a finding is worked on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Stage {
    /// It is run again as it was found.
    AsFound,
    /// It is simplified, and its simplest run is run again.
    Simplest,
}

/// The work on all findings.
struct Work<'a, S> {
    exploration: &'a Exploration<S>,
    start: LazyCell<Instant>,
    patience: Patience,
    /// How many findings share the time that is left.
    n_left: usize,
    unrepeated: Vec<Unrepeated>,
}

impl<S: Subject> Work<'_, S> {
    /// The share of one finding in the time that is left.
    fn share(&self, time: Duration) -> Duration {
        time.saturating_sub(self.start.elapsed()) / self.n_left.max(1) as u32
    }

    /// Works on a finding; none if it is nothing to report.
    fn advance(
        &mut self,
        stage: Stage,
        mut entry: Entry,
        promoted: &[Race],
    ) -> Result<Option<Entry>, Error> {
        let Exploration { subject, stop, shrinks, describes, .. } = self.exploration;
        let is_portable = subject.is_portable(&entry.found);
        if !shrinks && !describes && is_portable {
            return Ok(Some(entry)); // C6
        }
        if !shrinks && entry.shown.is_some() {
            return Ok(Some(entry));
        }
        let mut engine = subject.engines(1)?.remove(0);
        engine.promote(&promoted[..entry.found.promoted]);
        if entry.is_passed {
            engine.end_at_misuse();
        }
        // What is shown and what repeats it are of one run, so this stays if there is no time to show a simpler one.
        let as_found = entry.shown.is_some().then(|| entry.clone());
        let mut simplified = Simplified::default();
        if stage == Stage::Simplest && *shrinks {
            simplified = self.simplify(&mut engine, &mut entry)?;
            let points = &promoted[..entry.found.promoted];
            if simplified.is_other {
                entry.schedule = subject.as_found(&entry.found.schedule, points);
            }
        }
        let is_wanted = *describes || !is_portable;
        if !is_wanted || !simplified.is_other && entry.shown.is_some() {
            return Ok(Some(entry)); // C6
        }
        let Stop { asked, urged } = stop;
        let stop = if stop.is_asked() { urged } else { asked };
        let describing = self.patience.describing.map(|time| self.share(time));
        let describing = self.exploration.alarm(describing, stop);
        subject.stop_when(&mut engine, describing.flag());
        let Found { schedule, failure, .. } = &entry.found;
        let gathered = subject.gather(&mut engine, schedule, failure, &describing.flag())?;
        let repeats = simplified.repeats || subject.compares_runs();
        let why = match gathered {
            Gathered::Shown(shown) if shown.verdict != Verdict::Replayed && !repeats => {
                "other runs of it end differently".to_owned()
            }
            Gathered::Shown(shown) => {
                if let Some(schedule) = &shown.schedule {
                    entry.schedule.clone_from(schedule);
                }
                entry.shown = describes.then_some(shown);
                return Ok(Some(entry));
            }
            Gathered::Scheduled(schedule) => {
                entry.schedule = schedule;
                return Ok(Some(as_found.unwrap_or(entry)));
            }
            Gathered::Late => return Ok(Some(as_found.unwrap_or(entry))),
            Gathered::Passes => return Ok(None),
            Gathered::Lost(why) => why,
        };
        if as_found.is_some() {
            return Ok(as_found);
        }
        let Found { schedule, failure, .. } = entry.found;
        self.unrepeated.push(Unrepeated { failure, schedule, why });
        Ok(None)
    }

    /// Looks for the simplest run.
    fn simplify(&self, engine: &mut S::Engine, entry: &mut Entry) -> Result<Simplified, Error> {
        let Exploration { subject, stop, .. } = self.exploration;
        let alarm =
            self.exploration.alarm(Some(self.share(self.patience.simplifying)), &stop.asked);
        subject.stop_when(engine, alarm.flag());
        let Found { schedule, failure, .. } = &entry.found;
        let shrunk = shrink(engine, schedule, failure, &ShrinkBudget::default(), &alarm.flag());
        let shrunk = match shrunk {
            Err(error) if subject.compares_runs() => return Err(Error::Search(error)), // C5
            shrunk => shrunk.ok().flatten(),
        };
        let Some(shrunk) = shrunk else { return Ok(Simplified::default()) };
        let is_other = shrunk.schedule != entry.found.schedule;
        entry.simplify(shrunk, !alarm.rings());
        Ok(Simplified { repeats: true, is_other })
    }
}

/// What simplifying came to.
#[derive(Clone, Copy, Default)]
struct Simplified {
    /// Whether the finding showed again.
    repeats: bool,
    /// Whether the simplest run is another one than that which was known.
    is_other: bool,
}

impl Entry {
    /// A finding that nothing was done about yet; the schedule repeats it.
    pub fn new(found: Found, schedule: Schedule) -> Entry {
        Entry {
            is_passed: found.failure.kind == FailureKind::Misuse && found.outcome.is_some(),
            found,
            shown: None,
            schedule,
            is_simplified: false,
            is_minimal: false,
            n_switches: None,
            is_steered: false,
        }
    }

    /// Becomes its simplest run.
    pub(crate) fn simplify(&mut self, shrunk: Shrunk, is_simplified: bool) {
        (self.is_simplified, self.is_minimal) = (is_simplified, shrunk.minimal);
        self.n_switches = Some(shrunk.switches);
        self.found.simplify(shrunk);
    }

    /// How many preemptions it has: as many as its story shows, if there is one.
    pub fn preemptions(&self) -> u32 {
        let shown = self.shown.as_ref().and_then(|shown| shown.preemptions);
        shown.unwrap_or(self.found.preemptions)
    }

    /// How often another thread goes on in it.
    pub fn switches(&self) -> u32 {
        let mut last = None;
        let is_switch = |(choice, _): &&(Choice, u64)| match *choice {
            Choice::Thread(thread) => last.replace(thread).is_some_and(|last| last != thread),
            _ => false,
        };
        let count = || self.found.schedule.runs().iter().filter(is_switch).count() as u32;
        self.n_switches.unwrap_or_else(count)
    }
}

/// In which order findings are worked on (C2).
fn order(findings: &[Found]) -> Vec<usize> {
    let mut seen = BTreeSet::<&Location>::new();
    let mut keys = Vec::with_capacity(findings.len());
    for found in findings {
        let is_race = found.failure.kind == FailureKind::Race;
        let is_variant = found.failure.places.iter().any(|place| seen.contains(place));
        seen.extend(found.failure.places.iter().filter(|_| !is_race));
        keys.push((is_race, is_variant));
    }
    let mut order: Vec<usize> = (0..findings.len()).collect();
    order.sort_by_key(|&n| keys[n]);
    order
}

#[cfg(test)]
#[cfg(feature = "vm")]
mod tests;
