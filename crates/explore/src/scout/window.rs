//! Windows: where a thread is in the middle of something.
//!
//! In: the steps of the first run. Out: its windows (W1 to W7 of `scout`), with how much each promises.
//! The numbers only order them: those are first that no serial execution shows (Lu et al., ASPLOS 2006).

use std::cmp::Reverse;

use smallvec::{SmallVec, smallvec};

use super::steps::{Object, Step, Steps, Threads, bit, each};
use crate::run::{Access, Run};

/// How many windows a small program has, and how many there are at most.
const N_WINDOWS: usize = 8;
const N_WINDOWS_MAX: usize = 24;

/// How much less a window promises if there is another one like it.
const KNOWN: u32 = 3;

/// How much less it promises if others use its two things the other way round (W5).
const ACROSS: u32 = 2;

/// A place before a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Window {
    pub(super) promise: u32,
    pub(super) thread: u32,
    /// The first thread that does the same.
    twin: u32,
    /// The number of the thing that the step is about, among those that the thread uses, and how often
    /// it has used that before.
    thing: u32,
    pub(super) nth: u32,
    /// Who else uses what it is about.
    pub(super) rivals: Threads,
    /// Whether the thread, or one that did the same before it, had one like it.
    is_known: bool,
    /// Whether no other thread can go on there, if the thread goes first (W6).
    pub(super) is_alone: bool,
}

impl Window {
    /// What preempting the thread there promises: less where something like it does, too.
    pub(super) fn promise_of_scout(&self) -> u32 {
        if self.is_known { self.promise.saturating_sub(KNOWN).max(1) } else { self.promise }
    }

    /// Whether there are threads before it and behind it in the order of the first run.
    pub(super) fn is_between(&self) -> bool {
        self.thread > 1 && self.rivals.checked_shr(self.thread).unwrap_or(0) > 1
    }

    /// The step before which the thread falls, as policies name it.
    pub(super) fn fall(&self) -> [u32; 3] {
        [self.thread, self.thing, self.nth]
    }

    /// Whether another one is that of a thread that can come in between (S2): not if both threads do the
    /// same, and it is the same window.
    pub(super) fn has_second(&self, other: &Window) -> bool {
        let name = |it: &Window| (it.twin, it.thing, it.nth);
        bit(other.thread) & self.rivals != 0 && name(self) != name(other)
    }
}

/// What a window promises, and who else uses what it is about.
type Promise = (u32, Threads);

const NOTHING: Promise = (0, 0);

/// The best windows of a run; of one that went another way, from that point on (S5).
pub(super) fn windows(run: &Run, steps: &Steps, from: Option<u32>) -> Vec<Window> {
    // Of each thread, its last step on something that others use, too.
    let mut before: SmallVec<[Option<&Step>; 8]> = smallvec![None; steps.n_threads()];
    let mut windows: Vec<Window> = Vec::with_capacity(N_WINDOWS);
    let started = steps.all.iter().map(|step| step.thread).find(|&thread| thread > 0);
    for step in &steps.all {
        let before = &mut before[step.thread as usize];
        let is_asked = from.is_none_or(|from| step.point >= from);
        let promise = if is_asked { promise(step, *before, steps) } else { NOTHING };
        if let (promise @ 1.., rivals @ 1..) = promise {
            let &Step { thread, thing, nth, .. } = step;
            let twin = steps.twin(thread);
            let like = |it: &Window| (it.thread, it.thing, it.promise) == (thread, thing, promise);
            let is_known = twin != thread || windows.iter().any(like);
            let leads = from.is_some() || thread == 0 || Some(thread) == started;
            let is_alone = leads && run.alternatives(step.point as usize).len() < 2;
            windows.push(Window { promise, thread, twin, thing, nth, rivals, is_known, is_alone });
        }
        if steps.objects[step.object as usize].rivals(step.access) & step.alive != 0 {
            *before = Some(step);
        }
    }
    if windows.len() > N_WINDOWS_MAX {
        windows.sort_by_key(|window| Reverse(window.promise));
        windows.truncate(N_WINDOWS_MAX);
    }
    windows
}

/// What the place before a step promises; `before` is what the thread did before it to something that
/// others use, too.
fn promise(step: &Step, before: Option<&Step>, steps: &Steps) -> Promise {
    let object = &steps.objects[step.object as usize];
    let one = match before {
        _ if step.nth > 0 => one_thing(step, object, steps),
        None => first(step, object),
        Some(_) => NOTHING,
    };
    let two = before.map_or(NOTHING, |before| two_things(step, before, steps));
    let is_used = |it: &Promise| it.1 != 0;
    [one, two].into_iter().filter(is_used).max().unwrap_or(NOTHING)
}

/// Before a step on what the thread has used before (W1).
fn one_thing(step: &Step, object: &Object, steps: &Steps) -> Promise {
    use Access::{Block, Read, Release, Write};
    let (promise, rivals) = match (step.last, step.access) {
        (Read, Write) if object.changing & step.alive != 0 => (9, object.changing),
        (Read, Write) if !steps.is_changed(step.object, step.thread, step.point) => NOTHING,
        (Release | Read, Block) => (8, object.using),
        (Write, Read) => (7, object.changing),
        (Read, Read) => (6, object.changing),
        (Read | Write, Write) => (6, object.using),
        (_, Release) => NOTHING,
        _ => (3, object.using),
    };
    (promise, rivals & step.alive)
}

/// Between steps on two things (W2).
fn two_things(step: &Step, before: &Step, steps: &Steps) -> Promise {
    use Access::{Block, Read, Release, Write};
    if before.object == step.object || before.point == step.point {
        return NOTHING;
    }
    let [first, second] = [before, step].map(|it| &steps.objects[it.object as usize]);
    let rivals = first.rivals(before.access) & step.alive;
    let both = rivals & second.rivals(step.access);
    let conflict = |it: &Step, thread| steps.conflict(it.object, it.access, thread);
    let is_along = |thread| conflict(before, thread) < conflict(step, thread);
    let promise = match (before.access, step.access) {
        (Block, Block) if first.releasing & bit(step.thread) != 0 => return (7, rivals),
        (Read, Write | Block) | (Write, Write) => 7,
        (Read, Read) | (Write, Read) | (Release, Read | Write) => 6,
        (Write, Block) | (Release, Block) => 5,
        (_, Release) => return NOTHING,
        _ => 3,
    };
    (if each(both).any(is_along) { promise } else { promise - ACROSS }, both)
}

/// Before the first step that others can notice, of a thread that runs when they were started (W3).
fn first(step: &Step, object: &Object) -> Promise {
    let promise = if step.thread == 0 { 5 } else { 0 };
    (promise, object.rivals(step.access) & step.alive)
}
