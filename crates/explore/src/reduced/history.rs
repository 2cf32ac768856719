//! What happened before what in a run.
//!
//! In: a run with the operations of its threads. Out: its events, each with a clock, and the races
//! between them. An event is a choice of a thread and whatever is decided within that step; events
//! that conflict are ordered as they came (Mazurkiewicz).
//!
//! - H1: events of a thread are ordered, and so are conflicting ones.
//! - H2: the step before the first point that offers a thread started it.
//! - R1: an event races with a later one that it conflicts with unless it happened before the
//!   thread of the later one came there, or before another event that races with the later one.
//! - R2: what gives back and what blocks for it are ordered but do not race, as they are never
//!   both possible. The event before it races instead: the one that took what is given back. So
//!   the later one's own past is what counts in R1, not what it waited for.
//! - R3: neither does an event race that the later one was waiting for when it happened.

use raddle_finding::Choice;

use crate::run::{Access, Operation, Run, of_thread};

/// The events of a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct History {
    events: Vec<Event>,
    operations: Vec<Operation>,
    /// Of each thread, the first point that offered it and the event that started it.
    births: Vec<Option<Birth>>,
    n_points: usize,
}

/// What a thread did.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Event {
    pub(super) thread: u32,
    /// The point at which the thread was chosen.
    pub(super) point: usize,
    /// Its number among the events of the thread, from 1.
    nth: u32,
    operations: (u32, u32),
    clock: Clock,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Birth {
    point: usize,
    by: Option<usize>,
}

/// Per thread, how many of its events happened before or are meant.
type Clock = Vec<u32>;

/// What a thread did or is about to do.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Step<'a> {
    pub(super) thread: u32,
    pub(super) operations: Vec<Operation>,
    run: &'a Run,
    /// The thread's last event or, if there is none, the one that started it.
    prior: Option<usize>,
    /// The event that ended the run before it could happen: the two conflict.
    pub(super) last: Option<usize>,
}

/// What a step races with.
#[derive(Debug, Default)]
pub(super) struct Races {
    /// The events.
    pub(super) immediate: Vec<usize>,
    /// Points at which its thread was last offered before an event that nobody else could precede.
    pub(super) forced: Vec<usize>,
}

impl History {
    /// How many points of a run were taken in.
    pub(super) fn n_points(&self) -> usize {
        self.n_points
    }

    pub(super) fn event(&self, index: usize) -> &Event {
        &self.events[index]
    }

    /// The last event.
    pub(super) fn last(&self) -> Option<usize> {
        self.events.len().checked_sub(1)
    }

    /// The operations of an event.
    pub(super) fn operations(&self, index: usize) -> &[Operation] {
        let (start, end) = self.events[index].operations;
        &self.operations[start as usize..end as usize]
    }

    /// Forgets what is behind the first `n_points`.
    pub(super) fn truncate(&mut self, n_points: usize) {
        self.n_points = self.n_points.min(n_points);
        let n = self.events.partition_point(|event| event.point < n_points);
        if let Some(event) = self.events.get(n) {
            self.operations.truncate(event.operations.0 as usize);
        }
        self.events.truncate(n);
        let forget = |birth: &mut Option<Birth>| *birth = birth.filter(|b| b.point < n_points);
        self.births.iter_mut().for_each(forget);
    }

