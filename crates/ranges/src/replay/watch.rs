//! What is seen of a run: events of threads, values of globals, a line that is waited for.

use raddle_vm::{Event, Observer, Transition, What};
use rustc_hash::FxHashMap;

use crate::ctp::Line;
use crate::origin::Origins;
use crate::record::line;

/// Counts events and looks at what matters for a query.
#[derive(Default)]
pub(super) struct Watch {
    pub(super) n_events: FxHashMap<u32, u32>,
    pub(super) origins: Origins,
    /// The last values of some globals, by their names.
    pub(super) watched: FxHashMap<String, Option<u64>>,
    /// The line that a thread is waited for at behind so many events, and whether it came there.
    pub(super) awaited: Option<(u32, u32, Line)>,
    pub(super) arrived: bool,
}

impl Observer for Watch {
    const FLOW: bool = true;

    fn event(&mut self, event: &Event<'_>) {
        // Whether a thread asks in vain depends on the others.
        if !matches!(event.what, What::Request { .. }) {
            *self.n_events.entry(event.thread).or_default() += 1;
        }
        if let What::Fork { child } = event.what {
            self.origins.fork(event, child);
        }
        if let What::Write { object, offset, size, value: value @ Some(_), .. }
        | What::Rmw { object, offset, size, value: value @ Some(_), .. } = event.what
            && !self.watched.is_empty()
        {
            let name = event.view.name(object, offset, size);
            if let Some(known) = self.watched.get_mut(&name) {
                *known = value;
            }
        }
    }

    fn transition(&mut self, t: &Transition<'_>) {
        if let Some((thread, n_events, awaited)) = &self.awaited
            && t.thread == *thread
            && self.n_events.get(thread).copied().unwrap_or(0) >= *n_events
        {
            self.arrived |= line(t.view.program(), t.site).as_ref() == Some(awaited);
        }
    }
}
