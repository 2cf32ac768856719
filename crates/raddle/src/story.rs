//! Stories: an execution, step by step, as reports show it.
//!
//! In: the recorded steps of an execution, and the run that it belongs to. Out: a story like those of C programs,
//! so that one renderer shows them all.
//!
//! - T1: who waits on a condition lets go of its lock, and takes it again before waking up.
//! - T2: a thread that is left and was not preempted waits for what it does next.
//! - T3: what goes wrong is the last step: a panic, a lock that is asked for in vain, a thread that spins.
//! - T4: what comes after a race is not its story, and what a thread that panics gives back while it unwinds is not
//!   that of the panic.

mod action;
mod name;

use raddle_explore::{Race, Run};
use raddle_finding::{Action, Choice, Leaving, ObjectKind, Story};
use raddle_report::story::{Does, StoryBuilder};

use crate::world::{Came, Left, Site, Tale, Told, What, World};
use action::action;
pub(crate) use name::Names;

/// An execution to describe.
pub(crate) struct Narrator<'a> {
    pub(crate) tale: &'a Tale,
    pub(crate) run: &'a Run,
    pub(crate) names: Names,
    builder: StoryBuilder,
    /// Who holds which lock.
    held: Vec<(u32, u32)>,
    n_preemptions: u32,
    n_threads: u32,
}

