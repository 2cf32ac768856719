//! The portfolio: sampling finds, bounds prove.
//!
//! In: a strategy that enumerates, and samplers that take turns. Out: the plans of both. Samplers
//! find most of what there is within some hundred runs, wherever it is; the enumeration says what
//! there is not, and needs the runs of a long search.
//!
//! - P1: who makes plan i depends on i only: of the first eight blocks of plans, every second one is
//!   sampled, later every eighth. A block has 64 plans, unless engines are so fast that it pays to
//!   hear of both sooner. The first one is sampled (`FIRST` is 0), unless the enumeration is one
//!   with reduction, whose first executions differ in what matters (`FIRST` is 1).
//! - P2: each learns its own runs only. Both are deterministic, so this is, too.
//! - P3: it is done when the enumeration is.
//! - P4: what is sampled is beside all bounds, and does not end where the enumeration has been.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::bounded::Bounded;
use crate::checkpoint::{COUNT_MAX, Flaw, ensure};
use crate::engine::Watch;
use crate::run::Run;
use crate::sample::{Sample, Sampler};
use crate::strategy::{Next, PlanId, Strategy};

/// How many blocks alternate before most of them are enumerated.
const N_EARLY: u64 = 8;

/// Samples and enumerates in turns, each so many plans in a row.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Portfolio<S = Bounded, const BLOCK: u64 = 64, const FIRST: u64 = 0> {
    sample: Sample,
    search: S,
    n_out: u64,
    /// How many runs each member has learned: sampled, enumerated.
    n_learned: [u64; 2],
}

impl<S: Strategy> Portfolio<S> {
    /// What enumerates, and the seed for samplers that suit most programs.
    pub fn new(search: S, seed: u64) -> Portfolio<S> {
        Portfolio::in_blocks(search, seed)
    }

    /// What enumerates and what samples; neither may have made plans before.
    pub fn with(search: S, sample: Sample) -> Portfolio<S> {
        Portfolio { sample, search, n_out: 0, n_learned: [0, 0] }
    }

    /// P1: whether a plan is sampled.
    pub fn is_sampled(id: PlanId) -> bool {
        Self::samples(id)
    }
}

impl<S: Strategy, const BLOCK: u64, const FIRST: u64> Portfolio<S, BLOCK, FIRST> {
    /// As `new`, with other blocks.
    pub fn in_blocks(search: S, seed: u64) -> Portfolio<S, BLOCK, FIRST> {
        let samplers =
            vec![Sampler::Surw, Sampler::Pos, Sampler::Pct { depth: 3 }, Sampler::Random];
        let sample = Sample::rotating(samplers, seed);
        Portfolio { sample, search, n_out: 0, n_learned: [0, 0] }
    }

    fn samples(id: PlanId) -> bool {
        let block = id.0 / BLOCK;
        block % (if block < N_EARLY { 2 } else { N_EARLY }) == FIRST
    }
}

impl Portfolio {
    /// Refuses what no portfolio can come to; `executions` is how many runs it must have learned.
    pub(crate) fn check(&self, executions: u64) -> Result<(), Flaw> {
        let [sampled, enumerated] = self.n_learned;
        let all = sampled.checked_add(enumerated);
        ensure(all == Some(executions) && self.n_out < COUNT_MAX, "how many runs were learned")?;
        self.sample.check(sampled)?;
        self.search.check(enumerated)
    }

    /// Whether another one looks for the same, however far the two are.
    pub(crate) fn is_like(&self, other: &Portfolio) -> bool {
        self.sample.is_like(&other.sample) && self.search.is_like(&other.search)
    }
}

impl<S: Strategy, const BLOCK: u64, const FIRST: u64> Strategy for Portfolio<S, BLOCK, FIRST> {
    fn next(&mut self) -> Next {
        let id = PlanId(self.n_out);
        let sampled = Self::samples(id);
        let next = if sampled { self.sample.next() } else { self.search.next() };
        let Next::Ready(_, mut plan) = next else { return next };
        plan.unwatched |= sampled; // P4
        self.n_out += 1;
        Next::Ready(id, plan)
    }

    fn learn(&mut self, id: PlanId, run: &mut Run) {
        let [sampled, enumerated] = &mut self.n_learned;
        assert_eq!(id.0, *sampled + *enumerated, "runs are learned in the order of their plans");
        if Self::samples(id) {
            self.sample.learn(PlanId(*sampled), run);
            *sampled += 1;
        } else {
            self.search.learn(PlanId(*enumerated), run);
            *enumerated += 1;
        }
    }

    fn watch(&self) -> Arc<dyn Watch> {
        self.search.watch()
    }

    fn restart(&mut self) {
        self.sample.restart();
        self.search.restart();
        self.n_out = self.n_learned.iter().sum();
    }

    fn rewind(&mut self) {
        self.sample.rewind();
        self.search.rewind();
        self.n_out = self.n_learned.iter().sum();
    }

    fn bound(&self) -> Option<u32> {
        self.search.bound()
    }

    fn bound_of(&self, id: PlanId) -> Option<u32> {
        if Self::samples(id) { None } else { self.search.bound() }
    }

    fn is_exhausted(&self) -> bool {
        self.search.is_exhausted()
    }

    fn memory(&self) -> usize {
        self.sample.memory() + self.search.memory()
    }
}
