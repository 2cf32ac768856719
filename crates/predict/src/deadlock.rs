//! Deadlocks: threads that wait for each other's locks in a circle.
//!
//! In: a trace. Out: circles of acquires that a reordering brings to a halt, each with a witness. A
//! candidate is a circle of acquires of different threads, each of a lock that the thread of the
//! next holds, such that no two of the threads hold locks that exclude each other (guard locks).
//!
//! Acquires of one thread, lock and set of held locks are alike as far as locks go, so circles are
//! found among these *kinds* of acquires first; then their instances are asked about, in the
//! observed order, until one of each tuple of locations is witnessed, or all if that is asked for.

use raddle_referee::{Claim, judge};
use raddle_trace::{EventId, LocationId, LockId, LockMode, Op, ThreadId, Trace};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::causes::Causes;
use crate::query::{Answer, Query};
use crate::race::Refused;
use crate::search::{Effort, answer};

/// How to look for deadlocks.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct DeadlockOptions {
    /// Ask about every circle of acquires, not only about one for each tuple of locations.
    pub all: bool,
    /// What one query may cost.
    pub effort: Effort,
}

/// Threads that wait for each other.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Deadlock {
    /// The acquires that block; the lock of each is held by the thread of the next.
    pub blocked: Vec<EventId>,
    /// A reordering that ends right before all of them; the referee has accepted it.
    pub witness: Vec<EventId>,
}

/// What was found, and how.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Deadlocks {
    /// The deadlocks.
    pub deadlocks: Vec<Deadlock>,
    /// Circles of kinds of acquires.
    pub n_circles: u64,
    /// Circles of acquires whose budget ran out, or that were too many to ask about; one more if
    /// not all circles of kinds were looked at.
    pub n_unknown: u64,
}

/// Instances of one circle of kinds that are asked about before it is called unknown.
const MAX_INSTANCES: u64 = 10_000;

/// Circles of kinds that are looked at before the rest is called unknown.
const MAX_CIRCLES: u64 = 1_000_000;

/// The query whether some acquires can block at the same time.
pub fn deadlock_query(trace: &Trace, blocked: &[EventId]) -> Query {
    Query { stops: blocked.iter().map(|&e| (trace.thread(e), trace.position(e))).collect() }
}

/// Finds the deadlocks of a trace.
pub fn deadlocks(causes: &Causes, options: DeadlockOptions) -> Result<Deadlocks, Refused> {
    let kinds = kinds(causes);
    let mut holding: FxHashMap<LockId, Vec<usize>> = FxHashMap::default();
    for (n, kind) in kinds.iter().enumerate() {
        kind.held.iter().for_each(|&(lock, _)| holding.entry(lock).or_default().push(n));
    }
    let mut finder = Finder {
        causes,
        options,
        kinds,
        holding,
        known: FxHashSet::default(),
        found: Deadlocks::default(),
    };
    for first in 0..finder.kinds.len() {
        finder.extend(&mut vec![first])?;
    }
    if finder.found.n_circles >= MAX_CIRCLES {
        finder.found.n_unknown += 1;
    }
    Ok(finder.found)
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
    options: DeadlockOptions,
    kinds: Vec<AcquireKind>,
    /// Per lock, the kinds of acquires made while it is held.
    holding: FxHashMap<LockId, Vec<usize>>,
    /// Tuples of locations that are known to deadlock.
    known: FxHashSet<Vec<Option<LocationId>>>,
    found: Deadlocks,
}

impl Finder<'_> {
    /// Goes on with a path of kinds, the first of which is the least.
    fn extend(&mut self, path: &mut Vec<usize>) -> Result<(), Refused> {
        let Some(&last) = path.last() else { return Ok(()) };
        let wanted = self.kinds[last].lock;
        for next in self.holding.get(&wanted).cloned().unwrap_or_default() {
            if self.found.n_circles >= MAX_CIRCLES {
                return Ok(());
            }
            if !self.waits_for(last, next) {
                continue;
            }
            if next == path[0] && path.len() > 1 {
                self.found.n_circles += 1;
                self.circle(path)?;
            } else if next > path[0] && path.iter().all(|&p| self.can_meet(p, next)) {
                path.push(next);
                self.extend(path)?;
                path.pop();
            }
        }
        Ok(())
    }

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

    /// Asks about the instances of a circle of kinds.
    fn circle(&mut self, path: &[usize]) -> Result<(), Refused> {
        let mut indexes = vec![0; path.len()];
        let mut left = MAX_INSTANCES;
        loop {
            let blocked: Vec<EventId> = path
                .iter()
                .zip(&indexes)
                .map(|(&kind, &i)| self.kinds[kind].instances[i])
                .collect();
            left -= 1;
            self.instance(blocked)?;
            if !self.advance(path, &mut indexes) {
                return Ok(());
            }
            if left == 0 {
                self.found.n_unknown += 1;
                return Ok(());
            }
        }
    }

    /// The next choice of instances, like the hands of a clock.
    fn advance(&self, path: &[usize], indexes: &mut [usize]) -> bool {
        for (&kind, index) in path.iter().zip(indexes) {
            *index += 1;
            if *index < self.kinds[kind].instances.len() {
                return true;
            }
            *index = 0;
        }
        false
    }

    fn instance(&mut self, blocked: Vec<EventId>) -> Result<(), Refused> {
        let trace = self.causes.trace;
        let locations: Vec<_> = blocked.iter().map(|&e| trace.location(e)).collect();
        if self.known.contains(&locations) && !self.options.all {
            return Ok(());
        }
        match answer(self.causes, &deadlock_query(trace, &blocked), self.options.effort) {
            Answer::Witnessed(witness) => {
                let claim = Claim::Deadlock { blocked: blocked.clone() };
                judge(trace, &claim, &witness)
                    .map_err(|objection| Refused { events: blocked.clone(), objection })?;
                self.known.insert(locations);
                self.found.deadlocks.push(Deadlock { blocked, witness });
            }
            Answer::Infeasible(_) => {}
            Answer::Unknown => self.found.n_unknown += 1,
        }
        Ok(())
    }
}

fn excludes(held: LockMode, wanted: LockMode) -> bool {
    held == LockMode::Exclusive || wanted == LockMode::Exclusive
}
