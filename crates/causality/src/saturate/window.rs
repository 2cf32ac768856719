//! The window: the events that a saturation is about, with a clock each.
//!
//! A clock says how many events of each thread must come before an event, itself included. Adding
//! an order joins clocks forward, along threads and orders, as far as something changes; an order
//! whose first event must come behind its second closes a cycle. With t threads this costs t steps
//! for each event that changes and nothing for the others, which suits windows where a handful of
//! orders is added to a few thousand events (`docs/src/measurements.md`).

use raddle_trace::{EventId, ThreadId, Trace};

use super::{Cause, Edge, Outcome, Problem};
use crate::cut::Cut;
use crate::edges::{Relations, for_each_source};
use crate::order::Order;

const NONE: u32 = u32::MAX;

/// What must come before each event of a window.
#[derive(Clone, Debug)]
pub struct Clocks {
    base: Cut,
    must: Cut,
    /// Per thread, the index of its first event in the window.
    starts: Vec<u32>,
    clocks: Vec<u32>,
}

impl Clocks {
    /// Per thread, how many events must have happened before this one, itself included; `None` for
    /// events outside of the window.
    #[inline]
    pub fn of(&self, trace: &Trace, event: EventId) -> Option<&[u32]> {
        let at = self.index(trace, event)? as usize;
        let n = self.starts.len();
        Some(&self.clocks[at * n..(at + 1) * n])
    }

    #[inline]
    fn index(&self, trace: &Trace, event: EventId) -> Option<u32> {
        let (thread, position) = (trace.thread(event), trace.position(event));
        let inside = position >= self.base.len(thread) && position < self.must.len(thread);
        inside.then(|| self.starts[thread.index()] + position - self.base.len(thread))
    }
}

pub(super) struct Window<'a> {
    problem: Problem<'a>,
    clocks: Clocks,
    events: Vec<EventId>,
    since: EventId,
    /// Per event, the last order added from it; orders from one event are linked.
    heads: Vec<u32>,
    edges: Vec<(Edge, u32)>,
    /// Events whose clocks changed and whose successors do not know.
    moved: Vec<u32>,
    /// Events that rules have not looked at since they changed.
    dirty: Vec<u32>,
    is_dirty: Vec<bool>,
    /// Events that know more than the order of the trace.
    has_changed: Vec<bool>,
    until: EventId,
}

