//! Deadlocks: threads that wait for each other's locks in a cycle.
//!
//! In: a trace. Out: cycles of waits for locks that a reordering brings to a halt, each with a witness.
//! A candidate is a cycle of waits of different threads, each for a lock that the thread of the next
//! holds, such that no two of the threads hold locks that exclude each other (guard locks).
//!
//! - A1: an acquire waits for its lock, whether a request stands before it or not, also where it ends a
//!   wait for a condition.
//! - A2: an acquire that was only tried waits for nothing. The trace says so of each.
//! - A3: a request that is the last event of its thread waits: the trace ended before it was granted.
//!   Any other request stands right before the acquire or the failed try that says what came of it.
//!
//! Waits of one thread for one lock with the same locks held are alike as far as locks go, so cycles are
//! found among these *kinds* of waits first ([`kinds`]); then their instances are asked about, in the
//! observed order, until one of each tuple of locations is witnessed, or all if that is asked for
//! ([`path`]). Of the instances only those are combined that no order keeps apart: in each thread, a
//! stretch. Kinds without such instances do not meet in a cycle, and only kinds of one strongly connected
//! component are followed.
//!
//! A program that reads another value may wait elsewhere, or for another lock. What reads say is left out for
//! *possible* cycles ([`possible`]): these are no findings, but places where a run of the program may deadlock.

mod kinds;
mod path;
mod possible;

use raddle_causality::Order;
use raddle_referee::Claim;
use raddle_trace::{EventId, LocationId, LockId, Sequence, ThreadId, Trace};
use rustc_hash::FxHashSet;

use crate::causes::Causes;
use crate::components::components;
use crate::engine::{Engine, Tally};
use crate::jobs::{self, Job, Knowledge};
use crate::query::{Answer, Query};
use crate::refused::{Refused, confirm};
use kinds::{WaitKind, kinds, neighbours, stretch};
use path::Paths;

/// The analysis that looks for threads that wait for each other's locks.
pub(crate) struct LockCycles;

/// Threads that wait for each other.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Deadlock {
    /// The acquires, or requests that were never granted, that block; the lock of each is held by the
    /// thread of the next.
    pub blocked: Vec<EventId>,
    /// A reordering that ends right before all of them; the referee has accepted it.
    pub witness: Sequence,
}

/// What was found, and how.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Deadlocks {
    /// The deadlocks.
    pub deadlocks: Vec<Deadlock>,
    /// Cycles of kinds of waits that neither guard locks nor the order between pairs rules out.
    pub n_cycles: u64,
    /// Cycles of waits that were asked about.
    pub n_asked: u64,
    /// Cycles of waits whose budget ran out, or that were too many to ask about; one more for each kind
    /// of wait whose cycles were too many.
    pub n_unknown: u64,
    /// Cycles in the order of locks that no reordering closes, since a read would see another write: their
    /// waits, one for each tuple of locations.
    pub possible: Vec<Vec<EventId>>,
    /// Whether there are no more of them.
    pub are_all_possible: bool,
    /// How queries were answered.
    pub tally: Tally,
    /// False if the search was stopped.
    pub is_complete: bool,
}

/// What else threads can wait for each other for: deadlocks through these are not looked for.
pub const NOT_COVERED: [&str; 6] =
    ["condition", "join", "semaphore", "barrier", "own-lock", "waiting-writer"];

/// The query whether some waits can block at the same time.
pub fn deadlock_query(trace: &Trace, blocked: &[EventId]) -> Query {
    let stops = blocked.iter().map(|&e| (trace.thread(e), trace.position(e))).collect();
    Query { stops, ..Query::default() }
}

/// Finds the deadlocks of a trace: one for each tuple of locations, or all.
pub fn deadlocks(causes: &Causes, all: bool, mut job: Job) -> Result<Deadlocks, Refused> {
    let kinds = kinds(causes);
    let graph = Graph::new(causes, &causes.order, &kinds);
    let known = FxHashSet::default();
    let mut finder = Finder { causes, all, graph, known, found: Deadlocks::default() };
    let (tally, is_complete) = jobs::run(causes, &mut finder, kinds.len(), &mut job)?;
    let (possible, are_all_possible) = match is_complete {
        true => possible::cycles(causes, &kinds, finder.known),
        false => (Vec::new(), false),
    };
    Ok(Deadlocks { tally, is_complete, possible, are_all_possible, ..finder.found })
}

