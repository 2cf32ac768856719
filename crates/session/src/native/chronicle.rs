//! The chronicle of a recorded run: who went on when, and why the others did not.
//!
//! In: the events of a recording, the steps of the run, and its points. Out: a [`Story`].
//!
//! As in stories of C programs, what one thread alone accesses is left out: a recording has it where it
//! shares eight bytes with what others access.
//!
//! Steps say how many events each thread did in turn, so they say to which turn an event belongs. Points
//! say whether a thread that was left could have gone on. What a thread had to wait for is what it
//! did first when it went on again, or what it waits for at the end.

use std::collections::BTreeMap;

use raddle_explore::{Race, Run};
use raddle_finding::{Choice, Leaving as Why, Story};
use raddle_native::launch::Answer;
use raddle_native::recording::Native;
use raddle_native::symbol::Symbols;
use raddle_trace::{EventId, Events, Op, ThreadId, shared, shared_and};
use raddle_wire::{Code, Step, StepKind};

use super::sites::{self, Ending};
use crate::decisive::{deciding, does, overlap, place};
use crate::story::{Switch, tell};

/// A recorded run.
pub(super) struct Chronicle<'a> {
    native: &'a Native,
    run: &'a Run,
    /// Per event, the turn it belongs to.
    turns: Vec<usize>,
    switches: Vec<Switch>,
}

/// A turn of a thread.
struct Turn {
    /// The runtime's number.
    thread: u32,
    /// How many events the thread has done when it is over.
    n_done: u64,
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
        Chronicle { native, run, turns: turn_of, switches }
    }

    /// The story up to the end of the run.
    pub(super) fn story(&self, ending: &Ending) -> Story {
        let kept = self.done();
        let events = self.native.events.select(&kept);
        let mut teller = tell(&events, &kept, &self.switches, &deciding(&events));
        for (thread, place, lock) in &ending.asking {
            teller.ask(thread, place, lock);
        }
        for (thread, place, what) in &ending.failing {
            teller.fail(thread, place, what);
        }
        teller.finish(0)
    }

    /// What happened, but for what one thread alone does. Who uses memory that was freed has not done it: the
    /// run ends there, and that is told by itself.
    fn done(&self) -> Vec<EventId> {
        let events = &self.native.events;
        let all = || (0..events.len() as u32).map(EventId);
        let freed = self.native.about.and_then(|(region, _)| {
            let free = all().find(|&event| events.op(event) == Op::Free { region })?;
            Some((region, free))
        });
        let Some((region, free)) = freed else { return shared(events) };
        let is_in = |op: Op| match op {
            Op::Read { var, .. } | Op::Write { var, .. } | Op::ReadModifyWrite { var, .. } => {
                events.tables.range(var).is_some_and(|range| range.region == region.0)
            }
            op => op == Op::Free { region },
        };
        let is_done = |&event: &EventId| event <= free || !is_in(events.op(event));
        let done: Vec<_> = all().filter(is_done).collect();
        let kept = shared_and(&events.select(&done), Some(region));
        kept.into_iter().map(|event| done[event.index()]).collect()
    }

    /// The story of a race, up to its later access.
    pub(super) fn story_of_race(&self, decisive: &[EventId]) -> Story {
        let events = &self.native.events;
        let n = decisive.last().map_or(events.len() as u32, |last| last.0 + 1);
        let mut kept = shared(events);
        // Who frees memory does not access it.
        kept.extend(decisive);
        kept.retain(|event| event.0 < n);
        kept.sort_unstable();
        kept.dedup();
        let new = |old: &EventId| kept.binary_search(old).ok().map(|new| EventId(new as u32));
        let decisive: Vec<_> = decisive.iter().filter_map(new).collect();
        let n_switches = self.switches.partition_point(|switch| switch.event < n);
        tell(&events.select(&kept), &kept, &self.switches[..n_switches], &decisive).finish(0)
    }

    /// The accesses that race, the earlier one first; those that the recording has.
    pub(super) fn racing(&self, race: &Race, places: &[String]) -> Vec<EventId> {
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
                && place(events, event).is_some_and(|at| places.iter().any(|known| known == at))
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

/// Steps as turns: threads in a row.
fn turns(steps: &[Step]) -> Vec<Turn> {
    let mut done: BTreeMap<u32, u64> = BTreeMap::new();
    let mut turns: Vec<Turn> = Vec::new();
    for step in steps.iter().filter(|step| step.kind() == Some(StepKind::Thread)) {
        let n_done = done.entry(step.value).or_default();
        *n_done += step.times;
        match turns.last_mut().filter(|turn| turn.thread == step.value) {
            Some(turn) => turn.n_done = *n_done,
            None => turns.push(Turn { thread: step.value, n_done: *n_done }),
        }
    }
    turns
}

/// To which turn each event belongs.
fn turns_of_events(native: &Native, turns: &[Turn]) -> Vec<usize> {
    let mut at = 0;
    let turn = |(event, &position): (usize, &u64)| {
        let thread = native.events.thread(EventId(event as u32));
        let thread = native.threads[thread.index()];
        let is_in = |turn: &Turn| turn.thread == thread && position <= turn.n_done;
        at += turns[at..].iter().position(is_in).unwrap_or(0);
        at
    };
    native.positions.iter().enumerate().map(turn).collect()
}

/// Whether a turn ended by a preemption, with its number, or by spinning; by turn.
fn reasons(run: &Run, turns: &[Turn]) -> Vec<Option<Why>> {
    let mut n_preemptions = 0;
    let mut left = Vec::new();
    for (at, point) in run.points().iter().enumerate() {
        let Choice::Thread(next) = run.taken(at) else { continue };
        if next == point.current {
            continue;
        }
        let end = match () {
            () if run.preempts(at, Choice::Thread(next)) => {
                n_preemptions += 1;
                Some(Why::Preempted { number: n_preemptions })
            }
            () if run.leaves_spin(at) => Some(Why::Spins),
            () => None,
        };
        left.push(((point.current, next), end));
    }
    let mut left = left.into_iter().peekable();
    let pairs = turns.windows(2).map(|pair| (pair[0].thread, pair[1].thread));
    // A turn may end where nobody had a choice.
    pairs.map(|pair| left.next_if(|(other, _)| *other == pair).and_then(|(_, end)| end)).collect()
}

/// Why threads were left.
struct Leaving<'a> {
    native: &'a Native,
    answer: &'a Answer,
    symbols: &'a Symbols,
}

