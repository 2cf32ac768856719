//! Windows: where a thread is in the middle of something.
//!
//! In: the first run. Out: its windows (W1 to W4 of `scout`), with how much each promises. The numbers
//! only order them: those are first that no serial execution shows (Lu et al., ASPLOS 2006).

use std::cmp::Reverse;
use std::hash::{Hash, Hasher};

use raddle_finding::Choice;
use rustc_hash::{FxBuildHasher, FxHashMap, FxHasher};
use smallvec::SmallVec;

use crate::run::{Access, Operation, Run, of_thread};

/// Threads, as bits; those with higher numbers are left out.
pub(super) type Threads = u64;

/// How many windows there are at most.
const N_WINDOWS_MAX: usize = 24;

/// The most threads: those of longer runs are not looked at.
const THREADS_MAX: u32 = 1 << 16;

/// A place before a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Window {
    pub(super) promise: u32,
    pub(super) thread: u32,
    /// The number of the thing that the step is about, among those that the thread uses, and how often
    /// it has used that before.
    pub(super) thing: u32,
    pub(super) nth: u32,
    /// Who else uses what it is about.
    pub(super) rivals: Threads,
    /// Whether the thread, or one that did the same before it, had one like it.
    pub(super) is_known: bool,
}

impl Window {
    /// What preempting the thread there promises: less where something like it does, too.
    pub(super) fn promise_of_scout(&self) -> u32 {
        if self.is_known { self.promise.saturating_sub(3).max(1) } else { self.promise }
    }

    /// Whether there are threads before it and behind it in the order of the first run.
    pub(super) fn is_between(&self) -> bool {
        self.thread > 1 && self.rivals.checked_shr(self.thread).unwrap_or(0) > 1
    }

    /// The step before which the thread falls, as policies name it.
    pub(super) fn fall(&self) -> [u32; 3] {
        [self.thread, self.thing, self.nth]
    }
}

/// What a thread did at one point to one object.
#[derive(Clone, Copy, Debug)]
struct Step {
    thread: u32,
    point: usize,
    access: Access,
    /// The number of the object, from 0.
    object: usize,
    /// Who else is there: was started, and is not known to have ended (W4).
    alive: Threads,
}

/// An object, and who uses it while others are there.
#[derive(Clone, Debug, Default)]
struct Object {
    using: Threads,
    changing: Threads,
    /// Who gives it back, as a lock.
    releasing: Threads,
    done: SmallVec<[Done; 4]>,
}

/// What a thread did to an object.
#[derive(Clone, Copy, Debug)]
struct Done {
    thread: u32,
    /// The number of the object among those that the thread uses.
    thing: u32,
    n_steps: u32,
    last: Access,
}

/// What a thread did so far.
#[derive(Clone, Copy, Debug, Default)]
struct Past {
    /// Its last step on something that others use, too.
    before: Option<Step>,
    n_things: u32,
}

/// What a window promises, and who else uses what it is about.
type Promise = (u32, Threads);

/// The windows of a run in their order, and how many threads there are.
pub(super) fn windows(run: &Run) -> (Vec<Window>, u32) {
    let (mut steps, mut objects, n_threads) = steps(run);
    if n_threads > THREADS_MAX as usize {
        return (Vec::new(), 0);
    }
    find_ended(&mut steps, n_threads);
    for step in steps.iter().filter(|step| step.alive != 0) {
        objects[step.object].add(step.thread, step.access);
    }
    let twins = twins(&steps, n_threads);
    let mut pasts = vec![Past::default(); n_threads];
    let mut windows = Vec::new();
    for step in &steps {
        let past = &mut pasts[step.thread as usize];
        let object = &mut objects[step.object];
        let done = object.done_by(step.thread, past);
        let (thing, nth, last) = (done.thing, done.n_steps, done.last);
        (done.n_steps, done.last) = (nth + 1, step.access);
        let object = &objects[step.object];
        let promise = match past.before {
            None if nth == 0 => first(step, object),
            before => {
                let one = if nth > 0 { one_thing(step, last, object) } else { (0, 0) };
                let two = before.map(|before| two_things(step, &before, &objects));
                one.max(two.unwrap_or_default())
            }
        };
        if let (promise @ 1.., rivals @ 1..) = promise {
            let thread = step.thread;
            let like = |it: &Window| (it.thread, it.thing, it.promise) == (thread, thing, promise);
            let is_known = twins & bit(thread) != 0 || windows.iter().any(like);
            windows.push(Window { promise, thread, thing, nth, rivals, is_known });
        }
        if object.rivals(step.access) & step.alive != 0 {
            past.before = Some(*step);
        }
    }
    windows.sort_by_key(|window| Reverse(window.promise));
    windows.truncate(N_WINDOWS_MAX);
    (windows, n_threads as u32)
}

