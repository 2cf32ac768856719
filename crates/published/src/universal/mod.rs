//! Universal causality graphs: is a property ruled out by locks, by synchronisation, or by both?
//!
//! In: a trace and a property, a race or a three-access atomicity violation. Out: whether its graph
//! is acyclic. Follows Kahlon and Wang (CAV 2010), Algorithms 1 and 2; data is ignored, as there.
//!
//! [`Algorithm::AsWritten`] is Algorithm 1 to the letter, on the threads as a whole.
//! [`Algorithm::Corrected`] differs so that for two threads the answer is exact:
//!
//! - U1: lock rules R, I and F of `graph` replace lines 10 to 16. They see locks that are never given
//!   back, and a lock counts as held from its acquire to its release, both included.
//! - U2 (races): both threads stop right before the accesses, and the fork of a thread that has not
//!   begun has happened. What comes later, a deadlock say, does not matter.
//! - U3 (atomicity): the local thread stops after the second access. The remote thread stops after its
//!   access or after one of the releases up to its next state without locks; one of these stops has
//!   to be possible.
//! - U4: other threads take part with the events that are needed: what synchronisation puts before
//!   the others, and the releases that R and F ask for.
//! - U5: that a wait comes before its notify counts if the wake-up takes part.
//! - U6 (chopping, Algorithm 2): the graph begins at a barrier, see `barrier`.
//!
//! For more than two threads an acyclic graph may still have no interleaving.

mod as_written;
mod barrier;

use raddle_causality::{Cut, Order, Relations};
use raddle_trace::{EventId, Kind, ThreadId, Trace};

use super::graph::{Closure, Graph, Pieces};
use super::sections::{NEVER, Sections};
pub use as_written::{AsWritten, as_written};

/// Which version of the algorithm.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Algorithm {
    /// As it was published.
    AsWritten,
    /// With the corrections U1 to U6.
    Corrected,
}

/// What may rule a property out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Constraints {
    /// Locks exclude each other.
    pub locks: bool,
    /// Fork, join, wait, notify and barriers order events.
    pub synchronisation: bool,
}

impl Constraints {
    /// Locks alone.
    pub const LOCKS: Constraints = Constraints { locks: true, synchronisation: false };
    /// Synchronisation other than locks alone.
    pub const SYNCHRONISATION: Constraints = Constraints { locks: false, synchronisation: true };
    /// Both together.
    pub const BOTH: Constraints = Constraints { locks: true, synchronisation: true };
}

/// What is asked about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Property {
    /// Two events of different threads are about to happen at the same time.
    Race {
        /// One.
        first: EventId,
        /// The other.
        second: EventId,
    },
    /// An event of another thread happens between two events of one thread.
    Atomicity {
        /// The earlier local event.
        first: EventId,
        /// The one between.
        remote: EventId,
        /// The later local event.
        second: EventId,
    },
}

/// Answers questions about one trace.
pub struct Universal<'a> {
    trace: &'a Trace,
    sections: Sections,
    order: Order,
    has_notified_waits: bool,
}

/// Threads that stop after so many events, and edges.
struct Question {
    stops: [(ThreadId, u32); 2],
    edges: Vec<(EventId, EventId)>,
}

