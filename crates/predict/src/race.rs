//! Races: two conflicting accesses that can be about to happen at the same time.
//!
//! In: a trace. Out: for each pair of source locations that can race a pair of accesses with a
//! witness; how many candidates each step of the funnel left; which events race with an earlier
//! one. A candidate is a pair of accesses of different threads to a common cell, at least one of
//! which writes, and not both atomic.
//!
//! Most candidates are ruled out by a lock that both hold or by the order alone, without looking at
//! them one by one: of each other thread only the accesses behind what must come first matter. The
//! rest are asked as queries, unless the answer would tell nothing new: the later access is known to
//! race, and the pair of locations, too.

use std::ops::Range;

use raddle_referee::Claim;
use raddle_trace::{CellId, EventId, LocationId, Order, Sequence, ThreadId, Trace, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::causes::Causes;
use crate::engine::{Engine, Tally};
use crate::jobs::{self, Job, Knowledge};
use crate::lockset::LockSets;
use crate::query::{Answer, Query, Reason};
use crate::refused::{Refused, confirm};

/// Accesses to one cell that make a task.
const TASK: usize = 64;

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
    let mut finder = Finder {
        causes,
        all,
        locksets: LockSets::new(causes),
        tasks: tasks(trace),
        known: FxHashSet::default(),
        found: Races::default(),
    };
    let n_tasks = finder.tasks.len();
    let (tally, is_complete) = jobs::run(causes, &mut finder, n_tasks, &mut job)?;
    let mut found = finder.found;
    found.races.sort_by_key(|race| (race.second, race.first));
    found.unknown.sort_by_key(|&(first, second)| (second, first));
    found.racy_events.sort_unstable();
    found.racy_events.dedup();
    let racy = found.racy_events.iter();
    found.n_racy_locations = racy.map(|&e| trace.location(e)).collect::<FxHashSet<_>>().len();
    Ok(Races { tally, is_complete, ..found })
}

/// Cells that several threads touch, in pieces of their accesses.
fn tasks(trace: &Trace) -> Vec<(CellId, Range<usize>)> {
    let mut tasks = Vec::new();
    for cell in (0..trace.n_cells() as u32).map(CellId) {
        let accesses = trace.accesses(cell);
        let first = accesses.first().map(|&e| trace.thread(e));
        let shared = accesses.iter().any(|&e| Some(trace.thread(e)) != first);
        let written = accesses.iter().any(|&e| trace.code(e).writes());
        if shared && written {
            let n = accesses.len();
            let pieces = (0..n).step_by(TASK).map(|from| (cell, from..n.min(from + TASK)));
            tasks.extend(pieces);
        }
    }
    tasks
}

struct Finder<'a> {
    causes: &'a Causes<'a>,
    all: bool,
    locksets: LockSets,
    tasks: Vec<(CellId, Range<usize>)>,
    /// Pairs of locations that are known to race.
    known: FxHashSet<Pair>,
    found: Races,
}

type Pair = (Option<LocationId>, Option<LocationId>);

impl Knowledge for Finder<'_> {
    type Result = Races;
    type Error = Refused;

    fn work(&self, engine: &mut Engine, task: usize) -> Result<Races, Refused> {
        let (cell, range) = self.tasks[task].clone();
        let mut piece =
            Piece { finder: self, engine, found: Races::default(), known: FxHashSet::default() };
        piece.run(cell, range)?;
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
        found.racy_events.extend(result.racy_events);
        found.n_candidates += result.n_candidates;
        found.n_unprotected += result.n_unprotected;
        found.n_unsynchronised += result.n_unsynchronised;
        found.n_asked += result.n_asked;
        found.n_consistent += result.n_consistent;
    }
}

/// Some accesses to a cell, each as the later one of its candidates.
struct Piece<'a, 'b> {
    finder: &'a Finder<'a>,
    engine: &'a mut Engine<'b>,
    known: FxHashSet<Pair>,
    found: Races,
}

impl Piece<'_, '_> {
    fn run(&mut self, cell: CellId, range: Range<usize>) -> Result<(), Refused> {
        let Finder { causes, locksets, .. } = self.finder;
        let trace = causes.trace;
        let accesses = trace.accesses(cell);
        let mut earlier = Earlier::default();
        accesses[..range.start].iter().for_each(|&e| earlier.add(trace, locksets, e));
        for &second in &accesses[range] {
            self.count(cell, second, &earlier);
            self.later_access(cell, second, &earlier)?;
            earlier.add(trace, locksets, second);
        }
        Ok(())
    }

    /// Counts candidates by kinds of accesses.
    fn count(&mut self, cell: CellId, second: EventId, earlier: &Earlier) {
        let Finder { causes, locksets, .. } = self.finder;
        let trace = causes.trace;
        let (thread, code) = (trace.thread(second), trace.code(second));
        let set = locksets.of(second);
        if is_wide(trace, second) {
            return self.count_wide(cell, second, earlier);
        }
        for (kind, &n) in &earlier.kinds {
            let conflict = (kind.writes || code.writes())
                && (kind.plain || code.order() == Order::Plain)
                && kind.thread != thread;
            if conflict {
                self.found.n_candidates += n;
                self.found.n_unprotected += if locksets.exclude(kind.set, set) { 0 } else { n };
            }
        }
        let before = causes.before(second);
        for (&other, events) in &earlier.by_thread {
            if other != thread {
                let from = causes.n_synchronised(before, other);
                let rest = events.partition_point(|&e| trace.position(e) < from);
                let conflicts = events[rest..].iter().filter(|&&e| conflict(trace, e, second));
                self.found.n_unsynchronised += conflicts.count() as u64;
            }
        }
    }

