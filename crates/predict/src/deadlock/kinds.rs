//! Kinds of waits: which waits for locks there are, and which kinds can follow each other in a cycle.
//!
//! In: what is known of a trace. Out: the kinds of waits that may be part of a cycle, each with its
//! instances, and per kind the kinds that hold what it wants.

use std::ops::Range;

use raddle_causality::Order;
use raddle_trace::{EventId, LockId, LockMode, Op, Scope, ThreadId, Trace};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::causes::Causes;
use crate::components::components;

/// Waits that are alike as far as locks go.
pub(super) struct WaitKind {
    pub thread: ThreadId,
    lock: LockId,
    mode: LockMode,
    held: Vec<(LockId, LockMode)>,
    pub instances: Vec<EventId>,
}

/// A thread waits for a lock here, by A1 or A3.
#[derive(Clone, Copy)]
struct Wait {
    event: EventId,
    thread: ThreadId,
    lock: LockId,
    mode: LockMode,
}

/// All waits for locks, in the order of the trace.
fn waits(trace: &Trace) -> Vec<Wait> {
    let acquires = trace.scopes().iter().filter(|scope| !trace.code(scope.acquire).is_tried());
    let acquires = acquires.map(|&Scope { lock, thread, mode, acquire, .. }| Wait {
        event: acquire,
        thread,
        lock,
        mode,
    });
    let threads = (0..trace.n_threads() as u32).map(ThreadId);
    let last = threads.filter_map(|thread| Some((thread, *trace.thread_events(thread).last()?)));
    let requests = last.filter_map(|(thread, event)| match trace.op(event) {
        Op::Request { lock, mode } => Some(Wait { event, thread, lock, mode }),
        _ => None,
    });
    let mut waits: Vec<Wait> = acquires.chain(requests).collect();
    waits.sort_by_key(|wait| wait.event);
    waits
}

/// The kinds of waits that can be part of a cycle, in the order of the trace: for a lock from which the
/// order of locks leads back to one that is held.
pub(super) fn kinds(causes: &Causes) -> Vec<WaitKind> {
    let trace = causes.trace;
    let held_at = |wait: &Wait| {
        let scopes = causes.held.inside(trace, wait.thread, trace.position(wait.event));
        scopes.map(|s| (trace.scopes()[s.index()].lock, trace.scopes()[s.index()].mode))
    };
    let waits = waits(trace);
    let component = lock_components(trace, &waits, held_at);
    let mut numbers = FxHashMap::default();
    let mut kinds: Vec<WaitKind> = Vec::new();
    for wait in &waits {
        let &Wait { event, thread, lock, mode } = wait;
        let leads_back =
            |(held, _): (LockId, _)| component[held.index()] == component[lock.index()];
        if !held_at(wait).any(leads_back) {
            continue;
        }
        let mut held: Vec<_> = held_at(wait).collect();
        held.sort_unstable();
        let number = *numbers.entry((thread, lock, mode, held)).or_insert_with_key(|key| {
            let held = key.3.clone();
            kinds.push(WaitKind { thread, lock, mode, held, instances: Vec::new() });
            kinds.len() - 1
        });
        kinds[number].instances.push(event);
    }
    kinds
}

/// Per lock, the component of the order of locks: which are waited for while which are held.
fn lock_components<'a, H: Iterator<Item = (LockId, LockMode)> + 'a>(
    trace: &Trace,
    waits: &[Wait],
    held_at: impl Fn(&Wait) -> H,
) -> Vec<usize> {
    let mut next: Vec<Vec<usize>> = vec![Vec::new(); trace.tables.locks.len()];
    let mut known: FxHashSet<(LockId, LockId)> = FxHashSet::default();
    for wait in waits {
        for (held, _) in held_at(wait) {
            if known.insert((held, wait.lock)) {
                next[held.index()].push(wait.lock.index());
            }
        }
    }
    components(&next)
}

/// Waits of one thread, each with the number of its kind, ascending.
type Line = Vec<(EventId, usize)>;

/// Per kind, the kinds of other threads that hold the lock it wants, and that neither a common lock
/// nor the order keeps from meeting it.
pub(super) fn neighbours(causes: &Causes, order: &Order, kinds: &[WaitKind]) -> Vec<Vec<usize>> {
    let mut holding: FxHashMap<LockId, FxHashMap<ThreadId, Line>> = FxHashMap::default();
    for (number, kind) in kinds.iter().enumerate() {
        for &(lock, _) in &kind.held {
            let line = holding.entry(lock).or_default().entry(kind.thread).or_default();
            line.extend(kind.instances.iter().map(|&e| (e, number)));
        }
    }
    holding.values_mut().flat_map(|lines| lines.values_mut()).for_each(|line| line.sort_unstable());
    let of_kind = |kind: &WaitKind| {
        let lines = holding.get(&kind.lock).into_iter().flatten();
        let others = lines.filter(|&(&thread, _)| thread != kind.thread);
        let mut next: Vec<usize> =
            others.flat_map(|(&thread, line)| meeting(causes, order, kind, thread, line)).collect();
        next.sort_unstable();
        next.dedup();
        next.retain(|&other| kind.waits_for(&kinds[other]) && kind.can_meet(&kinds[other]));
        next
    };
    kinds.iter().map(of_kind).collect()
}

/// The kinds of a thread's waits that no order keeps apart from all instances of a kind. For each
/// instance these are a stretch, and stretches move on with the instances.
fn meeting(
    causes: &Causes,
    order: &Order,
    kind: &WaitKind,
    thread: ThreadId,
    line: &Line,
) -> Vec<usize> {
    let mut found = Vec::new();
    let mut done = 0;
    for &instance in &kind.instances {
        let range = stretch(causes, order, thread, line, |&(e, _)| e, instance);
        let from = range.start.max(done);
        found.extend(line[from..range.end.max(from)].iter().map(|&(_, number)| number));
        done = done.max(range.end);
    }
    found
}

/// Of a thread's waits, those that the order does not keep apart from a wait of another thread.
pub(super) fn stretch<T>(
    causes: &Causes,
    order: &Order,
    thread: ThreadId,
    line: &[T],
    event: impl Fn(&T) -> EventId,
    wait: EventId,
) -> Range<usize> {
    let trace = causes.trace;
    let n = causes.before(wait).map_or(0, |before| order.n_before(trace, before, thread));
    let from = line.partition_point(|item| trace.position(event(item)) < n);
    let behind = |e: EventId| {
        let before = causes.before(e);
        before.is_some_and(|before| order.reaches(trace, wait, before))
    };
    let to = line.partition_point(|item| !behind(event(item)));
    from..to.max(from)
}

impl WaitKind {
    /// True if another kind holds the lock that this one wants, against it.
    fn waits_for(&self, other: &WaitKind) -> bool {
        other.held.iter().any(|&(lock, mode)| lock == self.lock && excludes(mode, self.mode))
    }

    /// True for different threads that hold nothing against each other.
    pub(super) fn can_meet(&self, other: &WaitKind) -> bool {
        let apart = |&(lock, mode): &(LockId, LockMode)| {
            other.held.iter().any(|&(l, m)| l == lock && excludes(m, mode))
        };
        self.thread != other.thread && !self.held.iter().any(apart)
    }
}

fn excludes(held: LockMode, wanted: LockMode) -> bool {
    held == LockMode::Exclusive || wanted == LockMode::Exclusive
}
