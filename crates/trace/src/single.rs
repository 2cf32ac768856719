//! Drops what matters to one thread only: accesses to variables that no other thread accesses, and allocations and
//! frees of memory that no other thread accesses or frees, unless the same place allocated some that others do.
//!
//! In: the events of a run. Out: those that are left, by number. Stories and most analyses need no others.

use std::collections::BTreeSet;

use crate::events::Events;
use crate::id::{EventId, RegionId, ThreadId, VarId};
use crate::op::{Kind, Op};
use crate::tables::Tables;

/// Who accesses a piece of memory.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Users {
    None,
    One(u32),
    Several,
}

impl Users {
    fn with(self, other: Users) -> Users {
        match (self, other) {
            (Users::None, users) | (users, Users::None) => users,
            (one, same) if one == same => one,
            _ => Users::Several,
        }
    }
}

/// The events without these. Variables that overlap count as one.
pub fn shared(events: &Events) -> Vec<EventId> {
    shared_and(events, Wanted::default())
}

/// What is kept in any case.
#[derive(Clone, Copy, Default)]
pub struct Wanted<'a> {
    /// How this memory comes and goes.
    pub region: Option<RegionId>,
    /// What this thread looks at last, but for its locals: it ends the run with what it sees there.
    pub looking: Option<(ThreadId, IsLocal<'a>)>,
}

/// Whether a variable is a local.
pub type IsLocal<'a> = &'a dyn Fn(VarId) -> bool;

/// The same, with what is wanted.
pub fn shared_and(events: &Events, wanted: Wanted<'_>) -> Vec<EventId> {
    let mut users = vec![Users::None; events.tables.variables.len()];
    let mut regions = vec![Users::None; events.tables.regions.len()];
    for event in events.iter() {
        let user = Users::One(event.thread.0);
        match events.op(event.id) {
            Op::Free { region } => regions[region.index()] = regions[region.index()].with(user),
            _ => {
                if let Some(var) = variable(events, event.id) {
                    users[var] = users[var].with(user);
                }
            }
        }
    }
    merge_overlapping(&events.tables, &mut users);
    // A free touches all of the memory.
    let mut is_shared = vec![false; regions.len()];
    for (var, range) in events.tables.ranges() {
        let region = range.region as usize;
        is_shared[region] |= users[var.index()].with(regions[region]) == Users::Several;
    }
    keep_siblings(events, &mut is_shared);
    let kept = |&id: &EventId| match events.op(id) {
        Op::Alloc { region } | Op::Free { region } => {
            is_shared[region.index()] || Some(region) == wanted.region
        }
        _ => variable(events, id).is_none_or(|var| users[var] == Users::Several),
    };
    let mut kept: Vec<_> = (0..events.len() as u32).map(EventId).filter(kept).collect();
    kept.extend(wanted.looking.map(|who| last_look(events, who, &kept)).unwrap_or_default());
    kept.sort_unstable();
    kept
}

