//! Lock sections by lock and thread: which one a thread is in, was in last, or leaves next.
//!
//! In: a trace. Out: the scopes of the trace as positions in their threads. Two sections of one
//! lock conflict unless both are shared.

use raddle_causality::Held;
use raddle_trace::{EventId, LockId, LockMode, ScopeId, ThreadId, Trace};

/// The release of a section that never ends.
pub(super) const NEVER: u32 = u32::MAX;

/// A lock scope. `acquire` and `release` are positions in its thread.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Section {
    pub lock: LockId,
    pub thread: ThreadId,
    pub acquire: u32,
    pub release: u32,
    pub exclusive: bool,
}

impl Section {
    pub(super) fn begin(&self, trace: &Trace) -> EventId {
        trace.thread_events(self.thread)[self.acquire as usize]
    }

    /// The release; only for sections that end.
    pub(super) fn end(&self, trace: &Trace) -> EventId {
        trace.thread_events(self.thread)[self.release as usize]
    }

    pub(super) fn excludes(&self, other: &Section) -> bool {
        self.exclusive || other.exclusive
    }
}

/// The sections of one lock in one thread, in program order.
pub(super) struct Row {
    pub thread: ThreadId,
    pub sections: Vec<Section>,
}

impl Row {
    /// The last section that begins among the first `n` events and conflicts with `other`.
    pub(super) fn last_begun(&self, n: u32, other: &Section) -> Option<&Section> {
        let begun = self.sections.partition_point(|s| s.acquire < n);
        self.sections[..begun].iter().rev().find(|s| s.excludes(other))
    }

    /// The first section that ends at or after a position, or never, and conflicts with `other`.
    pub(super) fn first_ending(&self, from: u32, other: &Section) -> Option<&Section> {
        let over = self.sections.partition_point(|s| s.release < from);
        self.sections[over..].iter().find(|s| s.excludes(other))
    }
}

/// All sections of a trace.
pub(super) struct Sections {
    by_lock: Vec<Vec<Row>>,
    by_thread: Vec<Vec<Section>>,
    held: Held,
}

impl Sections {
    pub(super) fn new(trace: &Trace) -> Sections {
        let mut by_lock: Vec<Vec<Row>> = Vec::new();
        by_lock.resize_with(trace.tables.locks.len(), Vec::new);
        let mut by_thread = vec![Vec::new(); trace.n_threads()];
        for scope in (0..trace.scopes().len() as u32).map(ScopeId) {
            let section = section(trace, scope);
            let rows = &mut by_lock[section.lock.index()];
            match rows.iter_mut().find(|row| row.thread == section.thread) {
                Some(row) => row.sections.push(section),
                None => rows.push(Row { thread: section.thread, sections: vec![section] }),
            }
            by_thread[section.thread.index()].push(section);
        }
        Sections { by_lock, by_thread, held: Held::new(trace) }
    }

    /// The rows of every lock.
    pub(super) fn locks(&self) -> impl Iterator<Item = &[Row]> {
        self.by_lock.iter().map(Vec::as_slice)
    }

    /// The rows of the other threads that use the lock of a section.
    pub(super) fn others(&self, section: &Section) -> impl Iterator<Item = &Row> {
        let thread = section.thread;
        self.by_lock[section.lock.index()].iter().filter(move |row| row.thread != thread)
    }

    /// The sections of a thread that begin at positions `from..to`.
    pub(super) fn begun_within(&self, thread: ThreadId, from: u32, to: u32) -> &[Section] {
        let sections = &self.by_thread[thread.index()];
        let first = sections.partition_point(|s| s.acquire < from);
        let last = sections.partition_point(|s| s.acquire < to);
        &sections[first..last.max(first)]
    }

    /// The sections that are open after the first `n` events of a thread, innermost first.
    pub(super) fn open<'a>(
        &'a self,
        trace: &'a Trace,
        thread: ThreadId,
        n: u32,
    ) -> impl Iterator<Item = Section> + 'a {
        self.held.inside(trace, thread, n).map(|scope| section(trace, scope))
    }

    /// The largest number of events, at most `n`, after which a thread holds no lock.
    pub(super) fn lock_free(&self, trace: &Trace, thread: ThreadId, n: u32) -> u32 {
        let mut free = n;
        loop {
            let outermost = self.open(trace, thread, free).map(|s| s.acquire).min();
            match outermost {
                Some(acquire) => free = acquire,
                None => return free,
            }
        }
    }
}

fn section(trace: &Trace, scope: ScopeId) -> Section {
    let scope = &trace.scopes()[scope.index()];
    Section {
        lock: scope.lock,
        thread: scope.thread,
        acquire: trace.position(scope.acquire),
        release: scope.release().map_or(NEVER, |release| trace.position(release)),
        exclusive: scope.mode == LockMode::Exclusive,
    }
}
