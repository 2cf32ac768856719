//! What becomes of the findings of a search: simple, run again, told.
//!
//! In: what a search found. Out: [`Catches`].
//!
//! - C1: each finding has its share of the time, first to be made simple and then to be told. What there is
//!   no time for is left out; the finding stays.
//! - C2: what does not show again is doubted, and told as that, unless engines compare runs themselves: then
//!   a difference is an error.
//! - C3: a finding that nobody wants told, and whose schedule needs no other form, is not run again; if
//!   nobody wants it simple either, no engine is made for it.

use std::cell::LazyCell;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use raddle_explore::{Engine, Found, Race, ShrinkBudget, Shrunk, shrink};
use raddle_finding::{Choice, Schedule};

use super::{Caught, Hunt};
use crate::alarm::Alarm;
use crate::error::Error;
use crate::merge::Merged;
use crate::observer::{Notice, Observer, Status, Stop};
use crate::subject::{Evidence, Gathered, Subject, Unrepeated};

/// How long findings are simplified, all together.
const SIMPLIFYING: Duration = Duration::from_secs(20);

/// Whether the program went on after what was found. Its story ends there all the same.
pub(crate) fn is_passed(found: &Found) -> bool {
    found.trouble.kind == "misuse" && found.outcome.is_some()
}

/// How far beyond its time a search may go for the stories of its findings.
const GRACE: Duration = Duration::from_secs(2);

/// A finding with everything about it.
pub struct Catch {
    /// As the search found it.
    pub found: Found,
    /// Its simplest run; none if that is the one which was found.
    pub shrunk: Option<Shrunk>,
    /// Whether there was time to simplify it, and somebody wanted that.
    pub is_simplified: bool,
    /// Repeats it, whatever the points are; none if there was no time to find it out.
    pub schedule: Option<Schedule>,
    /// None if there was no time to run it again, or nobody wanted it told.
    pub evidence: Option<Box<Evidence>>,
    /// Whether it was predicted, and not found by searching.
    pub is_steered: bool,
}

/// What became of the findings.
#[derive(Default)]
pub struct Catches {
    /// Those that do, in the order in which they were found.
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
    /// Takes the findings; reduces each to its simplest run, and runs it again. What does not repeat is
    /// told.
    pub fn collect(
        &self,
        caught: &mut Caught,
        observer: &mut dyn Observer,
    ) -> Result<Catches, Error> {
        let left = if self.stop.is_asked() { Some(Duration::ZERO) } else { caught.left };
        let simplifying = left.map_or(SIMPLIFYING, |left| SIMPLIFYING.min(left + GRACE / 2));
        let telling = left.map(|left| left + GRACE);
        self.collect_within(caught, Patience { simplifying, telling }, observer)
    }