impl Leaving<'_> {
    fn switches(&self, turns: &[Turn], turn_of: &[usize], reasons: &[Option<Why>]) -> Vec<Switch> {
        let events = &self.native.events;
        let mut owners: BTreeMap<u32, ThreadId> = BTreeMap::new();
        let mut switches = Vec::new();
        let mut at = 0;
        for event in (0..events.len() as u32).map(EventId) {
            while at < turn_of[event.index()] {
                switches.extend(self.switch(event, turns[at].thread, &reasons[at], &owners));
                at += 1;
            }
            match events.op(event) {
                Op::Acquire { lock, .. } => _ = owners.insert(lock.0, events.thread(event)),
                Op::Release { lock, .. } => _ = owners.remove(&lock.0),
                _ => {}
            }
        }
        switches
    }

    /// The end of a turn right before an event.
    fn switch(
        &self,
        event: EventId,
        number: u32,
        reason: &Option<Why>,
        owners: &BTreeMap<u32, ThreadId>,
    ) -> Option<Switch> {
        let thread = self.native.threads.iter().position(|&other| other == number)?;
        let thread = ThreadId(thread as u32);
        let why = reason.clone().unwrap_or_else(|| self.awaited(event, thread, owners));
        let thread = self.native.events.tables.thread(thread).to_owned();
        Some(Switch { event: event.0, thread, why })
    }

    /// What a thread waits for that was left before an event.
    fn awaited(&self, event: EventId, thread: ThreadId, owners: &BTreeMap<u32, ThreadId>) -> Why {
        let events = &self.native.events;
        let of_thread = |&e: &EventId| events.thread(e) == thread;
        let next = (event.0..events.len() as u32)
            .map(EventId)
            .filter(of_thread)
            .find(|&e| !matches!(events.op(e), Op::Request { .. }));
        let Some(next) = next else { return self.awaited_to_the_end(thread, owners) };
        match events.op(next) {
            Op::Acquire { lock, .. } => {
                let name = name_of(events, next);
                match owners.get(&lock.0).filter(|&&owner| owner != thread) {
                    Some(&owner) => Why::Waits {
                        awaited: format!("{name}, held by {}", events.tables.thread(owner)),
                    },
                    None => Why::GaveWay,
                }
            }
            Op::Join { child } => {
                Why::Waits { awaited: format!("the end of {}", events.tables.thread(child)) }
            }
            Op::Wake { .. } | Op::Take { .. } | Op::Leave { .. } => {
                Why::Waits { awaited: name_of(events, next) }
            }
            _ => Why::GaveWay,
        }
    }

    /// The same, if it never went on. Somebody else may have what it waits for than at the end.
    fn awaited_to_the_end(&self, thread: ThreadId, owners: &BTreeMap<u32, ThreadId>) -> Why {
        let Native { events, threads, .. } = self.native;
        let number = threads[thread.index()];
        let blocked = self.answer.blocked.iter().find(|blocked| blocked.thread == number);
        let Some(&(mut blocked)) = blocked else { return Why::GaveWay };
        if Code::from_number(blocked.code as u8) == Some(Code::Lock) {
            let lock = self.symbols.object(blocked.object);
            let lock = lock.and_then(|name| events.tables.locks.find(&name));
            let owner = lock.and_then(|lock| owners.get(&lock));
            if let Some(owner) = owner.filter(|&&owner| owner != thread) {
                blocked.holder = threads[owner.index()] + 1;
            }
        }
        Why::Waits { awaited: sites::awaited(&blocked, self.native, self.symbols) }
    }
}

