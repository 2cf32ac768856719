//! The recorded steps of an execution: each with its place and its values.

use std::fmt::Debug;
use std::sync::atomic::Ordering;

use super::explain::write_site;
use super::{Site, What, World};

/// The recorded steps of an execution.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tale {
    pub(crate) steps: Vec<Told>,
    /// The threads that are left when none goes on any more, all spin, or one has failed.
    pub(crate) left: Vec<Left>,
    /// The thread that failed, and how many steps there were before it did; it may have unwound since.
    pub(crate) failed: Option<(u32, usize)>,
}

/// A thread that is left at the end.
#[derive(Clone, Debug)]
pub(crate) struct Left {
    pub(crate) thread: u32,
    /// What it would do next.
    pub(crate) what: What,
    pub(crate) object: u32,
    pub(crate) site: Site,
    /// Who has the lock that it waits for.
    pub(crate) holder: Option<u32>,
    /// Whether it can go on: it spins.
    pub(crate) is_enabled: bool,
}

/// One step.
#[derive(Clone, Debug)]
pub(crate) struct Told {
    pub(crate) thread: u32,
    pub(crate) what: What,
    pub(crate) object: u32,
    pub(crate) mutex: u32,
    pub(crate) site: Site,
    /// How many points there were, this one included.
    pub(crate) point: usize,
    pub(crate) value: Option<String>,
    /// What a change found.
    pub(crate) found: Option<String>,
    /// The memory order of an atomic access.
    pub(crate) order: Option<Ordering>,
    pub(crate) came: Came,
}

impl Told {
    /// A step that was done, of which nothing more is known yet.
    fn new(thread: u32, point: usize, what: What, (object, mutex): (u32, u32), site: Site) -> Told {
        let (value, found, order, came) = (None, None, None, Came::Done);
        Told { thread, what, object, mutex, site, point, value, found, order, came }
    }
}

/// What came of a step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Came {
    /// It did what it is about.
    Done,
    /// It did not: a lock was taken, a value was not the expected one.
    Failed,
    /// Its time ran out.
    TimedOut,
    /// It ended for no reason.
    Spurious,
    /// It woke a thread.
    Woke(u32),
}

impl World {
    /// The current thread does what it announced.
    #[inline]
    pub(crate) fn tell(&mut self) {
        if self.tale.is_some() && !self.is_over && self.trial.is_none() {
            self.tell_step();
        }
    }

    #[cold]
    fn tell_step(&mut self) {
        let thread = self.current;
        let super::Pending { what, object, mutex, site, .. } =
            self.threads[thread as usize].pending;
        let told = Told::new(thread, self.at, what, (object, mutex), site);
        if let Some(tale) = &mut self.tale {
            tale.steps.push(told);
        }
    }

    /// The last step did nothing yet: it is not recorded.
    pub(crate) fn untell(&mut self) {
        let is_over = self.is_over;
        if let Some(tale) = self.tale.as_mut().filter(|_| !is_over) {
            tale.steps.pop();
        }
    }

    /// How many steps were recorded so far.
    pub(crate) fn n_told(&self) -> usize {
        self.tale.as_ref().map_or(0, |tale| tale.steps.len())
    }

    /// Notes what the threads that are left would do next.
    pub(super) fn tell_left(&mut self) {
        if self.tale.is_none() {
            return;
        }
        let live = (0..self.n_threads).filter(|&t| self.threads[t as usize].is_live());
        let left = live.map(|thread| {
            let pending = &self.threads[thread as usize].pending;
            // Who was notified waits for the lock.
            let lock = self.lock_of(thread);
            let holder = lock.map(|lock| self.objects[lock as usize].owner);
            Left {
                thread,
                what: if pending.mutex != super::NONE && lock.is_some() {
                    What::Lock
                } else {
                    pending.what
                },
                object: lock.unwrap_or(pending.object),
                site: pending.site,
                holder: holder.filter(|&holder| holder != super::NONE),
                is_enabled: self.is_enabled(thread),
            }
        });
        let left = left.collect();
        if let Some(tale) = &mut self.tale {
            tale.left = left;
        }
    }

    /// Records an access to a cell that is no point.
    pub(super) fn tell_access(&mut self, writes: bool, object: u32, site: Site) {
        let (thread, point) = (self.current, self.at);
        let what = if writes { What::CellWrite } else { What::CellRead };
        let is_over = self.is_over;
        if let Some(tale) = self.tale.as_mut().filter(|_| !is_over) {
            tale.steps.push(Told::new(thread, point, what, (object, super::NONE), site));
            self.portable.push(raddle_finding::Choice::Thread(thread));
        }
    }

    /// Notes what came of the last step.
    #[inline]
    pub(crate) fn tell_value(&mut self, value: impl FnOnce() -> String) {
        let tale = self.tale.as_mut().filter(|_| !self.is_over);
        if let Some(step) = tale.and_then(|tale| tale.steps.last_mut()) {
            step.value = Some(value());
        }
    }

    /// Notes what a change, which is the last step, found and left.
    #[inline]
    pub(crate) fn tell_change(&mut self, found: &dyn Debug, left: &dyn Debug) {
        let tale = self.tale.as_mut().filter(|_| !self.is_over);
        if let Some(step) = tale.and_then(|tale| tale.steps.last_mut()) {
            (step.found, step.value) = (Some(format!("{found:?}")), Some(format!("{left:?}")));
        }
    }

    /// Notes what came of the last step.
    #[inline]
    pub(crate) fn tell_came(&mut self, came: Came) {
        let tale = self.tale.as_mut().filter(|_| !self.is_over);
        if let Some(step) = tale.and_then(|tale| tale.steps.last_mut()) {
            step.came = came;
        }
    }

    /// Notes with which memory order the last step was done.
    #[inline]
    pub(crate) fn tell_order(&mut self, order: Ordering) {
        let tale = self.tale.as_mut().filter(|_| !self.is_over);
        if let Some(step) = tale.and_then(|tale| tale.steps.last_mut()) {
            step.order = Some(order);
        }
    }

    /// Notes which thread the last step was about.
    #[inline]
    pub(crate) fn tell_thread(&mut self, thread: u32) {
        if self.tale.is_some() {
            let name = self.thread_name(thread);
            self.tell_value(|| name);
        }
    }

    /// The name of an object for people.
    pub(crate) fn object_name(&self, object: u32) -> String {
        let mut text = String::new();
        self.write_object_name(object, &mut text);
        text
    }

    /// The same, behind a text.
    pub(super) fn write_object_name(&self, object: u32, text: &mut String) {
        let Some(it) = self.objects.get(object as usize) else { return };
        text.extend([it.kind.word(), " ("]);
        write_site(it.made, text);
        text.push(')');
    }
}
