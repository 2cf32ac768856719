//! What the races of a run add to the nodes before them.

use raddle_finding::{Choice, FailureKind};

use super::history::{Operations, Step, conflict};
use super::{Reduced, thread_of};
use crate::run::{Outcome, Run, of_thread};

impl Reduced {
    /// Sees to it that the races of a run come the other way round, too; of its first `n_known`
    /// points that was done before.
    pub(super) fn reverse_races(&mut self, run: &Run, n_known: usize) {
        self.history.truncate(n_known);
        while self.history.n_points() < run.points().len() {
            let point = self.history.n_points();
            let Some(step) = self.history.next(run) else { continue };
            if point >= n_known {
                self.reverse(run, &step);
            }
            self.history.push(&step);
        }
        self.reverse_left(run);
    }

    /// Counts what the points of a run have cost.
    pub(super) fn count_costs(&mut self, run: &Run) {
        self.spent.clear();
        let mut spent = 0;
        for point in 0..run.points().len() {
            self.spent.push(spent);
            spent += run.cost(point, run.taken(point));
        }
    }

    /// S3
    fn reverse_left(&mut self, run: &Run) {
        let mut threads: Vec<_> = run.pendings().iter().map(|pending| pending.thread).collect();
        threads.dedup();
        let Some(last) = self.history.last().filter(|_| !threads.is_empty()) else { return };
        let (point, ender) = (self.history.event(last).point, self.history.event(last).thread);
        let could_go_on = |thread: u32| match run.outcome {
            Outcome::Known => false,
            _ if run.outcome.is_failure(FailureKind::Deadlock) => false,
            _ if run.outcome.is_failure(FailureKind::Livelock) => {
                thread != ender && offers(run, point, thread)
            }
            _ => true,
        };
        if threads.iter().any(|&thread| could_go_on(thread)) {
            self.nodes[point].fatal.push(run.points()[point].taken);
        }
        for thread in threads {
            let could_go_on = could_go_on(thread);
            if could_go_on && thread == ender {
                continue;
            }
            let mut step = self.history.step(run, thread, run.pendings());
            step.last = could_go_on.then_some(last);
            self.reverse(run, &step);
        }
    }

    /// Sees to it that a step is tried before the events that it races with.
    fn reverse(&mut self, run: &Run, step: &Step<'_>) {
        if self.bound.is_some() {
            return self.reverse_bounded(run, step);
        }
        let races = self.history.races(step);
        for race in races.immediate {
            let point = self.history.event(race).point;
            self.history.without(race, step, &mut self.rest);
            if !self.is_covered(run, point, step) {
                let initials = &self.rest.initials;
                let itself = Some(step.thread).filter(|thread| initials.contains(thread));
                let mut first = itself.into_iter().chain(initials.iter().copied());
                let thread = first.find(|&thread| offers(run, point, thread));
                self.add(run, point, thread);
            }
        }
        for point in races.forced {
            self.add(run, point, Some(step.thread));
        }
    }

    /// B1
    fn reverse_bounded(&mut self, run: &Run, step: &Step<'_>) {
        let events: Vec<_> = self.history.conflicts(step).collect();
        for event in events {
            for point in self.history.exits(event, run) {
                let thread = Some(step.thread).filter(|&thread| offers(run, point, thread));
                self.add(run, point, thread);
            }
        }
    }

    /// Whether what is known at a point can begin with the rest of the events and a step (S1).
    fn is_covered(&self, run: &Run, point: usize, step: &Step<'_>) -> bool {
        let (node, initials) = (&self.nodes[point], &self.rest.initials);
        let begins = |&index: &u32| {
            let thread = thread_of(run.alternatives(point)[index as usize]);
            // A thread that takes no part can go first, too, if there is something after it.
            let takes_no_part =
                |thread| !node.fatal.contains(&index) && self.is_apart(run, point, thread, step);
            thread.is_some_and(|thread| initials.contains(&thread) || takes_no_part(thread))
        };
        let mut known = node.tried.iter().chain(&node.todo);
        known.any(begins) || node.asleep.iter().any(|thread| initials.contains(thread))
    }

    /// Whether a thread has no part in the rest of the events and a step, and what it is about to do
    /// at a point conflicts with none of them.
    fn is_apart(&self, run: &Run, point: usize, thread: u32, step: &Step<'_>) -> bool {
        let pending: Operations = of_thread(run.operations(point), thread).copied().collect();
        let is_apart = |&event: &usize| {
            let other = self.history.event(event).thread;
            other != thread && !conflict(self.history.operations(event), &pending)
        };
        thread != step.thread
            && !pending.is_empty()
            && !conflict(&pending, &step.operations)
            && self.rest.events.iter().all(is_apart)
    }

    /// A thread is to be tried at a point; all that are offered if it is not known which.
    fn add(&mut self, run: &Run, point: usize, thread: Option<u32>) {
        let node = &mut self.nodes[point];
        for (index, &choice) in (0..).zip(run.alternatives(point)) {
            let Some(offered) = thread_of(choice) else { continue };
            let known = node.tried.contains(&index) || node.todo.contains(&index);
            let wanted = thread.is_none_or(|thread| thread == offered);
            if known || !wanted || node.asleep.contains(&offered) {
                continue;
            }
            let cost = self.spent[point] + run.cost(point, choice);
            match &mut self.bound {
                Some(bound) if cost > bound.now => bound.left_out = true, // B2
                _ => node.todo.push(index),
            }
        }
    }
}

fn offers(run: &Run, point: usize, thread: u32) -> bool {
    run.alternatives(point).contains(&Choice::Thread(thread))
}
