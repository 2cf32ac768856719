//! Races: two conflicting accesses that can be about to happen at the same time.
//!
//! In: a trace. Out: for each pair of source locations that can race a pair of accesses with a
//! witness; how many candidates each step of the funnel left; which events race with an earlier
//! one. A candidate is a pair of accesses of different threads to a common cell, at least one of
//! which writes, and not both atomic.
//!
//! Most candidates are ruled out by a lock that both hold or by the order alone, without looking at
//! them one by one: accesses to a cell fall into classes that are alike but for when they happen, and
//! of a class only those behind what must come first matter. The rest are asked as queries, unless
//! the answer would be nothing new: the later access is known to race, and the pair of locations,
//! too.

use std::cmp::Reverse;
use std::ops::Range;

use raddle_referee::Claim;
use raddle_trace::{CellId, EventId, LocationId, Sequence, Trace};
use rustc_hash::FxHashSet;

use crate::access::{Classes, conflict, is_first_common};

use crate::causes::Causes;
use crate::engine::{Engine, Tally};
use crate::jobs::{self, Job, Knowledge};
use crate::lockset::LockSets;
use crate::query::{Answer, Query, Reason};
use crate::refused::{Refused, confirm};

/// Accesses to one cell that make a task.
const TASK: usize = 64;

/// Candidates of one access that are worth being sorted into classes.
const MANY: usize = 256;

/// The analysis that looks for races.
pub(crate) struct DataRaces;

/// Two accesses that race.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Race {
    /// The access that comes first in the trace.
    pub first: EventId,
    /// The other one.
    pub second: EventId,
    /// A reordering that ends right before both; the referee has accepted it.
    pub witness: Sequence,
}

/// Two accesses that neither a common lock nor the order keeps apart, and that cannot race all the same.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RuledOut {
    /// The access that comes first in the trace.
    pub first: EventId,
    /// The other one.
    pub second: EventId,
    /// Why they cannot.
    pub reason: Reason,
}

/// What was found, and how.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Races {
    /// One race for each pair of locations, or all races if that was asked for; in the order of
    /// the trace by the later access.
    pub races: Vec<Race>,
    /// Candidates whose budget ran out.
    pub unknown: Vec<(EventId, EventId)>,
    /// For each pair of locations of which no candidate is known to race, the first one that was asked about and
    /// ruled out; in the order of the trace by the later access.
    pub ruled_out: Vec<RuledOut>,
    /// Candidates.
    pub n_candidates: u64,
    /// Candidates that no common lock keeps apart.
    pub n_unprotected: u64,
    /// Candidates that synchronisation alone does not order.
    pub n_unsynchronised: u64,
    /// Candidates that were asked about: neither a common lock nor the order rules them out.
    pub n_asked: u64,
    /// Of these, candidates that locks and order together do not rule out.
    pub n_consistent: u64,
    /// Events that race with an earlier one.
    pub racy_events: Vec<EventId>,
    /// Locations of such events.
    pub n_racy_locations: usize,
    /// How queries were answered.
    pub tally: Tally,
    /// False if the search was stopped.
    pub is_complete: bool,
}

/// The query whether two accesses race: both threads stop right before them.
pub fn race_query(trace: &Trace, first: EventId, second: EventId) -> Query {
    let stop = |e: EventId| (trace.thread(e), trace.position(e));
    Query { stops: vec![stop(first), stop(second)], ..Query::default() }
}

