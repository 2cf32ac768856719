//! Barriers: where a graph may begin (Kahlon and Wang, Sec. 4, Algorithm 2).
//!
//! In: the events that take part and the edges of the property. Out: a start for each thread, at or
//! before which
//!
//! - B1: the thread holds no lock,
//! - B2: no edge of the property begins or ends,
//! - B3: nothing waits for synchronisation from behind the start of another thread.
//!
//! What lies before the starts can happen as observed. All edges between both sides go forward: those
//! of synchronisation by B3, and the induced ones because no section crosses a start (B1), so no
//! cycle crosses either. The paper also wants no synchronisation edge to go forward across the
//! barrier; that is not needed, and without it barriers come later and graphs stay small.

use raddle_causality::Cut;
use raddle_trace::{EventId, ThreadId};

use super::{Constraints, Question, Universal};
use crate::graph::Pieces;

impl Universal<'_> {
    /// The graph of a question: from the last barrier to the cut.
    pub(super) fn pieces(&self, cut: &Cut, question: &Question, by: Constraints) -> Pieces {
        let threads = (0..self.trace.n_threads() as u32).map(ThreadId);
        let ends: Vec<u32> = threads.map(|t| cut.len(t)).collect();
        let mut starts = ends.clone();
        for e in question.edges.iter().flat_map(|&(a, b)| [a, b]) {
            let start = &mut starts[self.trace.thread(e).index()];
            *start = self.trace.position(e).min(*start);
        }
        for (t, start) in starts.iter_mut().enumerate() {
            *start = self.unlocked(ThreadId(t as u32), *start, by);
        }
        if by.synchronisation {
            while self.step_back(&mut starts, cut, by) {}
        }
        let mut stops = vec![false; ends.len()];
        question.stops.iter().for_each(|&(t, _)| stops[t.index()] = true);
        Pieces { starts, ends, stops }
    }

    /// B1.
    fn unlocked(&self, thread: ThreadId, n: u32, by: Constraints) -> u32 {
        if by.locks { self.sections.lock_free(self.trace, thread, n) } else { n }
    }

    /// B3: true if a start had to be moved.
    fn step_back(&self, starts: &mut [u32], cut: &Cut, by: Constraints) -> bool {
        let mut moved = false;
        for t in 0..starts.len() {
            let thread = ThreadId(t as u32);
            let events = &self.trace.thread_events(thread)[..starts[t] as usize];
            if events.last().is_some_and(|&last| !self.is_within(last, starts)) {
                let n = events.partition_point(|&e| self.is_within(e, starts)) as u32;
                starts[t] = self.unlocked(thread, n, by);
                moved = true;
            }
        }
        moved | (self.has_notified_waits && self.step_back_notifies(starts, cut, by))
    }

    /// True if all that an event needs lies before the starts.
    fn is_within(&self, event: EventId, starts: &[u32]) -> bool {
        self.order.cut(self.trace, event).events_within(starts)
    }

    fn step_back_notifies(&self, starts: &mut [u32], cut: &Cut, by: Constraints) -> bool {
        let trace = self.trace;
        let mut moved = false;
        for wait in trace.waits() {
            let (Some(wake), Some(notify)) = (wait.wake, wait.notify) else { continue };
            let is_before = |e: EventId| trace.position(e) < starts[trace.thread(e).index()];
            if cut.contains(trace, wake) && is_before(notify) && !is_before(wait.wait) {
                let thread = trace.thread(notify);
                starts[thread.index()] = self.unlocked(thread, trace.position(notify), by);
                moved = true;
            }
        }
        moved
    }
}
