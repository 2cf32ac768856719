//! The events that decide, in a recorded run: the accesses of a race, or what a run ended with.

use raddle_explore::Touch;
use raddle_finding::{Location, Object, ObjectKind, Site};
use raddle_trace::{EventId, Events, Op, Order, ThreadId};

use crate::race::{self, Side};

/// Whether an operation is what one side of a race does.
pub fn does(op: Op, touch: Touch) -> bool {
    match op {
        Op::Read { .. } => matches!(touch, Touch::Read | Touch::AtomicRead),
        Op::Write { .. } => matches!(touch, Touch::Write | Touch::AtomicWrite),
        Op::ReadModifyWrite { .. } => touch == Touch::AtomicWrite,
        Op::Free { .. } => touch == Touch::Free,
        _ => false,
    }
}

/// Whether two operations touch the same memory; what frees an object touches all of it.
pub fn overlap(events: &Events, one: EventId, other: EventId) -> bool {
    let range = |event| match events.op(event) {
        Op::Read { var, .. } | Op::Write { var, .. } | Op::ReadModifyWrite { var, .. } => {
            let range = events.tables.range(var);
            range.map(|r| (r.region, r.offset, r.offset + u64::from(r.size)))
        }
        Op::Free { region } => Some((region.0, 0, u64::MAX)),
        _ => None,
    };
    match (range(one), range(other)) {
        (Some((region, low, high)), Some((other_region, other_low, other_high))) => {
            region == other_region && low < other_high && other_low < high
        }
        // Memory that is accessed in one way only is a name.
        _ => events.op(one).encode().1 == events.op(other).encode().1,
    }
}

/// The place of an event.
pub fn place(events: &Events, event: EventId) -> Option<&str> {
    events.location(event).and_then(|location| events.tables.locations.get(location.0))
}

/// What an event is about.
pub fn object_name(events: &Events, event: EventId) -> Option<&str> {
    let (code, object) = events.op(event).encode();
    events.tables.names(code.kind().class())?.get(object)
}

/// Whether a place, which may have a column, is in a line.
pub fn is_line_of(line: &str, place: &str) -> bool {
    place == line || place.rsplit_once(':').is_some_and(|(before, _)| before == line)
}

/// The two accesses and the variable. A trace has no accesses to what one thread alone accesses
/// until another one frees it: of such a race it knows the later half, and `places` the other one.
pub fn sites(
    events: &Events,
    decisive: &[EventId],
    places: &[Location],
) -> (Vec<Site>, Vec<Object>) {
    let role = |event: EventId, position: &str| match events.op(event) {
        Op::Read { .. } => format!("{position} access, reads"),
        Op::Free { .. } => format!("{position} access, frees"),
        _ => format!("{position} access, writes"),
    };
    let site = |(&event, position): (&EventId, &str)| {
        Site::new(role(event, position), place(events, event).unwrap_or("?").into())
            .by_thread(events.tables.thread(events.thread(event)))
    };
    let sites = match decisive {
        [known] => {
            let known = site((known, "second"));
            let other = places.iter().find(|place| !is_line_of(&known.location.name, &place.name));
            let unknown = other.or(places.first()).cloned().unwrap_or_else(Location::unknown);
            vec![Site::new("first access", unknown), known]
        }
        all => all.iter().zip(["first", "second"]).map(site).collect(),
    };
    let is_access = |event: &&EventId| !matches!(events.op(**event), Op::Free { .. });
    let object =
        decisive.iter().rev().find(is_access).map(|&event| {
            Object::new(ObjectKind::Variable, object_name(events, event).unwrap_or("?"))
        });
    (sites, object.into_iter().collect())
}

/// What to say of a race, if both accesses are known.
pub fn race_message(events: &Events, decisive: &[EventId], object: &Object) -> Option<String> {
    let &[first, second] = decisive else { return None };
    let side = |event: EventId| {
        let does = match events.op(event) {
            Op::Read { order: Order::Plain, .. } => "read",
            Op::Write { order: Order::Plain, .. } => "written",
            Op::Read { .. } => "read atomically",
            Op::Free { .. } => "freed",
            _ => "written atomically",
        };
        let thread = events.tables.thread(events.thread(event));
        Some(Side { does, thread, place: place(events, event)? })
    };
    Some(race::message(&object.name, [side(first)?, side(second)?]))
}

/// The assertion that fails, or the locks that are asked for in vain at the end.
pub fn deciding(events: &Events) -> Vec<EventId> {
    let last_of = |thread: ThreadId| {
        (0..events.len() as u32).rev().map(EventId).find(|&e| events.thread(e) == thread)
    };
    let threads = events.tables.threads.len() as u32;
    let decides = |&event: &EventId| {
        matches!(events.op(event), Op::Assert { holds: false } | Op::Request { .. })
    };
    let mut decisive: Vec<_> =
        (0..threads).filter_map(|t| last_of(ThreadId(t))).filter(decides).collect();
    decisive.sort_unstable();
    decisive
}