/// Finds the races of a trace: one for each pair of locations, or all.
pub fn races(causes: &Causes, all: bool, mut job: Job) -> Result<Races, Refused> {
    let trace = causes.trace;
    let locksets = LockSets::new(causes);
    let cells = shared_cells(trace);
    let classes: Vec<Classes> =
        cells.iter().map(|&cell| Classes::new(trace, &locksets, cell)).collect();
    let mut found = Races::default();
    classes.iter().for_each(|classes| classes.count(causes, &locksets, &mut found));
    let tasks = tasks(trace, &cells);
    let n_tasks = tasks.len();
    let known = FxHashSet::default();
    let mut finder = Finder { causes, all, locksets, classes, tasks, known, found };
    let (tally, is_complete) = jobs::run(causes, &mut finder, n_tasks, &mut job)?;
    let mut found = finder.found;
    found.races.sort_by_key(|race| (race.second, race.first));
    found.unknown.sort_by_key(|&(first, second)| (second, first));
    let pair = |it: &RuledOut| locations(trace, it.first, it.second);
    found.ruled_out.retain(|it| !finder.known.contains(&pair(it)));
    found.ruled_out.sort_by_key(|it| (it.second, it.first));
    let mut known = FxHashSet::default();
    found.ruled_out.retain(|it| known.insert(pair(it)));
    found.racy_events.sort_unstable();
    found.racy_events.dedup();
    let racy = found.racy_events.iter();
    found.n_racy_locations = racy.map(|&e| trace.location(e)).collect::<FxHashSet<_>>().len();
    Ok(Races { tally, is_complete, ..found })
}

/// Cells that several threads touch and one writes.
fn shared_cells(trace: &Trace) -> Vec<CellId> {
    let cells = (0..trace.n_cells() as u32).map(CellId);
    let is_shared = |cell: &CellId| {
        let accesses = trace.accesses(*cell);
        let first = accesses.first().map(|&e| trace.thread(e));
        accesses.iter().any(|&e| Some(trace.thread(e)) != first)
            && accesses.iter().any(|&e| trace.code(e).writes())
    };
    cells.filter(is_shared).collect()
}

/// The accesses of some cells in pieces, by the number of the cell among these.
fn tasks(trace: &Trace, cells: &[CellId]) -> Vec<(usize, Range<usize>)> {
    let pieces = |(number, &cell): (usize, &CellId)| {
        let n = trace.accesses(cell).len();
        (0..n).step_by(TASK).map(move |from| (number, from..n.min(from + TASK)))
    };
    cells.iter().enumerate().flat_map(pieces).collect()
}

struct Finder<'a> {
    causes: &'a Causes<'a>,
    all: bool,
    locksets: LockSets,
    /// Per cell, its accesses by class.
    classes: Vec<Classes>,
    tasks: Vec<(usize, Range<usize>)>,
    /// Pairs of locations that are known to race.
    known: FxHashSet<Pair>,
    found: Races,
}

type Pair = (Option<LocationId>, Option<LocationId>);

impl Knowledge for Finder<'_> {
    type Result = Races;
    type Error = Refused;

    fn work(&self, engine: &mut Engine, task: usize) -> Result<Races, Refused> {
        let (number, range) = self.tasks[task].clone();
        let classes = &self.classes[number];
        let (known, found) = (FxHashSet::default(), Races::default());
        let ruled_out = FxHashSet::default();
        let mut piece = Piece { finder: self, engine, known, ruled_out, found };
        let accesses = &self.causes.trace.accesses(classes.cell)[range];
        accesses.iter().try_for_each(|&second| piece.later_access(classes, second))?;
        Ok(piece.found)
    }

    fn learn(&mut self, result: Races) {
        let found = &mut self.found;
        for race in result.races {
            let new = self.known.insert(locations(self.causes.trace, race.first, race.second));
            if new || self.all {
                found.races.push(race);
            }
        }
        found.unknown.extend(result.unknown);
        found.ruled_out.extend(result.ruled_out);
        found.racy_events.extend(result.racy_events);
        found.n_asked += result.n_asked;
        found.n_consistent += result.n_consistent;
    }
}

/// Some accesses to a cell, each as the later one of its candidates.
struct Piece<'a, 'b> {
    finder: &'a Finder<'a>,
    engine: &'a mut Engine<'b>,
    known: FxHashSet<Pair>,
    /// Pairs of locations of which a candidate was ruled out.
    ruled_out: FxHashSet<Pair>,
    found: Races,
}

