//! Steps of a thread: what it has done, to find out whether it does the same again and again (rule P1 of `spin`).

use super::{NONE, Site, What};

/// How many steps of a thread are remembered; a round has at most half of the steps that stay.
const N_STEPS: usize = 1024;

/// In how many earlier steps that are like the last one a round may begin.
const N_LIKE: usize = 8;

/// A step of a thread.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step {
    /// What it saw in the step before, and what it is about to do.
    pub(super) hash: u64,
    /// Its identity before it.
    pub(super) identity: u64,
    pub(super) site: Site,
    /// The point.
    pub(super) point: u32,
    /// How many changes others had made, and the thread itself.
    pub(super) changes: [u32; 2],
    /// What it is about to do, and to which object.
    pub(super) what: What,
    pub(super) object: u32,
    /// The last step that may be like it.
    pub(super) before: u32,
}

/// The steps of a thread.
#[derive(Debug, Default)]
pub(super) struct Steps {
    pub(super) steps: Vec<Step>,
    /// The last step with each hash, by its lowest bits.
    last: Vec<u32>,
    /// How many steps it has done.
    pub(super) n: u64,
    /// No trial begins before this one (A2 of `trial`).
    pub(super) n_free: u64,
    /// Which answers were taken to questions of the thread, each with the number of the step.
    pub(super) answers: Vec<(u64, u32)>,
    /// How many steps the round has by which it was set aside.
    pub(super) length: usize,
}

impl Steps {
    pub(super) fn clear(&mut self) {
        self.steps.clear();
        self.answers.clear();
        (self.n, self.n_free) = (0, 0);
    }

    /// A question of the thread was answered.
    pub(super) fn answered(&mut self, answer: usize) {
        self.answers.push((self.n, answer as u32));
    }

    pub(super) fn push(&mut self, step: Step) {
        if self.steps.len() == N_STEPS {
            self.steps.drain(..N_STEPS / 2);
            self.last.clear(); // What is linked to lies elsewhere now.
            for step in &mut self.steps {
                step.before = NONE;
            }
        }
        if self.last.is_empty() {
            self.last.resize(256, NONE);
        }
        let index = self.steps.len() as u32;
        let before = std::mem::replace(&mut self.last[step.hash as usize % 256], index);
        // What is left from another execution lies behind this one.
        let before = if before < index { before } else { NONE };
        self.steps.push(Step { before, ..step });
        self.n += 1;
    }

    /// How many steps a round has that was done twice just now.
    #[inline]
    pub(super) fn round(&self) -> Option<usize> {
        let n = self.steps.len();
        let mut last = n - 1;
        for _ in 0..N_LIKE {
            let before = self.steps[last].before as usize;
            if before >= last {
                return None;
            }
            let length = n - 1 - before;
            if 2 * length > n {
                return None;
            }
            let (one, other) = (&self.steps[n - length..], &self.steps[n - 2 * length..][..length]);
            if one.iter().zip(other).all(|(one, other)| one.hash == other.hash) {
                return Some(length);
            }
            last = before;
        }
        None
    }
}
