//! Causality graphs with vector clocks, closed under what lock sections make unavoidable.
//!
//! In: a piece of each thread (from a start to an end), edges between events of these pieces. Out:
//! for each event how many events of each thread come before it, or that there is a cycle.
//!
//! The rules, for conflicting sections i and j of one lock with acquires a and releases r:
//!
//! - R: if a_j reaches r_i, then r_j comes before a_i.
//! - I: if r_j is needed by R or F and lies outside of the graph, the closure has no answer. The
//!   caller decides whether the thread may go on to r_j or has to stop before.
//! - F: if i does not end inside the graph and its thread stops there, every other section that
//!   begins inside the graph ends before a_i.
//!
//! Clocks only grow, so a closure can go on after edges were added. For one pair of threads and one
//! lock the last j and the first i are enough, program order does the rest.

use raddle_causality::{Relations, for_each_source};
use raddle_trace::{EventId, ThreadId, Trace};

use super::sections::{Section, Sections};

const END: u32 = u32::MAX;

/// What a closure comes to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Closure {
    /// A partial order.
    Closed,
    /// An event would come before itself.
    Cyclic,
    /// Rule I: this section has to end first, and does not inside the graph.
    Missing(Section),
}

/// The piece of each thread that is in a graph, and which threads must not go on.
#[derive(Clone, Debug)]
pub(super) struct Pieces {
    pub starts: Vec<u32>,
    pub ends: Vec<u32>,
    pub stops: Vec<bool>,
}

impl Pieces {
    /// All threads as a whole.
    pub(super) fn whole(trace: &Trace) -> Pieces {
        let threads = (0..trace.n_threads() as u32).map(ThreadId);
        let ends: Vec<u32> = threads.map(|t| trace.thread_events(t).len() as u32).collect();
        Pieces { starts: vec![0; ends.len()], stops: vec![true; ends.len()], ends }
    }

    pub(super) fn contain(&self, trace: &Trace, event: EventId) -> bool {
        let (thread, position) = (trace.thread(event).index(), trace.position(event));
        (self.starts[thread]..self.ends[thread]).contains(&position)
    }
}

#[derive(Clone)]
pub(super) struct Graph<'a> {
    trace: &'a Trace,
    sections: &'a Sections,
    pieces: Pieces,
    /// The events of the graph in the order of the trace, and for each the one before it in its
    /// thread.
    nodes: Vec<EventId>,
    previous: Vec<u32>,
    /// Incoming edges: per node the first link; per link its source and the next link.
    heads: Vec<u32>,
    links: Vec<(u32, u32)>,
    has_backward_links: bool,
    clocks: Vec<u32>,
    /// The sections that begin inside.
    begun: Vec<Section>,
}

