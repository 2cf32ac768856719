//! What constraints are about: events, or groups of events.
//!
//! In: a trace, what is known to be relevant and what can become irrelevant. Out: for each event its
//! *unit*, and the events that use what it computes. Without groups every event is a unit. With
//! groups, everything that can become irrelevant in an execution of a statement without any event of
//! the slice is one unit, for the largest such statements (S1, Sec. 4.3). A *place* is a position of
//! an execution of a list.

use crate::depend::Dependence;
use crate::slice::Events;
use crate::statement::{InstanceId, Lists};
use crate::trace::{EventId, Rows, Trace};

const NONE: u32 = u32::MAX;

/// Units of a trace.
pub(super) struct Units {
    /// Per instance, the number of its first place.
    bases: Vec<u32>,
    /// Per place, whether something known to be relevant is in it.
    blocked: Vec<bool>,
    /// Per place, the place whose group it is in.
    groups: Vec<u32>,
    /// Per event that can become irrelevant, its unit: a place, or behind all places the event.
    units: Vec<u32>,
    n_places: u32,
    /// Per unit that is a group, its events.
    members: Rows,
    /// Per place, the events that are in it and in nothing inside it.
    here: Rows,
    /// Per place, the places inside it.
    inside: Rows,
    users: Rows,
}

impl Units {
    pub(super) fn new(
        flow: &Dependence<'_>,
        lists: &Lists,
        fixed: &Events,
        base: &Events,
        grouped: bool,
    ) -> Units {
        let trace = flow.trace();
        let mut bases = vec![0];
        let sizes = trace.instances.iter().map(|of| lists.get(of.list).sizes.len() as u32);
        sizes.for_each(|n| bases.push(bases[bases.len() - 1] + n));
        let n_places = bases[bases.len() - 1];
        let place = |(instance, position): (InstanceId, u32)| bases[instance.0 as usize] + position;
        let soft = |event: EventId| base.has(event) && !fixed.has(event);
        let blocked = blocked(trace, fixed, n_places as usize, &place);
        let mut groups = vec![NONE; n_places as usize];
        for (instance, of) in trace.instances.iter().enumerate() {
            let outer = of.parent.map_or(NONE, |at| groups[place(at) as usize]);
            for at in bases[instance]..bases[instance + 1] {
                if grouped && !blocked[at as usize] {
                    groups[at as usize] = if outer == NONE { at } else { outer };
                }
            }
        }
        let unit = |event: EventId| match trace.at(event).map(|at| groups[place(at) as usize]) {
            Some(group) if group != NONE => group,
            _ => n_places + event.0,
        };
        let units: Vec<_> = trace.events().map(unit).collect();
        let members = Rows::sorted(n_places as usize, |put| {
            trace.events().filter(|&event| soft(event)).for_each(|event| {
                if units[event.index()] < n_places {
                    put(units[event.index()], event.0);
                }
            });
        });
        let here = Rows::sorted(n_places as usize, |put| {
            for event in trace.events().filter(|&event| soft(event)) {
                trace.at(event).into_iter().for_each(|at| put(place(at), event.0));
            }
        });
        let inside = Rows::sorted(n_places as usize, |put| {
            for (instance, of) in trace.instances.iter().enumerate() {
                let Some(parent) = of.parent else { continue };
                (bases[instance]..bases[instance + 1]).for_each(|at| put(place(parent), at));
            }
        });
        let users = Rows::sorted(trace.len(), |put| {
            // What is known to be relevant uses something, too: that is then relevant.
            for event in trace.events().filter(|&event| base.has(event)) {
                flow.visit(event, |source| {
                    if soft(source) {
                        put(source.0, event.0);
                    }
                });
            }
        });
        Units { bases, blocked, groups, units, n_places, members, here, inside, users }
    }

    /// The unit of an event that can become irrelevant.
    pub(super) fn of(&self, event: EventId) -> u32 {
        self.units[event.index()]
    }

    /// The events of a unit.
    pub(super) fn events(&self, unit: u32) -> impl Iterator<Item = EventId> + '_ {
        let alone = unit.checked_sub(self.n_places);
        let group = if alone.is_none() { self.members.row(unit as usize) } else { &[] };
        alone.into_iter().chain(group.iter().copied()).map(EventId)
    }

    /// The events that use what an event computes.
    pub(super) fn users(&self, event: EventId) -> impl Iterator<Item = EventId> + '_ {
        self.users.row(event.index()).iter().map(|&event| EventId(event))
    }

    pub(super) fn index(&self, instance: InstanceId, position: u32) -> u32 {
        self.bases[instance.0 as usize] + position
    }

    /// Whether something known to be relevant is there.
    pub(super) fn is_blocked(&self, instance: InstanceId, position: u32) -> bool {
        self.blocked[self.index(instance, position) as usize]
    }

    /// The longest run around a position without anything that is known to be relevant.
    pub(super) fn free_around(&self, instance: InstanceId, position: u32) -> (u32, u32) {
        let n = self.bases[instance.0 as usize + 1] - self.bases[instance.0 as usize];
        let free = |at: &u32| !self.is_blocked(instance, *at);
        let low = (0..position).rev().take_while(free).last().unwrap_or(position);
        let high = (position + 1..n).take_while(free).last().unwrap_or(position);
        (low, high)
    }

    /// The group that a place is in.
    pub(super) fn group(&self, place: u32) -> Option<u32> {
        let group = self.groups[place as usize];
        (group != NONE).then_some(group)
    }

    pub(super) fn here(&self, place: u32) -> impl Iterator<Item = EventId> + '_ {
        self.here.row(place as usize).iter().map(|&event| EventId(event))
    }

    pub(super) fn inside(&self, place: u32) -> impl Iterator<Item = u32> + '_ {
        self.inside.row(place as usize).iter().copied()
    }
}

fn blocked(
    trace: &Trace,
    fixed: &Events,
    n_places: usize,
    place: &impl Fn((InstanceId, u32)) -> u32,
) -> Vec<bool> {
    let mut blocked = vec![false; n_places];
    for event in fixed.iter() {
        let mut at = trace.at(event);
        while let Some(here) = at {
            if std::mem::replace(&mut blocked[place(here) as usize], true) {
                break;
            }
            at = trace.instance(here.0).parent;
        }
    }
    blocked
}
