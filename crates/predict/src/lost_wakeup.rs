//! Lost wake-ups: a wait whose notify can come too early, so that nothing ends it.
//!
//! In: a trace. Out: for each pair of source locations of a wait and its notify that can miss each
//! other, the wait with a witness. A candidate is a wait that a notify ended.

use raddle_referee::Claim;
use raddle_trace::{EventId, LocationId, Sequence, Trace};
use rustc_hash::FxHashSet;

use crate::causes::Causes;
use crate::engine::{Engine, Tally};
use crate::jobs::{self, Job, Knowledge};
use crate::query::{Answer, Query};
use crate::refused::{Refused, confirm};

/// The analysis that looks for lost wake-ups.
pub(crate) struct LostNotifies;

/// A wait that can go on forever.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LostWakeup {
    /// The wait.
    pub wait: EventId,
    /// The notify that ended it in the trace.
    pub notify: EventId,
    /// A reordering in which nothing ends the wait; the referee has accepted it.
    pub witness: Sequence,
}

/// What was found, and how.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct LostWakeups {
    /// One for each pair of locations, or all of them.
    pub lost: Vec<LostWakeup>,
    /// Waits whose budget ran out.
    pub unknown: Vec<EventId>,
    /// Waits that a notify ended.
    pub n_candidates: u64,
    /// How queries were answered.
    pub tally: Tally,
    /// False if the search was stopped.
    pub is_complete: bool,
}

/// The query whether nothing ends a wait.
pub fn lost_wakeup_query(trace: &Trace, wait: EventId) -> Query {
    Query { lost: trace.partner(wait), ..Query::default() }
}

/// Finds the lost wake-ups of a trace: one for each pair of locations, or all.
pub fn lost_wakeups(causes: &Causes, all: bool, mut job: Job) -> Result<LostWakeups, Refused> {
    let waits = causes.trace.waits().iter();
    let waits: Vec<_> = waits.filter_map(|w| Some((w.wait, w.notify?))).collect();
    let n_waits = waits.len();
    let found = LostWakeups { n_candidates: n_waits as u64, ..LostWakeups::default() };
    let known = FxHashSet::default();
    let mut finder = Finder { causes, all, waits, known, found };
    let (tally, is_complete) = jobs::run(causes, &mut finder, n_waits, &mut job)?;
    Ok(LostWakeups { tally, is_complete, ..finder.found })
}

struct Finder<'a> {
    causes: &'a Causes<'a>,
    all: bool,
    /// Waits and the notifies that ended them.
    waits: Vec<(EventId, EventId)>,
    /// Pairs of locations that are known to miss each other.
    known: FxHashSet<(Option<LocationId>, Option<LocationId>)>,
    found: LostWakeups,
}

impl Knowledge for Finder<'_> {
    type Result = Option<(EventId, EventId, Option<Sequence>)>;
    type Error = Refused;

    fn work(&self, engine: &mut Engine, task: usize) -> Result<Self::Result, Refused> {
        let trace = self.causes.trace;
        let (wait, notify) = self.waits[task];
        let pair = (trace.location(wait), trace.location(notify));
        if self.known.contains(&pair) && !self.all {
            return Ok(None);
        }
        match engine.answer(&lost_wakeup_query(trace, wait)) {
            Answer::Witnessed(witness) => {
                confirm(trace, Claim::LostWakeup { wait }, &witness)?;
                Ok(Some((wait, notify, Some(witness))))
            }
            Answer::Infeasible(_) => Ok(None),
            Answer::Unknown => Ok(Some((wait, notify, None))),
        }
    }

    fn learn(&mut self, result: Self::Result) {
        let trace = self.causes.trace;
        match result {
            Some((wait, notify, Some(witness))) => {
                let new = self.known.insert((trace.location(wait), trace.location(notify)));
                if new || self.all {
                    self.found.lost.push(LostWakeup { wait, notify, witness });
                }
            }
            Some((wait, _, None)) => self.found.unknown.push(wait),
            None => {}
        }
    }
}
