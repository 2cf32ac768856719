//! History: what has happened so far in a sequence, and rule P.
//!
//! - P (prefixes): an event is the next one of its thread. So it is an event of the trace, happens
//!   at most once, and after all that its thread did before it.

use std::cmp::Ordering;

use raddle_trace::{EventId, ThreadId, Trace};

use crate::objection::{Breach, Rule};
use crate::prefix::Prefix;

/// The events that have happened and their places.
pub(crate) struct History<'a> {
    trace: &'a Trace,
    prefix: Prefix<'a>,
    /// Per thread, how it has gone on behind the prefix.
    threads: Vec<Option<Steps>>,
}

/// What a thread did behind the prefix.
struct Steps {
    /// How many of its events the prefix has.
    n_before: usize,
    /// Where its next events happened.
    places: Vec<usize>,
}

impl<'a> History<'a> {
    pub(crate) fn new(trace: &'a Trace, prefix: Prefix<'a>) -> Self {
        let threads = (0..trace.n_threads()).map(|_| None).collect();
        History { trace, prefix, threads }
    }

    /// Where an event happened.
    pub(crate) fn place(&self, event: EventId) -> Option<usize> {
        if self.prefix.has(event) {
            return Some(event.index());
        }
        let steps = self.threads[self.trace.thread(event).index()].as_ref()?;
        let at = (self.trace.position(event) as usize).checked_sub(steps.n_before)?;
        steps.places.get(at).copied()
    }

    pub(crate) fn has(&self, event: EventId) -> bool {
        self.place(event).is_some()
    }

    /// The events of a thread that have not happened.
    pub(crate) fn rest(&self, thread: ThreadId) -> &'a [EventId] {
        let n_happened = match &self.threads[thread.index()] {
            Some(steps) => steps.n_before + steps.places.len(),
            None => self.prefix.n_happened(thread),
        };
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
        let n_before = self.trace.position(event) as usize;
        let steps = &mut self.threads[self.trace.thread(event).index()];
        steps.get_or_insert_with(|| Steps { n_before, places: Vec::new() }).places.push(place);
    }
}
