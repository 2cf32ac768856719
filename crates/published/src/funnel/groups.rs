//! Groups of accesses that no answer can distinguish.
//!
//! In: a trace. Out: per variable its accesses, grouped by thread and segment, a run of events with
//! nothing but accesses. Locks, forks and all the rest happen between segments, so whatever holds for
//! one access of a group holds for all. A group counts its accesses by what they do.

use raddle_trace::{EventId, Order, ThreadId, Trace, VarId};

/// Reads and writes; a read-modify-write is a write.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Count {
    pub reads: u64,
    pub writes: u64,
}

impl Count {
    fn all(self) -> u64 {
        self.reads + self.writes
    }

    /// Pairs with at least one write.
    fn conflicts(self, other: Count) -> u64 {
        self.all() * other.all() - self.reads * other.reads
    }
}

/// Accesses of one thread in one segment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Group {
    pub thread: ThreadId,
    pub segment: u32,
    pub first: EventId,
    pub last: EventId,
    /// All accesses, and the atomic ones among them.
    pub all: Count,
    pub atomic: Count,
}

impl Group {
    fn new(thread: ThreadId, segment: u32, event: EventId) -> Group {
        let (all, atomic) = (Count::default(), Count::default());
        Group { thread, segment, first: event, last: event, all, atomic }
    }

    fn add(&mut self, trace: &Trace, event: EventId) {
        let code = trace.code(event);
        let count = |count: &mut Count| {
            *if code.writes() { &mut count.writes } else { &mut count.reads } += 1;
        };
        count(&mut self.all);
        if code.order() != Order::Plain {
            count(&mut self.atomic);
        }
        self.last = event;
    }

    /// Pairs with at least one write that are not both atomic.
    pub(super) fn races(&self, other: &Group) -> u64 {
        self.all.conflicts(other.all) - self.atomic.conflicts(other.atomic)
    }

    /// Triples of an access of this group, one of `remote` and a later one of `other`, such that
    /// both local ones conflict with the remote one.
    pub(super) fn violations(&self, remote: &Group, other: &Group) -> u64 {
        let pairs = |a: u64, b: u64| {
            if self == other { a * a.saturating_sub(1) / 2 } else { a * b }
        };
        remote.all.writes * pairs(self.all.all(), other.all.all())
            + remote.all.reads * pairs(self.all.writes, other.all.writes)
    }
}

/// The groups of a trace by variable.
pub(super) struct Groups {
    by_variable: Vec<Vec<Group>>,
    /// Per cell, the variables that cover it.
    covering: Vec<Vec<VarId>>,
    /// Per event, its segment.
    segments: Vec<u32>,
}

impl Groups {
    pub(super) fn new(trace: &Trace) -> Groups {
        let n_variables = trace.tables.variables.len();
        let mut covering = vec![Vec::new(); trace.n_cells()];
        for var in (0..n_variables as u32).map(VarId) {
            trace.cells(var).for_each(|cell| covering[cell.index()].push(var));
        }
        let segments = segments(trace);
        let mut by_variable = vec![Vec::new(); n_variables];
        for thread in (0..trace.n_threads() as u32).map(ThreadId) {
            let accesses = trace.thread_events(thread).iter().copied();
            for e in accesses.filter(|&e| trace.code(e).is_access()) {
                let (_, var) = trace.op(e).encode();
                gather(&mut by_variable[var as usize], trace, segments[e.index()], e);
            }
        }
        Groups { by_variable, covering, segments }
    }

    pub(super) fn of(&self, var: VarId) -> &[Group] {
        &self.by_variable[var.index()]
    }

    /// The variables that share a cell with one, itself included, ascending.
    pub(super) fn overlapping(&self, trace: &Trace, var: VarId) -> Vec<VarId> {
        let cells = trace.cells(var);
        let mut found: Vec<VarId> =
            cells.flat_map(|cell| self.covering[cell.index()].iter().copied()).collect();
        found.sort_unstable();
        found.dedup();
        found
    }

    /// Some accesses of one thread, in program order, in groups.
    pub(super) fn grouped(&self, trace: &Trace, accesses: &[EventId]) -> Vec<Group> {
        let mut groups = Vec::new();
        accesses.iter().for_each(|&e| gather(&mut groups, trace, self.segments[e.index()], e));
        groups
    }
}

/// Adds an access to the last group if it belongs there, and to a new one if not.
fn gather(groups: &mut Vec<Group>, trace: &Trace, segment: u32, event: EventId) {
    let thread = trace.thread(event);
    if groups.last().is_none_or(|last| (last.thread, last.segment) != (thread, segment)) {
        groups.push(Group::new(thread, segment, event));
    }
    groups.last_mut().into_iter().for_each(|group| group.add(trace, event));
}

fn segments(trace: &Trace) -> Vec<u32> {
    let mut now = vec![0; trace.n_threads()];
    let segment = |e: u32| {
        let segment = &mut now[trace.thread(EventId(e)).index()];
        *segment += u32::from(!trace.code(EventId(e)).is_access());
        *segment
    };
    (0..trace.len() as u32).map(segment).collect()
}