impl<'a> Window<'a> {
    /// The events of a problem with the clocks that they have in every reordering.
    pub(super) fn new(problem: &Problem<'a>) -> Window<'a> {
        let Problem { trace, order, must, base, .. } = *problem;
        let n_threads = trace.n_threads();
        let mut starts = Vec::with_capacity(n_threads);
        let mut events: Vec<EventId> = Vec::new();
        for thread in (0..n_threads as u32).map(ThreadId) {
            starts.push(events.len() as u32);
            let inside = base.len(thread) as usize..must.len(thread) as usize;
            events.extend_from_slice(&trace.thread_events(thread)[inside]);
        }
        let mut clocks = vec![0; events.len() * n_threads];
        for (&event, clock) in events.iter().zip(clocks.chunks_exact_mut(n_threads)) {
            if let Some(known) = known_to_order(problem, event) {
                initial(order, trace, known, clock);
            }
            clock[trace.thread(event).index()] = trace.position(event) + 1;
        }
        let n = events.len();
        let until = events.iter().copied().max().unwrap_or(EventId(0));
        Window {
            problem: *problem,
            until,
            since: events.iter().copied().min().unwrap_or(EventId(0)),
            clocks: Clocks { base: base.clone(), must: must.clone(), starts, clocks },
            events,
            heads: vec![NONE; n],
            edges: Vec::new(),
            moved: Vec::new(),
            dirty: (0..n as u32).rev().collect(),
            is_dirty: vec![true; n],
            has_changed: vec![false; n],
        }
    }

    pub(super) fn len(&self) -> usize {
        self.events.len()
    }

    pub(super) fn event(&self, at: usize) -> EventId {
        self.events[at]
    }

    /// The first event of the window in the observed order.
    pub(super) fn since(&self) -> EventId {
        self.since
    }

    /// The last event of the window in the observed order.
    pub(super) fn until(&self) -> EventId {
        self.until
    }

    /// Declares that rules have nothing to say of events that did not change, save those behind free
    /// reads and the last of each thread.
    pub(super) fn settle(&mut self) {
        let trace = self.problem.trace;
        let dirty = std::mem::take(&mut self.dirty);
        for at in dirty {
            let event = self.events[at as usize];
            let is_last = trace.position(event) + 1 == self.problem.must.len(trace.thread(event));
            let keeps = self.has_changed[at as usize]
                || is_last
                || is_behind_a_free_read(&self.problem, event);
            self.is_dirty[at as usize] = keeps;
            if keeps {
                self.dirty.push(at);
            }
        }
    }

    pub(super) fn into_clocks(self) -> Clocks {
        self.clocks
    }

    /// The orders that were added to those of the trace.
    pub(super) fn into_added(self) -> Vec<Edge> {
        let edges = self.edges.into_iter().map(|(edge, _)| edge);
        edges.filter(|edge| edge.cause != Cause::Order).collect()
    }

    /// An event that changed since it was last given out.
    pub(super) fn changed(&mut self) -> Option<EventId> {
        let at = self.dirty.pop()?;
        self.is_dirty[at as usize] = false;
        Some(self.events[at as usize])
    }

    /// How many events of a thread must come before an event of the window, itself not included.
    pub(super) fn n_before(&self, event: EventId, thread: ThreadId) -> u32 {
        let trace = self.problem.trace;
        if trace.thread(event) == thread {
            return trace.position(event);
        }
        self.clocks.of(trace, event).map_or(0, |clock| clock[thread.index()])
    }

    /// Adds the edges of the trace.
    pub(super) fn link_observed(&mut self) -> Result<(), Outcome> {
        let trace = self.problem.trace;
        let mut sources = Vec::new();
        for at in 0..self.events.len() {
            let event = self.events[at];
            let relations = Relations { reads_from: !self.problem.free.contains(&event) };
            for_each_source(trace, relations, event, |source| sources.push(source));
            for before in sources.drain(..) {
                self.link(Edge { before, after: event, cause: Cause::Order })?;
            }
        }
        if !self.problem.free.is_empty() {
            self.moved.extend(0..self.events.len() as u32);
            self.flow()?;
        }
        Ok(())
    }

    /// Notes an edge of the trace, which the clocks know already unless a free read is involved.
    fn link(&mut self, edge: Edge) -> Result<(), Outcome> {
        let trace = self.problem.trace;
        let Some(after) = self.clocks.index(trace, edge.after) else { return Ok(()) };
        match self.clocks.index(trace, edge.before) {
            Some(before) => self.push_edge(before, edge),
            None if is_behind_a_free_read(&self.problem, edge.after)
                && !is_behind_a_free_read(&self.problem, edge.before) =>
            {
                let mut clock = vec![0; trace.n_threads()];
                initial(self.problem.order, trace, edge.before, &mut clock);
                let n = clock.len();
                let own = &mut self.clocks.clocks[after as usize * n..(after as usize + 1) * n];
                own.iter_mut().zip(&clock).for_each(|(own, &other)| *own = other.max(*own));
            }
            None => {}
        }
        Ok(())
    }

    fn push_edge(&mut self, before: u32, edge: Edge) {
        let next = std::mem::replace(&mut self.heads[before as usize], self.edges.len() as u32);
        self.edges.push((edge, next));
    }

    /// Adds an order and all that follows from it.
    pub(super) fn add(&mut self, edge: Edge) -> Result<(), Outcome> {
        let trace = self.problem.trace;
        let in_base = |e| self.problem.base.contains(trace, e);
        let Some(after) = self.clocks.index(trace, edge.after) else {
            return match (in_base(edge.before), self.problem.base_is_past) {
                (true, _) => Ok(()),
                (false, true) => Err(Outcome::Cycle(vec![edge])),
                (false, false) => Err(Outcome::Before(edge.after)),
            };
        };
        let Some(before) = self.clocks.index(trace, edge.before) else { return Ok(()) };
        let n = trace.n_threads();
        let known = self.clocks.clocks[after as usize * n + trace.thread(edge.before).index()];
        if trace.position(edge.before) < known {
            return Ok(());
        }
        self.push_edge(before, edge);
        self.join(before, after)?;
        self.flow()
    }

    /// Passes changes on until there are none.
    fn flow(&mut self) -> Result<(), Outcome> {
        let trace = self.problem.trace;
        while let Some(at) = self.moved.pop() {
            if !std::mem::replace(&mut self.is_dirty[at as usize], true) {
                self.dirty.push(at);
            }
            let next = at + 1;
            let thread = |at: u32| self.events.get(at as usize).map(|&e| trace.thread(e));
            if thread(next) == thread(at) {
                self.join(at, next)?;
            }
            let mut edge = self.heads[at as usize];
            while edge != NONE {
                let (Edge { after, .. }, following) = self.edges[edge as usize];
                if let Some(after) = self.clocks.index(trace, after) {
                    self.join(at, after)?;
                }
                edge = following;
            }
        }
        Ok(())
    }

    /// Joins what must come before an event into the clock of an event behind it.
    fn join(&mut self, before: u32, after: u32) -> Result<(), Outcome> {
        let trace = self.problem.trace;
        let n = trace.n_threads();
        let event = self.events[after as usize];
        let (from, to) = (before as usize * n, after as usize * n);
        if self.clocks.clocks[from + trace.thread(event).index()] > trace.position(event) {
            return Err(Outcome::Cycle(self.cycle(before, after)));
        }
        let (source, target) = if from < to {
            let (low, high) = self.clocks.clocks.split_at_mut(to);
            (&low[from..from + n], &mut high[..n])
        } else {
            let (low, high) = self.clocks.clocks.split_at_mut(from);
            (&high[..n], &mut low[to..to + n])
        };
        let mut more = false;
        for (own, &other) in target.iter_mut().zip(source) {
            more |= other > *own;
            *own = other.max(*own);
        }
        if more {
            self.has_changed[after as usize] = true;
            self.moved.push(after);
        }
        Ok(())
    }

    /// The orders on a path from the second event back to the first, and the one between them.
    fn cycle(&self, before: u32, after: u32) -> Vec<Edge> {
        let trace = self.problem.trace;
        let (first, second) = (self.events[before as usize], self.events[after as usize]);
        let closing = self.edges.iter().rev().map(|&(edge, _)| edge);
        let closing = closing.into_iter().find(|e| e.before == first && e.after == second);
        let mut came_from: Vec<Option<(u32, Option<Edge>)>> = vec![None; self.events.len()];
        let mut queue = std::collections::VecDeque::from([after]);
        came_from[after as usize] = Some((after, None));
        while let Some(at) = queue.pop_front() {
            if at == before {
                break;
            }
            let mut visit = |next: u32, edge: Option<Edge>| {
                if came_from[next as usize].is_none() {
                    came_from[next as usize] = Some((at, edge));
                    queue.push_back(next);
                }
            };
            let thread = |at: u32| self.events.get(at as usize).map(|&e| trace.thread(e));
            if thread(at + 1) == thread(at) {
                visit(at + 1, None);
            }
            let mut edge = self.heads[at as usize];
            while edge != NONE {
                let (found, following) = self.edges[edge as usize];
                if let Some(next) = self.clocks.index(trace, found.after) {
                    visit(next, Some(found));
                }
                edge = following;
            }
        }
        let mut path: Vec<Edge> = Vec::new();
        let mut at = before;
        while let Some((from, edge)) = came_from[at as usize].filter(|&(from, _)| from != at) {
            path.extend(edge);
            at = from;
        }
        if at != after {
            path.push(Edge { before: second, after: first, cause: Cause::Order });
        }
        path.reverse();
        path.extend(closing);
        path
    }
}

/// What comes before an event in every reordering; the event's own thread is left alone.
fn initial(order: &Order, trace: &Trace, event: EventId, clock: &mut [u32]) {
    let (thread, position) = (trace.thread(event), trace.position(event));
    if let Some(known) = order.clock(thread, position) {
        clock.copy_from_slice(known);
    }
    clock[thread.index()] = position + 1;
}

/// The event itself, or the one before the window if the order is wrong about the event.
fn known_to_order(problem: &Problem, event: EventId) -> Option<EventId> {
    let &Problem { trace, base, .. } = problem;
    let (thread, position) = (trace.thread(event), trace.position(event));
    let known = |&e: &EventId| !is_behind_a_free_read(problem, e);
    let before = position.checked_sub(1).filter(|_| position == base.len(thread));
    let before = before.map(|at| trace.thread_events(thread)[at as usize]);
    Some(event).filter(known).or_else(|| before.filter(known))
}

/// True if the order knows something of an event that holds only if no read is free.
pub(super) fn is_behind_a_free_read(problem: &Problem, event: EventId) -> bool {
    problem.free.iter().any(|&read| problem.order.reaches(problem.trace, read, event))
}
