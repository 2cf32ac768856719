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

#[cfg(test)]
mod tests {
    use super::*;
    use raddle_trace::Range;
    use raddle_trace::format::sketch;

    #[track_caller]
    fn check_does(line: &str, expected: &[Touch]) {
        let events = sketch(line).unwrap();
        let all = [Touch::Read, Touch::Write, Touch::AtomicRead, Touch::AtomicWrite, Touch::Free];
        let done: Vec<_> =
            all.into_iter().filter(|&touch| does(events.op(EventId(0)), touch)).collect();
        assert_eq!(done, expected, "{line}");
    }

    #[test]
    fn operations_do_what_sides_of_races_do() {
        check_does("A r x", &[Touch::Read, Touch::AtomicRead]);
        check_does("A w x", &[Touch::Write, Touch::AtomicWrite]);
        check_does("A rmw x", &[Touch::AtomicWrite]);
        check_does("A free m", &[Touch::Free]);
        check_does("A acq l", &[]);
    }

    /// Two accesses of variables at these bytes of a region, if they have any.
    #[track_caller]
    fn check_overlap(ranges: [Option<(u32, u64, u32)>; 2], names: [&str; 2], expected: bool) {
        let mut events = sketch(&format!("A w {}\nB r {}", names[0], names[1])).unwrap();
        for (name, range) in names.iter().zip(ranges) {
            let var = events.tables.variables.find(name).unwrap();
            if let Some((region, offset, size)) = range {
                let range = Range { region, offset, size };
                events.tables.set_range(raddle_trace::VarId(var), range);
            }
        }
        assert_eq!(overlap(&events, EventId(0), EventId(1)), expected);
        assert_eq!(overlap(&events, EventId(1), EventId(0)), expected);
    }

    #[test]
    fn accesses_overlap_if_they_share_a_byte_of_a_region() {
        let at = |region, offset, size| Some((region, offset, size));
        check_overlap([at(0, 0, 4), at(0, 3, 4)], ["x", "y"], true);
        check_overlap([at(0, 0, 4), at(0, 4, 4)], ["x", "y"], false);
        check_overlap([at(0, 0, 4), at(1, 0, 4)], ["x", "y"], false);
        check_overlap([None, None], ["x", "x"], true);
        check_overlap([None, None], ["x", "y"], false);
        check_overlap([at(0, 0, 4), None], ["x", "y"], false);
    }

    #[test]
    fn what_frees_an_object_touches_all_of_it() {
        let mut events = sketch("A w x\nB free m\nB free n").unwrap();
        let region = events.tables.regions.find("m").unwrap();
        let range = Range { region, offset: 400, size: 1 };
        events.tables.set_range(raddle_trace::VarId(0), range);
        assert!(overlap(&events, EventId(0), EventId(1)));
        assert!(!overlap(&events, EventId(0), EventId(2)));
    }

    #[test]
    fn a_line_is_that_of_a_place_with_or_without_a_column() {
        for (line, place, expected) in [
            ("a.c:1", "a.c:1", true),
            ("a.c:1", "a.c:1:7", true),
            ("a.c:1", "a.c:12", false),
            ("a.c:1:7", "a.c:1", false),
        ] {
            assert_eq!(is_line_of(line, place), expected, "{line} {place}");
        }
    }

    /// The sites of a race as `role, place, thread`, and its object.
    #[track_caller]
    fn check_sites(
        text: &str,
        decisive: &[u32],
        places: &[&str],
        expected: [&str; 2],
        object: &str,
    ) {
        let events = sketch(text).unwrap();
        let decisive: Vec<_> = decisive.iter().map(|&event| EventId(event)).collect();
        let places: Vec<Location> = places.iter().map(|&place| place.into()).collect();
        let (sites, objects) = sites(&events, &decisive, &places);
        let shown = |site: &Site| {
            let thread = site.thread.as_deref().unwrap_or("?");
            format!("{}, {}, {thread}", site.role, site.location.name)
        };
        assert_eq!(sites.iter().map(shown).collect::<Vec<_>>(), expected);
        let names: Vec<_> = objects.iter().map(|object| object.name.as_str()).collect();
        assert_eq!(names, Vec::from_iter(Some(object).filter(|object| !object.is_empty())));
    }

    #[test]
    fn a_race_has_two_sites_and_the_variable() {
        let both = ["first access, writes, 1, A", "second access, reads, 2, B"];
        check_sites("A w x\nB r x", &[0, 1], &[], both, "x");
        let freed = ["first access, writes, 1, A", "second access, frees, 2, B"];
        check_sites("A w x\nB free m", &[0, 1], &[], freed, "x");
    }

    #[test]
    fn a_half_that_the_trace_does_not_have_is_at_the_other_place() {
        let one = |unknown: &'static str| [unknown, "second access, frees, 2, B"];
        let text = "A fork B\nB free m";
        check_sites(text, &[1], &["2", "7"], one("first access, 7, ?"), "");
        check_sites(text, &[1], &["2", "2"], one("first access, 2, ?"), "");
    }

    #[test]
    fn a_race_is_said_in_the_order_of_its_accesses() {
        let events = sketch("A w x\nB r x\nB rmw x\nB r.rlx x\nB free m").unwrap();
        let object = Object::new(ObjectKind::Variable, "x");
        let message = |other| race_message(&events, &[EventId(0), EventId(other)], &object);
        for (other, side) in [
            (1, "read by B (2)"),
            (2, "written atomically by B (3)"),
            (3, "read atomically by B (4)"),
            (4, "freed by B (5)"),
        ] {
            let all = format!("`x` is written by A (1) and {side}, and nothing orders them");
            assert_eq!(message(other), Some(all));
        }
        assert_eq!(race_message(&events, &[EventId(0)], &object), None);
    }

    #[test]
    fn what_threads_do_last_decides_if_they_fail_or_ask_in_vain() {
        let decides = |text: &str| -> Vec<u32> {
            deciding(&sketch(text).unwrap()).iter().map(|event| event.0).collect()
        };
        assert_eq!(decides("A acq l\nB acq k\nB req l\nA req k"), [2, 3]);
        assert!(decides("A req l\nA acq l\nB w x").is_empty());
        assert_eq!(decides("A w x\nA assert.fails x\nB w x"), [1]);
        assert!(decides("A assert.holds x").is_empty());
    }
}
