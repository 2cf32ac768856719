//! The base of the witnesses of one read: all that holds whatever is asked about it.
//!
//! In: a trace and a read. Out: the order of program order, synchronisation, every read-couple but
//! those of this read, and the induced edges, as clocks in both directions. All of it agrees with
//! the trace, so there is no cycle.
//!
//! A couple that the rest implies may stay. Then the base is the same as with all couples, and is
//! shared; the implication is tested on clocks without induced edges, where the couple cannot have
//! helped to prove itself.

use std::rc::Rc;

use raddle_trace::{EventId, ThreadId, Trace};

use crate::graph::{Graph, Pieces};
use crate::sections::{NEVER, Sections};

/// A closed order of the whole trace.
pub(super) struct Base {
    n_threads: usize,
    before: Vec<u32>,
    after: Vec<u32>,
}

impl Base {
    fn new(trace: &Trace, mut graph: Graph) -> Base {
        graph.close(true);
        let (n_threads, before) = (trace.n_threads(), graph.into_clocks());
        let mut after = vec![NEVER; before.len()];
        for p in 0..n_threads {
            let events = trace.thread_events(ThreadId(p as u32));
            for q in 0..n_threads {
                let mut reached = 0;
                for &e in trace.thread_events(ThreadId(q as u32)) {
                    let known = before[e.index() * n_threads + p] as usize;
                    for known in &events[reached.min(known)..known] {
                        after[known.index() * n_threads + q] = trace.position(e);
                    }
                    reached = reached.max(known);
                }
            }
        }
        Base { n_threads, before, after }
    }

    /// Per thread, how many events come before an event; itself included.
    #[inline]
    pub(super) fn before(&self, event: EventId) -> &[u32] {
        &self.before[event.index() * self.n_threads..][..self.n_threads]
    }

    /// Per thread, the position of the first event that comes after an event, itself included.
    #[inline]
    pub(super) fn after(&self, event: EventId) -> &[u32] {
        &self.after[event.index() * self.n_threads..][..self.n_threads]
    }
}

/// Makes bases.
pub(super) struct Bases<'a> {
    trace: &'a Trace,
    /// Program order, synchronisation and what they induce.
    synchronisation: Graph<'a>,
    couples: Vec<(EventId, EventId)>,
    /// Clocks of program order, synchronisation and all couples, without induced edges.
    simple: Graph<'a>,
    /// The base with all couples, once it was needed.
    shared: Option<Rc<Base>>,
}

impl<'a> Bases<'a> {
    /// `edges` are taken for synchronisation; they must agree with the trace.
    pub(super) fn new(
        trace: &'a Trace,
        sections: &'a Sections,
        edges: &[(EventId, EventId)],
    ) -> Bases<'a> {
        let mut graph = Graph::new(trace, sections, Pieces::whole(trace), |_| true);
        graph.synchronise();
        edges.iter().for_each(|&(before, after)| graph.add(before, after));
        let reads = (0..trace.len() as u32).map(EventId).filter(|&e| trace.code(e).reads());
        let couples: Vec<_> = reads.flat_map(|read| couples(trace, read)).collect();
        let mut simple = graph.clone();
        couples.iter().for_each(|&(write, read)| simple.add(write, read));
        simple.close(false);
        graph.close(true);
        Bases { trace, synchronisation: graph, couples, simple, shared: None }
    }

    /// The base of a read.
    pub(super) fn of(&mut self, read: EventId) -> Rc<Base> {
        if !self.is_implied(read) {
            return Rc::new(self.without(Some(read)));
        }
        if self.shared.is_none() {
            self.shared = Some(Rc::new(self.without(None)));
        }
        self.shared.clone().expect("just made")
    }

    fn without(&self, read: Option<EventId>) -> Base {
        let mut graph = self.synchronisation.clone();
        let kept = self.couples.iter().filter(|&&(_, r)| Some(r) != read);
        kept.for_each(|&(write, r)| graph.add(write, r));
        Base::new(self.trace, graph)
    }

    /// True if the couples of a read follow from what comes before it.
    fn is_implied(&self, read: EventId) -> bool {
        let trace = self.trace;
        let thread = trace.thread(read);
        let previous = match trace.position(read) {
            0 => trace.fork_of(thread),
            at => Some(trace.thread_events(thread)[at as usize - 1]),
        };
        couples(trace, read).into_iter().all(|(write, _)| {
            let known = |e| self.simple.clock(e)[trace.thread(write).index()];
            previous.is_some_and(|e| known(e) > trace.position(write))
        })
    }
}

/// The writes that a read reads from, with the read.
fn couples(trace: &Trace, read: EventId) -> Vec<(EventId, EventId)> {
    let writers = trace.writers(read).into_iter().filter_map(|(_, writer)| writer);
    writers.map(|writer| (writer, read)).collect()
}
