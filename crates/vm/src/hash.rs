//! The hash of a run: equal runs have equal ones.

use std::hash::{Hash, Hasher};

use xxhash_rust::xxh3::Xxh3;

use crate::observe::{Event, Observer};

/// Hashes what a run does: who did what where, with which values, in which order.
#[derive(Clone, Default)]
pub struct EventHash {
    hasher: Xxh3,
    n_events: u64,
}

impl EventHash {
    /// The hash of the events so far.
    pub fn value(&self) -> u64 {
        let mut hasher = self.hasher.clone();
        self.n_events.hash(&mut hasher);
        hasher.finish()
    }
}

impl Observer for EventHash {
    fn event(&mut self, event: &Event<'_>) {
        self.n_events += 1;
        (event.thread, event.site, event.what).hash(&mut self.hasher);
    }
}

impl<A: Observer, B: Observer> Observer for (A, B) {
    const EVENTS: bool = A::EVENTS || B::EVENTS;
    const FLOW: bool = A::FLOW || B::FLOW;

    fn event(&mut self, event: &Event<'_>) {
        self.0.event(event);
        self.1.event(event);
    }

    fn transition(&mut self, transition: &crate::observe::Transition<'_>) {
        self.0.transition(transition);
        self.1.transition(transition);
    }
}
