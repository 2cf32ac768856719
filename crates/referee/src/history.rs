//! History: what has happened so far in a sequence, and rule P.
//!
//! - P (prefixes): an event is the next one of its thread. So it is an event of the trace, happens
//!   at most once, and after all that its thread did before it.

use std::cmp::Ordering;

use raddle_trace::{EventId, ThreadId, Trace};
use rustc_hash::FxHashMap;

use crate::objection::{Breach, Rule};
use crate::prefix::Prefix;

/// The events that have happened and their places.
pub(crate) struct History<'a> {
    trace: &'a Trace,
    prefix: Prefix<'a>,
    /// Per event behind the prefix, where it happened.
    places: FxHashMap<EventId, usize>,
    /// Per thread that has gone on behind the prefix, how many of its events have happened.
    n_happened: FxHashMap<ThreadId, usize>,
}

impl<'a> History<'a> {
    pub(crate) fn new(trace: &'a Trace, prefix: Prefix<'a>) -> Self {
        let (places, n_happened) = (FxHashMap::default(), FxHashMap::default());
        History { trace, prefix, places, n_happened }
    }

    /// Where an event happened.
    pub(crate) fn place(&self, event: EventId) -> Option<usize> {
        if self.prefix.has(event) {
            return Some(event.index());
        }
        self.places.get(&event).copied()
    }

    pub(crate) fn has(&self, event: EventId) -> bool {
        self.place(event).is_some()
    }

    /// The events of a thread that have not happened.
    pub(crate) fn rest(&self, thread: ThreadId) -> &'a [EventId] {
        let n_happened = self.n_happened.get(&thread).copied();
        let n_happened = n_happened.unwrap_or_else(|| self.prefix.n_happened(thread));
        &self.trace.thread_events(thread)[n_happened..]
    }

    /// Of these ascending events, those that the prefix does not have.
    pub(crate) fn behind_prefix<'e>(&self, events: &'e [EventId]) -> &'e [EventId] {
        &events[self.prefix.n_of(events)..]
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
        let thread = self.trace.thread(event);
        let so_far = || self.prefix.n_happened(thread);
        *self.n_happened.entry(thread).or_insert_with(so_far) += 1;
    }
}