    /// What is done at the next point; none if no thread is chosen there.
    pub(super) fn next<'a>(&mut self, run: &'a Run) -> Option<Step<'a>> {
        let point = self.n_points;
        self.n_points += 1;
        let by = self.last();
        for &choice in run.alternatives(point) {
            let Choice::Thread(thread) = choice else { return None };
            let thread = thread as usize;
            self.births.resize(self.births.len().max(thread + 1), None);
            self.births[thread].get_or_insert(Birth { point, by });
        }
        let Choice::Thread(thread) = run.taken(point) else { return None };
        Some(self.step(run, thread, run.operations(point)))
    }

    /// What a thread is about to do.
    pub(super) fn step<'a>(&self, run: &'a Run, thread: u32, all: &[Operation]) -> Step<'a> {
        let own = self.events.iter().rposition(|event| event.thread == thread);
        let birth = || self.births.get(thread as usize).copied().flatten().and_then(|b| b.by);
        let operations = of_thread(all, thread).copied().collect();
        Step { thread, operations, run, prior: own.or_else(birth), last: None }
    }

    /// Adds what was done at the last point that was taken in.
    pub(super) fn push(&mut self, step: &Step<'_>) {
        let mut clock = self.before(step).to_vec();
        for (index, event) in self.events.iter().enumerate().rev() {
            if !event.is_in(&clock) && conflict(self.operations(index), &step.operations) {
                join(&mut clock, &event.clock);
            }
        }
        let thread = step.thread as usize;
        clock.resize(clock.len().max(thread + 1), 0);
        clock[thread] += 1;
        let start = self.operations.len() as u32;
        self.operations.extend_from_slice(&step.operations);
        let operations = (start, self.operations.len() as u32);
        let (point, nth) = (self.n_points - 1, clock[thread]);
        self.events.push(Event { thread: step.thread, point, nth, operations, clock });
    }

    /// The events that a step conflicts with, the last one first, unless they happened before its
    /// thread came there.
    pub(super) fn conflicts<'a>(&'a self, step: &'a Step<'_>) -> impl Iterator<Item = usize> + 'a {
        let before = self.before(step);
        (0..self.events.len()).rev().filter(move |&index| {
            let (event, operations) = (&self.events[index], self.operations(index));
            event.thread != step.thread
                && !event.is_in(before)
                && (step.last == Some(index) || conflict(operations, &step.operations))
        })
    }

    /// What a step races with.
    pub(super) fn races(&self, step: &Step<'_>) -> Races {
        let mut races = Races::default();
        let mut settled = vec![false; self.births.len()];
        for index in self.conflicts(step) {
            let thread = self.events[index].thread as usize;
            if !settled[thread] && self.is_race(index, step, &mut races) {
                settled[thread] = true; // What the thread did before comes before this.
                races.immediate.push(index);
            }
        }
        let all = races.immediate.clone();
        let between = |a: usize, b: usize| a != b && self.events[a].is_in(&self.events[b].clock);
        races.immediate.retain(|&index| !all.iter().any(|&other| between(index, other)));
        races
    }

    /// R2 and R3.
    fn is_race(&self, index: usize, step: &Step<'_>, races: &mut Races) -> bool {
        if excludes(self.operations(index), &step.operations) {
            return false;
        }
        let waited = step.prior.is_none_or(|prior| prior < index);
        let offers = |point| step.run.alternatives(point).contains(&Choice::Thread(step.thread));
        let point = self.events[index].point;
        if !waited || offers(point) {
            return true;
        }
        if step.run.alternatives(point).len() == 1 {
            let since = step.prior.map_or(0, |prior| self.events[prior].point + 1);
            races.forced.extend((since..point).rev().find(|&point| offers(point)));
        }
        false
    }

    /// The points since the thread of an event was switched to at which it could be left for
    /// nothing, and that of the event.
    pub(super) fn exits(&self, index: usize, run: &Run) -> Vec<usize> {
        let thread = self.events[index].thread;
        let block = self.events[..=index].iter().rev().take_while(|event| event.thread == thread);
        let mut points: Vec<_> = block.map(|event| event.point).collect();
        let first = points.last().copied();
        let at = self.events[index].point;
        let is_free = |&point: &usize| !run.points()[point].preemptible;
        points.retain(|point| *point == at || Some(*point) == first || is_free(point));
        points
    }

    /// What happened before the thread of a step came there.
    fn before(&self, step: &Step<'_>) -> &[u32] {
        step.prior.map_or(&[], |prior| &self.events[prior].clock)
    }

    /// The events behind `from` that did not need it, and who can go first if all of them are to
    /// happen and then the step.
    pub(super) fn without(&self, from: usize, step: &Step<'_>) -> (Vec<usize>, Vec<u32>) {
        let first = &self.events[from];
        let mut kept = Vec::new();
        let mut initials: Vec<u32> = Vec::new();
        // Of each thread, its first event that is kept.
        let mut firsts = vec![u32::MAX; self.births.len().max(step.thread as usize + 1)];
        let begins = |firsts: &[u32], clock: &[u32]| {
            clock.iter().zip(firsts).all(|(&seen, &first)| seen < first)
        };
        let mut clock = self.before(step).to_vec();
        for index in from + 1..self.events.len() {
            let event = &self.events[index];
            if first.is_in(&event.clock) {
                continue;
            }
            let thread = event.thread as usize;
            if firsts[thread] == u32::MAX {
                if begins(&firsts, &event.clock) {
                    initials.push(event.thread);
                }
                firsts[thread] = event.nth;
            }
            if conflict(self.operations(index), &step.operations) {
                join(&mut clock, &event.clock);
            }
            kept.push(index);
        }
        if begins(&firsts, &clock) && !initials.contains(&step.thread) {
            initials.push(step.thread);
        }
        (kept, initials)
    }

    /// How many bytes it takes.
    pub(super) fn memory(&self) -> usize {
        let clocks: usize = self.events.iter().map(|event| 4 * event.clock.capacity()).sum();
        clocks
            + self.events.capacity() * size_of::<Event>()
            + self.operations.capacity() * size_of::<Operation>()
            + self.births.capacity() * size_of::<Option<Birth>>()
    }
}

impl Event {
    fn is_in(&self, clock: &[u32]) -> bool {
        clock.get(self.thread as usize).is_some_and(|&seen| seen >= self.nth)
    }
}

fn join(clock: &mut Clock, other: &[u32]) {
    clock.resize(clock.len().max(other.len()), 0);
    clock.iter_mut().zip(other).for_each(|(mine, &other)| *mine = other.max(*mine));
}

/// Whether the order of two steps can matter.
pub(super) fn conflict(one: &[Operation], other: &[Operation]) -> bool {
    one.iter().any(|a| other.iter().any(|b| a.conflicts(b)))
}

/// Whether one step gives back what the other one blocks for (R2).
fn excludes(one: &[Operation], other: &[Operation]) -> bool {
    use Access::{Block, Release};
    let pair = |a: &Operation, b: &Operation| {
        a.object == b.object && matches!((a.access, b.access), (Release, Block) | (Block, Release))
    };
    one.iter().any(|a| other.iter().any(|b| pair(a, b)))
}
