//! How executions are chosen, with everything settled.

use raddle_explore::{AnyStrategy, Bounded, Portfolio, Reduced, Sample, StrategyKind};

/// Which executions a search makes, and in which order.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Method {
    /// The strategy.
    pub kind: StrategyKind,
    /// How many preemptions or delays an execution may have; any number if none.
    pub bound: Option<u32>,
    /// Whether executions are left out that are equivalent to others; for `icb` and `dfs`.
    pub is_reduced: bool,
    /// Whether runs end at states that earlier ones have seen; for strategies that enumerate.
    pub is_cached: bool,
    /// One part of the executions, counted from 1, of so many; for `icb` and `delay`.
    pub part: Option<(u32, u32)>,
    /// What random choices depend on.
    pub seed: u64,
}

/// What `raddle check` does.
impl Default for Method {
    fn default() -> Method {
        Method {
            kind: StrategyKind::Portfolio,
            bound: Some(2),
            is_reduced: false,
            is_cached: true,
            part: None,
            seed: 1,
        }
    }
}

impl Method {
    /// The strategy.
    pub fn strategy(&self) -> AnyStrategy {
        let bound = self.bound;
        let finish = |bounded: Bounded| {
            let bounded = if self.is_cached { bounded.cached() } else { bounded };
            match self.part {
                Some((part, n)) => bounded.clone().split(part - 1, n).unwrap_or(bounded),
                None => bounded,
            }
        };
        match self.kind {
            StrategyKind::Icb if self.is_reduced => Reduced::bounded(bound).into(),
            StrategyKind::Dfs if self.is_reduced => Reduced::all().into(),
            StrategyKind::Icb => finish(Bounded::icb(bound)).into(),
            StrategyKind::Dfs => finish(Bounded::dfs()).into(),
            StrategyKind::Delay => finish(Bounded::delay(bound)).into(),
            StrategyKind::Depth(n) => Bounded::depth(n).into(),
            StrategyKind::IterativeDepth(n) => Bounded::iterative_depth(n, n).into(),
            StrategyKind::Sample(sampler) => Sample::new(sampler, self.seed).into(),
            StrategyKind::Portfolio => {
                Portfolio::new(finish(Bounded::icb(bound)), self.seed).into()
            }
        }
    }
}
