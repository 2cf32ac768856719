//! The dynamic slice (A′): events that are relevant whatever stands inside `if(*)`.
//!
//! In: a trace. Out: every event that a final write of a focus variable depends on, by data or by
//! control (C1). S1's Lemma 1 says that all of them are relevant for every specification.

use crate::depend::Dependence;
use crate::trace::EventId;

/// A set of events.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Events(Vec<bool>);

impl Events {
    /// None of `n` events.
    pub fn none(n: usize) -> Events {
        Events(vec![false; n])
    }

    /// These of `n` events.
    pub fn of(n: usize, events: impl IntoIterator<Item = EventId>) -> Events {
        let mut all = Events::none(n);
        events.into_iter().for_each(|event| all.0[event.index()] = true);
        all
    }

    /// Whether an event is among them.
    #[inline]
    pub fn has(&self, event: EventId) -> bool {
        self.0[event.index()]
    }

    /// Adds an event; answers whether it is new.
    #[inline]
    pub fn add(&mut self, event: EventId) -> bool {
        !std::mem::replace(&mut self.0[event.index()], true)
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.0.iter().filter(|&&has| has).count()
    }

    /// All of them, in order.
    pub fn iter(&self) -> impl Iterator<Item = EventId> + '_ {
        (0..).map(EventId).zip(&self.0).filter(|(_, has)| **has).map(|(event, _)| event)
    }
}

/// The slice of a trace.
pub fn slice(flow: &Dependence<'_>) -> Events {
    let trace = flow.trace();
    let mut open = flow.results();
    let mut found = Events::of(trace.len(), open.iter().copied());
    while let Some(event) = open.pop() {
        let mut reach = |event| {
            if found.add(event) {
                open.push(event);
            }
        };
        flow.visit(event, &mut reach);
        trace.control(event).into_iter().for_each(&mut reach);
    }
    found
}
