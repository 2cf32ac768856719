//! Linearisation: one attempt at a total order that a witness order graph and locks allow.
//!
//! In: an acyclic witness order graph. Out: a reordering of a window of the trace, outside of which
//! the trace stays as it is; or, if taking the first event that can come, again and again, ends in a
//! dead end, which thread waits there for which. Such an order decides every choice at once.

use raddle_trace::{EventId, Kind, LockMode, ThreadId};

use super::choice::Pair;
use super::order::WitnessOrder;

/// Events in their new order, which fill the same places of the trace as before; or pairs of a section
/// that cannot begin and an open one that keeps it from doing so.
pub(super) fn linearise(order: &WitnessOrder) -> Result<Vec<EventId>, Vec<Pair>> {
    let mut run = Run::new(order);
    while !run.is_done() {
        match run.first_enabled() {
            Some(next) => run.push(next),
            None => return Err(run.waiting()),
        }
    }
    Ok(run.sequence)
}

struct Run<'a> {
    order: &'a WitnessOrder<'a>,
    /// How many events of each thread have happened.
    positions: Vec<u32>,
    /// Per lock, how many sections are open, and whether one of them is exclusive.
    holders: Vec<(u32, bool)>,
    /// Where the window begins, and up to where the edges of the witness reach.
    begin: u32,
    last: u32,
    sequence: Vec<EventId>,
    /// The latest event that has happened.
    latest: u32,
}

impl<'a> Run<'a> {
    fn new(order: &'a WitnessOrder<'a>) -> Run<'a> {
        let trace = order.trace;
        let begin = order.edges.iter().map(|&(_, target)| target.0).min().unwrap_or(0);
        let last = order.edges.iter().map(|&(s, t)| s.0.max(t.0)).max().unwrap_or(0);
        let threads = (0..trace.n_threads() as u32).map(ThreadId);
        let happened = |t| trace.thread_events(t).partition_point(|e| e.0 < begin) as u32;
        let positions: Vec<u32> = threads.clone().map(happened).collect();
        let mut holders = vec![(0, false); trace.tables.locks.len()];
        for thread in threads {
            for section in order.sections.open(trace, thread, positions[thread.index()]) {
                let holder = &mut holders[section.lock.index()];
                *holder = (holder.0 + 1, section.exclusive);
            }
        }
        let latest = begin.saturating_sub(1);
        Run { order, positions, holders, begin, last, sequence: Vec::new(), latest }
    }

    /// True if what happened is a prefix of the trace again and the witness is in it.
    fn is_done(&self) -> bool {
        let n = self.begin as usize + self.sequence.len();
        n > self.last as usize && n == self.latest as usize + 1
    }

    /// Of the events that can come next the first in the trace. It mostly is the first of those that
    /// have not happened, so these are tried in order.
    fn first_enabled(&self) -> Option<EventId> {
        let mut tried = None;
        loop {
            let threads = (0..self.positions.len() as u32).map(ThreadId);
            let next = threads.filter_map(|t| self.next(t)).filter(|&e| Some(e) > tried).min()?;
            if self.is_enabled(next) {
                return Some(next);
            }
            tried = Some(next);
        }
    }

    fn next(&self, thread: ThreadId) -> Option<EventId> {
        let at = self.positions[thread.index()] as usize;
        self.order.trace.thread_events(thread).get(at).copied()
    }

    fn happened(&self, e: EventId) -> bool {
        let trace = self.order.trace;
        trace.position(e) < self.positions[trace.thread(e).index()]
    }

    /// The acquires that only wait for a lock, with the sections that are open.
    fn waiting(&self) -> Vec<Pair> {
        let (trace, sections) = (self.order.trace, self.order.sections);
        let threads = || (0..self.positions.len() as u32).map(ThreadId);
        let mut found = Vec::new();
        for e in threads().filter_map(|t| self.next(t)).filter(|&e| self.is_in_turn(e)) {
            let (thread, at) = (trace.thread(e), trace.position(e));
            for waiting in sections.begun_within(thread, at, at + 1) {
                let others = threads().filter(|&t| t != thread);
                let open = others.flat_map(|t| sections.open(trace, t, self.positions[t.index()]));
                let open = open.filter(|s| s.lock == waiting.lock && s.excludes(waiting));
                found.extend(open.map(|open| (*waiting, open)));
            }
        }
        found
    }

    fn is_enabled(&self, e: EventId) -> bool {
        self.is_in_turn(e) && self.is_free(e)
    }

    /// True if all that must come before an event has happened.
    fn is_in_turn(&self, e: EventId) -> bool {
        let own = self.order.trace.thread(e).index();
        let before = self.order.base.before(e).iter().zip(&self.positions).enumerate();
        let mut edges = self.order.edges.iter();
        before.into_iter().all(|(t, (needed, happened))| t == own || needed <= happened)
            && edges.all(|&(source, target)| target != e || self.happened(source))
    }

    /// True unless an acquire has to wait.
    fn is_free(&self, e: EventId) -> bool {
        let trace = self.order.trace;
        if trace.code(e).kind() != Kind::Acquire {
            return true;
        }
        let (code, lock) = trace.op(e).encode();
        let (n, exclusive) = self.holders[lock as usize];
        n == 0 || (!exclusive && code.mode() == LockMode::Shared)
    }

    fn push(&mut self, e: EventId) {
        let trace = self.order.trace;
        let (code, lock) = trace.op(e).encode();
        match code.kind() {
            Kind::Acquire => {
                let n = self.holders[lock as usize].0;
                self.holders[lock as usize] = (n + 1, code.mode() == LockMode::Exclusive);
            }
            Kind::Release => self.holders[lock as usize].0 -= 1,
            _ => {}
        }
        self.positions[trace.thread(e).index()] += 1;
        self.latest = self.latest.max(e.0);
        self.sequence.push(e);
    }
}
