//! Race-directed testing: threads wait at one side of a potential race for the other side.
//!
//! In: the object that a race may be about, and what threads are about to do, point by point. Out:
//! who goes on. Sen (PLDI 2008) names a race by two statements; an object serves as well here, since
//! engines say for every point who is about to touch what, and it also finds the pairs of statements
//! that the run which suggested the object did not show.
//!
//! - P1: a random thread goes on. If it is about to touch the object, it is held back instead.
//! - P2: if a thread that is held back is about to do something that conflicts, the race is there: a
//!   coin says which of the two goes first, and both are free again behind that.
//! - P3: if all threads that could go on are held back, a random one is let go; so is one when others have
//!   gone on for long, since they may be waiting for it.

use alloc::vec::Vec;

use super::{Alternatives, Random, Scene, thread_of};
use crate::operation::{Operation, of_thread};

/// How many points a thread is held back at most before one is let go.
const PATIENCE: u32 = 500;

/// Who is held back before which object.
#[derive(Clone, Debug, Default)]
pub(super) struct Pause {
    target: u64,
    /// Threads that wait for another one: in the order in which they came.
    held: Vec<u32>,
    /// Threads that may pass the object once.
    free: Vec<u32>,
    /// For how many points a thread has been held back.
    waited: u32,
}

impl Pause {
    pub(super) fn new(target: u64) -> Pause {
        Pause { target, ..Pause::default() }
    }

    pub(super) fn choose(
        &mut self,
        scene: &Scene<'_, impl Alternatives + ?Sized>,
        random: &mut Random,
    ) -> usize {
        self.waited = if self.held.is_empty() { 0 } else { self.waited + 1 };
        if self.waited > PATIENCE {
            self.waited = 0;
            self.free.push(self.held.remove(0));
        }
        let n = scene.alternatives.n();
        let mut open: Vec<usize> = (0..n).filter(|&i| !self.is_held(scene, i)).collect();
        while !open.is_empty() {
            let index = open.swap_remove(random.below(open.len() as u64) as usize);
            let thread = thread_of(scene, index) as u32;
            if !self.touches(scene.operations, thread) || self.free.contains(&thread) {
                return self.go(scene, index);
            }
            if let Some(other) = self.rival(scene, thread) {
                self.free.push(thread);
                let waits = thread_of(scene, other) as u32;
                self.held.retain(|&held| held != waits);
                self.free.push(waits);
                let first = if random.below(2) == 0 { index } else { other };
                return self.go(scene, first);
            }
            self.held.push(thread);
        }
        let index = random.below(n as u64) as usize;
        let thread = thread_of(scene, index) as u32;
        self.held.retain(|&held| held != thread);
        self.go(scene, index)
    }

    /// A thread goes on; one that passes the object may do so once.
    fn go(&mut self, scene: &Scene<'_, impl Alternatives + ?Sized>, index: usize) -> usize {
        let thread = thread_of(scene, index) as u32;
        if self.touches(scene.operations, thread) {
            self.free.retain(|&free| free != thread);
        }
        index
    }

    fn is_held(&self, scene: &Scene<'_, impl Alternatives + ?Sized>, index: usize) -> bool {
        self.held.contains(&(thread_of(scene, index) as u32))
    }

    fn touches(&self, operations: &[Operation], thread: u32) -> bool {
        of_thread(operations, thread).any(|operation| operation.is_on(self.target))
    }

    /// A thread that is held back, can go on and conflicts (P2).
    fn rival(&self, scene: &Scene<'_, impl Alternatives + ?Sized>, thread: u32) -> Option<usize> {
        let wants = of_thread(scene.operations, thread).filter(|w| w.is_on(self.target));
        let conflicts = |index: &usize| {
            let other = thread_of(scene, *index) as u32;
            let mut theirs = of_thread(scene.operations, other).filter(|o| o.is_on(self.target));
            theirs.any(|theirs| wants.clone().any(|wants| wants.conflicts(theirs)))
        };
        (0..scene.alternatives.n()).filter(|&index| self.is_held(scene, index)).find(conflicts)
    }
}
