//! Strategies: what decides which runs are worth executing.

use std::sync::Arc;

use crate::engine::Watch;
use crate::plan::Plan;
use crate::run::Run;

/// The number of a plan, from 0 in the order in which a strategy makes them.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct PlanId(pub u64);

/// What a strategy wants.
#[derive(Clone, PartialEq, Debug)]
pub enum Next {
    /// This plan is to be executed.
    Ready(PlanId, Plan),
    /// Runs that are under way have to be learned first.
    Pending,
    /// Nothing is left.
    Done,
}

/// Decides what to run next. Knows nothing about how a run is executed.
///
/// Plans may be executed in any order and at the same time, but runs are learned in the order of
/// their ids. What plan has which id must not depend on how many were asked for before which run
/// was learned: that makes parallel search deterministic.
pub trait Strategy {
    /// The next plan.
    fn next(&mut self) -> Next;

    /// Whether a run can be that of the next plan in order. A strategy that was saved may be about
    /// another program than it says.
    fn fits(&self, run: &Run) -> bool {
        let _ = run;
        true
    }

    /// Takes in the run of the plan that is next in order. What earlier runs have shown is cut
    /// off: the run then ends as [`Outcome::Known`].
    ///
    /// [`Outcome::Known`]: crate::Outcome::Known
    fn learn(&mut self, id: PlanId, run: &mut Run);

    /// What engines can look up to end runs early; it must not know more than `learn` will cut.
    fn watch(&self) -> Arc<dyn Watch> {
        Arc::new(())
    }

    /// Whether its first run comes again before it claims that anything is covered: then nothing else needs to
    /// compare two of them.
    fn repeats_first(&self) -> bool {
        false
    }

    /// Whether there certainly is another plan: then a search that ends with what it has found need not
    /// ask for it.
    fn has_next(&self) -> bool {
        false
    }

    /// Begins again, since the program has other points now; ids go on.
    fn restart(&mut self);

    /// Plans that were handed out and not learned are handed out again, under the same ids.
    fn rewind(&mut self);

    /// The bound that is in progress, if there is one. Runs of two bounds are never under way at
    /// the same time.
    fn bound(&self) -> Option<u32>;

    /// The bound that a plan belongs to which was handed out and not learned: the one in progress,
    /// or none if the plan is beside all bounds.
    fn bound_of(&self, id: PlanId) -> Option<u32> {
        let _ = id;
        self.bound()
    }

    /// Whether it has produced every execution there is; sampling never has.
    fn is_exhausted(&self) -> bool;

    /// How many bytes its state takes.
    fn memory(&self) -> usize;
}