/// The reads with which a thread ends: all in one line, with nothing behind them that is kept but the end itself. Of
/// each variable it is the last one.
fn last_look(
    events: &Events,
    (thread, is_local): (ThreadId, IsLocal<'_>),
    kept: &[EventId],
) -> Vec<EventId> {
    let ends = |event: EventId| matches!(events.op(event), Op::Assert { .. });
    let is_known = |event: EventId| !ends(event) && kept.binary_search(&event).is_ok();
    let own = (0..events.len() as u32).rev().map(EventId).filter(|&e| events.thread(e) == thread);
    let reads = own
        .take_while(|&event| !is_known(event))
        .filter(|&event| matches!(events.code(event).kind(), Kind::Read | Kind::ReadModifyWrite))
        .filter(|&event| variable(events, event).is_some_and(|var| !is_local(VarId(var as u32))));
    let mut look: Vec<EventId> = Vec::new();
    for event in reads {
        let is_new = |other: &EventId| variable(events, *other) != variable(events, event);
        match look.first() {
            Some(&last) if events.location(last) != events.location(event) => break,
            _ if look.iter().all(is_new) => look.push(event),
            _ => {}
        }
    }
    look
}

/// A place that makes memory which is shared makes all of it for the same end: that others got to know of a second
/// object too late is what a run may be about.
fn keep_siblings(events: &Events, is_shared: &mut [bool]) {
    let allocated = |event: EventId| match events.op(event) {
        Op::Alloc { region } => Some((region.index(), events.location(event)?)),
        _ => None,
    };
    let all: Vec<_> = events.iter().filter_map(|event| allocated(event.id)).collect();
    let places: BTreeSet<_> =
        all.iter().filter(|(region, _)| is_shared[*region]).map(|(_, place)| *place).collect();
    for (region, place) in all {
        is_shared[region] |= places.contains(&place);
    }
}

fn variable(events: &Events, id: EventId) -> Option<usize> {
    let accesses =
        matches!(events.code(id).kind(), Kind::Read | Kind::Write | Kind::ReadModifyWrite);
    let (_, object) = events.op(id).encode();
    accesses.then_some(object as usize)
}

/// Lets variables that overlap, directly or through others, have the same users.
fn merge_overlapping(tables: &Tables, users: &mut [Users]) {
    let mut pieces: Vec<_> = tables.ranges().map(|(var, range)| (range, var)).collect();
    pieces.sort_unstable();
    let mut group: Vec<VarId> = Vec::new();
    let (mut region, mut end) = (u32::MAX, 0);
    for (range, var) in pieces {
        if range.region != region || range.offset >= end {
            settle(&mut group, users);
            (region, end) = (range.region, 0);
        }
        end = end.max(range.offset + u64::from(range.size));
        group.push(var);
    }
    settle(&mut group, users);
}

fn settle(group: &mut Vec<VarId>, users: &mut [Users]) {
    let all = group.iter().fold(Users::None, |all, var| all.with(users[var.index()]));
    group.drain(..).for_each(|var| users[var.index()] = all);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::sketch;
    use crate::tables::Range;

    #[track_caller]
    fn check(sketched: &str, ranges: &[(u32, u64, u32)], expected: &[u32]) {
        let mut events = sketch(sketched).unwrap();
        events.tables.regions.intern(b"memory").unwrap();
        for &(var, offset, size) in ranges {
            events.tables.set_range(VarId(var), Range { region: 0, offset, size });
        }
        let left: Vec<_> = shared(&events).iter().map(|event| event.0).collect();
        assert_eq!(left, expected);
    }

    #[test]
    fn what_one_thread_alone_accesses_is_dropped() {
        check("T1 w x\nT1 w y\nT1 acq l\nT2 r y\nT2 r z", &[], &[1, 2, 3]);
    }

    #[test]
    fn memory_of_one_thread_comes_and_goes_unseen() {
        let alone = "T1 alloc m\nT1 w x\nT1 free m\nT2 w y";
        check(alone, &[(0, 0, 8)], &[]);
        check("T1 alloc m\nT1 w x\nT2 free m", &[(0, 0, 8)], &[0, 2]);
        check("T1 alloc m\nT1 w x\nT2 w x", &[(0, 0, 8)], &[0, 1, 2]);
        let mut events = sketch(alone).unwrap();
        events.tables.set_range(VarId(0), Range { region: 0, offset: 0, size: 8 });
        let wanted = Wanted { region: Some(RegionId(0)), looking: None };
        let left: Vec<_> = shared_and(&events, wanted).iter().map(|e| e.0).collect();
        assert_eq!(left, [0, 2]);
    }

    #[test]
    fn memory_comes_and_goes_as_its_siblings_do() {
        let mut events = sketch("T1 alloc m\nT1 w x\nT2 w x\nT2 alloc n\nT2 free n").unwrap();
        events.tables.set_range(VarId(0), Range { region: 0, offset: 0, size: 8 });
        let left = |events: &Events| shared(events).iter().map(|e| e.0).collect::<Vec<_>>();
        assert_eq!(left(&events), [0, 1, 2]);
        let place = events.location(EventId(0));
        let mut same = Events { tables: events.tables.clone(), ..Events::default() };
        for event in events.iter() {
            let made = matches!(events.op(event.id), Op::Alloc { .. });
            let at = if made { place } else { events.location(event.id) };
            same.push(event.thread, events.op(event.id), at);
        }
        assert_eq!(left(&same), [0, 1, 2, 3, 4]);
    }

    #[test]
    fn a_thread_ends_with_what_it_looks_at_last() {
        // Locations are lines; both variables of the last one are wanted, and no other.
        let text = "T1 w x\nT1 r y\nT2 w z\nT1 w z\nT1 w x\nT1 r y\nT1 r x\nT1 r x\nT1 r w\nT1 r local\nT1 w x";
        let mut events = sketch(text).unwrap();
        let line = events.location(EventId(6)).unwrap();
        [7, 8, 9].into_iter().for_each(|event| events.set_location(EventId(event), line));
        let local = events.tables.variables.find("local");
        let wanted =
            Wanted { region: None, looking: Some((ThreadId(0), &|var| Some(var.0) == local)) };
        let left: Vec<_> = shared_and(&events, wanted).iter().map(|e| e.0).collect();
        assert_eq!(left, [2, 3, 7, 8]);
        assert_eq!(shared(&events).iter().map(|e| e.0).collect::<Vec<_>>(), [2, 3]);
    }

    #[test]
    fn variables_that_overlap_are_one() {
        check("T1 w x\nT2 w y\nT2 w z", &[(0, 0, 8), (1, 4, 4), (2, 8, 4)], &[0, 1]);
    }
}
