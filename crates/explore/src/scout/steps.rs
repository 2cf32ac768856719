//! What threads do in a run, step by step, and who uses what.
//!
//! In: a run with its operations. Out: the steps of it that somebody can notice, and the objects that
//! they are about. Steps have the names that policies know them by (`Policy::Ranked`).

use std::hash::{Hash, Hasher};

use raddle_finding::Choice;
use rustc_hash::{FxHashMap, FxHasher};
use smallvec::SmallVec;

use crate::run::{Access, Operation, Run, of_thread};

/// Threads, as bits; those with higher numbers are left out.
pub(super) type Threads = u64;

/// How many objects a small program has at most.
const N_OBJECTS: usize = 7;

/// How many numbers are looked through before they are hashed.
const N_FEW: usize = 16;

/// What a thread does at one point to one object.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step {
    /// Who else is there: was started, and is not known to have ended (W4).
    pub(super) alive: Threads,
    pub(super) thread: u32,
    pub(super) point: u32,
    /// The number of the object, from 0.
    pub(super) object: u32,
    pub(super) access: Access,
    /// The number of the object among those that the thread uses, and how often it has used it before.
    pub(super) thing: u32,
    pub(super) nth: u32,
    /// What the thread last did to it before.
    pub(super) last: Access,
}

/// An object, and who uses it while others are there.
#[derive(Clone, Debug, Default)]
pub(super) struct Object {
    pub(super) using: Threads,
    pub(super) changing: Threads,
    /// Who gives it back, as a lock.
    pub(super) releasing: Threads,
    uses: SmallVec<[Use; 3]>,
}

/// What a thread does to an object.
#[derive(Clone, Copy, Debug)]
struct Use {
    thread: u32,
    thing: u32,
    n_steps: u32,
    /// At which points it first uses and changes the object while others are there; the highest number
    /// if it does not.
    used: u32,
    changed: u32,
    last: Access,
}

/// A thread of a run.
#[derive(Clone, Copy, Debug, Default)]
struct Thread {
    n_things: u32,
    /// The number of its last step, if it has one.
    last: Option<u32>,
    /// Who has ended, as it knows.
    ended: Threads,
    /// Of what it does to which of its things.
    hash: u64,
}

/// Numbers things from 0, in the order in which they come.
#[derive(Debug, Default)]
struct Numbers {
    /// As long as there are few, they are looked through.
    few: SmallVec<[u64; N_FEW]>,
    all: FxHashMap<u64, u32>,
}

impl Numbers {
    fn of(&mut self, id: u64) -> u32 {
        if self.all.is_empty() {
            if let Some(number) = self.few.iter().position(|&it| it == id) {
                return number as u32;
            }
            if self.few.len() < N_FEW {
                self.few.push(id);
                return self.few.len() as u32 - 1;
            }
            self.all.extend(self.few.drain(..).zip(0..));
        }
        let next = self.all.len() as u32;
        *self.all.entry(id).or_insert(next)
    }
}

/// The steps of a run, the objects that they are about, and who does the same as whom.
#[derive(Debug)]
pub(super) struct Steps {
    pub(super) all: Vec<Step>,
    pub(super) objects: Vec<Object>,
    threads: Vec<Thread>,
}

impl Steps {
    pub(super) fn of(run: &Run) -> Steps {
        let mut steps = Steps::listed(run);
        steps.find_ended();
        for step in steps.all.iter().filter(|step| step.alive != 0) {
            steps.objects[step.object as usize].add(step);
        }
        steps
    }

    pub(super) fn n_threads(&self) -> u32 {
        self.threads.len() as u32
    }

    /// The first thread that does to its things what a thread does to its own: they may be others, and
    /// which of them is which is told by the order in which they are used.
    pub(super) fn twin(&self, thread: u32) -> u32 {
        let hash = self.threads[thread as usize].hash;
        self.threads.iter().position(|it| it.hash == hash).map_or(thread, |first| first as u32)
    }

