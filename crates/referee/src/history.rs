//! History: what has happened so far in a sequence, and rule P.
//!
//! - P (prefixes): an event is the next one of its thread. So it is an event of the trace, happens
//!   at most once, and after all that its thread did before it.

use std::cmp::Ordering;
use std::collections::HashMap;

use raddle_trace::{EventId, ThreadId, Trace};

use crate::objection::{Breach, Rule};

/// The events that have happened and their places.
pub(crate) struct History<'a> {
    trace: &'a Trace,
    places: HashMap<EventId, usize>,
    n_happened: HashMap<ThreadId, usize>,
}

impl<'a> History<'a> {
    pub(crate) fn new(trace: &'a Trace) -> Self {
        History { trace, places: HashMap::new(), n_happened: HashMap::new() }
    }

    /// Where an event happened.
    pub(crate) fn place(&self, event: EventId) -> Option<usize> {
        self.places.get(&event).copied()
    }

    pub(crate) fn has(&self, event: EventId) -> bool {
        self.places.contains_key(&event)
    }

    /// The events of a thread that have not happened.
    pub(crate) fn rest(&self, thread: ThreadId) -> &'a [EventId] {
        let n_happened = self.n_happened.get(&thread).copied().unwrap_or(0);
        &self.trace.thread_events(thread)[n_happened..]
    }

    /// Rule P.
    pub(crate) fn check(&self, event: EventId) -> Result<(), Breach> {
        Breach::unless(event.index() < self.trace.len(), Rule::P, || {
            format!("the trace has {} events", self.trace.len())
        })?;
        let thread = self.trace.thread(event);
        let name = self.trace.tables.thread(thread);
        match self.rest(thread).first().map(|next| (next, event.cmp(next))) {
            Some((_, Ordering::Equal)) => Ok(()),
            Some((next, Ordering::Greater)) => {
                Breach::unless(false, Rule::P, || format!("{name} has event {} before it", next.0))
            }
            Some((_, Ordering::Less)) | None => {
                Breach::unless(false, Rule::P, || "it has happened already".to_owned())
            }
        }
    }

    pub(crate) fn commit(&mut self, event: EventId, place: usize) {
        self.places.insert(event, place);
        *self.n_happened.entry(self.trace.thread(event)).or_default() += 1;
    }
}
