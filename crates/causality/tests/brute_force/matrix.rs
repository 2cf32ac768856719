//! An order as a matrix: per event, the set of events before it.

use raddle_trace::{EventId, ThreadId, Trace};

use crate::rules::{Set, before, events, has, seen, set};

/// Per event, what comes before it.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Matrix(Vec<Set>);

impl Matrix {
    /// Edges E1 to E6 and the order of each thread, closed. Reads that `keeps` leaves out may read anything.
    pub(crate) fn new(trace: &Trace, keeps: impl Fn(EventId) -> bool) -> Matrix {
        let direct = |e: EventId| {
            let writers = seen(trace, e).into_iter().filter_map(|(_, writer)| writer);
            let notify = trace.waker(e);
            before(trace, e) | set(notify) | set(writers.filter(|_| keeps(e)))
        };
        let mut matrix = Matrix(events(trace).map(direct).collect());
        matrix.close();
        matrix
    }

    /// Warshall's algorithm.
    pub(crate) fn close(&mut self) {
        for middle in 0..self.0.len() {
            for after in 0..self.0.len() {
                if self.0[after] >> middle & 1 == 1 {
                    self.0[after] |= self.0[middle];
                }
            }
        }
    }

    pub(crate) fn past(&self, e: EventId) -> Set {
        self.0[e.index()]
    }

    pub(crate) fn has(&self, before: EventId, after: EventId) -> bool {
        has(self.past(after), before)
    }

    /// True if that is new; the matrix is not closed then.
    pub(crate) fn add(&mut self, before: EventId, after: EventId) -> bool {
        let is_new = !self.has(before, after);
        self.0[after.index()] |= set([before]);
        is_new
    }

    pub(crate) fn has_cycle(&self) -> bool {
        self.0.iter().enumerate().any(|(e, past)| past >> e & 1 == 1)
    }

    /// Rule R of the order, in rounds: what begins before an event inside an excluding scope ends before it.
    pub(crate) fn exclude(&mut self, trace: &Trace) {
        loop {
            let mut more = false;
            for (scope, other) in crate::naive::excluding(trace) {
                let Some(release) = other.release() else { continue };
                for &inside in inside(trace, scope) {
                    if self.has(other.acquire, inside) {
                        more |= self.add(release, inside);
                    }
                }
            }
            if !more {
                return;
            }
            self.close();
        }
    }
}

/// The events from an acquire up to its release, that not included.
pub(crate) fn inside<'t>(trace: &'t Trace, scope: &raddle_trace::Scope) -> &'t [EventId] {
    let own = trace.thread_events(scope.thread);
    let start = own.partition_point(|&e| e < scope.acquire);
    let end = scope.release().map_or(own.len(), |release| own.partition_point(|&e| e < release));
    &own[start..end]
}

/// How many events of a thread are in a set.
pub(crate) fn count(trace: &Trace, set: Set, thread: ThreadId) -> u32 {
    trace.thread_events(thread).iter().filter(|&&e| has(set, e)).count() as u32
}

pub(crate) fn threads(trace: &Trace) -> impl Iterator<Item = ThreadId> + use<> {
    (0..trace.n_threads() as u32).map(ThreadId)
}
