//! Matches waits with the notifies that ended them.
//!
//! In: events as the lines have them. A wait is logged as `rel(m) wait(m) … [req(m)] acq(m)`.
//! Out: events in which the wait stands before the release (the two are one atomic step: no notify
//! can come between them and be missed), and a wake-up after the re-acquire.
//!
//! - The wake-up is matched with the *last* notify of the same object, by another thread, between
//!   the `wait` and the re-acquire.
//! - A wake-up that has no such notify keeps none; the check of the trace says so (rule W3).
//! - A `wait` that does not follow a release of its thread stays where it is, as does a
//!   `wait.pre` of Raddle's own dialect; its explicit `wake` is matched by the same rule, and
//!   `wake.2` with the last notify but one, and so on.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::edit::{Edits, Insertion};
use crate::events::{Event, Events};
use crate::id::{CondId, EventId, LockId};
use crate::op::{Op, WakeReason};

/// What Raddle's own dialect says beyond the usual.
#[derive(Default)]
pub(super) struct Explicit {
    /// Waits that stand where they belong, before the release.
    pub waits: FxHashSet<EventId>,
    /// Wake-ups by the n-th last notify.
    pub wakes: FxHashMap<EventId, usize>,
}

/// A wait that is under way in one thread.
#[derive(Clone, Copy)]
struct Pending {
    cond: CondId,
    wait: EventId,
    /// The lock that was released for it.
    lock: Option<LockId>,
    /// The re-acquire, once it happened.
    acquire: Option<EventId>,
}

pub(super) fn settle(mut events: Events, explicit: &Explicit) -> Events {
    if !events.iter().any(|e| matches!(e.op, Op::Wait { .. } | Op::Wake { .. })) {
        return events;
    }
    let mut matcher = Matcher {
        events: &events,
        explicit,
        pending: vec![None; events.tables.threads.len()],
        last: vec![None; events.tables.threads.len()],
        notifies: vec![Vec::new(); events.tables.conditions.len()],
        edits: Edits::default(),
        links: Vec::new(),
    };
    for event in events.iter() {
        matcher.event(event);
    }
    for thread in 0..matcher.pending.len() {
        matcher.finish(thread);
    }
    let Matcher { edits, links, .. } = matcher;
    for (wake, notify) in links {
        events.set_waker(wake, notify);
    }
    edits.apply(events)
}

struct Matcher<'a> {
    events: &'a Events,
    explicit: &'a Explicit,
    pending: Vec<Option<Pending>>,
    /// Per thread, its last event.
    last: Vec<Option<Event>>,
    /// Per condition, its notifies so far.
    notifies: Vec<Vec<EventId>>,
    edits: Edits,
    links: Vec<(EventId, EventId)>,
}

impl Matcher<'_> {
    fn event(&mut self, event: Event) {
        let thread = event.thread.index();
        match event.op {
            Op::Wake { cond, reason } => self.explicit_wake(event, cond, reason),
            _ if self.pending[thread].is_some_and(|p| p.acquire.is_some()) => self.finish(thread),
            _ => {}
        }
        match event.op {
            Op::Wait { cond } => self.wait(event, cond),
            Op::Acquire { lock, .. } => {
                if let Some(pending) = &mut self.pending[thread] {
                    pending.acquire = (pending.lock == Some(lock)).then_some(event.id);
                }
            }
            Op::Notify { cond } | Op::NotifyAll { cond } => {
                self.notifies[cond.index()].push(event.id);
            }
            _ => {}
        }
        self.last[thread] = Some(event);
    }

    fn wait(&mut self, event: Event, cond: CondId) {
        let thread = event.thread.index();
        let release = self.last[thread].and_then(|last| match last.op {
            Op::Release { lock, .. } if !self.explicit.waits.contains(&event.id) => {
                Some((last.id, lock))
            }
            _ => None,
        });
        if let Some((release, _)) = release {
            self.edits.relocate(self.events, event.id, release);
        }
        let lock = release.map(|(_, lock)| lock);
        self.pending[thread] = Some(Pending { cond, wait: event.id, lock, acquire: None });
    }

    fn explicit_wake(&mut self, event: Event, cond: CondId, reason: WakeReason) {
        let pending = self.pending[event.thread.index()].take();
        if let Some(pending) = pending.filter(|p| p.cond == cond && reason == WakeReason::Notified)
        {
            let rank = self.explicit.wakes.get(&event.id).copied().unwrap_or(1);
            let notify = self.notify(pending, event.id, rank);
            self.links.extend(notify.map(|notify| (event.id, notify)));
        }
    }

    /// Adds the wake-up of a wait whose lock was taken back, if it was.
    fn finish(&mut self, thread: usize) {
        let Some(pending) = self.pending[thread].take() else { return };
        let Some(acquire) = pending.acquire else { return };
        let Event { thread, location, .. } = self.events.event(acquire);
        self.edits.insert(Insertion {
            before: EventId(acquire.0 + 1),
            thread,
            op: Op::Wake { cond: pending.cond, reason: WakeReason::Notified },
            location,
            origin: Some(acquire),
            waker: self.notify(pending, acquire, 1),
        });
    }

    /// The last notify by another thread between the wait and `until`, or the n-th last.
    fn notify(&self, pending: Pending, until: EventId, rank: usize) -> Option<EventId> {
        let me = self.events.thread(pending.wait);
        let notifies = self.notifies[pending.cond.index()].iter().rev().copied();
        notifies
            .take_while(|&n| n > pending.wait)
            .filter(|&n| n < until && self.events.thread(n) != me)
            .nth(rank - 1)
    }
}
