//! Any strategy that can be saved: what a checkpoint holds.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::bounded::Bounded;
use crate::checkpoint::Flaw;
use crate::engine::Watch;
use crate::portfolio::Portfolio;
use crate::reduced::Reduced;
use crate::run::Run;
use crate::sample::Sample;
use crate::strategy::{Next, PlanId, Strategy};

/// Any strategy that can be saved.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum AnyStrategy {
    /// Enumerates in the order of a cost.
    Bounded(Bounded),
    /// Enumerates what is not equivalent.
    Reduced(Reduced),
    /// Draws executions.
    Sample(Sample),
    /// Draws and enumerates.
    Portfolio(Portfolio),
}

impl AnyStrategy {
    fn get(&self) -> &dyn Strategy {
        match self {
            AnyStrategy::Bounded(strategy) => strategy,
            AnyStrategy::Reduced(strategy) => strategy,
            AnyStrategy::Sample(strategy) => strategy,
            AnyStrategy::Portfolio(strategy) => strategy,
        }
    }

    fn get_mut(&mut self) -> &mut dyn Strategy {
        match self {
            AnyStrategy::Bounded(strategy) => strategy,
            AnyStrategy::Reduced(strategy) => strategy,
            AnyStrategy::Sample(strategy) => strategy,
            AnyStrategy::Portfolio(strategy) => strategy,
        }
    }
}

impl AnyStrategy {
    /// Refuses what no search can come to; `executions` is how many runs it must have learned.
    pub(crate) fn check(&self, executions: u64) -> Result<(), Flaw> {
        match self {
            AnyStrategy::Bounded(strategy) => strategy.check(executions),
            AnyStrategy::Reduced(strategy) => strategy.check(executions),
            AnyStrategy::Sample(strategy) => strategy.check(executions),
            AnyStrategy::Portfolio(strategy) => strategy.check(executions),
        }
    }

    /// Whether another one looks for the same, however far the two are.
    pub(crate) fn is_like(&self, other: &AnyStrategy) -> bool {
        match (self, other) {
            (AnyStrategy::Bounded(one), AnyStrategy::Bounded(other)) => one.is_like(other),
            (AnyStrategy::Reduced(one), AnyStrategy::Reduced(other)) => one.is_like(other),
            (AnyStrategy::Sample(one), AnyStrategy::Sample(other)) => one.is_like(other),
            (AnyStrategy::Portfolio(one), AnyStrategy::Portfolio(other)) => one.is_like(other),
            _ => false,
        }
    }
}

impl From<Bounded> for AnyStrategy {
    fn from(strategy: Bounded) -> AnyStrategy {
        AnyStrategy::Bounded(strategy)
    }
}

impl From<Reduced> for AnyStrategy {
    fn from(strategy: Reduced) -> AnyStrategy {
        AnyStrategy::Reduced(strategy)
    }
}

impl From<Sample> for AnyStrategy {
    fn from(strategy: Sample) -> AnyStrategy {
        AnyStrategy::Sample(strategy)
    }
}

impl From<Portfolio> for AnyStrategy {
    fn from(strategy: Portfolio) -> AnyStrategy {
        AnyStrategy::Portfolio(strategy)
    }
}

impl Strategy for AnyStrategy {
    fn next(&mut self) -> Next {
        self.get_mut().next()
    }

    fn learn(&mut self, id: PlanId, run: &mut Run) {
        self.get_mut().learn(id, run);
    }

    fn fits(&self, run: &Run) -> bool {
        self.get().fits(run)
    }

    fn watch(&self) -> Arc<dyn Watch> {
        self.get().watch()
    }

    fn restart(&mut self) {
        self.get_mut().restart();
    }

    fn rewind(&mut self) {
        self.get_mut().rewind();
    }

    fn bound(&self) -> Option<u32> {
        self.get().bound()
    }

    fn bound_of(&self, id: PlanId) -> Option<u32> {
        self.get().bound_of(id)
    }

    fn is_exhausted(&self) -> bool {
        self.get().is_exhausted()
    }

    fn memory(&self) -> usize {
        self.get().memory()
    }
}
