//! Ranks: threads have an order, and some of them fall to its end before a step of theirs.
//!
//! In: the order, and before which of its steps which thread falls. Out: which thread goes on. So a run can be
//! described by two lists: preempt this thread there, then let those run, in this order, as far as they go.
//! A step is named by the thing that it is about and how often the thread has used that before; things
//! are numbered in the order in which the thread uses them. So a name fits other runs, too: how many
//! steps there are on other things does not matter, nor which thread was the first to use one.
//!
//! - R1: a thread goes on as long as it can. It falls before the steps that were named, and when it
//!   gives way: otherwise a spin loop would never end.
//! - R2: a thread that cannot go on, or has fallen, is followed by the first one in the order that can.
//! - R3: those who are not in the order come behind it, by their numbers; those who have fallen come
//!   behind all others, in the order in which they fell.

use alloc::vec::Vec;

use super::{Alternatives, Scene, thread_of};
use crate::operation::{Access, Operation, of_thread};

/// Those who have fallen come behind this.
const FALLEN: u64 = 1 << 33;
/// Those who are not in the order come behind this.
const UNNAMED: u64 = 1 << 32;

/// What a thread has used.
#[derive(Clone, Copy, Debug)]
struct Thing {
    thread: u32,
    object: u64,
    n_steps: u32,
}

/// The ranks of threads in one run.
#[derive(Clone, Debug, Default)]
pub(super) struct Ranked {
    /// Those that are still to come: thread, number of the thing, how often it was used before.
    falls: Vec<[u32; 3]>,
    /// What the threads use that fall.
    things: Vec<Thing>,
    /// Per thread; the lowest goes first.
    ranks: Vec<u64>,
    n_fallen: u64,
}

impl Ranked {
    pub(super) fn begin(&mut self, order: &[u32], falls: &[[u32; 3]]) {
        self.falls.clear();
        self.falls.extend_from_slice(falls);
        self.things.clear();
        self.ranks.clear();
        self.n_fallen = 0;
        for (&thread, rank) in order.iter().zip(0..) {
            *self.rank(thread as usize) = rank;
        }
    }

    pub(super) fn choose(&mut self, scene: &Scene<'_, impl Alternatives + ?Sized>) -> usize {
        let (n, current) = (scene.alternatives.n(), scene.current as usize);
        if n == 1 || scene.preemptible {
            let chosen = if n == 1 { 0 } else { scene.default };
            if !self.has_fall(thread_of(scene, chosen) as u32) {
                return chosen; // `Chooser::takes_default`
            }
        }
        let gives_way = !scene.preemptible && n > 1;
        if gives_way && (0..n).any(|index| thread_of(scene, index) == current) {
            self.fall(current);
        }
        let mut chosen = if scene.preemptible { scene.default } else { self.first(scene) };
        // A fall comes once, so this ends.
        while self.goes_or_falls(scene.operations, thread_of(scene, chosen) as u32, n > 1) {
            self.fall(thread_of(scene, chosen));
            chosen = self.first(scene);
        }
        chosen
    }

    /// Whether a thread is still to fall.
    #[inline]
    pub(super) fn has_fall(&self, thread: u32) -> bool {
        self.falls.iter().any(|fall| fall[0] == thread)
    }

    /// Who comes first in the order (R2).
    fn first(&mut self, scene: &Scene<'_, impl Alternatives + ?Sized>) -> usize {
        let rank = |index: &usize| *self.rank(thread_of(scene, *index));
        (0..scene.alternatives.n()).min_by_key(rank).unwrap_or(0)
    }

    /// Whether a thread falls before the step that it is about to do, if it may: it then does so once.
    /// Otherwise it does the step.
    fn goes_or_falls(&mut self, operations: &[Operation], thread: u32, may_fall: bool) -> bool {
        if !self.has_fall(thread) {
            return false;
        }
        for step in steps(operations, thread).filter(|_| may_fall) {
            let (number, thing) = self.thing(thread, step.object);
            let now = [thread, number, thing.n_steps];
            if let Some(place) = self.falls.iter().position(|fall| *fall == now) {
                self.falls.swap_remove(place);
                return true;
            }
        }
        steps(operations, thread).for_each(|step| self.thing(thread, step.object).1.n_steps += 1);
        false
    }

    /// What a thread uses, and its number.
    fn thing(&mut self, thread: u32, object: u64) -> (u32, &mut Thing) {
        let (mut number, mut place) = (0, self.things.len());
        for (at, thing) in self.things.iter().enumerate().filter(|(_, it)| it.thread == thread) {
            if thing.object == object {
                place = at;
                break;
            }
            number += 1;
        }
        if place == self.things.len() {
            self.things.push(Thing { thread, object, n_steps: 0 });
        }
        (number, &mut self.things[place])
    }

    fn fall(&mut self, thread: usize) {
        self.n_fallen += 1;
        *self.rank(thread) = FALLEN + self.n_fallen;
    }

    /// The rank of a thread (R3).
    fn rank(&mut self, thread: usize) -> &mut u64 {
        while self.ranks.len() <= thread {
            self.ranks.push(UNNAMED + self.ranks.len() as u64);
        }
        &mut self.ranks[thread]
    }
}

/// What a thread is about to do that others can notice.
fn steps(operations: &[Operation], thread: u32) -> impl Iterator<Item = &Operation> {
    of_thread(operations, thread).filter(|operation| operation.access != Access::Local)
}
