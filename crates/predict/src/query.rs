//! Queries: questions about reorderings of a trace, whatever the property.

use raddle_trace::{EventId, ThreadId};

/// Asks for a reordering in which some threads stop at certain points.
///
/// All other threads go as far as is needed.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Query {
    /// Threads, and how many of their events happen: exactly so many.
    pub stops: Vec<(ThreadId, u32)>,
}

/// What there is to say to a query.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Answer {
    /// A reordering that does what was asked.
    Witnessed(Vec<EventId>),
    /// There is none.
    Infeasible(Reason),
    /// Not found before the budget ran out.
    Unknown,
}

/// Why there is no reordering.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
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
    /// Every way to get there was tried.
    Exhausted,
}
