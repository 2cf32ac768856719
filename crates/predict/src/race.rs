//! Races: two conflicting accesses that can be about to happen at the same time.
//!
//! In: a trace. Out: for each pair of source locations that can race a pair of accesses with a
//! witness; how many candidates each step of the funnel left; which events race with an earlier
//! one. A candidate is a pair of accesses of different threads to a common cell, at least one of
//! which writes, and not both atomic.
//!
//! Most candidates are ruled out by a lock that both hold or by the order alone; the rest are asked
//! as queries, unless the answer would tell nothing new: the later access is known to race, and the
//! pair of locations, too.

use raddle_referee::{Claim, Objection, judge};
use raddle_trace::{CellId, EventId, LocationId, Order, Trace};
use rustc_hash::FxHashSet;

use crate::causes::Causes;
use crate::lockset::LockSets;
use crate::query::{Answer, Query};
use crate::search::{Effort, answer};

/// How to look for races.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct RaceOptions {
    /// Ask about every pair, not only about what is new.
    pub all: bool,
    /// What one query may cost.
    pub effort: Effort,
}

/// Two accesses that race.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Race {
    /// The access that comes first in the trace.
    pub first: EventId,
    /// The other one.
    pub second: EventId,
    /// A reordering that ends right before both; the referee has accepted it.
    pub witness: Vec<EventId>,
}

/// What was found, and how.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Races {
    /// One race for each pair of locations, or all races if that was asked for; in the order of
    /// the trace by the later access.
    pub races: Vec<Race>,
    /// Candidates whose budget ran out.
    pub unknown: Vec<(EventId, EventId)>,
    /// Candidates.
    pub n_candidates: u64,
    /// Candidates that no common lock keeps apart.
    pub n_unprotected: u64,
    /// Candidates that neither a common lock nor the order of causality rules out.
    pub n_unordered: u64,
    /// Events that race with an earlier one.
    pub racy_events: Vec<EventId>,
    /// Locations of such events.
    pub n_racy_locations: usize,
}

/// A witness that the referee refused: a mistake in this program.
#[derive(Debug, thiserror::Error)]
#[error("internal error: the referee refused the witness for events {events:?}: {objection}")]
pub struct Refused {
    /// The events of the query.
    pub events: Vec<EventId>,
    /// What the referee said.
    pub objection: Objection,
}

/// The query whether two accesses race: both threads stop right before them.
pub fn race_query(trace: &Trace, first: EventId, second: EventId) -> Query {
    let stop = |e: EventId| (trace.thread(e), trace.position(e));
    Query { stops: vec![stop(first), stop(second)] }
}

/// Finds the races of a trace. `progress` is told how many events are done, and stops the search
/// by answering false; what was found until then is the result.
pub fn races(
    causes: &Causes,
    options: RaceOptions,
    mut progress: impl FnMut(u64) -> bool,
) -> Result<Races, Refused> {
    let trace = causes.trace;
    let accesses = || (0..trace.len() as u32).map(EventId).filter(|&e| trace.code(e).is_access());
    let mut finder = Finder {
        causes,
        options,
        locksets: LockSets::new(causes, accesses()),
        known: FxHashSet::default(),
        found: Races::default(),
    };
    for second in accesses() {
        finder.later_access(second)?;
        if !progress(u64::from(second.0)) {
            break;
        }
    }
    let locations: FxHashSet<_> =
        finder.found.racy_events.iter().map(|&e| trace.location(e)).collect();
    finder.found.n_racy_locations = locations.len();
    Ok(finder.found)
}

struct Finder<'a> {
    causes: &'a Causes<'a>,
    options: RaceOptions,
    locksets: LockSets,
    /// Pairs of locations that are known to race.
    known: FxHashSet<(Option<LocationId>, Option<LocationId>)>,
    found: Races,
}

impl Finder<'_> {
    /// Asks about all candidates with this access as the later one.
    fn later_access(&mut self, second: EventId) -> Result<(), Refused> {
        let mut is_racy = false;
        for first in self.candidates(second) {
            self.found.n_candidates += 1;
            if self.locksets.keep_apart(first, second) {
                continue;
            }
            self.found.n_unprotected += 1;
            if self.is_ordered(first, second) {
                continue;
            }
            self.found.n_unordered += 1;
            let pair = self.locations(first, second);
            if is_racy && self.known.contains(&pair) && !self.options.all {
                continue;
            }
            let query = race_query(self.causes.trace, first, second);
            match answer(self.causes, &query, self.options.effort) {
                Answer::Witnessed(witness) => {
                    self.check(first, second, &witness)?;
                    is_racy = true;
                    if self.known.insert(pair) || self.options.all {
                        self.found.races.push(Race { first, second, witness });
                    }
                }
                Answer::Infeasible(_) => {}
                Answer::Unknown => self.found.unknown.push((first, second)),
            }
        }
        self.found.racy_events.extend(is_racy.then_some(second));
        Ok(())
    }

    /// The accesses before `second` that conflict with it, each once, ascending.
    fn candidates(&self, second: EventId) -> Vec<EventId> {
        let trace = self.causes.trace;
        let (_, var) = trace.op(second).encode();
        let cells: Vec<CellId> = trace.cells(raddle_trace::VarId(var)).collect();
        let mut found: Vec<EventId> = Vec::new();
        for &cell in &cells {
            let earlier = trace.accesses(cell).iter().take_while(|&&e| e < second);
            found.extend(earlier.filter(|&&first| self.conflict(first, second)));
        }
        if cells.len() > 1 {
            found.sort_unstable();
            found.dedup();
        }
        found
    }

    fn conflict(&self, a: EventId, b: EventId) -> bool {
        let trace = self.causes.trace;
        let (x, y) = (trace.code(a), trace.code(b));
        trace.thread(a) != trace.thread(b)
            && (x.writes() || y.writes())
            && (x.order() == Order::Plain || y.order() == Order::Plain)
    }

    /// True if `first` must happen before the event before `second`.
    fn is_ordered(&self, first: EventId, second: EventId) -> bool {
        let Causes { trace, order, .. } = self.causes;
        let thread = trace.thread(second);
        let before = match trace.position(second) {
            0 => trace.fork_of(thread),
            at => Some(trace.thread_events(thread)[at as usize - 1]),
        };
        before.is_some_and(|before| order.reaches(trace, first, before))
    }

    fn locations(&self, a: EventId, b: EventId) -> (Option<LocationId>, Option<LocationId>) {
        let (a, b) = (self.causes.trace.location(a), self.causes.trace.location(b));
        (a.min(b), a.max(b))
    }

    fn check(&self, first: EventId, second: EventId, witness: &[EventId]) -> Result<(), Refused> {
        judge(self.causes.trace, &Claim::Race { first, second }, witness)
            .map_err(|objection| Refused { events: vec![first, second], objection })
    }
}
