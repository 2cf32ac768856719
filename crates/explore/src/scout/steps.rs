//! What threads do in a run, step by step, and who uses what.
//!
//! In: a run with its operations. Out: the steps of it that other threads can notice, and the objects that
//! they are about. Steps have the names that policies know them by (`Policy::Ranked`).

use std::hash::Hasher;

use raddle_finding::Choice;
use rustc_hash::{FxHashMap, FxHasher};
use smallvec::SmallVec;

use crate::run::{Access, Operation, Run, of_thread};

/// Threads, as bits; those with higher numbers are left out.
pub(super) type Threads = u64;

/// How many objects a small program has at most.
const N_OBJECTS: usize = 8;

/// The most objects that are looked at.
const N_OBJECTS_MAX: usize = 1 << 12;

/// How many numbers are looked through before they are hashed.
const N_FEW: usize = 16;

/// The highest number stands for none.
const NONE: u32 = u32::MAX;

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
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Object {
    pub(super) using: Threads,
    pub(super) changing: Threads,
    /// Who gives it back, as a lock.
    pub(super) releasing: Threads,
}

/// What a thread does to an object.
#[derive(Clone, Copy, Debug)]
struct Use {
    /// None before it uses it.
    thing: u32,
    n_steps: u32,
    /// At which points it first uses and changes the object while others are there, if it does.
    used: u32,
    changed: u32,
    last: Access,
}

const UNUSED: Use = Use { thing: NONE, n_steps: 0, used: NONE, changed: NONE, last: Access::Local };

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
    #[inline]
    fn of(&mut self, id: u64) -> u32 {
        match self.few.iter().position(|&it| it == id) {
            Some(number) => number as u32,
            None => self.more(id),
        }
    }

    fn more(&mut self, id: u64) -> u32 {
        if self.all.is_empty() {
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

/// The steps of a run, the objects that they are about, and which thread does the same as which.
#[derive(Debug)]
pub(super) struct Steps {
    pub(super) all: Vec<Step>,
    pub(super) objects: Vec<Object>,
    threads: Vec<Thread>,
    /// Of each object, what each thread does to it.
    uses: Vec<Use>,
}

impl Steps {
    /// The steps with their names, of so many threads, without who is there and who uses what.
    pub(super) fn named(run: &Run, n_threads: usize) -> Steps {
        let n_threads = n_threads.min(Threads::BITS as usize);
        let mut steps = Steps {
            all: Vec::with_capacity(run.points().len()),
            objects: Vec::with_capacity(N_OBJECTS),
            threads: vec![Thread::default(); n_threads],
            uses: Vec::with_capacity(N_OBJECTS * n_threads),
        };
        let (mut numbers, mut born) = (Numbers::default(), 0);
        for ((open, pending, taken), point) in run.each().zip(0..) {
            // Threads are numbered as they are started, and open in the order of their numbers.
            if let Some(&Choice::Thread(thread)) = open.last() {
                born |= bit(thread + 1).wrapping_sub(1);
            }
            let Choice::Thread(thread) = taken else { continue };
            if thread as usize >= n_threads {
                continue;
            }
            let alive = born & !bit(thread);
            for &Operation { access, object: id, .. } in of_thread(pending, thread) {
                if access == Access::Local {
                    continue;
                }
                let object = numbers.of(id);
                if object as usize == steps.objects.len() {
                    if steps.objects.len() == N_OBJECTS_MAX {
                        return steps;
                    }
                    steps.objects.push(Object::default());
                    steps.uses.resize(steps.uses.len() + n_threads, UNUSED);
                }
                let (thing, nth, last) = (0, 0, Access::Local);
                steps.push(Step { alive, thread, point, object, access, thing, nth, last });
            }
        }
        steps
    }

    pub(super) fn n_threads(&self) -> usize {
        self.threads.len()
    }

    /// How many things each thread uses.
    pub(super) fn n_things(&self) -> impl Iterator<Item = u32> + '_ {
        self.threads.iter().map(|thread| thread.n_things)
    }

    /// Finds out who is there and who uses what.
    pub(super) fn relate(&mut self) {
        for index in 0..self.all.len() {
            self.find_ended(index);
            let Step { alive, access, object, thread, point, .. } = self.all[index];
            if alive != 0 {
                let done = &mut self.uses[object as usize * self.threads.len() + thread as usize];
                done.used = done.used.min(point);
                if access != Access::Read {
                    done.changed = done.changed.min(point);
                }
                self.objects[object as usize].add(access, bit(thread));
            }
        }
    }

    /// The step with a name (`Window::fall`), if the thread comes to it.
    pub(super) fn find(&self, [thread, thing, nth]: [u32; 3]) -> Option<&Step> {
        self.all.iter().find(|it| (it.thread, it.thing, it.nth) == (thread, thing, nth))
    }

    /// The point behind the last one of a thread before a step of it.
    pub(super) fn behind(&self, step: &Step) -> u32 {
        let before = |it: &&Step| it.thread == step.thread && it.point < step.point;
        self.all.iter().rfind(before).map_or(0, |before| before.point + 1)
    }

    /// The first thread that does to its objects what a thread does to its own. The objects may be different ones;
    /// they correspond by the order in which they are used.
    pub(super) fn twin(&self, thread: u32) -> u32 {
        let hash = self.threads[thread as usize].hash;
        self.threads.iter().position(|it| it.hash == hash).map_or(thread, |first| first as u32)
    }

    /// At which point a thread first conflicts with what another one does to an object.
    pub(super) fn conflict(&self, object: u32, access: Access, thread: u32) -> u32 {
        let done = self.used(object, thread);
        if access == Access::Read { done.changed } else { done.used }
    }

    /// Whether a thread changes an object before a point, while others are there.
    pub(super) fn is_changed(&self, object: u32, thread: u32, point: u32) -> bool {
        self.used(object, thread).changed < point
    }

    fn used(&self, object: u32, thread: u32) -> Use {
        let of_object = object as usize * self.threads.len();
        self.uses.get(of_object + thread as usize).copied().unwrap_or(UNUSED)
    }

    /// Adds a step, and names it.
    #[inline]
    fn push(&mut self, mut step: Step) {
        let n_threads = self.threads.len();
        let done = &mut self.uses[step.object as usize * n_threads + step.thread as usize];
        let thread = &mut self.threads[step.thread as usize];
        if done.thing == NONE {
            done.thing = thread.n_things;
            thread.n_things += 1;
        }
        (step.thing, step.nth, step.last) = (done.thing, done.n_steps, done.last);
        (done.last, done.n_steps) = (step.access, done.n_steps + 1);
        thread.last = Some(self.all.len() as u32);
        if step.access != Access::Release {
            let mut hasher = FxHasher::default();
            hasher.write_u64(thread.hash);
            hasher.write_u64(u64::from(step.thing) << 8 | step.access as u64);
            thread.hash = hasher.finish();
        }
        self.all.push(step);
    }

    /// Who waits for what another thread did last knows that it has ended (W4).
    fn find_ended(&mut self, index: usize) {
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

impl Object {
    /// Who conflicts with a step on it.
    pub(super) fn rivals(&self, access: Access) -> Threads {
        if access == Access::Read { self.changing } else { self.using }
    }

    fn add(&mut self, access: Access, thread: Threads) {
        self.using |= thread;
        self.changing |= if access == Access::Read { 0 } else { thread };
        self.releasing |= if access == Access::Release { thread } else { 0 };
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
