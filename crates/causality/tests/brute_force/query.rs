//! Random questions about a trace.

use proptest::prelude::*;
use proptest::sample::Index;
use raddle_trace::{EventId, Trace};

use crate::matrix::{Matrix, threads};
use crate::rules::{Set, events, has, set};

/// What is asked about a trace.
#[derive(Clone, Debug)]
pub(crate) struct Query {
    /// What must happen, with all that the order puts before it.
    pub(crate) must: Set,
    /// Per thread, how many events can happen.
    pub(crate) bounds: Vec<u32>,
    /// A read that may see any write.
    pub(crate) free: Option<EventId>,
    /// Orders between events that must happen.
    pub(crate) asked: Vec<(EventId, EventId)>,
}

impl Query {
    pub(crate) fn is_free(&self, read: EventId) -> bool {
        self.free == Some(read)
    }

    /// What can happen.
    pub(crate) fn may(&self, trace: &Trace) -> Set {
        let within = |&e: &EventId| trace.position(e) < self.bounds[trace.thread(e).index()];
        set(events(trace).filter(within))
    }

    /// How many events of each thread are in a set.
    pub(crate) fn cut(trace: &Trace, events: Set) -> Vec<u32> {
        threads(trace).map(|thread| crate::matrix::count(trace, events, thread)).collect()
    }
}

/// Choices from which a query is made for a trace.
#[derive(Clone, Debug)]
pub(crate) struct Choices {
    needed: Vec<Index>,
    slack: Vec<u32>,
    free: Option<Index>,
    asked: Vec<(Index, Index)>,
    /// Where a window may begin.
    pub(crate) base: Index,
}

impl Choices {
    pub(crate) fn query(&self, trace: &Trace) -> Query {
        let reads: Vec<EventId> = events(trace).filter(|&e| trace.code(e).reads()).collect();
        let free = self.free.filter(|_| !reads.is_empty()).map(|index| *index.get(&reads));
        let mut order = Matrix::new(trace, |read| free != Some(read));
        order.exclude(trace);
        let needed = self.needed.iter().map(|index| EventId(index.index(trace.len()) as u32));
        let must = needed.fold(0, |must, e| must | set([e]) | order.past(e));
        let happen: Vec<EventId> = events(trace).filter(|&e| has(must, e)).collect();
        let asked = self.asked.iter().map(|(one, other)| (*one.get(&happen), *other.get(&happen)));
        let lengths = Query::cut(trace, must).into_iter().zip(&self.slack).zip(threads(trace));
        let bounds = lengths
            .map(|((n, slack), thread)| (n + slack).min(trace.thread_events(thread).len() as u32));
        let asked = asked.filter(|(one, other)| one != other).collect();
        Query { must, bounds: bounds.collect(), free, asked }
    }
}

prop_compose! {
    pub(crate) fn choices()(
        needed in prop::collection::vec(any::<Index>(), 1..4),
        slack in prop::collection::vec(prop_oneof![Just(0u32), Just(2), Just(99)], 4),
        free in prop::option::weighted(0.3, any::<Index>()),
        asked in prop::collection::vec(any::<(Index, Index)>(), 0..3),
        base in any::<Index>(),
    ) -> Choices {
        Choices { needed, slack, free, asked, base }
    }
}