impl<'a> Universal<'a> {
    /// Prepares; the time and memory of one pass over the trace.
    pub fn new(trace: &'a Trace) -> Universal<'a> {
        Universal {
            trace,
            sections: Sections::new(trace),
            order: Order::new(trace, Relations::SYNCHRONISATION),
            has_notified_waits: trace.waits().iter().any(|wait| wait.notify.is_some()),
        }
    }

    /// False if the constraints rule a property out.
    pub fn allows(&self, property: Property, by: Constraints, algorithm: Algorithm) -> bool {
        match (algorithm, property) {
            (Algorithm::AsWritten, _) => as_written(self.trace, property, by).is_acyclic,
            (_, Property::Race { first, second }) => self.allows_race(first, second, by),
            (_, Property::Atomicity { first, remote, second }) => {
                self.allows_atomicity(first, remote, second, by)
            }
        }
    }

    /// True if the threads as a whole, with these edges, have an acyclic graph by U1 and U5.
    pub fn is_acyclic(&self, edges: &[(EventId, EventId)], by: Constraints) -> bool {
        let pieces = Pieces::whole(self.trace);
        self.close(pieces, edges, by) == Closure::Closed
    }

    /// Where the graph of a property begins: per thread, how many events come before it (U6). None
    /// if an event that is needed comes behind a stop.
    pub fn barrier(&self, property: Property) -> Option<Vec<u32>> {
        let question = match property {
            Property::Race { first, second } => self.race(first, second),
            Property::Atomicity { first, remote, second } => {
                let n = self.trace.position(remote) + 1;
                self.atomicity(first, remote, second, n)
            }
        };
        let cut = self.needed(&question, Constraints::BOTH)?;
        Some(self.pieces(&cut, &question, Constraints::BOTH).starts)
    }

    /// U2.
    fn race(&self, first: EventId, second: EventId) -> Question {
        let stop = |e| (self.trace.thread(e), self.trace.position(e));
        Question { stops: [stop(first), stop(second)], edges: Vec::new() }
    }

    /// U3; the remote thread stops after `n` events.
    fn atomicity(&self, first: EventId, remote: EventId, second: EventId, n: u32) -> Question {
        let local = (self.trace.thread(second), self.trace.position(second) + 1);
        let stops = [local, (self.trace.thread(remote), n)];
        Question { stops, edges: vec![(first, remote), (remote, second)] }
    }

    fn allows_race(&self, first: EventId, second: EventId, by: Constraints) -> bool {
        let question = self.race(first, second);
        if !by.locks {
            return self.needed(&question, by).is_some();
        }
        self.allows_question(&question, by)
    }

    fn allows_atomicity(
        &self,
        first: EventId,
        remote: EventId,
        second: EventId,
        by: Constraints,
    ) -> bool {
        let (trace, thread) = (self.trace, self.trace.thread(remote));
        let mut n = trace.position(remote) + 1;
        if by.synchronisation {
            n = n.max(self.order.cut(trace, second).len(thread));
        }
        loop {
            if self.allows_question(&self.atomicity(first, remote, second, n), by) {
                return true;
            }
            if !by.locks || self.sections.open(trace, thread, n).next().is_none() {
                return false;
            }
            let rest = &trace.thread_events(thread)[n as usize..];
            let release = rest.iter().find(|&&e| trace.code(e).kind() == Kind::Release);
            let Some(&release) = release else { return false };
            n = trace.position(release) + 1;
        }
    }

    /// U4: adds what is needed until the graph closes.
    fn allows_question(&self, question: &Question, by: Constraints) -> bool {
        let Some(mut cut) = self.needed(question, by) else { return false };
        loop {
            let pieces = self.pieces(&cut, question, by);
            match self.close(pieces, &question.edges, by) {
                Closure::Closed => return true,
                Closure::Cyclic => return false,
                Closure::Missing(section) => {
                    let stops = question.stops.iter().any(|&(t, _)| t == section.thread);
                    if stops || section.release == NEVER {
                        return false;
                    }
                    self.order.take_in(self.trace, section.end(self.trace), &mut cut);
                    if question.stops.iter().any(|&(t, n)| cut.len(t) > n) {
                        return false;
                    }
                }
            }
        }
    }

    /// What is needed for the threads to get to their stops; none if that is more than they allow.
    fn needed(&self, question: &Question, by: Constraints) -> Option<Cut> {
        let trace = self.trace;
        let mut cut = Cut::empty(trace.n_threads());
        for &(thread, n) in &question.stops {
            cut.extend(thread, n);
            if by.synchronisation {
                let last = n.checked_sub(1).map(|at| trace.thread_events(thread)[at as usize]);
                let last = last.or_else(|| trace.fork_of(thread));
                last.into_iter().for_each(|last| self.order.take_in(trace, last, &mut cut));
            }
        }
        question.stops.iter().all(|&(thread, n)| cut.len(thread) == n).then_some(cut)
    }

    fn close(&self, pieces: Pieces, edges: &[(EventId, EventId)], by: Constraints) -> Closure {
        let is_endpoint = |e: EventId| edges.iter().any(|&(a, b)| a == e || b == e);
        let keep = |e: EventId| {
            !self.trace.code(e).is_access() || self.is_first_or_last(e) || is_endpoint(e)
        };
        let mut graph = Graph::new(self.trace, &self.sections, pieces, keep);
        if by.synchronisation {
            graph.synchronise();
        }
        edges.iter().for_each(|&(before, after)| graph.add(before, after));
        graph.close(by.locks)
    }

    /// True if fork or join is about an event.
    fn is_first_or_last(&self, e: EventId) -> bool {
        let events = self.trace.thread_events(self.trace.thread(e));
        events.first() == Some(&e) || events.last() == Some(&e)
    }

    pub(super) fn sections(&self) -> &Sections {
        &self.sections
    }

    pub(super) fn order(&self) -> &Order {
        &self.order
    }

    pub(super) fn has_notified_waits(&self) -> bool {
        self.has_notified_waits
    }
}
