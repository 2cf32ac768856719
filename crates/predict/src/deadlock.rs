//! Deadlocks: threads that wait for each other's locks in a circle.
//!
//! In: a trace. Out: circles of acquires that a reordering brings to a halt, each with a witness. A
//! candidate is a circle of acquires of different threads, each of a lock that the thread of the
//! next holds, such that no two of the threads hold locks that exclude each other (guard locks).
//!
//! Acquires of one thread, lock and set of held locks are alike as far as locks go, so circles are
//! found among these *kinds* of acquires first; then their instances are asked about, in the
//! observed order, until one of each tuple of locations is witnessed, or all if that is asked for. Of
//! the instances only those are combined that no order keeps apart: in each thread, a stretch.

use raddle_referee::Claim;
use raddle_trace::{EventId, LocationId, LockId, LockMode, Op, Sequence, ThreadId, Trace};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::causes::Causes;
use crate::engine::{Engine, Tally};
use crate::jobs::{self, Job, Knowledge};
use crate::query::{Answer, Query};
use crate::refused::{Refused, confirm};

/// Threads that wait for each other.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Deadlock {
    /// The acquires that block; the lock of each is held by the thread of the next.
    pub blocked: Vec<EventId>,
    /// A reordering that ends right before all of them; the referee has accepted it.
    pub witness: Sequence,
}

/// What was found, and how.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Deadlocks {
    /// The deadlocks.
    pub deadlocks: Vec<Deadlock>,
    /// Circles of kinds of acquires.
    pub n_circles: u64,
    /// Circles of acquires that were asked about.
    pub n_asked: u64,
    /// Circles of acquires whose budget ran out, or that were too many to ask about; one more for
    /// each kind of acquire whose circles were too many.
    pub n_unknown: u64,
    /// How queries were answered.
    pub tally: Tally,
    /// False if the search was stopped.
    pub is_complete: bool,
}

/// Instances of one circle of kinds that are asked about before it is called unknown.
const MAX_INSTANCES: u64 = 10_000;

/// Circles of kinds with the same first kind that are looked at before the rest is called unknown.
const MAX_CIRCLES: u64 = 100_000;

/// The query whether some acquires can block at the same time.
pub fn deadlock_query(trace: &Trace, blocked: &[EventId]) -> Query {
    let stops = blocked.iter().map(|&e| (trace.thread(e), trace.position(e))).collect();
    Query { stops, ..Query::default() }
}

/// Finds the deadlocks of a trace: one for each tuple of locations, or all.
pub fn deadlocks(causes: &Causes, all: bool, mut job: Job) -> Result<Deadlocks, Refused> {
    let kinds = kinds(causes);
    let mut holding: FxHashMap<LockId, Vec<usize>> = FxHashMap::default();
    for (n, kind) in kinds.iter().enumerate() {
        kind.held.iter().for_each(|&(lock, _)| holding.entry(lock).or_default().push(n));
    }
    let n_kinds = kinds.len();
    let known = FxHashSet::default();
    let mut finder = Finder { causes, all, kinds, holding, known, found: Deadlocks::default() };
    let (tally, is_complete) = jobs::run(causes, &mut finder, n_kinds, &mut job)?;
    Ok(Deadlocks { tally, is_complete, ..finder.found })
}

/// Acquires that are alike as far as locks go.
struct AcquireKind {
    thread: ThreadId,
    lock: LockId,
    mode: LockMode,
    held: Vec<(LockId, LockMode)>,
    instances: Vec<EventId>,
}

/// The kinds of acquires that are made while something is held, in the order of the trace.
fn kinds(causes: &Causes) -> Vec<AcquireKind> {
    let trace = causes.trace;
    let mut numbers = FxHashMap::default();
    let mut kinds: Vec<AcquireKind> = Vec::new();
    for event in (0..trace.len() as u32).map(EventId) {
        let Op::Acquire { lock, mode } = trace.op(event) else { continue };
        let thread = trace.thread(event);
        let scopes = causes.held.inside(trace, thread, trace.position(event));
        let scopes = scopes.map(|s| trace.scopes()[s.index()]);
        let mut held: Vec<_> = scopes.map(|scope| (scope.lock, scope.mode)).collect();
        if held.is_empty() {
            continue;
        }
        held.sort_unstable();
        let number = *numbers.entry((thread, lock, mode, held.clone())).or_insert_with(|| {
            kinds.push(AcquireKind { thread, lock, mode, held, instances: Vec::new() });
            kinds.len() - 1
        });
        kinds[number].instances.push(event);
    }
    kinds
}

struct Finder<'a> {
    causes: &'a Causes<'a>,
    all: bool,
    kinds: Vec<AcquireKind>,
    /// Per lock, the kinds of acquires made while it is held.
    holding: FxHashMap<LockId, Vec<usize>>,
    /// Tuples of locations that are known to deadlock.
    known: FxHashSet<Vec<Option<LocationId>>>,
    found: Deadlocks,
}

