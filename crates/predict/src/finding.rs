//! Findings: what was predicted, in the words of reports.
//!
//! In: a prediction with its witness, and its trace. Out: a [`Finding`] that speaks of positions in
//! the input, whatever reading or repairing did to the events.

mod read;
mod violation;
mod wakeup;
mod witness;

use raddle_finding::{Finding, Location, Object, ObjectKind, Property, Site, Verdict};
use raddle_trace::{EventId, Kind, Trace};

use crate::deadlock::Deadlock;
use crate::race::Race;
use witness::witness;

impl Race {
    /// The race as a finding, with positions of the input.
    pub fn finding(&self, trace: &Trace) -> Finding {
        let (first, second) = (self.first, self.second);
        let (one, other) = (act(trace, first, None), act(trace, second, Some(first)));
        let message = format!("{one} and {other} race");
        let sites = vec![site(trace, "first access", first), site(trace, "second access", second)];
        let objects = variables(trace, &[first, second]);
        let mut finding = Finding::new(Property::Race, Verdict::Witnessed, message, sites, objects);
        finding.events = positions(trace, &[first, second]);
        finding.threads = threads(trace, &[first, second]);
        finding.witness = Some(witness(trace, &self.witness));
        finding
    }
}

impl Deadlock {
    /// The deadlock as a finding, with positions of the input.
    pub fn finding(&self, trace: &Trace) -> Finding {
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
}

/// What an access does: `read of x by T1`, or `read of it by T1` if it is that of another access.
fn act(trace: &Trace, access: EventId, same_as: Option<EventId>) -> String {
    let name = variable(trace, access);
    let name = if same_as.is_some_and(|e| variable(trace, e) == name) { "it" } else { name };
    format!("{} of {name} by {}", verb(trace, access), thread(trace, access))
}

fn verb(trace: &Trace, access: EventId) -> &'static str {
    match trace.code(access).kind() {
        Kind::Read => "read",
        Kind::Write => "write",
        _ => "read-modify-write",
    }
}

fn thread(trace: &Trace, event: EventId) -> &str {
    trace.tables.thread(trace.thread(event))
}

/// The threads of some events, each once.
fn threads(trace: &Trace, events: &[EventId]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for &event in events {
        let name = thread(trace, event);
        if !names.iter().any(|known| known == name) {
            names.push(name.to_owned());
        }
    }
    names
}

fn lock(trace: &Trace, acquire: EventId) -> &str {
    let (_, lock) = trace.op(acquire).encode();
    trace.tables.locks.get(lock).unwrap_or("?")
}

fn variable(trace: &Trace, access: EventId) -> &str {
    let (_, var) = trace.op(access).encode();
    trace.tables.variables.get(var).unwrap_or("?")
}

/// The variables of some accesses, each once; there are several where accesses overlap in part.
fn variables(trace: &Trace, accesses: &[EventId]) -> Vec<Object> {
    let mut objects: Vec<Object> = Vec::new();
    for &access in accesses {
        let object = Object::new(ObjectKind::Variable, variable(trace, access));
        if !objects.contains(&object) {
            objects.push(object);
        }
    }
    objects
}

fn location(trace: &Trace, event: EventId) -> Option<&str> {
    trace.location(event).and_then(|l| trace.tables.locations.get(l.0))
}

fn site(trace: &Trace, role: &str, event: EventId) -> Site {
    let place = location(trace, event).map_or_else(Location::unknown, Location::parse);
    let mut site = Site::new(role, place).by_thread(thread(trace, event));
    site.event = position(trace, event);
    site
}

fn position(trace: &Trace, event: EventId) -> Option<i64> {
    trace.source.position(event).map(i64::from)
}

fn positions(trace: &Trace, events: &[EventId]) -> Vec<i64> {
    events.iter().filter_map(|&e| position(trace, e)).collect()
}
