//! What libraries do, shown where the program called them.
//!
//! In: a recorded run with stacks. Out: the same events at places of the program, and which of them are internal to a
//! library. Places are the library's if they are in headers or libraries of the system.
//!
//! - O1: what a library does for the program happens where the program called it.
//! - O2: an access, an allocation or a free that no function of the program called for is left out: how a library
//!   starts a thread is not what the program is about.
//! - O3: so is what a library without lines reads, writes or locks, unless others do the same with it: an unwinder
//!   has its own tables and locks.

use std::collections::BTreeSet;

use raddle_finding::Location;
use raddle_native::recording::Libraries;
use raddle_trace::{EventId, Events, LocationId, LockId, Op, RegionId, StackId, VarId};

/// The events, where the program does them.
pub(super) fn relocated(run: &Events, libraries: &Libraries) -> Events {
    let mut events = run.clone();
    for event in (0..events.len() as u32).map(EventId) {
        if let Some(place) = place(run, libraries, event) {
            events.set_location(event, place); // O1
        }
    }
    events
}

/// Per event, whether it is left out.
pub(super) fn inner(events: &Events, libraries: &Libraries) -> Vec<bool> {
    let all = || (0..events.len() as u32).map(EventId);
    let is_unlined =
        |event: EventId| is_library(events, libraries, event) && !has_line(events, event);
    let known: BTreeSet<Thing> = all()
        .filter(|&event| !is_unlined(event))
        .filter_map(|event| thing(events, event))
        .collect();
    let is_inner = |event: EventId| {
        let thing = thing(events, event);
        let is_lock = matches!(thing, Some(Thing::Lock(_)));
        let is_unknown = thing.is_some_and(|thing| !known.contains(&thing));
        thing.is_some() && !is_lock && place(events, libraries, event).is_none() // O2
            || is_unknown && is_unlined(event) // O3
    };
    all().map(is_inner).collect()
}

/// Where the program does what an event does: there, or where it called what does it. None if no function of it did.
fn place(events: &Events, libraries: &Libraries, event: EventId) -> Option<LocationId> {
    if !is_library(events, libraries, event) {
        return events.location(event);
    }
    let outer = |&stack: &StackId| events.tables.frame(stack)?.caller;
    let place = |stack: StackId| Some(LocationId(events.tables.frame(stack)?.location));
    let places = std::iter::successors(events.stack(event), outer).filter_map(place);
    places.into_iter().find(|place| !libraries.contains(place))
}

fn is_library(events: &Events, libraries: &Libraries, event: EventId) -> bool {
    events.location(event).is_some_and(|place| libraries.contains(&place))
}

fn has_line(events: &Events, event: EventId) -> bool {
    let place = events.location(event).and_then(|place| events.tables.locations.get(place.0));
    place.is_some_and(|place| Location::parse(place).line.is_some())
}

/// What an event is about, if it is left out when that is a library's alone.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Thing {
    Variable(VarId),
    Memory(RegionId),
    Lock(LockId),
}

fn thing(events: &Events, event: EventId) -> Option<Thing> {
    match events.op(event) {
        Op::Read { var, .. } | Op::Write { var, .. } | Op::ReadModifyWrite { var, .. } => {
            Some(Thing::Variable(var))
        }
        Op::Alloc { region } | Op::Free { region } => Some(Thing::Memory(region)),
        Op::Request { lock, .. }
        | Op::Acquire { lock, .. }
        | Op::Release { lock, .. }
        | Op::TryFail { lock, .. } => Some(Thing::Lock(lock)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use raddle_trace::format::sketch;
    use raddle_trace::{Frame, Tables};

    /// The lines of a sketch with a place of their own each, and their callers: `+` is the program's, `lib.h:1` and
    /// `lib.so` are a library's. What is left: numbers of events, and their places.
    #[track_caller]
    fn check(lines: &[(&str, &str, &[&str])], expected: &[(u32, &str)]) {
        let text: Vec<_> = lines.iter().map(|line| line.0).collect();
        let mut events = sketch(&text.join("\n")).unwrap();
        let intern =
            |tables: &mut Tables, name: &str| tables.locations.intern(name.as_bytes()).unwrap();
        let mut libraries = Libraries::default();
        for (n, (_, place, callers)) in lines.iter().enumerate() {
            let id = EventId(n as u32);
            let mut stack = None;
            for name in callers.iter().chain([place]) {
                let location = intern(&mut events.tables, name);
                if name.starts_with("lib") {
                    libraries.insert(LocationId(location));
                }
                stack = Some(events.tables.add_frame(Frame { caller: stack, location }));
                events.set_location(id, LocationId(location));
            }
            stack.into_iter().for_each(|stack| events.set_stack(id, stack));
        }
        let relocated_events = relocated(&events, &libraries);
        let left = inner(&events, &libraries).into_iter().enumerate().filter(|(_, inner)| !inner);
        let left: Vec<_> = left
            .map(|(n, _)| (n as u32, relocated_events.location(EventId(n as u32)).unwrap()))
            .map(|(n, place)| (n, relocated_events.tables.locations.get(place.0).unwrap()))
            .collect();
        assert_eq!(left, expected);
    }

    #[test]
    fn what_a_library_does_for_the_program_happens_where_it_was_called() {
        let lines: [(&str, &str, &[&str]); 2] = [
            ("T1 w x", "lib.h:1", &["lib.h:9", "a.cpp:3"]),
            ("T1 w x", "lib.h:1", &["a.cpp:1", "b.cpp:2", "lib.h:9"]),
        ];
        check(&lines, &[(0, "a.cpp:3"), (1, "b.cpp:2")]);
    }

    #[test]
    fn what_nobody_of_the_program_called_for_is_left_out_unless_it_orders_threads() {
        let lines: [(&str, &str, &[&str]); 3] = [
            ("T1 w x", "lib.h:1", &["lib.h:9"]),
            ("T1 alloc m", "lib.h:1", &[]),
            ("T1 fork T2", "lib.so", &[]),
        ];
        check(&lines, &[(2, "lib.so")]);
    }

    #[test]
    fn a_library_without_lines_keeps_to_itself_what_nobody_else_uses() {
        let lines: [(&str, &str, &[&str]); 5] = [
            ("T1 acq l", "lib.so", &["a.cpp:3"]),
            ("T1 r table", "lib.so", &["a.cpp:3"]),
            ("T1 w x", "lib.so", &["a.cpp:3"]),
            ("T1 rel l", "lib.so", &["a.cpp:3"]),
            ("T1 w x", "a.cpp:4", &[]),
        ];
        check(&lines, &[(2, "a.cpp:3"), (4, "a.cpp:4")]);
    }
}