/// Kinds of waits, and which can follow which in a cycle as far as an order goes.
struct Graph<'a> {
    causes: &'a Causes<'a>,
    order: &'a Order,
    kinds: &'a [WaitKind],
    /// Per kind, those that hold what it wants, ascending.
    next: Vec<Vec<usize>>,
}

impl<'a> Graph<'a> {
    fn new(causes: &'a Causes, order: &'a Order, kinds: &'a [WaitKind]) -> Graph<'a> {
        let mut next = neighbours(causes, order, kinds);
        let component = components(&next);
        for (kind, next) in next.iter_mut().enumerate() {
            next.retain(|&other| component[other] == component[kind]);
        }
        Graph { causes, order, kinds, next }
    }

    /// The instances of a kind that the order does not keep apart from a wait of another thread.
    fn stretch(&self, kind: usize, wait: EventId) -> &'a [EventId] {
        let WaitKind { thread, instances, .. } = &self.kinds[kind];
        &instances[stretch(self.causes, self.order, *thread, instances, |&e| e, wait)]
    }
}

struct Finder<'a> {
    causes: &'a Causes<'a>,
    all: bool,
    graph: Graph<'a>,
    /// Tuples of locations that are known to deadlock.
    known: FxHashSet<Vec<Place>>,
    found: Deadlocks,
}

impl Knowledge for Finder<'_> {
    type Result = Deadlocks;
    type Error = Refused;

    /// Finds the cycles in which a kind is the least.
    fn work(&self, engine: &mut Engine, task: usize) -> Result<Deadlocks, Refused> {
        let (mut found, mut known) = (Deadlocks::default(), FxHashSet::default());
        let mut steps = u64::MAX;
        let counts = Paths::new(&self.graph, &mut steps).cycles(task, &mut |blocked| {
            let places = places(self.causes.trace, blocked);
            if !self.all && (known.contains(&places) || self.known.contains(&places)) {
                return Ok(false);
            }
            if self.ask(engine, blocked, &mut found)? {
                known.insert(places);
            }
            Ok(true)
        })?;
        found.n_cycles = counts.n_cycles;
        found.n_unknown += counts.n_cut;
        Ok(found)
    }

    fn learn(&mut self, result: Deadlocks) {
        for deadlock in result.deadlocks {
            let new = self.known.insert(places(self.causes.trace, &deadlock.blocked));
            if new || self.all {
                self.found.deadlocks.push(deadlock);
            }
        }
        self.found.n_cycles += result.n_cycles;
        self.found.n_asked += result.n_asked;
        self.found.n_unknown += result.n_unknown;
    }
}

impl Finder<'_> {
    /// Asks whether some waits can block at the same time; true if a reordering shows it.
    fn ask(
        &self,
        engine: &mut Engine,
        blocked: &[EventId],
        found: &mut Deadlocks,
    ) -> Result<bool, Refused> {
        let trace = self.causes.trace;
        found.n_asked += 1;
        match engine.answer(&deadlock_query(trace, blocked)) {
            Answer::Witnessed(witness) => {
                let blocked = blocked.to_vec();
                confirm(trace, Claim::Deadlock { blocked: blocked.clone() }, &witness)?;
                found.deadlocks.push(Deadlock { blocked, witness });
                return Ok(true);
            }
            Answer::Infeasible(_) => {}
            Answer::Unknown => found.n_unknown += 1,
        }
        Ok(false)
    }
}

/// Where a wait is; without a location, what it is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
enum Place {
    At(LocationId),
    Unknown(ThreadId, LockId),
}

/// The places of a cycle, wherever it begins.
fn places(trace: &Trace, blocked: &[EventId]) -> Vec<Place> {
    let place = |&e: &EventId| match trace.location(e) {
        Some(location) => Place::At(location),
        None => Place::Unknown(trace.thread(e), LockId(trace.op(e).encode().1)),
    };
    let mut places: Vec<Place> = blocked.iter().map(place).collect();
    let least = (0..places.len()).min_by_key(|&at| (&places[at..], &places[..at]));
    places.rotate_left(least.unwrap_or(0));
    places
}