    /// The same, each finding within its share of the time.
    fn collect_within(
        &self,
        caught: &mut Caught,
        patience: Patience,
        observer: &mut dyn Observer,
    ) -> Result<Catches, Error> {
        let start = LazyCell::new(Instant::now);
        let Stop { asked, urged } = &self.stop;
        let stop = if self.stop.is_asked() { urged } else { asked };
        let mut catches = Catches::default();
        let findings = std::mem::take(&mut caught.report.findings);
        let of = findings.len();
        catches.all.reserve_exact(of);
        for (done, found) in findings.into_iter().enumerate() {
            observer.status(&Status::Simplifying { done, of });
            if !self.shrinks && !self.tells && self.subject.is_portable(&found) {
                catches.all.push(untold(found, None, false)); // C3
                continue;
            }
            let promoted = &caught.report.promoted[..found.promoted];
            let n_left = (of - done) as u32;
            let share = |time: Duration| time.saturating_sub(start.elapsed()) / n_left;
            let simplifying = self.alarm(|| Some(share(patience.simplifying)), asked);
            let telling = || self.alarm(|| patience.telling.map(share), stop);
            match self.catch(found, promoted, &simplifying, telling)? {
                Ok(catch) => catches.all.extend(catch),
                Err(unrepeated) => {
                    let is_defect = self.subject.is_controlled();
                    observer.notice(Notice::Unrepeated { what: &unrepeated, is_defect });
                    catches.unrepeated.push(unrepeated);
                }
            }
        }
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

    /// A finding with its evidence; none if it is nothing to report.
    fn catch(
        &self,
        found: Found,
        promoted: &[Race],
        alarm: &Alarm,
        telling: impl FnOnce() -> Alarm,
    ) -> Result<Result<Option<Catch>, Unrepeated>, Error> {
        let Found { schedule, trouble, .. } = &found;
        let unrepeated = |schedule: &Schedule, why| {
            Ok(Err(Unrepeated { trouble: trouble.clone(), schedule: schedule.clone(), why }))
        };
        let mut engine = self.subject.engines(1)?.remove(0);
        engine.promote(promoted);
        if is_passed(&found) {
            engine.end_at_misuse();
        }
        self.subject.stop_when(&mut engine, alarm.flag());
        let budget = ShrinkBudget::default();
        let shrunk = match self.shrinks {
            true => shrink(&mut engine, schedule, trouble, &budget, &alarm.flag()),
            false => Ok(None),
        };
        let compares = self.subject.compares_runs();
        let shrunk = match shrunk {
            Err(error) if compares => return Err(Error::Search(error)), // C2
            shrunk => shrunk.ok().flatten(),
        };
        let (is_simplified, repeats) = (shrunk.is_some() && !alarm.rings(), shrunk.is_some());
        if !self.tells && self.subject.is_portable(&found) {
            return Ok(Ok(Some(untold(found, shrunk, is_simplified)))); // C3
        }
        let telling = telling();
        let stop = telling.flag();
        self.subject.stop_when(&mut engine, stop.clone());
        // When the time is over, or it does not show again, the run that was found has to do.
        let simplest = shrunk.as_ref().map_or(schedule, |shrunk| &shrunk.schedule);
        let gathered = self.subject.gather(&mut engine, simplest, trouble, &stop)?;
        let (schedule, evidence) = match gathered {
            Gathered::Told(evidence) if !evidence.is_replayed && !repeats && !compares => {
                return unrepeated(simplest, "other runs of it end differently".to_owned());
            }
            Gathered::Told(evidence) => {
                (Some(evidence.schedule.clone()), self.tells.then_some(evidence))
            }
            Gathered::Untold(schedule) => (schedule, None),
            Gathered::Passes => return Ok(Ok(None)),
            Gathered::Lost(why) => return unrepeated(simplest, why),
        };
        Ok(Ok(Some(Catch { found, shrunk, is_simplified, schedule, evidence, is_steered: false })))
    }

    /// An alarm for runs, as far as they can be ended.
    fn alarm(&self, time: impl FnOnce() -> Option<Duration>, asked: &Arc<AtomicBool>) -> Alarm {
        match self.subject.can_stop() {
            true => Alarm::set(time(), asked.clone()),
            false => Alarm::without_clock(asked.clone()),
        }
    }
}

impl Catch {
    /// How the simplest run ended, in a word.
    pub fn ended(&self) -> &str {
        self.shrunk.as_ref().map_or_else(|| self.found.ended(), |shrunk| shrunk.outcome.name())
    }

    /// How many preemptions it has: as many as its story shows, if there is one.
    pub fn preemptions(&self) -> u32 {
        if let Some(told) = self.evidence.as_ref().and_then(|evidence| evidence.preemptions) {
            return told;
        }
        self.shrunk.as_ref().map_or(self.found.preemptions, |shrunk| shrunk.preemptions)
    }

    /// Whether no run shows it with fewer.
    pub fn is_minimal(&self) -> bool {
        self.shrunk.as_ref().is_some_and(|shrunk| shrunk.minimal)
    }

    /// How often another thread goes on in it.
    pub fn switches(&self) -> u32 {
        let mut last = None;
        let is_switch = |(choice, _): &&(Choice, u64)| match *choice {
            Choice::Thread(thread) => last.replace(thread).is_some_and(|last| last != thread),
            _ => false,
        };
        match &self.shrunk {
            Some(shrunk) => shrunk.switches,
            None => self.found.schedule.runs().iter().filter(is_switch).count() as u32,
        }
    }
}

/// A finding that is not told, with its run.
fn untold(found: Found, shrunk: Option<Shrunk>, is_simplified: bool) -> Catch {
    let schedule = shrunk.as_ref().map_or(&found.schedule, |shrunk| &shrunk.schedule).clone();
    let schedule = Some(schedule);
    Catch { found, shrunk, is_simplified, schedule, evidence: None, is_steered: false }
}

#[cfg(test)]
#[cfg(feature = "vm")]
mod tests;