impl<'a> Narrator<'a> {
    pub(crate) fn new(world: &'a World, tale: &'a Tale, run: &'a Run) -> Narrator<'a> {
        let (builder, names) = (StoryBuilder::new(), Names::new(world));
        Narrator { tale, run, names, builder, held: Vec::new(), n_preemptions: 0, n_threads: 1 }
    }

    /// The story of a race: up to the later of the two accesses.
    pub(crate) fn tell_race(mut self, [first, second]: [usize; 2]) -> Story {
        self.tell_steps(second + 1, &[first, second]); // T4
        self.builder.finish(0)
    }

    /// The story of an execution that ends badly; `what` the thread does that failed.
    pub(crate) fn tell(mut self, what: Option<&str>) -> Story {
        let failed = self.tale.failed.filter(|_| what.is_some());
        self.tell_steps(failed.map_or(self.tale.steps.len(), |failed| failed.1), &[]); // T4
        // T3
        if let (Some((thread, _)), Some(what)) = (failed, what) {
            let place = self.run.outcome.failure().and_then(|failure| failure.places.first());
            self.builder.fail(
                self.names.thread(thread),
                place.map_or("", |place| &place.name),
                what,
            );
            return self.builder.finish(0);
        }
        for left in &self.tale.left {
            let (thread, place) = (self.names.thread(left.thread), place(left.site));
            if left.is_enabled {
                self.builder.fail(thread, &place, "spins");
            } else if left.holder.is_some() {
                self.builder.ask(thread, &place, self.names.object(left.object));
            }
        }
        self.builder.finish(0)
    }

    /// The two accesses of a race, among the steps: the later one is the first that has another one before it.
    pub(crate) fn racing(&self, race: &Race) -> Option<[usize; 2]> {
        let side = |step: &Told| {
            let site = std::ptr::from_ref(step.site) as u64;
            (0..2).find(|&n| race.threads[n] == step.thread && race.sites[n] == site)
        };
        let steps = &self.tale.steps;
        (0..steps.len()).find_map(|second| {
            let other = 1 - side(&steps[second])?;
            let is_first = |first: &usize| {
                side(&steps[*first]) == Some(other) && steps[*first].object == steps[second].object
            };
            (0..second).rev().find(is_first).map(|first| [first, second])
        })
    }

    /// What a thread waits for that is left, with who has it.
    pub(crate) fn awaited(&self, left: &Left) -> String {
        self.waits_for(left.what, left.object, left.holder)
    }

    fn tell_steps(&mut self, n: usize, decisive: &[usize]) {
        let tale = self.tale;
        let mut last = None;
        for (at, step) in tale.steps[..n].iter().enumerate() {
            if let Some(thread) = last.filter(|&thread| thread != step.thread) {
                self.switch(thread, at);
            }
            last = Some(step.thread);
            self.step(step, decisive.contains(&at));
            self.hold(step);
        }
    }

    fn step(&mut self, step: &Told, is_decisive: bool) {
        let thread = self.names.thread(step.thread);
        // The end of a thread is in no line.
        let place = if step.what == What::Exit { String::new() } else { place(step.site) };
        let names = &self.names;
        let lock = (step.mutex, ObjectKind::Lock);
        let mut told = |action: Action,
                        (object, kind): (u32, ObjectKind),
                        value: Option<String>| {
            let object = Some((kind, names.object(object)));
            let (place, found) = (&*place, None);
            self.builder.step(Does { thread, action, object, place, value, found, is_decisive });
        };
        match step.what {
            // T1
            What::Wait => {
                told(Action::Wait, (step.object, ObjectKind::Condition), None);
                told(Action::Unlock, lock, step.value.clone());
            }
            What::Wake => {
                told(Action::Lock, lock, step.value.clone());
                let wake = match step.came {
                    Came::Spurious => Action::WakeSpurious,
                    Came::TimedOut => Action::WakeTimeout,
                    _ => Action::Wake,
                };
                told(wake, (step.object, ObjectKind::Condition), None);
            }
            _ => {
                // Threads are numbered as they are spawned.
                let next = self.n_threads;
                self.n_threads += u32::from(step.what == What::Spawn);
                let Some((action, object, value)) = action(names, step, next) else { return };
                let object = object.as_ref().map(|(kind, name)| (*kind, name.as_str()));
                let (place, found) = (&*place, step.found.clone());
                let does = Does { thread, action, object, place, value, found, is_decisive };
                self.builder.step(does);
            }
        }
    }

    /// T2
    fn switch(&mut self, thread: u32, at: usize) {
        let tale = self.tale;
        let point = tale.steps.get(at).and_then(|step| step.point.checked_sub(1));
        let point = point.filter(|&point| point < self.run.points().len());
        let is_thread = |point: usize| matches!(self.run.taken(point), Choice::Thread(_));
        let why = match point.filter(|&point| is_thread(point)) {
            Some(point) if self.run.preempts(point, self.run.taken(point)) => {
                self.n_preemptions += 1;
                Leaving::Preempted { number: self.n_preemptions }
            }
            Some(point) if self.run.leaves_spin(point) => Leaving::Spins,
            _ => self.waiting(thread, at),
        };
        self.builder.switch(self.names.thread(thread), why);
    }

    fn waiting(&self, thread: u32, at: usize) -> Leaving {
        let is_its = |step: &&Told| step.thread == thread;
        let (before, after) = self.tale.steps.split_at(at);
        let last = before.iter().rfind(is_its);
        let awaited = match (last, after.iter().find(is_its)) {
            // Whatever it asks for once it was notified.
            (Some(last), _) if last.what == What::Wait => self.names.object(last.object).to_owned(),
            (_, Some(next)) if next.what.can_wait() => {
                self.waits_for(next.what, next.object, self.holder(next.object))
            }
            (_, Some(_)) => return Leaving::GaveWay,
            (_, None) => match self.tale.left.iter().find(|left| left.thread == thread) {
                // What it waited for may be there by now.
                Some(left) if left.what.can_wait() => {
                    self.waits_for(left.what, left.object, self.holder(left.object))
                }
                _ => return Leaving::GaveWay,
            },
        };
        Leaving::Waits { awaited }
    }

    /// Who holds a lock now.
    fn holder(&self, lock: u32) -> Option<u32> {
        self.held.iter().find(|held| held.1 == lock).map(|held| held.0)
    }

    fn waits_for(&self, what: What, object: u32, holder: Option<u32>) -> String {
        match (what, holder) {
            (What::Join | What::ScopeEnd, _) => format!("the end of {}", self.names.thread(object)),
            (What::Park, _) => "an unpark".to_owned(),
            (What::Poll, _) => "a wake-up of its task".to_owned(),
            (_, Some(holder)) => {
                format!("{}, held by {}", self.names.object(object), self.names.thread(holder))
            }
            (_, None) => self.names.object(object).to_owned(),
        }
    }

    /// Keeps up who holds what.
    fn hold(&mut self, step: &Told) {
        let (thread, object, mutex) = (step.thread, step.object, step.mutex);
        let gone = match step.what {
            What::Unlock | What::ReadUnlock => object,
            What::Wait => mutex,
            What::Lock | What::ReadLock => return self.held.push((thread, object)),
            What::TryLock | What::TryReadLock if step.came == Came::Done => {
                return self.held.push((thread, object));
            }
            What::Wake => return self.held.push((thread, mutex)),
            _ => return,
        };
        if let Some(index) = self.held.iter().rposition(|&held| held == (thread, gone)) {
            self.held.remove(index);
        }
    }
}

/// `file:line` of a site.
pub(crate) fn place(site: Site) -> String {
    format!("{}:{}", site.file(), site.line())
}
