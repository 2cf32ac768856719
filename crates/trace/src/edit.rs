//! Edits: a sparse list of changes to a trace, applied in one pass.
//!
//! Readers and the normaliser do not change events in place: they note what to drop, change,
//! move and add, so that a ten-million-event trace with three repairs is copied once.

use crate::events::{Event, Events};
use crate::id::{EventId, LocationId, ThreadId};
use crate::op::Op;

/// Changes to a trace. Every list refers to the event numbers before the changes.
#[derive(Debug, Default)]
pub(crate) struct Edits {
    drops: Vec<EventId>,
    changes: Vec<(EventId, Op)>,
    insertions: Vec<Insertion>,
}

/// An event to add, or to add again in another place.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Insertion {
    /// The event that will follow; the length of the trace for the end.
    pub before: EventId,
    pub thread: ThreadId,
    pub op: Op,
    pub location: Option<LocationId>,
    /// The event of the input that this one stands for.
    pub origin: Option<EventId>,
    /// For a wake-up: the notify that caused it.
    pub waker: Option<EventId>,
}

impl Edits {
    pub(crate) fn is_empty(&self) -> bool {
        self.drops.is_empty() && self.changes.is_empty() && self.insertions.is_empty()
    }

    pub(crate) fn drop(&mut self, event: EventId) {
        self.drops.push(event);
    }

    pub(crate) fn change(&mut self, event: EventId, op: Op) {
        self.changes.push((event, op));
    }

    pub(crate) fn insert(&mut self, insertion: Insertion) {
        self.insertions.push(insertion);
    }

    /// Puts an event in another place, earlier or later.
    pub(crate) fn relocate(&mut self, events: &Events, event: EventId, before: EventId) {
        let Event { thread, op, location, .. } = events.event(event);
        let waker = events.waker(event);
        self.drop(event);
        self.insert(Insertion { before, thread, op, location, origin: Some(event), waker });
    }

    /// The trace with all changes made. Insertions before one event keep their order.
    pub(crate) fn apply(mut self, events: Events) -> Events {
        if self.is_empty() {
            return events;
        }
        self.drops.sort_unstable();
        self.drops.dedup();
        self.changes.sort_by_key(|&(event, _)| event);
        self.insertions.sort_by_key(|i| i.before);
        self.rebuild(events)
    }

    fn rebuild(self, old: Events) -> Events {
        let mut new = Events { claims: old.claims, ..Events::default() };
        new.reserve(old.len() + self.insertions.len());
        let mut origins = Vec::with_capacity(old.len() + self.insertions.len());
        let mut added_wakers = Vec::new();
        let mut drops = self.drops.iter().peekable();
        let mut changes = self.changes.iter().peekable();
        let mut insertions = self.insertions.iter().peekable();

        for id in (0..=old.len() as u32).map(EventId) {
            while let Some(i) = insertions.next_if(|i| i.before == id) {
                let added = new.push(i.thread, i.op, i.location);
                origins.push(i.origin);
                added_wakers.extend(i.waker.map(|notify| (added, notify)));
            }
            let kept = id.index() < old.len() && drops.next_if_eq(&&id).is_none();
            let copied = kept.then(|| new.copy_from(&old, id));
            origins.extend(copied.map(|_| Some(id)));
            while let Some((_, op)) = changes.next_if(|(changed, _)| *changed == id) {
                if let Some(copied) = copied {
                    (new.codes[copied.index()], new.objects[copied.index()]) = op.encode();
                }
            }
        }
        new.wakers = renumbered(&old, &origins, added_wakers);
        new.source = old.source.rearranged(origins.into_iter());
        new.tables = old.tables;
        new
    }
}

/// The old links in new numbers, with those of the wake-ups that were added.
fn renumbered(
    old: &Events,
    origins: &[Option<EventId>],
    added: Vec<(EventId, EventId)>,
) -> Vec<(EventId, EventId)> {
    if old.wakers.is_empty() && added.is_empty() {
        return Vec::new();
    }
    let mut new_ids = vec![None; old.len()];
    for (new, origin) in origins.iter().enumerate() {
        if let Some(origin) = origin {
            // An added event may stand for the same event of the input as the one before it.
            new_ids[origin.index()].get_or_insert(EventId(new as u32));
        }
    }
    let kept = old
        .wakers
        .iter()
        .filter_map(|&(wake, notify)| Some((new_ids[wake.index()]?, new_ids[notify.index()]?)));
    let added =
        added.into_iter().filter_map(|(wake, notify)| Some((wake, new_ids[notify.index()]?)));
    let mut wakers: Vec<_> = kept.chain(added).collect();
    wakers.sort_unstable();
    wakers
}