impl Piece<'_, '_> {
    /// Asks about all candidates with this access as the later one, the nearest first.
    fn later_access(&mut self, classes: &Classes, second: EventId) -> Result<(), Refused> {
        let Finder { causes, all, ref locksets, .. } = *self.finder;
        let trace = causes.trace;
        let before = causes.before(second);
        let mut candidates: Vec<EventId> = Vec::new();
        for chain in causes.chains.accesses(classes.cell) {
            if chain.thread != trace.thread(second) {
                let from = before.map_or(0, |before| causes.n_before(before, chain.thread));
                let rest = chain.from(from);
                candidates.extend_from_slice(&rest[..rest.partition_point(|&e| e < second)]);
                if candidates.len() > MANY && !all {
                    return self.later_access_by_class(classes, second);
                }
            }
        }
        candidates.sort_unstable_by(|a, b| b.cmp(a));
        let mut is_racy = false;
        for first in candidates {
            if is_racy && !all && self.is_known(locations(trace, first, second)) {
                continue;
            }
            if conflict(trace, first, second)
                && is_first_common(trace, classes.cell, first, second)
                && !locksets.exclude(locksets.of(first), locksets.of(second))
            {
                is_racy |= self.ask(first, second)?;
            }
        }
        self.found.racy_events.extend(is_racy.then_some(second));
        Ok(())
    }

    /// The same for an access with many candidates: of a class that could show something new, the
    /// nearest ones up to the first that races; the others of the class would add nothing.
    fn later_access_by_class(&mut self, classes: &Classes, second: EventId) -> Result<(), Refused> {
        let Finder { causes, ref locksets, .. } = *self.finder;
        let trace = causes.trace;
        let before = causes.before(second);
        let unprotected = classes.classes.iter().filter(|class| {
            class.conflicts(trace, second) && !locksets.exclude(class.set, locksets.of(second))
        });
        let mut alike: Vec<&[EventId]> = unprotected
            .map(|class| {
                let from = before.map_or(0, |before| causes.n_before(before, class.thread));
                class.between(trace, from, second)
            })
            .filter(|events| !events.is_empty())
            .collect();
        alike.sort_unstable_by_key(|events| Reverse(events.last().copied()));
        let mut is_racy = false;
        for events in alike {
            for &first in events.iter().rev() {
                if is_racy && self.is_known(locations(trace, first, second)) {
                    break;
                }
                if is_first_common(trace, classes.cell, first, second) {
                    is_racy |= self.ask(first, second)?;
                }
            }
        }
        self.found.racy_events.extend(is_racy.then_some(second));
        Ok(())
    }

    fn is_known(&self, pair: Pair) -> bool {
        self.known.contains(&pair) || self.finder.known.contains(&pair)
    }

    /// Asks about one pair; true if it races.
    fn ask(&mut self, first: EventId, second: EventId) -> Result<bool, Refused> {
        let trace = self.finder.causes.trace;
        self.found.n_asked += 1;
        let pair = locations(trace, first, second);
        let is_shown = self.finder.all || !self.is_known(pair);
        let query = race_query(trace, first, second);
        let answer = match is_shown {
            true => self.engine.answer(&query),
            false => self.engine.answer_briefly(&query),
        };
        match answer {
            Answer::Witnessed(witness) => {
                self.found.n_consistent += 1;
                if is_shown {
                    confirm(trace, Claim::Race { first, second }, &witness)?;
                    self.known.insert(pair);
                    self.found.races.push(Race { first, second, witness });
                }
                Ok(true)
            }
            Answer::Infeasible(reason) => {
                self.found.n_consistent += u64::from(reason == Reason::Exhausted);
                if !self.is_known(pair) && self.ruled_out.insert(pair) {
                    self.found.ruled_out.push(RuledOut { first, second, reason });
                }
                Ok(false)
            }
            Answer::Unknown => {
                self.found.n_consistent += 1;
                self.found.unknown.push((first, second));
                Ok(false)
            }
        }
    }
}

fn locations(trace: &Trace, a: EventId, b: EventId) -> Pair {
    let (a, b) = (trace.location(a), trace.location(b));
    (a.min(b), a.max(b))
}