/// The name of what an event is about.
fn name_of(events: &Events, event: EventId) -> String {
    let (code, object) = events.op(event).encode();
    let names = events.tables.names(code.kind().class());
    names.and_then(|names| names.get(object)).unwrap_or("?").to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use raddle_explore::Point;

    /// A run by who was left, who went on, and whether the former could have.
    fn run(points: &[(u32, u32, bool)]) -> Run {
        let mut run = Run::new();
        for &(current, next, preemptible) in points {
            run.open(Choice::Thread(next));
            run.push(Point { current, preemptible, ..Point::default() });
        }
        run
    }

    #[test]
    fn steps_of_one_thread_in_a_row_are_one_turn() {
        let steps = [Step::thread(0, 2), Step::waiter(1), Step::thread(0, 1), Step::thread(1, 4)];
        let turns: Vec<_> = turns(&steps).iter().map(|turn| (turn.thread, turn.n_done)).collect();
        assert_eq!(turns, [(0, 3), (1, 4)]);
    }

    #[test]
    fn preemptions_are_numbered_and_other_ends_are_not() {
        let turns = turns(&[0, 1, 0, 2].map(|thread| Step::thread(thread, 1)));
        let run = run(&[(0, 1, true), (1, 1, true), (1, 0, false), (0, 2, true)]);
        let ends = reasons(&run, &turns);
        assert_eq!(
            ends,
            [Some(Why::Preempted { number: 1 }), None, Some(Why::Preempted { number: 2 })]
        );
    }

    #[test]
    fn a_turn_that_ends_without_a_choice_is_no_preemption() {
        let turns = turns(&[0, 1, 0].map(|thread| Step::thread(thread, 1)));
        assert_eq!(
            reasons(&run(&[(1, 0, true)]), &turns),
            [None, Some(Why::Preempted { number: 1 })]
        );
    }
}
