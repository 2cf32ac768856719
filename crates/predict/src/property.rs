//! The properties that can be predicted: one file each, with what reports say of its predictions.
//!
//! In: a prediction with its witness, and its trace. Out: a [`Finding`](raddle_finding::Finding) that speaks of
//! positions in the input, whatever reading or repairing did to the events. Here are the words that several properties
//! use.

mod atomicity;
mod deadlock;
mod determinism;
mod lost_wakeup;
mod race;
mod witness;

use raddle_finding::{Location, Object, ObjectKind, Site};
use raddle_trace::{EventId, Kind, Trace};

use witness::witness;

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
