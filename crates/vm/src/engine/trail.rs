//! The trail: the states before the points of the last run.
//!
//! In: states, as a run goes on. Out: the last one of them that the next run passes through.

use raddle_explore::{Plan, Run};

use super::VmEngine;
use super::spin::Spins;
use crate::races::Mark;
use crate::state::Snapshot;

/// The most bytes that saved states may take.
const SAVED_MAX: usize = 256 << 20;

/// States before points of the last run, ascending.
#[derive(Debug, Default)]
pub(super) struct Trail {
    /// From `len` on they are spare.
    saved: Vec<Saved>,
    len: usize,
    bytes: usize,
}

/// The state before a point.
#[derive(Debug, Default)]
struct Saved {
    point: usize,
    state: Snapshot,
    spins: Spins,
    /// Where the detector of races was, if it was needed.
    mark: Mark,
    bytes: usize,
}

impl Trail {
    fn ends_at(&self, point: usize) -> bool {
        self.len > 0 && self.saved[self.len - 1].point == point
    }

    fn add(&mut self) -> &mut Saved {
        if self.len == self.saved.len() {
            self.saved.push(Saved::default());
        }
        self.len += 1;
        &mut self.saved[self.len - 1]
    }

    /// Drops all states.
    pub(super) fn clear(&mut self) {
        self.back_to(None);
    }

    /// Drops the states behind a point, or all of them; answers with the last one that is left.
    fn back_to(&mut self, point: Option<usize>) -> Option<&Saved> {
        let fits = |saved: &Saved| point.is_some_and(|point| saved.point <= point);
        while self.len > 0 && !fits(&self.saved[self.len - 1]) {
            self.len -= 1;
            self.bytes -= self.saved[self.len].bytes;
        }
        self.saved[..self.len].last()
    }
}

impl VmEngine {
    /// Goes to the last saved state that a plan passes through; `run` becomes what led there. Answers
    /// with up to which point the flags of the last run are those of this one.
    pub(super) fn rewind(&mut self, plan: &Plan, run: &mut Run) -> Option<usize> {
        let both = self.last.choices().zip(&plan.prefix);
        let common = both.take_while(|(taken, planned)| taken == *planned).count();
        // What was not observed on the way there cannot be made up for.
        let within = if self.observed == plan.observe { Some(common) } else { None };
        match self.trail.back_to(within) {
            None => {
                self.machine.reset();
                self.spins.reset();
                run.clear();
                self.detector.rewind(Mark::default(), &[]);
            }
            Some(Saved { point, state, spins, mark, .. }) => {
                self.machine.restore(state);
                self.spins.copy(spins);
                run.copy_prefix(&self.last, *point);
                if plan.observe.races {
                    self.detector.rewind(*mark, &run.races);
                }
            }
        }
        let last = self.last.points().len().checked_sub(1);
        last.filter(|_| self.is_settled && within.is_some()).map(|last| common.min(last))
    }

    /// Keeps the state before a point, unless it is kept.
    pub(super) fn save(&mut self, point: usize) {
        if self.trail.ends_at(point) || self.trail.bytes + self.detector.size() >= SAVED_MAX {
            return;
        }
        let saved = self.trail.add();
        saved.point = point;
        saved.spins.copy(&self.spins);
        self.machine.save(&mut saved.state);
        saved.bytes = saved.state.size();
        if self.observed.races {
            saved.mark = self.detector.mark();
        }
        self.trail.bytes += saved.bytes;
    }
}