    /// The same one by one, where accesses have several cells in common: pairs count once.
    fn count_wide(&mut self, cell: CellId, second: EventId, earlier: &Earlier) {
        let Finder { causes, locksets, .. } = self.finder;
        let trace = causes.trace;
        let before = causes.before(second);
        for &first in earlier.by_thread.values().flatten() {
            if conflict(trace, first, second) && is_first_common(trace, cell, first, second) {
                self.found.n_candidates += 1;
                let apart = locksets.exclude(locksets.of(first), locksets.of(second));
                self.found.n_unprotected += u64::from(!apart);
                let from = causes.n_synchronised(before, trace.thread(first));
                self.found.n_unsynchronised += u64::from(trace.position(first) >= from);
            }
        }
    }

    /// Asks about all candidates with this access as the later one, the nearest first.
    fn later_access(
        &mut self,
        cell: CellId,
        second: EventId,
        earlier: &Earlier,
    ) -> Result<(), Refused> {
        let Finder { causes, all, ref locksets, .. } = *self.finder;
        let trace = causes.trace;
        let before = causes.before(second);
        let mut candidates: Vec<EventId> = Vec::new();
        for (&other, events) in &earlier.by_thread {
            if other != trace.thread(second) {
                let from = before.map_or(0, |before| causes.n_before(before, other));
                let rest = events.partition_point(|&e| trace.position(e) < from);
                candidates.extend_from_slice(&events[rest..]);
            }
        }
        candidates.sort_unstable_by(|a, b| b.cmp(a));
        let mut is_racy = false;
        for first in candidates {
            if !conflict(trace, first, second)
                || !is_first_common(trace, cell, first, second)
                || locksets.exclude(locksets.of(first), locksets.of(second))
            {
                continue;
            }
            let pair = locations(trace, first, second);
            let known = self.known.contains(&pair) || self.finder.known.contains(&pair);
            if all || !is_racy || !known {
                is_racy |= self.ask(first, second, pair)?;
            }
        }
        self.found.racy_events.extend(is_racy.then_some(second));
        Ok(())
    }

    /// Asks about one pair; true if it races.
    fn ask(&mut self, first: EventId, second: EventId, pair: Pair) -> Result<bool, Refused> {
        let trace = self.finder.causes.trace;
        self.found.n_asked += 1;
        match self.engine.answer(&race_query(trace, first, second)) {
            Answer::Witnessed(witness) => {
                self.found.n_consistent += 1;
                confirm(trace, Claim::Race { first, second }, &witness)?;
                let known = self.finder.known.contains(&pair) || !self.known.insert(pair);
                if !known || self.finder.all {
                    self.found.races.push(Race { first, second, witness });
                }
                Ok(true)
            }
            Answer::Infeasible(reason) => {
                self.found.n_consistent += u64::from(reason == Reason::Exhausted);
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

/// The accesses to a cell before a certain one.
#[derive(Default)]
struct Earlier {
    by_thread: FxHashMap<ThreadId, Vec<EventId>>,
    kinds: FxHashMap<AccessKind, u64>,
}

/// What decides whether an access conflicts with another, and whether locks keep them apart.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct AccessKind {
    thread: ThreadId,
    set: u32,
    writes: bool,
    plain: bool,
}

impl Earlier {
    fn add(&mut self, trace: &Trace, locksets: &LockSets, access: EventId) {
        let (thread, code) = (trace.thread(access), trace.code(access));
        let (writes, plain) = (code.writes(), code.order() == Order::Plain);
        let kind = AccessKind { thread, set: locksets.of(access), writes, plain };
        *self.kinds.entry(kind).or_insert(0) += 1;
        self.by_thread.entry(thread).or_default().push(access);
    }
}

pub(crate) fn conflict(trace: &Trace, a: EventId, b: EventId) -> bool {
    let (x, y) = (trace.code(a), trace.code(b));
    trace.thread(a) != trace.thread(b)
        && (x.writes() || y.writes())
        && (x.order() == Order::Plain || y.order() == Order::Plain)
}

fn cells(trace: &Trace, access: EventId) -> impl Iterator<Item = CellId> {
    let (_, var) = trace.op(access).encode();
    trace.cells(VarId(var))
}

fn is_wide(trace: &Trace, access: EventId) -> bool {
    cells(trace, access).nth(1).is_some()
}

/// True if a cell is the first that two accesses have in common, so that each pair counts once.
fn is_first_common(trace: &Trace, cell: CellId, a: EventId, b: EventId) -> bool {
    !is_wide(trace, a)
        || !is_wide(trace, b)
        || cells(trace, a).find(|&c| cells(trace, b).any(|d| c == d)) == Some(cell)
}

fn locations(trace: &Trace, a: EventId, b: EventId) -> Pair {
    let (a, b) = (trace.location(a), trace.location(b));
    (a.min(b), a.max(b))
}
