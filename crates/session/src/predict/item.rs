//! One finding of any property, with what there is to show of it.

use raddle_finding::{Finding, Property};
use raddle_predict::{
    Deadlock, LostWakeup, Query, Race, ReadWitness, Violation, deadlock_query, lost_wakeup_query,
    race_query,
};
use raddle_trace::{EventId, LockId, Sequence, Trace};

/// A finding of any property.
#[derive(Clone, Copy)]
pub enum Item<'a> {
    /// Accesses that race.
    Race(&'a Race),
    /// Something in the middle of what is meant to be atomic.
    Violation(&'a Violation),
    /// Threads that wait for each other.
    Deadlock(&'a Deadlock),
    /// A wait whose notify comes too early.
    LostWakeup(&'a LostWakeup),
    /// A read that can see another write.
    Read(&'a ReadWitness),
}

impl<'a> Item<'a> {
    /// Its property.
    pub fn property(self) -> Property {
        match self {
            Item::Race(_) => Property::Race,
            Item::Violation(_) => Property::Atomicity,
            Item::Deadlock(_) => Property::Deadlock,
            Item::LostWakeup(_) => Property::LostWakeup,
            Item::Read(_) => Property::Determinism,
        }
    }

    /// The finding, as reports have it.
    pub fn finding(self, trace: &Trace) -> Finding {
        match self {
            Item::Race(race) => race.finding(trace),
            Item::Violation(violation) => violation.finding(trace),
            Item::Deadlock(deadlock) => deadlock.finding(trace),
            Item::LostWakeup(lost) => lost.finding(trace),
            Item::Read(read) => read.finding(trace),
        }
    }

    /// The interleaving that shows it.
    pub fn witness(self) -> &'a Sequence {
        match self {
            Item::Race(race) => &race.witness,
            Item::Violation(violation) => &violation.witness,
            Item::Deadlock(deadlock) => &deadlock.witness,
            Item::LostWakeup(lost) => &lost.witness,
            Item::Read(read) => &read.witness,
        }
    }

    /// The question that the witness answers, where one is enough.
    pub(super) fn query(self, trace: &Trace) -> Option<Query> {
        match self {
            Item::Race(race) => Some(race_query(trace, race.first, race.second)),
            Item::Deadlock(deadlock) => Some(deadlock_query(trace, &deadlock.blocked)),
            Item::LostWakeup(lost) => Some(lost_wakeup_query(trace, lost.wait)),
            Item::Violation(_) | Item::Read(_) => None,
        }
    }

    /// The events that are about to happen at the end of the witness.
    pub fn next(self) -> Vec<EventId> {
        match self {
            Item::Race(race) => vec![race.first, race.second],
            Item::Deadlock(deadlock) => deadlock.blocked.clone(),
            _ => Vec::new(),
        }
    }

    /// The events of the claim; those that are not about to happen are in the witness, if at all.
    pub fn decisive(self, trace: &Trace) -> Vec<EventId> {
        match self {
            Item::Violation(violation) => violation.events.into(),
            Item::LostWakeup(lost) => vec![lost.wait, lost.notify],
            Item::Read(read) => read.events().chain(read.seen(trace)).collect(),
            Item::Race(_) | Item::Deadlock(_) => self.next(),
        }
    }

    /// What to say about a site besides where it is: who holds the lock that it waits for.
    pub fn remark(self, trace: &Trace, site: usize) -> Option<String> {
        let Item::Deadlock(Deadlock { blocked, .. }) = self else { return None };
        let next = blocked[(site + 1) % blocked.len()];
        let (_, lock) = trace.op(blocked[site]).encode();
        let holder = trace.tables.thread(trace.thread(next));
        let since = held_since(trace, LockId(lock), next)?;
        let place = trace.location(since).and_then(|l| trace.tables.locations.get(l.0));
        Some(format!("held by {holder}{}", place.map_or(String::new(), |p| format!(" since {p}"))))
    }
}

/// The acquire of a lock that the thread of an event holds right before it.
fn held_since(trace: &Trace, lock: LockId, event: EventId) -> Option<EventId> {
    let scopes = trace.lock_scopes(lock).iter().map(|&scope| trace.scopes()[scope.index()]);
    let mut open = scopes.filter(|scope| {
        scope.thread == trace.thread(event)
            && scope.acquire < event
            && scope.release().is_none_or(|release| release > event)
    });
    open.next().map(|scope| scope.acquire)
}
