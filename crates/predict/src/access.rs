//! Classes of accesses: those to one cell that are alike but for when they happen.
//!
//! Accesses of one thread at one location, with the same locks held, conflict with the same others
//! and are kept apart from the same others by locks. A cell has few classes, however many accesses.

use raddle_trace::{CellId, EventId, LocationId, Order, ThreadId, Trace, VarId};
use rustc_hash::FxHashMap;

use crate::causes::Causes;
use crate::lockset::LockSets;
use crate::race::Races;

/// The accesses to a cell by class, in the order of first appearance.
pub(crate) struct Classes {
    pub cell: CellId,
    pub classes: Vec<Class>,
}

/// Accesses that are alike.
pub(crate) struct Class {
    pub thread: ThreadId,
    /// The locks that are held.
    pub set: u32,
    writes: bool,
    plain: bool,
    /// The accesses, ascending.
    events: Vec<EventId>,
}

impl Classes {
    pub(crate) fn new(trace: &Trace, locksets: &LockSets, cell: CellId) -> Classes {
        type Key = (ThreadId, Option<LocationId>, u32, bool, bool);
        let mut numbers: FxHashMap<Key, usize> = FxHashMap::default();
        let mut classes: Vec<Class> = Vec::new();
        for &access in trace.accesses(cell) {
            let (thread, code, set) =
                (trace.thread(access), trace.code(access), locksets.of(access));
            let (writes, plain) = (code.writes(), code.order() == Order::Plain);
            let key = (thread, trace.location(access), set, writes, plain);
            let number = *numbers.entry(key).or_insert_with(|| {
                classes.push(Class { thread, set, writes, plain, events: Vec::new() });
                classes.len() - 1
            });
            classes[number].events.push(access);
        }
        Classes { cell, classes }
    }

    /// Counts the candidates for races, class by class.
    pub(crate) fn count(&self, causes: &Causes, locksets: &LockSets, found: &mut Races) {
        let trace = causes.trace;
        let mut synchronised = vec![0; trace.n_threads()];
        for &second in trace.accesses(self.cell) {
            causes.synchronised(causes.before(second), &mut synchronised);
            for class in self.classes.iter().filter(|class| class.conflicts(trace, second)) {
                let n = class.count(self.cell, trace, 0, second);
                found.n_candidates += n;
                if !locksets.exclude(class.set, locksets.of(second)) {
                    found.n_unprotected += n;
                }
                let from = synchronised[class.thread.index()];
                found.n_unsynchronised += class.count(self.cell, trace, from, second);
            }
        }
    }
}

impl Class {
    /// True if accesses of this class conflict with an access.
    pub(crate) fn conflicts(&self, trace: &Trace, access: EventId) -> bool {
        let code = trace.code(access);
        self.thread != trace.thread(access)
            && (self.writes || code.writes())
            && (self.plain || code.order() == Order::Plain)
    }

    /// The accesses behind the first so many events of their thread and before another access.
    pub(crate) fn between(&self, trace: &Trace, from: u32, before: EventId) -> &[EventId] {
        let to = self.events.partition_point(|&e| e < before);
        let from = self.events[..to].partition_point(|&e| trace.position(e) < from);
        &self.events[from..to]
    }

    /// How many these are. Accesses of several cells count where they first meet.
    fn count(&self, cell: CellId, trace: &Trace, from: u32, before: EventId) -> u64 {
        let events = self.between(trace, from, before);
        if !is_wide(trace, before) {
            return events.len() as u64;
        }
        let meet = |&&e: &&EventId| is_first_common(trace, cell, e, before);
        events.iter().filter(meet).count() as u64
    }
}

/// True if two accesses of different threads conflict, and not both are atomic.
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
pub(crate) fn is_first_common(trace: &Trace, cell: CellId, a: EventId, b: EventId) -> bool {
    !is_wide(trace, a)
        || !is_wide(trace, b)
        || cells(trace, a).find(|&c| cells(trace, b).any(|d| c == d)) == Some(cell)
}
