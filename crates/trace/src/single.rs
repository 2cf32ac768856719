//! Drops the accesses to variables that one thread alone accesses.
//!
//! In: the events of a run. Out: those that are left, by number. Stories and most analyses need no others.

use crate::events::Events;
use crate::id::{EventId, VarId};
use crate::op::Kind;
use crate::tables::Tables;

/// Who accesses a piece of memory.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Users {
    Nobody,
    One(u32),
    Several,
}

impl Users {
    fn with(self, other: Users) -> Users {
        match (self, other) {
            (Users::Nobody, users) | (users, Users::Nobody) => users,
            (one, same) if one == same => one,
            _ => Users::Several,
        }
    }
}

/// The events without these accesses. Variables that overlap count as one.
pub fn shared(events: &Events) -> Vec<EventId> {
    let mut users = vec![Users::Nobody; events.tables.variables.len()];
    for event in events.iter() {
        if let Some(var) = variable(events, event.id) {
            users[var] = users[var].with(Users::One(event.thread.0));
        }
    }
    merge_overlapping(&events.tables, &mut users);
    let kept = |&id: &EventId| variable(events, id).is_none_or(|var| users[var] == Users::Several);
    (0..events.len() as u32).map(EventId).filter(kept).collect()
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
    let all = group.iter().fold(Users::Nobody, |all, var| all.with(users[var.index()]));
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
    fn variables_that_overlap_are_one() {
        check("T1 w x\nT2 w y\nT2 w z", &[(0, 0, 8), (1, 4, 4), (2, 8, 4)], &[0, 1]);
    }
}