impl Knowledge for Finder<'_> {
    type Result = Deadlocks;
    type Error = Refused;

    /// Finds the circles in which a kind is the least.
    fn work(&self, engine: &mut Engine, task: usize) -> Result<Deadlocks, Refused> {
        let known = FxHashSet::default();
        let mut path = Path { finder: self, engine, known, found: Deadlocks::default(), left: 0 };
        path.extend(&mut vec![task])?;
        path.found.n_unknown += u64::from(path.found.n_circles >= MAX_CIRCLES);
        Ok(path.found)
    }

    fn learn(&mut self, result: Deadlocks) {
        for deadlock in result.deadlocks {
            let new = self.known.insert(locations(self.causes.trace, &deadlock.blocked));
            if new || self.all {
                self.found.deadlocks.push(deadlock);
            }
        }
        self.found.n_circles += result.n_circles;
        self.found.n_asked += result.n_asked;
        self.found.n_unknown += result.n_unknown;
    }
}

impl Finder<'_> {
    /// True if the second kind holds the lock that the first wants, against it.
    fn waits_for(&self, first: usize, second: usize) -> bool {
        let (first, second) = (&self.kinds[first], &self.kinds[second]);
        second.held.iter().any(|&(lock, mode)| lock == first.lock && excludes(mode, first.mode))
    }

    /// True for different threads that hold nothing against each other.
    fn can_meet(&self, first: usize, second: usize) -> bool {
        let (first, second) = (&self.kinds[first], &self.kinds[second]);
        first.thread != second.thread
            && !first.held.iter().any(|&(lock, mode)| {
                second.held.iter().any(|&(l, m)| l == lock && excludes(m, mode))
            })
    }

    /// The instances of a kind that no order keeps apart from an acquire of another thread.
    fn stretch(&self, kind: usize, acquire: EventId) -> &[EventId] {
        let (causes, trace) = (self.causes, self.causes.trace);
        let AcquireKind { thread, instances, .. } = &self.kinds[kind];
        let n = causes.before(acquire).map_or(0, |before| causes.n_before(before, *thread));
        let from = instances.partition_point(|&e| trace.position(e) < n);
        let behind = |e: EventId| {
            let before = causes.before(e);
            before.is_some_and(|before| causes.order.reaches(trace, acquire, before))
        };
        let to = instances.partition_point(|&e| !behind(e));
        &instances[from..to.max(from)]
    }
}

/// Goes along kinds of acquires.
struct Path<'a, 'b> {
    finder: &'a Finder<'a>,
    engine: &'a mut Engine<'b>,
    known: FxHashSet<Vec<Option<LocationId>>>,
    found: Deadlocks,
    /// How many more instances of a circle may be asked about.
    left: u64,
}

impl Path<'_, '_> {
    /// Goes on with a path of kinds, the first of which is the least.
    fn extend(&mut self, path: &mut Vec<usize>) -> Result<(), Refused> {
        let finder = self.finder;
        let Some(&last) = path.last() else { return Ok(()) };
        let next = finder.holding.get(&finder.kinds[last].lock).map_or(&[][..], Vec::as_slice);
        for &next in &next[next.partition_point(|&next| next < path[0])..] {
            if self.found.n_circles >= MAX_CIRCLES {
                return Ok(());
            }
            if !finder.waits_for(last, next) {
                continue;
            }
            if next == path[0] && path.len() > 1 {
                self.found.n_circles += 1;
                self.left = MAX_INSTANCES;
                self.circle(path, &mut Vec::new())?;
                self.found.n_unknown += u64::from(self.left == 0);
            } else if next > path[0] && path.iter().all(|&p| finder.can_meet(p, next)) {
                path.push(next);
                self.extend(path)?;
                path.pop();
            }
        }
        Ok(())
    }

    /// Asks about the instances of a circle of kinds that begin with some.
    fn circle(&mut self, path: &[usize], chosen: &mut Vec<EventId>) -> Result<(), Refused> {
        if chosen.len() == path.len() {
            return self.instance(chosen);
        }
        let finder = self.finder;
        let kind = path[chosen.len()];
        let instances = match chosen.first() {
            Some(&first) => finder.stretch(kind, first),
            None => &finder.kinds[kind].instances,
        };
        for &instance in instances {
            let apart = |&other: &EventId| !finder.stretch(kind, other).contains(&instance);
            if self.left == 0 || chosen.iter().skip(1).any(apart) {
                continue;
            }
            chosen.push(instance);
            self.circle(path, chosen)?;
            chosen.pop();
        }
        Ok(())
    }

    fn instance(&mut self, blocked: &[EventId]) -> Result<(), Refused> {
        let trace = self.finder.causes.trace;
        let locations = locations(trace, blocked);
        let known = self.known.contains(&locations) || self.finder.known.contains(&locations);
        if known && !self.finder.all {
            return Ok(());
        }
        self.left -= 1;
        self.found.n_asked += 1;
        match self.engine.answer(&deadlock_query(trace, blocked)) {
            Answer::Witnessed(witness) => {
                let blocked = blocked.to_vec();
                confirm(trace, Claim::Deadlock { blocked: blocked.clone() }, &witness)?;
                self.known.insert(locations);
                self.found.deadlocks.push(Deadlock { blocked, witness });
            }
            Answer::Infeasible(_) => {}
            Answer::Unknown => self.found.n_unknown += 1,
        }
        Ok(())
    }
}

fn locations(trace: &Trace, blocked: &[EventId]) -> Vec<Option<LocationId>> {
    blocked.iter().map(|&e| trace.location(e)).collect()
}

fn excludes(held: LockMode, wanted: LockMode) -> bool {
    held == LockMode::Exclusive || wanted == LockMode::Exclusive
}
