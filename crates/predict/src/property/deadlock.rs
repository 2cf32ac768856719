//! Deadlocks by locks, as a property.

use raddle_finding::{Finding, Object, ObjectKind, Property, Verdict};
use raddle_trace::{EventId, LockId, Sequence, Trace};
use serde_json::{Value, json};

use super::{location, lock, position, positions, site, thread, threads, witness};
use crate::analysis::{Analysis, Goal, Prediction, Results, Scope};
use crate::causes::Causes;
use crate::deadlock::{Deadlock, Deadlocks, LockCycles, NOT_COVERED, deadlock_query, deadlocks};
use crate::jobs::Job;
use crate::query::Query;
use crate::refused::Refused;

impl Analysis for LockCycles {
    fn property(&self) -> Property {
        Property::Deadlock
    }

    fn unsupported(&self, trace: &Trace, _scope: Scope) -> Option<&'static str> {
        trace.scopes().is_empty().then_some("no locks are taken")
    }

    fn run(&self, causes: &Causes, scope: Scope, job: Job) -> Result<Box<dyn Results>, Refused> {
        let mut found = deadlocks(causes, scope.all, job)?;
        found.deadlocks.sort_by(|a, b| a.blocked.cmp(&b.blocked));
        Ok(Box::new(found))
    }
}

impl Results for Deadlocks {
    fn predictions(&self) -> Box<dyn Iterator<Item = &dyn Prediction> + '_> {
        Box::new(self.deadlocks.iter().map(|deadlock| deadlock as &dyn Prediction))
    }

    fn n_predictions(&self) -> usize {
        self.deadlocks.len()
    }

    fn n_unknown(&self) -> u64 {
        self.n_unknown
    }

    fn is_complete(&self) -> bool {
        self.is_complete
    }

    fn counts(&self, trace: &Trace, scope: Scope) -> Value {
        let hidden = trace.repairs().iter().filter(|repair| repair.hides_wait);
        let hidden: Vec<_> = hidden.filter_map(|repair| repair.place.position).collect();
        json!({
            "candidates": self.n_cycles,
            "asked": self.n_asked,
            "witnessed": self.deadlocks.len(),
            "one_per": if scope.all { "cycle of waits" } else { "cycle of locations" },
            "unknown": self.n_unknown,
            "possible": self.possible.iter().map(|blocked| possible(trace, blocked)).collect::<Vec<_>>(),
            "possible_complete": self.are_all_possible,
            "covers": ["lock-cycles"],
            "not_covered": NOT_COVERED,
            "hidden_by_repairs": hidden,
            "complete": self.is_complete,
        })
    }
}

impl Prediction for Deadlock {
    fn property(&self) -> Property {
        Property::Deadlock
    }

    fn finding(&self, trace: &Trace) -> Finding {
        let blocked = &self.blocked;
        let waits =
            blocked.iter().map(|&e| format!("{} waits for {}", thread(trace, e), lock(trace, e)));
        let message = waits.collect::<Vec<_>>().join(", ");
        let sites =
            blocked.iter().map(|&e| site(trace, &format!("waits for {}", lock(trace, e)), e));
        let objects = blocked.iter().map(|&e| Object::new(ObjectKind::Lock, lock(trace, e)));
        let (sites, objects) = (sites.collect(), objects.collect());
        let mut finding =
            Finding::new(Property::Deadlock, Verdict::Witnessed, message, sites, objects);
        finding.events = positions(trace, blocked);
        finding.threads = threads(trace, blocked);
        finding.witness = Some(witness(trace, &self.witness));
        finding
    }

    fn witness(&self) -> &Sequence {
        &self.witness
    }

    fn goal(&self) -> Goal {
        Goal::Block(self.blocked.clone())
    }

    fn decisive(&self, _trace: &Trace) -> Vec<EventId> {
        self.blocked.clone()
    }

    fn query(&self, trace: &Trace) -> Option<Query> {
        Some(deadlock_query(trace, &self.blocked))
    }

    /// Who holds the locks that threads wait for.
    fn why(&self, trace: &Trace) -> Vec<String> {
        let holders = self.blocked.iter().cycle().skip(1);
        let pairs = self.blocked.iter().zip(holders);
        pairs.filter_map(|(&wait, &holder)| held(trace, wait, holder)).collect()
    }
}

/// The waits of a cycle that no reordering closes.
fn possible(trace: &Trace, blocked: &[EventId]) -> Value {
    let wait = |&event: &EventId| {
        json!({
            "thread": thread(trace, event),
            "lock": lock(trace, event),
            "location": location(trace, event),
            "event": position(trace, event),
        })
    };
    blocked.iter().map(wait).collect()
}

/// Since when the thread of an event has the lock that another one waits for.
fn held(trace: &Trace, wait: EventId, holder: EventId) -> Option<String> {
    let (_, id) = trace.op(wait).encode();
    let since = held_since(trace, LockId(id), holder)?;
    let since = location(trace, since).map_or(String::new(), |place| format!(" since {place}"));
    Some(format!("{} is held by {}{since}", lock(trace, wait), thread(trace, holder)))
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
