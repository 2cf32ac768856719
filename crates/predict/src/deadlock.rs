//! Deadlocks: threads that wait for each other's locks in a circle.
//!
//! In: a trace. Out: circles of acquires that a reordering brings to a halt, each with a witness. A
//! candidate is a circle of acquires of different threads, each of a lock that the thread of the
//! next holds, such that no two of the threads hold locks that exclude each other (guard locks).
//!
//! Acquires of one thread, lock and set of held locks are alike as far as locks go, so circles are
//! found among these *kinds* of acquires first; then their instances are asked about, in the
//! observed order, until one of each tuple of locations is witnessed, or all if that is asked for. Of
//! the instances only those are combined that no order keeps apart: in each thread, a stretch. Kinds
//! without such instances do not meet in a circle, and only kinds of one strongly connected component
//! are followed.
//!
//! Who only tries a lock never waits for it: in a trace that has requests, an acquire waits if its
//! request comes right before it in its thread, or if it ends a wait for a condition.

use std::ops::Range;

use raddle_referee::Claim;
use raddle_trace::{
    EventId, Kind, LocationId, LockId, LockMode, Op, Scope, Sequence, ThreadId, Trace,
};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::causes::Causes;
use crate::components::components;
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
    /// Circles of kinds of acquires that neither guard locks nor the order between pairs rules out.
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
    let mut next = neighbours(causes, &kinds);
    let component = components(&next);
    for (kind, next) in next.iter_mut().enumerate() {
        next.retain(|&other| component[other] == component[kind]);
    }
    let n_kinds = kinds.len();
    let known = FxHashSet::default();
    let mut finder = Finder { causes, all, kinds, next, known, found: Deadlocks::default() };
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

/// The kinds of acquires that can be part of a circle, in the order of the trace: made while a lock is
/// held from which the order of locks leads back.
fn kinds(causes: &Causes) -> Vec<AcquireKind> {
    let trace = causes.trace;
    let held_at = |event: EventId| {
        let scopes = causes.held.inside(trace, trace.thread(event), trace.position(event));
        scopes.map(|s| (trace.scopes()[s.index()].lock, trace.scopes()[s.index()].mode))
    };
    let component = lock_components(causes);
    let has_requests = has_requests(trace);
    let mut numbers = FxHashMap::default();
    let mut kinds: Vec<AcquireKind> = Vec::new();
    for scope in trace.scopes() {
        let &Scope { lock, thread, mode, acquire, .. } = scope;
        let leads_back =
            |(held, _): (LockId, _)| component[held.index()] == component[lock.index()];
        if !held_at(acquire).any(leads_back) || has_requests && !waits(trace, scope) {
            continue;
        }
        let mut held: Vec<_> = held_at(acquire).collect();
        held.sort_unstable();
        let number = *numbers.entry((thread, lock, mode, held)).or_insert_with_key(|key| {
            let held = key.3.clone();
            kinds.push(AcquireKind { thread, lock, mode, held, instances: Vec::new() });
            kinds.len() - 1
        });
        kinds[number].instances.push(acquire);
    }
    kinds
}

fn has_requests(trace: &Trace) -> bool {
    (0..trace.len() as u32).any(|event| trace.code(EventId(event)).kind() == Kind::Request)
}

/// Whether an acquire waits, in a trace that has requests.
fn waits(trace: &Trace, scope: &Scope) -> bool {
    let events = trace.thread_events(scope.thread);
    let position = trace.position(scope.acquire) as usize;
    let before = position.checked_sub(1).map(|before| trace.op(events[before]));
    let after = events.get(position + 1).map(|&after| trace.op(after));
    matches!(before, Some(Op::Request { lock, .. }) if lock == scope.lock)
        || matches!(after, Some(Op::Wake { .. }))
}

/// Per lock, the component of the order of locks: which are taken while which are held.
fn lock_components(causes: &Causes) -> Vec<usize> {
    let trace = causes.trace;
    let mut next: Vec<Vec<usize>> = vec![Vec::new(); trace.tables.locks.len()];
    let mut known: FxHashSet<(LockId, LockId)> = FxHashSet::default();
    for scope in trace.scopes() {
        for held in causes.held.inside(trace, scope.thread, trace.position(scope.acquire)) {
            let held = trace.scopes()[held.index()].lock;
            if known.insert((held, scope.lock)) {
                next[held.index()].push(scope.lock.index());
            }
        }
    }
    components(&next)
}

/// Acquires of one thread, each with the number of its kind, ascending.
type Line = Vec<(EventId, usize)>;