impl<'a> Graph<'a> {
    /// A graph of those events of the pieces that `keep` accepts; lock operations must be among
    /// them unless no lock rule is to be applied.
    pub(super) fn new(
        trace: &'a Trace,
        sections: &'a Sections,
        pieces: Pieces,
        keep: impl Fn(EventId) -> bool,
    ) -> Graph<'a> {
        let mut nodes: Vec<EventId> = Vec::new();
        let mut begun = Vec::new();
        for (t, (&start, &end)) in pieces.starts.iter().zip(&pieces.ends).enumerate() {
            let thread = ThreadId(t as u32);
            if start < end {
                let piece = &trace.thread_events(thread)[start as usize..end as usize];
                nodes.extend(piece.iter().copied().filter(|&e| keep(e)));
                begun.extend_from_slice(sections.begun_within(thread, start, end));
            }
        }
        nodes.sort_unstable();
        let mut last = vec![END; trace.n_threads()];
        let place = |(node, &e): (usize, &EventId)| {
            std::mem::replace(&mut last[trace.thread(e).index()], node as u32)
        };
        Graph {
            trace,
            sections,
            pieces,
            previous: nodes.iter().enumerate().map(place).collect(),
            heads: vec![END; nodes.len()],
            links: Vec::new(),
            has_backward_links: false,
            clocks: vec![0; nodes.len() * trace.n_threads()],
            nodes,
            begun,
        }
    }

    /// Adds the edges of fork, join, wait, notify and barriers. That a wait comes before its notify
    /// counts if the wake-up is in the graph.
    pub(super) fn synchronise(&mut self) {
        for node in 0..self.nodes.len() {
            let event = self.nodes[node];
            for_each_source(self.trace, Relations::SYNCHRONISATION, event, |source| {
                self.add(source, event);
            });
        }
        for wait in self.trace.waits() {
            if let (Some(wake), Some(notify)) = (wait.wake, wait.notify)
                && self.pieces.contain(self.trace, wake)
            {
                self.add(wait.wait, notify);
            }
        }
    }

    /// Adds an edge, unless one of the events is not in the graph.
    pub(super) fn add(&mut self, before: EventId, after: EventId) {
        if let (Some(before), Some(after)) = (self.node(before), self.node(after)) {
            self.link(before, after);
        }
    }

    fn link(&mut self, before: u32, after: u32) {
        self.has_backward_links |= before > after;
        let head = &mut self.heads[after as usize];
        self.links.push((before, *head));
        *head = self.links.len() as u32 - 1;
    }

    fn node(&self, event: EventId) -> Option<u32> {
        if self.nodes.len() == self.trace.len() {
            return Some(event.0);
        }
        self.nodes.binary_search(&event).ok().map(|node| node as u32)
    }

    /// Closes the graph; under the rules for locks, too, if they count.
    pub(super) fn close(&mut self, with_locks: bool) -> Closure {
        let mut from = 0;
        loop {
            if !self.propagate(from) {
                return Closure::Cyclic;
            }
            if !with_locks {
                return Closure::Closed;
            }
            match self.induce() {
                Ok(None) => return Closure::Closed,
                Ok(Some(first)) => from = first as usize,
                Err(section) => return Closure::Missing(section),
            }
        }
    }

    /// Brings the clocks of the nodes from `from` on up to date; false if there is a cycle.
    fn propagate(&mut self, from: usize) -> bool {
        let mut from = from;
        loop {
            let mut changed = false;
            for node in from..self.nodes.len() {
                match self.update(node) {
                    None => return false,
                    Some(more) => changed |= more,
                }
            }
            if !changed || !self.has_backward_links {
                return true;
            }
            from = 0;
        }
    }

    /// Takes into the clock of a node those of its sources: whether it grew; none for a cycle.
    fn update(&mut self, node: usize) -> Option<bool> {
        let n_threads = self.trace.n_threads();
        let event = self.nodes[node];
        let (thread, position) = (self.trace.thread(event).index(), self.trace.position(event));
        let mut grew = false;
        let mut own = position + 1;
        let (mut source, mut link) = (self.previous[node], self.heads[node]);
        loop {
            if source != END {
                let (to, other) = (node * n_threads, source as usize * n_threads);
                for t in 0..n_threads {
                    let component = self.clocks[other + t];
                    if component > self.clocks[to + t] {
                        self.clocks[to + t] = component;
                        grew = true;
                    }
                }
                own = own.max(self.clocks[other + thread]);
            }
            if link == END {
                break;
            }
            (source, link) = self.links[link as usize];
        }
        grew |= self.clocks[node * n_threads + thread] < position + 1;
        self.clocks[node * n_threads + thread] = own;
        (own == position + 1).then_some(grew)
    }

    /// Rules R and F: adds the edges they ask for; the first node that got one, if any did, or the
    /// section that rule I is about.
    fn induce(&mut self) -> Result<Option<u32>, Section> {
        let (trace, sections) = (self.trace, self.sections);
        let mut first: Option<u32> = None;
        for i in 0..self.begun.len() {
            let later = self.begun[i];
            let end = self.pieces.ends[later.thread.index()];
            let is_over = later.release < end;
            if !is_over && !self.pieces.stops[later.thread.index()] {
                continue;
            }
            for row in sections.others(&later) {
                let thread = row.thread.index();
                let n = if is_over {
                    self.clock(later.end(trace))[thread]
                } else {
                    self.pieces.ends[thread]
                };
                let Some(earlier) = row.last_begun(n, &later) else { continue };
                if earlier.acquire < self.pieces.starts[thread] {
                    continue;
                }
                if earlier.release >= self.pieces.ends[thread] {
                    return Err(*earlier);
                }
                if self.clock(later.begin(trace))[thread] <= earlier.release {
                    self.add(earlier.end(trace), later.begin(trace));
                    let to = self.node(later.begin(trace));
                    first = first.into_iter().chain(to).min();
                }
            }
        }
        Ok(first)
    }

    /// How many events of each thread come before an event of the graph, itself included.
    pub(super) fn clock(&self, event: EventId) -> &[u32] {
        let n_threads = self.trace.n_threads();
        let node = self.node(event).unwrap_or_else(|| panic!("{event:?} is not in the graph"));
        &self.clocks[node as usize * n_threads..][..n_threads]
    }

    /// The clocks of all nodes, one after the other.
    pub(super) fn into_clocks(self) -> Vec<u32> {
        self.clocks
    }
}