    fn listed(run: &Run) -> Steps {
        let mut numbers = Numbers::default();
        let mut steps = Steps {
            all: Vec::with_capacity(run.points().len()),
            objects: Vec::with_capacity(N_OBJECTS),
            threads: Vec::with_capacity(4),
        };
        let mut born: Threads = 0;
        for point in 0..run.points().len() {
            for &choice in run.alternatives(point) {
                let Choice::Thread(thread) = choice else { continue };
                born |= bit(thread);
                if steps.threads.len() <= thread as usize {
                    steps.threads.resize(thread as usize + 1, Thread::default());
                }
            }
            let Choice::Thread(thread) = run.taken(point) else { continue };
            for &Operation { access, object: id, .. } in of_thread(run.operations(point), thread) {
                if access == Access::Local {
                    continue;
                }
                let object = numbers.of(id);
                if object as usize == steps.objects.len() {
                    steps.objects.push(Object::default());
                }
                let (alive, point) = (born & !bit(thread), point as u32);
                let (thing, nth, last) = (0, 0, Access::Local);
                let step = Step { alive, thread, point, object, access, thing, nth, last };
                steps.push(step);
            }
        }
        steps
    }

    /// Adds a step, and names it.
    fn push(&mut self, mut step: Step) {
        let thread = &mut self.threads[step.thread as usize];
        let done = self.objects[step.object as usize].used_by(step.thread, &mut thread.n_things);
        (step.thing, step.nth) = (done.thing, done.n_steps);
        step.last = done.last;
        (done.last, done.n_steps) = (step.access, done.n_steps + 1);
        thread.last = Some(self.all.len() as u32);
        if step.access != Access::Release {
            let mut hasher = FxHasher::default();
            (thread.hash, step.access, step.thing).hash(&mut hasher);
            thread.hash = hasher.finish();
        }
        self.all.push(step);
    }

    /// Who waits for what another thread did last knows that it has ended (W4).
    fn find_ended(&mut self) {
        for index in 0..self.all.len() {
            let Step { access, object, thread, .. } = self.all[index];
            if access == Access::Block {
                let ends = |it: &&Step| it.access == Access::Release && it.object == object;
                let last = self.threads.iter().filter_map(|it| it.last);
                let gone = last.map(|last| &self.all[last as usize]).filter(ends);
                let gone = gone.fold(0, |gone, it| gone | bit(it.thread));
                self.threads[thread as usize].ended |= gone;
            }
            self.all[index].alive &= !self.threads[thread as usize].ended;
        }
    }
}

impl Object {
    /// Who conflicts with a step on it.
    pub(super) fn rivals(&self, access: Access) -> Threads {
        if access == Access::Read { self.changing } else { self.using }
    }

    /// At which point a thread first conflicts with a step on it.
    pub(super) fn conflict(&self, access: Access, thread: u32) -> u32 {
        let its = self.uses.iter().find(|it| it.thread == thread);
        its.map_or(u32::MAX, |it| if access == Access::Read { it.changed } else { it.used })
    }

    fn add(&mut self, step: &Step) {
        let bit = bit(step.thread);
        self.using |= bit;
        self.changing |= if step.access == Access::Read { 0 } else { bit };
        self.releasing |= if step.access == Access::Release { bit } else { 0 };
        let Some(done) = self.uses.iter_mut().find(|it| it.thread == step.thread) else { return };
        done.used = done.used.min(step.point);
        if step.access != Access::Read {
            done.changed = done.changed.min(step.point);
        }
    }

    /// What a thread has done to it; it may be one thing more that the thread uses.
    fn used_by(&mut self, thread: u32, n_things: &mut u32) -> &mut Use {
        let place = self.uses.iter().position(|it| it.thread == thread);
        let place = place.unwrap_or(self.uses.len());
        if place == self.uses.len() {
            let (thing, n_steps, last) = (*n_things, 0, Access::Local);
            let (used, changed) = (u32::MAX, u32::MAX);
            self.uses.push(Use { thread, thing, n_steps, used, changed, last });
            *n_things += 1;
        }
        &mut self.uses[place]
    }
}

/// The threads of a set, those with low numbers first.
pub(super) fn each(mut threads: Threads) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        let thread = (threads != 0).then(|| threads.trailing_zeros());
        threads &= threads.wrapping_sub(1);
        thread
    })
}

/// The bit of a thread.
pub(super) fn bit(thread: u32) -> Threads {
    1_u64.checked_shl(thread).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_things_are_numbered_like_few() {
        let mut numbers = Numbers::default();
        let ids: Vec<u64> = (0..3 * N_FEW as u64).map(|id| id * id + 7).collect();
        for _ in 0..2 {
            let of: Vec<_> = ids.iter().map(|&id| numbers.of(id)).collect();
            assert!(of.into_iter().eq(0..ids.len() as u32));
        }
    }

    #[test]
    fn threads_of_a_set_come_in_order() {
        assert!(each(1 << 63 | 0b101).eq([0, 2, 63]));
    }
}
