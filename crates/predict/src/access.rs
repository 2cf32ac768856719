//! Classes of accesses: those to one cell that are alike but for when they happen.
//!
//! Accesses of one thread at one location, with the same locks held, conflict with the same others
//! and are kept apart from the same others by locks. A cell has few classes, however many accesses.

use raddle_causality::Chain;
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

    /// Counts the candidates for races, those that no common lock keeps apart, and those that
    /// synchronisation alone does not order.
    pub(crate) fn count(&self, causes: &Causes, locksets: &LockSets, found: &mut Races) {
        let trace = causes.trace;
        if trace.accesses(self.cell).iter().any(|&e| is_wide(trace, e)) {
            return self.count_wide(causes, locksets, found);
        }
        self.count_unprotected(locksets, found);
        self.count_unsynchronised(causes, found);
    }

    /// Pairs of accesses, by pairs of what decides about them: whatever comes first, a pair counts once.
    fn count_unprotected(&self, locksets: &LockSets, found: &mut Races) {
        let mut groups: FxHashMap<(ThreadId, u32, bool, bool), u64> = FxHashMap::default();
        for Class { thread, set, writes, plain, events } in &self.classes {
            *groups.entry((*thread, *set, *writes, *plain)).or_insert(0) += events.len() as u64;
        }
        let groups: Vec<_> = groups.into_iter().collect();
        for (at, &((thread, set, writes, plain), n)) in groups.iter().enumerate() {
            for &((other, other_set, also_writes, also_plain), m) in &groups[at + 1..] {
                if thread != other && (writes || also_writes) && (plain || also_plain) {
                    found.n_candidates += n * m;
                    let apart = locksets.exclude(set, other_set);
                    found.n_unprotected += if apart { 0 } else { n * m };
                }
            }
        }
    }

    /// Of each thread, the accesses behind what synchronisation puts before an access.
    fn count_unsynchronised(&self, causes: &Causes, found: &mut Races) {
        let trace = causes.trace;
        let chains: Vec<_> =
            causes.chains.accesses(self.cell).map(|c| (c, sums(trace, c))).collect();
        let mut synchronised = vec![0; trace.n_threads()];
        for &second in trace.accesses(self.cell) {
            let (thread, code) = (trace.thread(second), trace.code(second));
            causes.synchronised(causes.before(second), &mut synchronised);
            let which = usize::from(!code.writes()) + 2 * usize::from(code.order() != Order::Plain);
            for (chain, sums) in chains.iter().filter(|(chain, _)| chain.thread != thread) {
                let from = chain.before(synchronised[chain.thread.index()]).len();
                let to = chain.items.partition_point(|&e| e < second);
                let n = |at: usize| sums[at][which];
                found.n_unsynchronised += u64::from(n(to.max(from)) - n(from));
            }
        }
    }

    /// The same one by one, where accesses have several cells in common: pairs count once.
    fn count_wide(&self, causes: &Causes, locksets: &LockSets, found: &mut Races) {
        let trace = causes.trace;
        let mut synchronised = vec![0; trace.n_threads()];
        for &second in trace.accesses(self.cell) {
            causes.synchronised(causes.before(second), &mut synchronised);
            for class in self.classes.iter().filter(|class| class.conflicts(trace, second)) {
                let n = class.count(self.cell, trace, 0, second);
                let apart = locksets.exclude(class.set, locksets.of(second));
                found.n_candidates += n;
                found.n_unprotected += if apart { 0 } else { n };
                let from = synchronised[class.thread.index()];
                found.n_unsynchronised += class.count(self.cell, trace, from, second);
            }
        }
    }
}

/// How many of the first accesses of a chain conflict with a plain write, a plain read, an atomic write
/// and an atomic read.
fn sums(trace: &Trace, chain: Chain<EventId>) -> Vec<[u32; 4]> {
    let mut sum = [0; 4];
    let mut sums = vec![sum];
    for &access in chain.items {
        let code = trace.code(access);
        let (writes, plain) = (code.writes(), code.order() == Order::Plain);
        let conflicts = [true, writes, plain, writes && plain];
        (0..4).for_each(|i| sum[i] += u32::from(conflicts[i]));
        sums.push(sum);
    }
    sums
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

/// True if a cell of two accesses is the first that they have in common, so that each pair counts
/// once. Cells of a variable are consecutive.
pub(crate) fn is_first_common(trace: &Trace, cell: CellId, a: EventId, b: EventId) -> bool {
    let first = |access| cells(trace, access).next();
    first(a).max(first(b)) == Some(cell)
}
