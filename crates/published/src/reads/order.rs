//! The witness order graph G′ of one witness, as a few edges on top of a base.
//!
//! In: a closed base and edges. Out: the closure of both under program order and rule R of
//! `graph`, or that it is cyclic. Where the paper builds a graph per witness and looks for cycles,
//! this keeps for each added edge all that comes before its source and after its target; any other
//! question is then answered from the clocks of the base and these few.
//!
//! The paper's witness order edges between lock scopes (its cases 1 to 3) are what rule R makes of
//! the plain edge between the two events. A section that never ends is the last of its lock in the
//! base (rule F), so an edge that needs its end closes a cycle.

use raddle_trace::{EventId, ThreadId, Trace};

use super::base::Base;
use crate::sections::{NEVER, Section, Sections};

#[derive(Clone)]
pub(super) struct WitnessOrder<'a> {
    pub(super) trace: &'a Trace,
    pub(super) sections: &'a Sections,
    pub(super) base: &'a Base,
    pub(super) edges: Vec<(EventId, EventId)>,
    /// Per edge, a clock of what comes before its source, and one of what comes after its target.
    before: Vec<u32>,
    after: Vec<u32>,
    todo: Vec<(EventId, EventId)>,
}

impl<'a> WitnessOrder<'a> {
    pub(super) fn new(trace: &'a Trace, sections: &'a Sections, base: &'a Base) -> Self {
        let (edges, todo) = (Vec::new(), Vec::new());
        WitnessOrder { trace, sections, base, edges, before: Vec::new(), after: Vec::new(), todo }
    }

    pub(super) fn clear(&mut self) {
        self.edges.clear();
        self.before.clear();
        self.after.clear();
        self.todo.clear();
    }

    /// Per thread, how many events come before an event; itself included.
    pub(super) fn before(&self, event: EventId) -> Vec<u32> {
        let mut clock = self.base.before(event).to_vec();
        let k = clock.len();
        for (edge, &(_, target)) in self.edges.iter().enumerate() {
            if self.base.before(event)[self.trace.thread(target).index()]
                > self.trace.position(target)
            {
                take_max(&mut clock, &self.before[edge * k..][..k]);
            }
        }
        clock
    }

    /// Per thread, the position of the first event that comes after an event, itself included.
    pub(super) fn after(&self, event: EventId) -> Vec<u32> {
        let mut clock = self.base.after(event).to_vec();
        let k = clock.len();
        for (edge, &(source, _)) in self.edges.iter().enumerate() {
            if self.base.after(event)[self.trace.thread(source).index()]
                <= self.trace.position(source)
            {
                take_min(&mut clock, &self.after[edge * k..][..k]);
            }
        }
        clock
    }

    /// True if `before` comes before `after`, or is it.
    pub(super) fn reaches(&self, before: EventId, after: EventId) -> bool {
        let (thread, position) = (self.trace.thread(before).index(), self.trace.position(before));
        let k = self.trace.n_threads();
        let base = self.base.before(after);
        base[thread] > position
            || self.edges.iter().enumerate().any(|(edge, &(_, target))| {
                self.before[edge * k + thread] > position
                    && base[self.trace.thread(target).index()] > self.trace.position(target)
            })
    }

    /// Adds an edge and all that it induces; false if that closes a cycle.
    pub(super) fn add(&mut self, before: EventId, after: EventId) -> bool {
        self.todo.clear();
        self.todo.push((before, after));
        while let Some((before, after)) = self.todo.pop() {
            if self.reaches(after, before) {
                return false;
            }
            if !self.reaches(before, after) && !self.insert(before, after) {
                return false;
            }
        }
        true
    }

    fn insert(&mut self, source: EventId, target: EventId) -> bool {
        let (before, after) = (self.before(source), self.after(target));
        let k = before.len();
        for (edge, &(s, t)) in self.edges.iter().enumerate() {
            if after[self.trace.thread(s).index()] <= self.trace.position(s) {
                take_max(&mut self.before[edge * k..][..k], &before);
            }
            if before[self.trace.thread(t).index()] > self.trace.position(t) {
                take_min(&mut self.after[edge * k..][..k], &after);
            }
        }
        self.edges.push((source, target));
        self.before.extend_from_slice(&before);
        self.after.extend_from_slice(&after);
        self.induce(&before, &after)
    }

    /// Rule R for the paths through a new edge; false if a section that never ends would have to.
    fn induce(&mut self, before: &[u32], after: &[u32]) -> bool {
        let (trace, sections) = (self.trace, self.sections);
        let mut ends = true;
        for thread in (0..before.len() as u32).map(ThreadId) {
            for earlier in sections.open(trace, thread, before[thread.index()]) {
                for row in sections.others(&earlier) {
                    let reached = after[row.thread.index()];
                    let later = row.first_ending(reached, &earlier).filter(|_| reached != NEVER);
                    ends &= later.is_none_or(|later| self.follow(&earlier, later));
                }
            }
            let reached = after[thread.index()];
            if reached == NEVER {
                continue;
            }
            for later in sections.open(trace, thread, reached) {
                for row in sections.others(&later) {
                    let earlier = row.last_begun(before[row.thread.index()], &later);
                    ends &= earlier.is_none_or(|earlier| self.follow(earlier, &later));
                }
            }
        }
        ends
    }

    /// `earlier` begins before `later` ends; false if that cannot be.
    fn follow(&mut self, earlier: &Section, later: &Section) -> bool {
        if later.release == NEVER {
            return true;
        }
        if earlier.release == NEVER {
            return false;
        }
        self.todo.push((earlier.end(self.trace), later.begin(self.trace)));
        true
    }
}

pub(super) fn take_max(clock: &mut [u32], other: &[u32]) {
    clock.iter_mut().zip(other).for_each(|(own, &other)| *own = other.max(*own));
}

pub(super) fn take_min(clock: &mut [u32], other: &[u32]) {
    clock.iter_mut().zip(other).for_each(|(own, &other)| *own = other.min(*own));
}