/// The steps of a run that somebody can notice, the objects that they are about, and how many threads
/// there are.
fn steps(run: &Run) -> (Vec<Step>, Vec<Object>, usize) {
    let mut steps = Vec::with_capacity(run.points().len());
    let mut numbers = FxHashMap::with_capacity_and_hasher(32, FxBuildHasher);
    let mut objects: Vec<Object> = Vec::with_capacity(16);
    let (mut born, mut n_threads): (Threads, u32) = (0, 0);
    for point in 0..run.points().len() {
        for &choice in run.alternatives(point) {
            let Choice::Thread(thread) = choice else { continue };
            born |= bit(thread);
            n_threads = n_threads.max(thread + 1);
        }
        let Choice::Thread(thread) = run.taken(point) else { continue };
        for &Operation { access, object: id, .. } in of_thread(run.operations(point), thread) {
            if access == Access::Local {
                continue;
            }
            let object = *numbers.entry(id).or_insert(objects.len());
            if object == objects.len() {
                objects.push(Object::default());
            }
            steps.push(Step { thread, point, access, object, alive: born & !bit(thread) });
        }
    }
    (steps, objects, n_threads as usize)
}

/// Who waits for what another thread did last knows that it has ended (W4).
fn find_ended(steps: &mut [Step], n_threads: usize) {
    let mut last: Vec<Option<Step>> = vec![None; n_threads];
    steps.iter().for_each(|step| last[step.thread as usize] = Some(*step));
    let mut ended: Vec<Threads> = vec![0; n_threads];
    for step in steps {
        let known = &mut ended[step.thread as usize];
        if step.access == Access::Block {
            let ends = |it: &&Step| it.access == Access::Release && it.object == step.object;
            let gone = last.iter().flatten().filter(ends);
            *known = gone.fold(*known, |known, it| known | bit(it.thread));
        }
        step.alive &= !*known;
    }
}

/// Threads that did the same as one with a lower number.
fn twins(steps: &[Step], n_threads: usize) -> Threads {
    let mut hashers = vec![FxHasher::default(); n_threads];
    for step in steps.iter().filter(|step| step.access != Access::Release) {
        (step.access, step.object).hash(&mut hashers[step.thread as usize]);
    }
    let hashes: Vec<_> = hashers.iter().map(Hasher::finish).collect();
    let is_twin = |thread: &usize| hashes[..*thread].contains(&hashes[*thread]);
    (0..n_threads).filter(is_twin).fold(0, |twins, thread| twins | bit(thread as u32))
}

impl Object {
    fn add(&mut self, thread: u32, access: Access) {
        let bit = bit(thread);
        self.using |= bit;
        self.changing |= if access == Access::Read { 0 } else { bit };
        self.releasing |= if access == Access::Release { bit } else { 0 };
    }

    /// Who conflicts with a step on it.
    fn rivals(&self, access: Access) -> Threads {
        if access == Access::Read { self.changing } else { self.using }
    }

    /// What a thread has done to it.
    fn done_by(&mut self, thread: u32, past: &mut Past) -> &mut Done {
        let place = self.done.iter().position(|done| done.thread == thread);
        let place = place.unwrap_or(self.done.len());
        if place == self.done.len() {
            self.done.push(Done { thread, thing: past.n_things, n_steps: 0, last: Access::Local });
            past.n_things += 1;
        }
        &mut self.done[place]
    }
}

/// Before a step on what the thread has used before (W1).
fn one_thing(step: &Step, last: Access, object: &Object) -> Promise {
    use Access::{Block, Read, Release, Write};
    let (promise, rivals) = match (last, step.access) {
        (Read, Write) => (9, object.changing),
        (Release, Block) => (8, object.using),
        (Write, Read) => (7, object.changing),
        (Read, Read) => (6, object.changing),
        (Write, Write) => (6, object.using),
        (_, Release) => (0, 0),
        _ => (3, object.using),
    };
    (promise, rivals & step.alive)
}

/// Between steps on two things (W2).
fn two_things(step: &Step, before: &Step, objects: &[Object]) -> Promise {
    use Access::{Block, Read, Release, Write};
    if before.object == step.object || before.point == step.point {
        return (0, 0);
    }
    let (first, second) = (&objects[before.object], &objects[step.object]);
    let rivals = first.rivals(before.access) & step.alive;
    let both = rivals & second.rivals(step.access);
    match (before.access, step.access) {
        (Block, Block) if first.releasing & bit(step.thread) != 0 => (7, rivals),
        (Read, Write | Block) | (Write, Write) => (7, both),
        (Read, Read) | (Release, Read | Write) => (6, both),
        (Write, Read | Block) | (Release, Block) => (5, both),
        (_, Release) => (0, 0),
        _ => (3, both),
    }
}

/// Before the first step that others can notice, of a thread that runs when they were started (W3).
fn first(step: &Step, object: &Object) -> Promise {
    let promise = if step.thread == 0 { 5 } else { 0 };
    (promise, object.rivals(step.access) & step.alive)
}

/// The bit of a thread.
pub(super) fn bit(thread: u32) -> Threads {
    1_u64.checked_shl(thread).unwrap_or(0)
}
