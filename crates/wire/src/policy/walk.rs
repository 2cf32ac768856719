//! Random walks: which thread does the next operation that counts.
//!
//! In: which operations count, and how many of them each thread is expected to do. Out: a thread
//! per point. Follows Zhao et al., "Selectively Uniform Concurrency Testing" (ASPLOS 2025). If the
//! expectations hold and threads do not wait for each other, all orders of the operations that
//! count are equally likely, however many others there are.
//!
//! - W1: the *intended* thread is drawn in proportion to the operations that threads have left;
//!   those of a thread that does not exist yet count for the one that will create it. When it is
//!   created by the intended thread, the two draw which of them is the intended one.
//! - W2: an operation that counts is done by the intended thread only; then W1 again. Everything
//!   else is done in any order, each thread up to its next operation that counts.
//! - W3: if no thread can go on by W2, the intended thread waits or has ended: one of those that can
//!   go on takes its place. The same if more points go by than a whole run should have, since
//!   threads may spin until one that is held back does something.

use alloc::vec;
use alloc::vec::Vec;

use super::{Alternatives, Random, Scene, thread_of};

/// A walk in one run.
#[derive(Clone, Debug)]
pub(super) struct Walk {
    /// The object whose operations count; if there is none, all do.
    target: Option<u64>,
    /// Per thread, how many operations that count are left.
    left: Vec<u64>,
    creators: Vec<Option<u32>>,
    /// The threads that could be chosen at some point.
    exists: Vec<bool>,
    intended: Option<usize>,
    /// How many points have gone by since an operation that counts.
    n_idle: u32,
    n_idle_max: u32,
}

impl Walk {
    pub(super) fn new(
        target: Option<u64>,
        n_steps: &[u32],
        creators: &[Option<u32>],
        n_points: u32,
    ) -> Walk {
        Walk {
            target,
            left: n_steps.iter().map(|&n| n.into()).collect(),
            creators: creators.to_vec(),
            exists: Vec::new(),
            intended: None,
            n_idle: 0,
            n_idle_max: n_points,
        }
    }

    pub(super) fn choose<A: Alternatives + ?Sized>(
        &mut self,
        scene: &Scene<'_, A>,
        random: &mut Random,
    ) -> usize {
        let created = self.look_around(scene);
        let mut weights = self.weights(scene);
        if self.intended.is_none() {
            self.intended = draw(&weights, random); // W1
        } else if !created.is_empty() {
            for (thread, weight) in weights.iter_mut().enumerate() {
                let meant = self.intended == Some(thread) || created.contains(&thread);
                *weight = if meant { *weight } else { 0 };
            }
            self.intended = draw(&weights, random).or(self.intended);
        }
        let mut open = self.open(scene);
        if open.is_empty() || self.n_idle > self.n_idle_max {
            self.intended = draw(&self.held_back(scene), random).or(self.intended); // W3
            self.n_idle = 0;
            open = self.open(scene);
        }
        let chosen = open[random.below(open.len() as u64) as usize];
        self.n_idle += 1;
        if self.counts(scene, chosen) {
            self.intended = None;
            self.n_idle = 0;
            if let Some(left) = self.left.get_mut(thread_of(scene, chosen)) {
                *left = left.saturating_sub(1);
            }
        }
        chosen
    }

    /// Notes which threads exist; answers with those that the intended thread stood for.
    fn look_around(&mut self, scene: &Scene<'_, impl Alternatives + ?Sized>) -> Vec<usize> {
        let threads = || (0..scene.alternatives.n()).map(|index| thread_of(scene, index));
        let stood_for = |&thread: &usize| {
            let who = self.stand_in(thread);
            who.is_some() && who != Some(thread) && who == self.intended
        };
        let created = threads().filter(stood_for).collect();
        let n = threads().max().map_or(0, |last| last + 1);
        self.exists.resize(n.max(self.exists.len()), false);
        threads().for_each(|thread| self.exists[thread] = true);
        created
    }

    /// What can be taken by W2.
    fn open(&self, scene: &Scene<'_, impl Alternatives + ?Sized>) -> Vec<usize> {
        let intended = |index| self.intended == Some(thread_of(scene, index));
        let n = scene.alternatives.n();
        (0..n).filter(|&index| intended(index) || !self.counts(scene, index)).collect()
    }

    /// Whether what a thread is about to do counts.
    fn counts(&self, scene: &Scene<'_, impl Alternatives + ?Sized>, index: usize) -> bool {
        let Some(target) = self.target else { return true };
        let thread = thread_of(scene, index);
        let pending = scene.operations.iter().find(|pending| pending.thread as usize == thread);
        pending.is_some_and(|pending| pending.is_on(target))
    }

    /// W1: per thread, what it has left.
    fn weights(&self, scene: &Scene<'_, impl Alternatives + ?Sized>) -> Vec<u64> {
        let mut weights = vec![0; self.exists.len()];
        for (thread, &left) in self.left.iter().enumerate() {
            if let Some(thread) = self.stand_in(thread) {
                weights[thread] += left;
            }
        }
        // A thread before an operation that was not expected has that one left.
        let least = self.held_back(scene).into_iter().map(|weight| weight.min(1));
        weights.iter_mut().zip(least).for_each(|(weight, least)| *weight = least.max(*weight));
        weights
    }

    /// Per thread, what it has left if it is before an operation that counts.
    fn held_back(&self, scene: &Scene<'_, impl Alternatives + ?Sized>) -> Vec<u64> {
        let mut weights = vec![0; self.exists.len()];
        for index in (0..scene.alternatives.n()).filter(|&index| self.counts(scene, index)) {
            let thread = thread_of(scene, index);
            weights[thread] = self.left.get(thread).copied().unwrap_or(0).max(1);
        }
        weights
    }

    /// The thread itself, if it exists, or the one that will create it or its creator.
    fn stand_in(&self, mut thread: usize) -> Option<usize> {
        for _ in 0..=self.creators.len() {
            if self.exists.get(thread) == Some(&true) {
                return Some(thread);
            }
            thread = (*self.creators.get(thread)?)? as usize;
        }
        None
    }
}

/// An index, in proportion to the weights; none if all are 0.
fn draw(weights: &[u64], random: &mut Random) -> Option<usize> {
    let total: u64 = weights.iter().sum();
    let mut left = random.below(total);
    weights.iter().position(|&weight| match left.checked_sub(weight) {
        Some(rest) => {
            left = rest;
            false
        }
        None => true,
    })
}
