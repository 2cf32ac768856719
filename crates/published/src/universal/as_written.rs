//! Algorithm 1 to the letter, to compare with.
//!
//! In: a trace and a property. Out: the edges that the algorithm adds to program order, and whether
//! all of them together are acyclic. The threads are taken as a whole.
//!
//! Readings where the text leaves a choice: a lock is held at an event if it is held once the event
//! has happened; an acquire "before d" may be d itself, as it must for the paper's example; a release
//! "after d" is not d. Line 10 takes single edges if two threads take part, and for more the chains of
//! Sec. 3.4 from the source of an edge to the target of one. Made for small traces: each round looks
//! at every pair of edges and every lock.

use std::collections::BTreeSet;

use raddle_causality::{Relations, for_each_source};
use raddle_trace::{EventId, LockId, Trace};

use super::{Constraints, Property};
use crate::graph::{Closure, Graph, Pieces};
use crate::sections::{NEVER, Section, Sections};

/// What Algorithm 1 comes to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AsWritten {
    /// The edges, seed and induced, without program order; ascending.
    pub edges: Vec<(EventId, EventId)>,
    /// True if neither they close a cycle nor line 12 ends the algorithm.
    pub is_acyclic: bool,
}

/// Runs Algorithm 1.
pub fn as_written(trace: &Trace, property: Property, by: Constraints) -> AsWritten {
    let sections = Sections::new(trace);
    let mut run = Run { trace, sections: &sections, edges: seeds(trace, property, by) };
    let mut goes_on = true;
    while by.locks && goes_on {
        match run.round() {
            Some(grew) => goes_on = grew,
            None => return AsWritten { edges: run.listed(), is_acyclic: false },
        }
    }
    let is_acyclic = run.graph().1;
    AsWritten { edges: run.listed(), is_acyclic }
}

/// Lines 3 to 7.
fn seeds(trace: &Trace, property: Property, by: Constraints) -> BTreeSet<(EventId, EventId)> {
    let mut edges = BTreeSet::new();
    match property {
        Property::Race { first, second } => {
            edges.extend(previous(trace, first).map(|e| (e, second)));
            edges.extend(previous(trace, second).map(|e| (e, first)));
        }
        Property::Atomicity { first, remote, second } => {
            edges.extend([(first, remote), (remote, second)]);
        }
    }
    if by.synchronisation {
        for event in (0..trace.len() as u32).map(EventId) {
            for_each_source(trace, Relations::SYNCHRONISATION, event, |source| {
                edges.insert((source, event));
            });
        }
        let waits = trace.waits().iter();
        edges.extend(waits.filter_map(|wait| Some((wait.wait, wait.notify?))));
    }
    edges
}

fn previous(trace: &Trace, event: EventId) -> Option<EventId> {
    let at = trace.position(event).checked_sub(1)?;
    Some(trace.thread_events(trace.thread(event))[at as usize])
}

struct Run<'a> {
    trace: &'a Trace,
    sections: &'a Sections,
    edges: BTreeSet<(EventId, EventId)>,
}

impl<'a> Run<'a> {
    fn listed(&self) -> Vec<(EventId, EventId)> {
        self.edges.iter().copied().collect()
    }

    /// The graph of the edges, and whether it is acyclic.
    fn graph(&self) -> (Graph<'a>, bool) {
        let pieces = Pieces::whole(self.trace);
        let mut graph = Graph::new(self.trace, self.sections, pieces, |_| true);
        self.edges.iter().for_each(|&(before, after)| graph.add(before, after));
        let is_acyclic = graph.close(false) == Closure::Closed;
        (graph, is_acyclic)
    }

    /// Lines 9 to 18: whether edges were added; none if line 12 ends the algorithm.
    fn round(&mut self) -> Option<bool> {
        let n = self.edges.len();
        for (before, after) in self.chains() {
            for lock in (0..self.trace.tables.locks.len() as u32).map(LockId) {
                self.induce(before, after, lock)?;
            }
        }
        Some(self.edges.len() > n)
    }

    /// Line 10: pairs of events of different threads, the first of which comes before the second.
    fn chains(&self) -> Vec<(EventId, EventId)> {
        let trace = self.trace;
        let mut chains = self.listed();
        let (graph, is_acyclic) = self.graph();
        if trace.n_threads() > 2 && is_acyclic {
            let sources: BTreeSet<EventId> = self.edges.iter().map(|edge| edge.0).collect();
            let targets: BTreeSet<EventId> = self.edges.iter().map(|edge| edge.1).collect();
            for &source in &sources {
                let (thread, position) = (trace.thread(source).index(), trace.position(source));
                let is_later = |&&e: &&EventId| graph.clock(e)[thread] > position;
                chains.extend(targets.iter().filter(is_later).map(|&target| (source, target)));
            }
        }
        chains.retain(|&(a, b)| trace.thread(a) != trace.thread(b));
        chains
    }

    /// Lines 11 to 16 for one pair and one lock.
    fn induce(&mut self, before: EventId, after: EventId, lock: LockId) -> Option<()> {
        let trace = self.trace;
        let (held_before, held_after) = (self.held(before, lock), self.held(after, lock));
        if held_before.is_none() && held_after.is_none() {
            return Some(());
        }
        if let Some(kept) = held_before.filter(|section| section.release == NEVER) {
            if held_after.is_some() {
                return None;
            }
            let mut over = self.of_thread(after, lock).into_iter().rev();
            let over = over.find(|s| s.release < trace.position(after));
            self.edges.extend(over.map(|over| (over.end(trace), kept.begin(trace))));
        }
        let mut begun = self.of_thread(before, lock).into_iter().rev();
        let earlier = begun.find(|s| s.acquire <= trace.position(before));
        let mut ending = self.of_thread(after, lock).into_iter();
        let later = ending.find(|s| s.release > trace.position(after));
        if let (Some(earlier), Some(later)) = (earlier, later)
            && earlier.release != NEVER
            && later.release != NEVER
        {
            self.edges.insert((earlier.end(trace), later.begin(trace)));
        }
        Some(())
    }

    fn held(&self, event: EventId, lock: LockId) -> Option<Section> {
        let n = self.trace.position(event) + 1;
        let mut open = self.sections.open(self.trace, self.trace.thread(event), n);
        open.find(|section| section.lock == lock)
    }

    /// The sections of a lock in the thread of an event.
    fn of_thread(&self, event: EventId, lock: LockId) -> Vec<Section> {
        let all = self.sections.begun_within(self.trace.thread(event), 0, NEVER);
        all.iter().copied().filter(|section| section.lock == lock).collect()
    }
}
