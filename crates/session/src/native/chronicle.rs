//! The chronicle of a recorded run: who went on when, and why the others did not.
//!
//! In: the events of a recording, the steps of the run, and its points. Out: a [`Story`].
//!
//! As in stories of C programs, what one thread alone accesses is left out: a recording has it where it
//! shares eight bytes with what others access.

use raddle_explore::{Race, Run};
use raddle_finding::{Choice, Location, Story};
use raddle_native::launch::Answer;
use raddle_native::recording::Native;
use raddle_native::symbol::Symbols;
use raddle_trace::{EventId, Events, IsLocal, Op, RegionId, ThreadId, VarId, Wanted, shared_and};

use super::own;
use super::sites::Ending;
use super::turns::{Leaving, reasons, turns, turns_of_events};
use crate::decisive::{self, deciding, does, is_line_of, overlap, place};
use crate::story::{self, Switch};

/// A recorded run.
pub(super) struct Chronicle<'a> {
    native: &'a Native,
    run: &'a Run,
    /// Where the program does them.
    events: Events,
    /// Per event, whether it is a library's alone.
    is_inner: Vec<bool>,
    /// Per event, the turn it belongs to.
    turns: Vec<usize>,
    switches: Vec<Switch>,
}

impl<'a> Chronicle<'a> {
    pub(super) fn new(
        native: &'a Native,
        run: &'a Run,
        answer: &Answer,
        symbols: &Symbols,
    ) -> Chronicle<'a> {
        let turns = turns(&answer.taken);
        let turn_of = turns_of_events(native, &turns);
        let why = Leaving { native, answer, symbols };
        let switches = why.switches(&turns, &turn_of, &reasons(run, &turns));
        let events = own::relocated(&native.events, &native.libraries);
        let is_inner = own::inner(&native.events, &native.libraries);
        Chronicle { native, run, events, is_inner, turns: turn_of, switches }
    }

    /// The events, where the program does them.
    pub(super) fn events(&self) -> &Events {
        &self.events
    }

    /// The story up to the end of the run.
    pub(super) fn story(&self, ending: &Ending) -> Story {
        let mut kept = self.kept(&[], ending.looking);
        // Requests in vain come at the end; other requests were granted.
        kept.retain(|&event| !matches!(self.events.op(event), Op::Request { .. }));
        let events = self.events.select(&kept);
        let mut builder = story::of_run(&events, &kept, &self.switches, &deciding(&events));
        for (thread, place, lock) in &ending.asking {
            builder.ask(thread, place, lock);
        }
        for (thread, place, what) in &ending.failing {
            builder.fail(thread, place, what);
        }
        builder.finish(0)
    }

    /// What is shown: not what a library does for itself, nor what one thread alone does. A use of freed memory has
    /// not happened: the run ends there, and the ending says so. `looking` is the thread that ends the run by what it
    /// sees.
    fn kept(&self, decisive: &[EventId], looking: Option<ThreadId>) -> Vec<EventId> {
        let events = &self.events;
        let all = || (0..events.len() as u32).map(EventId);
        let freed = self.native.about.and_then(|(region, _)| {
            let free = all().find(|&event| events.op(event) == Op::Free { region })?;
            Some((region, free))
        });
        let is_in = |op: Op, region: RegionId| match op {
            Op::Read { var, .. } | Op::Write { var, .. } | Op::ReadModifyWrite { var, .. } => {
                events.tables.range(var).is_some_and(|range| range.region == region.0)
            }
            op => op == Op::Free { region },
        };
        let is_done = |event: EventId| {
            freed.is_none_or(|(region, free)| event <= free || !is_in(events.op(event), region))
        };
        let is_told = |event: EventId| match freed {
            Some((region, free)) if event <= free && is_memory(events.op(event), region) => true,
            _ => !self.is_inner[event.index()] || decisive.contains(&event),
        };
        let done: Vec<_> = all().filter(|&event| is_done(event) && is_told(event)).collect();
        let is_local = |var: VarId| self.native.locals.contains(&var);
        let looking = looking.map(|thread| (thread, &is_local as IsLocal<'_>));
        let wanted = Wanted { region: freed.map(|(region, _)| region), looking };
        let kept = shared_and(&events.select(&done), wanted);
        kept.into_iter().map(|event| done[event.index()]).collect()
    }

    /// The story of a race, up to its later access.
    pub(super) fn story_of_race(&self, decisive: &[EventId]) -> Story {
        let events = &self.events;
        let n = decisive.last().map_or(events.len() as u32, |last| last.0 + 1);
        let mut kept = self.kept(decisive, None);
        // A free is no access.
        kept.extend(decisive);
        kept.retain(|event| event.0 < n);
        kept.sort_unstable();
        kept.dedup();
        let new = |old: &EventId| kept.binary_search(old).ok().map(|new| EventId(new as u32));
        let decisive: Vec<_> = decisive.iter().filter_map(new).collect();
        let n_switches = self.switches.partition_point(|switch| switch.event < n);
        story::of_run(&events.select(&kept), &kept, &self.switches[..n_switches], &decisive)
            .finish(0)
    }

    /// The accesses that race, the earlier one first; those that the recording has. Those to memory of a name, if it is
    /// known: a line may have others.
    pub(super) fn racing(
        &self,
        race: &Race,
        places: &[Location],
        name: Option<&str>,
    ) -> Vec<EventId> {
        let named = name.map(|_| self.racing_on(race, places, name)).filter(|all| !all.is_empty());
        named.unwrap_or_else(|| self.racing_on(race, places, None))
    }

    fn racing_on(&self, race: &Race, places: &[Location], name: Option<&str>) -> Vec<EventId> {
        let point = race.point as usize;
        let later = match self.run.taken(point) {
            Choice::Thread(thread) => thread,
            _ => self.run.points()[point].current,
        };
        let side = usize::from(later == race.threads[1]);
        // The turn in which the later access is.
        let leaves = |&at: &usize| matches!(self.run.taken(at), Choice::Thread(t) if t != self.run.points()[at].current);
        let turn = (0..=point).filter(leaves).count();
        let events = &self.native.events;
        let is_of = |side: usize, event: EventId| {
            self.native.threads[events.thread(event).index()] == race.threads[side]
                && does(events.op(event), race.touches[side])
                && place(events, event)
                    .is_some_and(|at| places.iter().any(|known| is_line_of(at, &known.name)))
                && name.is_none_or(|name| decisive::object_name(events, event) == Some(name))
        };
        let all = || (0..events.len() as u32).map(EventId);
        let pair = |second: EventId| {
            let before = (0..second.0).rev().map(EventId);
            let mut first =
                before.filter(|&event| is_of(1 - side, event) && overlap(events, event, second));
            first.next().map(|first| vec![first, second])
        };
        let in_turn = all().filter(|event| self.turns[event.index()] >= turn);
        let mut later = in_turn.filter(|&event| is_of(side, event));
        let Some(second) = later.next() else { return Vec::new() };
        pair(second).or_else(|| later.find_map(pair)).unwrap_or_else(|| vec![second])
    }
}

/// Whether it makes or frees some memory.
fn is_memory(op: Op, region: RegionId) -> bool {
    op == Op::Alloc { region } || op == Op::Free { region }
}