/// Per kind, the kinds of other threads that hold the lock it wants, and that neither a common lock
/// nor the order keeps from meeting it.
fn neighbours(causes: &Causes, kinds: &[AcquireKind]) -> Vec<Vec<usize>> {
    let mut holding: FxHashMap<LockId, FxHashMap<ThreadId, Line>> = FxHashMap::default();
    for (number, kind) in kinds.iter().enumerate() {
        for &(lock, _) in &kind.held {
            let line = holding.entry(lock).or_default().entry(kind.thread).or_default();
            line.extend(kind.instances.iter().map(|&e| (e, number)));
        }
    }
    holding.values_mut().flat_map(|lines| lines.values_mut()).for_each(|line| line.sort_unstable());
    let of_kind = |kind: &AcquireKind| {
        let lines = holding.get(&kind.lock).into_iter().flatten();
        let others = lines.filter(|&(&thread, _)| thread != kind.thread);
        let mut next: Vec<usize> =
            others.flat_map(|(&thread, line)| meeting(causes, kind, thread, line)).collect();
        next.sort_unstable();
        next.dedup();
        next.retain(|&other| kind.waits_for(&kinds[other]) && kind.can_meet(&kinds[other]));
        next
    };
    kinds.iter().map(of_kind).collect()
}

/// The kinds of a thread's acquires that no order keeps apart from all instances of a kind. For each
/// instance these are a stretch, and stretches move on with the instances.
fn meeting(causes: &Causes, kind: &AcquireKind, thread: ThreadId, line: &Line) -> Vec<usize> {
    let mut found = Vec::new();
    let mut done = 0;
    for &instance in &kind.instances {
        let range = stretch(causes, thread, line, |&(e, _)| e, instance);
        let from = range.start.max(done);
        found.extend(line[from..range.end.max(from)].iter().map(|&(_, number)| number));
        done = done.max(range.end);
    }
    found
}

/// Of a thread's acquires, those that no order keeps apart from an acquire of another thread.
fn stretch<T>(
    causes: &Causes,
    thread: ThreadId,
    line: &[T],
    event: impl Fn(&T) -> EventId,
    acquire: EventId,
) -> Range<usize> {
    let trace = causes.trace;
    let n = causes.before(acquire).map_or(0, |before| causes.n_before(before, thread));
    let from = line.partition_point(|item| trace.position(event(item)) < n);
    let behind = |e: EventId| {
        let before = causes.before(e);
        before.is_some_and(|before| causes.order.reaches(trace, acquire, before))
    };
    let to = line.partition_point(|item| !behind(event(item)));
    from..to.max(from)
}

impl AcquireKind {
    /// True if another kind holds the lock that this one wants, against it.
    fn waits_for(&self, other: &AcquireKind) -> bool {
        other.held.iter().any(|&(lock, mode)| lock == self.lock && excludes(mode, self.mode))
    }

    /// True for different threads that hold nothing against each other.
    fn can_meet(&self, other: &AcquireKind) -> bool {
        let apart = |&(lock, mode): &(LockId, LockMode)| {
            other.held.iter().any(|&(l, m)| l == lock && excludes(m, mode))
        };
        self.thread != other.thread && !self.held.iter().any(apart)
    }
}

struct Finder<'a> {
    causes: &'a Causes<'a>,
    all: bool,
    kinds: Vec<AcquireKind>,
    /// Per kind, those that hold what it wants, ascending.
    next: Vec<Vec<usize>>,
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
        let (found, meetings) = (Deadlocks::default(), FxHashMap::default());
        let mut path = Path { finder: self, engine, known, found, meetings, left: 0 };
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
    /// The instances of a kind that no order keeps apart from an acquire of another thread.
    fn stretch(&self, kind: usize, acquire: EventId) -> &[EventId] {
        let AcquireKind { thread, instances, .. } = &self.kinds[kind];
        &instances[stretch(self.causes, *thread, instances, |&e| e, acquire)]
    }
}

/// Goes along kinds of acquires.
struct Path<'a, 'b> {
    finder: &'a Finder<'a>,
    engine: &'a mut Engine<'b>,
    known: FxHashSet<Vec<Option<LocationId>>>,
    found: Deadlocks,
    /// Pairs of kinds, and whether some of their instances are not kept apart by the order.
    meetings: FxHashMap<(usize, usize), bool>,
    /// How many more instances of a circle may be asked about.
    left: u64,
}

impl Path<'_, '_> {
    /// Goes on with a path of kinds, the first of which is the least.
    fn extend(&mut self, path: &mut Vec<usize>) -> Result<(), Refused> {
        let finder = self.finder;
        let Some(&last) = path.last() else { return Ok(()) };
        let next = &finder.next[last];
        for &next in &next[next.partition_point(|&next| next < path[0])..] {
            if self.found.n_circles >= MAX_CIRCLES {
                return Ok(());
            }
            if next == path[0] && path.len() > 1 {
                self.found.n_circles += 1;
                self.left = MAX_INSTANCES;
                self.circle(path, &mut Vec::new())?;
                self.found.n_unknown += u64::from(self.left == 0);
            } else if next > path[0] && path.iter().all(|&p| self.can_meet(p, next)) {
                path.push(next);
                self.extend(path)?;
                path.pop();
            }
        }
        Ok(())
    }

    /// True if two kinds can be part of one circle, as far as pairs go.
    fn can_meet(&mut self, first: usize, second: usize) -> bool {
        let finder = self.finder;
        finder.kinds[first].can_meet(&finder.kinds[second])
            && *self.meetings.entry((first, second)).or_insert_with(|| {
                let instances = &finder.kinds[first].instances;
                instances.iter().any(|&e| !finder.stretch(second, e).is_empty())
            })
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
