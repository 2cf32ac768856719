//! Turns of threads in a recorded run: how far each goes, and why it ends.
//!
//! In: the steps of a run, its events and its points. Out: which event belongs to which turn, and the switches between
//! them.
//!
//! Steps say how many events each thread did in turn, so they say to which turn an event belongs. Points
//! say whether a thread that was left could have gone on. What a thread had to wait for is what it did first when it went on again, or what it waits for at the end.

use std::collections::BTreeMap;

use raddle_explore::Run;
use raddle_finding::{Choice, Leaving as Why};
use raddle_native::launch::Answer;
use raddle_native::recording::Native;
use raddle_native::symbol::Symbols;
use raddle_trace::{EventId, Events, Op, ThreadId};
use raddle_wire::{Code, Step, StepKind};

use super::sites;
use crate::story::Switch;

/// A turn of a thread.
pub(super) struct Turn {
    /// The runtime's number.
    thread: u32,
    /// How many events the thread has done when it is over.
    n_done: u64,
}

/// Steps as turns: threads in a row.
pub(super) fn turns(steps: &[Step]) -> Vec<Turn> {
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
pub(super) fn turns_of_events(native: &Native, turns: &[Turn]) -> Vec<usize> {
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
pub(super) fn reasons(run: &Run, turns: &[Turn]) -> Vec<Option<Why>> {
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
    // A turn may end where there was no choice.
    pairs.map(|pair| left.next_if(|(other, _)| *other == pair).and_then(|(_, end)| end)).collect()
}

/// Why threads were left.
pub(super) struct Leaving<'a> {
    pub(super) native: &'a Native,
    pub(super) answer: &'a Answer,
    pub(super) symbols: &'a Symbols,
}

impl Leaving<'_> {
    /// The ends of all turns.
    pub(super) fn switches(
        &self,
        turns: &[Turn],
        turn_of: &[usize],
        reasons: &[Option<Why>],
    ) -> Vec<Switch> {
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
        let is_next = |&e: &EventId| {
            events.thread(e) == thread && !matches!(events.op(e), Op::Request { .. })
        };
        let mut later = (event.0..events.len() as u32).map(EventId).filter(is_next);
        let Some(next) = later.next() else { return self.awaited_to_the_end(thread, owners) };
        // A thread that wakes up has taken the lock again before.
        let wake = later.next().filter(|&e| matches!(events.op(e), Op::Wake { .. }));
        if let (Op::Acquire { .. }, Some(wake)) = (events.op(next), wake) {
            return Why::Waits { awaited: name_of(events, wake) };
        }
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

    /// The same, if it never went on. What it waits for may have had another holder than at the end.
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
