//! Replay: takes a sequence of events step by step and stops at the first that cannot happen.

use raddle_trace::{EventId, LockId, LockMode, ThreadId, Trace};

use crate::history::History;
use crate::objection::{Breach, Objection};
use crate::sync::Sync;
use crate::views::Views;

/// A reordering of a trace, and the state at its end.
pub(crate) struct Replay<'a> {
    pub(crate) trace: &'a Trace,
    pub(crate) witness: &'a [EventId],
    history: History<'a>,
    sync: Sync<'a>,
    views: Views<'a>,
}

impl<'a> Replay<'a> {
    /// Takes every step of the witness, or says which one is against the rules.
    pub(crate) fn run(
        trace: &'a Trace,
        witness: &'a [EventId],
        free: &[EventId],
    ) -> Result<Self, Objection> {
        let mut replay = Replay {
            trace,
            witness,
            history: History::new(trace),
            sync: Sync::new(trace, witness),
            views: Views::new(trace, free),
        };
        for (place, &event) in witness.iter().enumerate() {
            replay.step(event, place).map_err(|Breach { rule, reason }| Objection::Step {
                rule,
                event,
                place,
                reason,
            })?;
        }
        Ok(replay)
    }

    /// Where an event happened, if it did.
    pub(crate) fn place(&self, event: EventId) -> Option<usize> {
        self.history.place(event)
    }

    /// The next event of a thread.
    pub(crate) fn next(&self, thread: ThreadId) -> Option<EventId> {
        self.history.rest(thread).first().copied()
    }

    /// The events of a thread that have not happened.
    pub(crate) fn rest(&self, thread: ThreadId) -> &'a [EventId] {
        self.history.rest(thread)
    }

    /// Whether a thread holds a lock so that nobody can take it in this mode.
    pub(crate) fn excludes(&self, thread: ThreadId, lock: LockId, mode: LockMode) -> bool {
        self.sync.excludes(thread, lock, mode)
    }

    fn step(&mut self, event: EventId, place: usize) -> Result<(), Breach> {
        self.history.check(event)?;
        self.sync.check(event, &self.history)?;
        self.views.check(event)?;
        self.history.commit(event, place);
        self.sync.commit(event);
        self.views.commit(event);
        Ok(())
    }
}
