//! Queries: questions about reorderings of a trace, whatever the property.

use raddle_causality::Edge;
use raddle_trace::{EventId, Sequence, ThreadId};

/// Asks for a reordering with certain events. All threads go only as far as is needed.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Query {
    /// Threads, and how many of their events happen: exactly so many.
    pub stops: Vec<(ThreadId, u32)>,
    /// Events that happen.
    pub needed: Vec<EventId>,
    /// Events that do not happen.
    pub absent: Vec<EventId>,
    /// Pairs of needed events, the first of which comes before the second.
    pub orders: Vec<(EventId, EventId)>,
    /// Reads that may see any write.
    pub free: Vec<EventId>,
    /// A wait, as an index into the waits of the trace, that no notify ends: those that could come
    /// before it, or find another thread to wake.
    pub lost: Option<usize>,
}

/// What there is to say to a query.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Answer {
    /// A reordering that does what was asked.
    Witnessed(Sequence),
    /// There is none.
    Infeasible(Reason),
    /// Not found before the budget ran out.
    Unknown,
}

impl Answer {
    /// The reordering, if there is one.
    pub fn witness(self) -> Option<Sequence> {
        match self {
            Answer::Witnessed(witness) => Some(witness),
            Answer::Infeasible(_) | Answer::Unknown => None,
        }
    }
}

/// Why there is no reordering: the infeasible core.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Reason {
    /// An event that must happen comes behind a point where its thread stops.
    Ordered {
        /// That event.
        event: EventId,
    },
    /// Two threads stop while they hold a lock that only one can hold.
    Locked {
        /// The two acquires.
        acquires: (EventId, EventId),
    },
    /// These orders, with the order of events within threads, make a cycle; or the last one
    /// cannot be at all.
    Cycle(Vec<Edge>),
    /// Every way to get there was tried.
    Exhausted,
}
