//! Replay: takes a sequence of events step by step and stops at the first that cannot happen.

use raddle_trace::{EventId, LockId, LockMode, Sequence, ThreadId, Trace};

use crate::history::History;
use crate::objection::{Breach, Objection};
use crate::prefix::Prefix;
use crate::sync::Sync;
use crate::views::Views;

/// A reordering of a trace, and the state at its end.
pub(crate) struct Replay<'a> {
    pub(crate) trace: &'a Trace,
    history: History<'a>,
    sync: Sync<'a>,
    views: Views<'a>,
}

impl<'a> Replay<'a> {
    /// Takes every step of the witness behind its first `n_believed`, or says which one is against
    /// the rules. Those first ones are believed only as far as they are the first of the trace.
    pub(crate) fn run(
        trace: &'a Trace,
        witness: &Sequence,
        free: &[EventId],
        n_believed: u32,
    ) -> Result<Self, Objection> {
        let prefix = Prefix::new(trace, n_believed.min(witness.prefix()));
        let steps = || witness.iter_from(prefix.len());
        let mut replay = Replay {
            trace,
            history: History::new(trace, prefix),
            sync: Sync::new(trace, prefix, steps()),
            views: Views::new(trace, prefix, free),
        };
        for (place, event) in (prefix.len()..).zip(steps()) {
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

    /// Of these ascending events, those that the witness does not begin with in the observed order.
    pub(crate) fn behind_prefix<'e>(&self, events: &'e [EventId]) -> &'e [EventId] {
        self.history.behind_prefix(events)
    }

    /// Whether a thread holds a lock so that no other can take it in this mode.
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
