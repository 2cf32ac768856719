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
use smallvec::SmallVec;

use crate::run::{Access, Operation, Run, of_thread};

/// The events of a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct History {
    events: Vec<Event>,
    /// What each event touches.
    objects: Vec<Objects>,
    operations: Vec<Operation>,
    /// Of each event, per thread, how many of its events happened before it or are it.
    clocks: Vec<u32>,
    /// How many threads a clock has room for.
    width: usize,
    threads: Vec<Thread>,
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
    /// The event of the thread before it.
    before: Option<usize>,
}

/// What is known of a thread.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Thread {
    /// The first point that offered it, and the event that started it.
    birth: Option<(usize, Option<usize>)>,
    /// Its last event.
    last: Option<usize>,
}

/// Objects, as bits of their hashes: operations on objects that have no bit in common do not
/// conflict.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Objects(u64);

impl Objects {
    fn of(operations: &[Operation]) -> Objects {
        let bits = |operation: &Operation| match operation.access {
            Access::Local => 0,
            Access::Any => u64::MAX,
            _ => 1 << (operation.object.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 58),
        };
        let all = operations.iter().fold(0, |all, operation| all | bits(operation));
        Objects(all)
    }

    fn meet(self, other: Objects) -> bool {
        self.0 & other.0 != 0
    }
}

/// The operations of one step: few.
pub(super) type Operations = SmallVec<[Operation; 2]>;

/// What a thread did or is about to do.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Step<'a> {
    pub(super) thread: u32,
    pub(super) operations: Operations,
    objects: Objects,
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
    pub(super) immediate: SmallVec<[usize; 4]>,
    /// Points at which its thread was last offered before an event that no other could precede.
    pub(super) forced: SmallVec<[usize; 4]>,
}

/// What is left of a run if an event and all that needed it do not happen; used again and again.
#[derive(Clone, Debug, Default)]
pub(super) struct Rest {
    /// The events behind it.
    pub(super) events: Vec<usize>,
    /// Who can go first.
    pub(super) initials: Vec<u32>,
    /// Of each thread, its first event that is left.
    firsts: Vec<u32>,
    /// What happened before the step that is to come then.
    clock: Vec<u32>,
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

    fn clock(&self, index: usize) -> &[u32] {
        &self.clocks[index * self.width..][..self.width]
    }

    /// Forgets what is behind the first `n_points`.
    pub(super) fn truncate(&mut self, n_points: usize) {
        self.n_points = self.n_points.min(n_points);
        while let Some(event) = self.events.pop_if(|event| event.point >= n_points) {
            self.operations.truncate(event.operations.0 as usize);
            self.threads[event.thread as usize].last = event.before;
        }
        self.objects.truncate(self.events.len());
        self.clocks.truncate(self.events.len() * self.width);
        for thread in &mut self.threads {
            thread.birth = thread.birth.filter(|&(point, _)| point < n_points);
        }
    }

