//! Growth: how many distinct states a search had seen after how many executions.
//!
//! In: the number of states after each execution. Out: a curve that stays small: every execution
//! up to 200, then about one in every 1 %, and the last one. What it has is exact. This is what
//! Figures 1, 2 and 4 to 6 of the paper are drawn from.

use serde::{Deserialize, Serialize};

/// What a search had seen after an execution.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Growth {
    /// How many executions there were, since the program has the points it has.
    pub executions: u64,
    /// How many distinct states there were in them.
    pub states: u64,
    /// The bound that the execution belongs to.
    pub bound: Option<u32>,
}

/// The curve so far.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
pub(crate) struct Curve {
    kept: Vec<Growth>,
    last: Option<Growth>,
}

impl Curve {
    /// Takes in the next execution.
    pub(crate) fn add(&mut self, states: u64, bound: Option<u32>) {
        let executions = self.last.map_or(0, |last| last.executions) + 1;
        let last = Growth { executions, states, bound };
        let next =
            self.kept.last().map_or(1, |kept| kept.executions + 1.max(kept.executions / 100));
        if executions >= next {
            self.kept.push(last);
        }
        self.last = Some(last);
    }

    /// Whether it can be that of a search with so many executions.
    pub(crate) fn is_sound(&self, executions: u64) -> bool {
        let all = || self.kept.iter().chain(&self.last).map(|growth| growth.executions);
        all().is_sorted() && all().all(|n| n <= executions)
    }

    /// The curve, up to the last execution.
    pub(crate) fn points(&self) -> Vec<Growth> {
        let last = self.last.filter(|last| self.kept.last() != Some(last));
        self.kept.iter().copied().chain(last).collect()
    }
}