    /// What is done at the next point; none if no thread is chosen there.
    pub(super) fn next<'a>(&mut self, run: &'a Run) -> Option<Step<'a>> {
        let point = self.n_points;
        self.n_points += 1;
        let by = self.last();
        for &choice in run.alternatives(point) {
            let Choice::Thread(thread) = choice else { return None };
            let thread = thread as usize;
            if thread >= self.threads.len() {
                self.threads.resize(thread + 1, Thread::default());
                self.widen();
            }
            self.threads[thread].birth.get_or_insert((point, by));
        }
        let Choice::Thread(thread) = run.taken(point) else { return None };
        Some(self.step(run, thread, run.operations(point)))
    }

    /// Gives clocks room for all threads.
    fn widen(&mut self) {
        let n_threads = self.threads.len();
        if n_threads <= self.width {
            return;
        }
        let width = n_threads.next_power_of_two();
        let mut clocks = vec![0; self.events.len() * width];
        for index in 0..self.events.len() {
            clocks[index * width..][..self.width].copy_from_slice(self.clock(index));
        }
        (self.clocks, self.width) = (clocks, width);
    }

    /// What a thread is about to do.
    pub(super) fn step<'a>(&self, run: &'a Run, thread: u32, all: &[Operation]) -> Step<'a> {
        let known = self.threads.get(thread as usize).copied().unwrap_or_default();
        let prior = known.last.or(known.birth.and_then(|(_, by)| by));
        let operations: Operations = of_thread(all, thread).copied().collect();
        let objects = Objects::of(&operations);
        Step { thread, operations, objects, run, prior, last: None }
    }

    /// Adds what was done at the last point that was taken in.
    pub(super) fn push(&mut self, step: &Step<'_>) {
        let (index, width) = (self.events.len(), self.width);
        match step.prior {
            Some(prior) => self.clocks.extend_from_within(prior * width..(prior + 1) * width),
            None => self.clocks.resize((index + 1) * width, 0),
        }
        let (clocks, clock) = self.clocks.split_at_mut(index * width);
        for other in meeting(&self.objects, step.objects) {
            let event = &self.events[other];
            let (start, end) = event.operations;
            let operations = &self.operations[start as usize..end as usize];
            if !event.is_in(clock) && conflict(operations, &step.operations) {
                join(clock, &clocks[other * width..][..width]);
            }
        }
        let thread = step.thread as usize;
        clock[thread] += 1;
        let nth = clock[thread];
        let start = self.operations.len() as u32;
        self.operations.extend_from_slice(&step.operations);
        let before = self.threads[thread].last.replace(index);
        self.events.push(Event {
            thread: step.thread,
            point: self.n_points - 1,
            nth,
            operations: (start, self.operations.len() as u32),
            before,
        });
        self.objects.push(step.objects);
    }

    /// The events that a step conflicts with, the last one first, unless they happened before its
    /// thread came there.
    pub(super) fn conflicts<'a>(&'a self, step: &'a Step<'_>) -> impl Iterator<Item = usize> + 'a {
        let before = self.before(step);
        let last = step.last.filter(|&last| !self.objects[last].meet(step.objects));
        let conflicts = move |&index: &usize| {
            let event = &self.events[index];
            event.thread != step.thread
                && !event.is_in(before)
                && (step.last == Some(index) || conflict(self.operations(index), &step.operations))
        };
        last.into_iter().chain(meeting(&self.objects, step.objects)).filter(conflicts)
    }

    /// What a step races with.
    pub(super) fn races(&self, step: &Step<'_>) -> Races {
        let mut races = Races::default();
        let mut settled: SmallVec<[bool; 32]> = SmallVec::from_elem(false, self.threads.len());
        for index in self.conflicts(step) {
            let thread = self.events[index].thread as usize;
            if !settled[thread] && self.is_race(index, step, &mut races) {
                settled[thread] = true; // What the thread did before comes before this.
                races.immediate.push(index);
            }
        }
        let all = races.immediate.clone();
        let between = |a: usize, b: usize| a != b && self.events[a].is_in(self.clock(b));
        races.immediate.retain(|index| !all.iter().any(|&other| between(*index, other)));
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
        step.prior.map_or(&[], |prior| self.clock(prior))
    }

    /// Finds the events behind `from` that did not need it, and who can go first if all of them are
    /// to happen and then the step.
    pub(super) fn without(&self, from: usize, step: &Step<'_>, rest: &mut Rest) {
        let Rest { events, initials, firsts, clock } = rest;
        let n_threads = self.threads.len().max(step.thread as usize + 1);
        events.clear();
        initials.clear();
        firsts.clear();
        firsts.resize(n_threads, u32::MAX);
        clock.clear();
        clock.extend_from_slice(self.before(step));
        clock.resize(self.width, 0);
        let begins = |firsts: &[u32], clock: &[u32]| {
            clock.iter().zip(firsts).all(|(&seen, &first)| seen < first)
        };
        let first = &self.events[from];
        for (index, event) in self.events.iter().enumerate().skip(from + 1) {
            let its = self.clock(index);
            if first.is_in(its) {
                continue;
            }
            let thread = event.thread as usize;
            if firsts[thread] == u32::MAX {
                if begins(firsts, its) {
                    initials.push(event.thread);
                }
                firsts[thread] = event.nth;
            }
            let meet = self.objects[index].meet(step.objects);
            if meet && conflict(self.operations(index), &step.operations) {
                join(clock, its);
            }
            events.push(index);
        }
        if begins(firsts, clock) && !initials.contains(&step.thread) {
            initials.push(step.thread);
        }
    }

    /// How many bytes it takes.
    pub(super) fn memory(&self) -> usize {
        4 * self.clocks.capacity()
            + self.events.capacity() * (size_of::<Event>() + size_of::<Objects>())
            + self.operations.capacity() * size_of::<Operation>()
            + self.threads.capacity() * size_of::<Thread>()
    }
}

impl Event {
    fn is_in(&self, clock: &[u32]) -> bool {
        clock.get(self.thread as usize).is_some_and(|&seen| seen >= self.nth)
    }
}

/// Which of some sets of objects may have one in common with another, the last one first.
fn meeting(all: &[Objects], objects: Objects) -> impl Iterator<Item = usize> + '_ {
    all.iter()
        .enumerate()
        .rev()
        .filter(move |(_, other)| other.meet(objects))
        .map(|(index, _)| index)
}

fn join(clock: &mut [u32], other: &[u32]) {
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
