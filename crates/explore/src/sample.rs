//! Sampling: executions drawn at random, each from a seed of its own.
//!
//! Execution number i depends on the seed of the search, on i and on the lengths that the first
//! run showed; all of it is in its plan, so it can be executed again alone. Samplers that need
//! lengths begin with a run without preemptions.

use serde::{Deserialize, Serialize};

use crate::plan::{Observe, Plan};
use crate::policy::{Policy, Random};
use crate::run::Run;
use crate::strategy::{Next, PlanId, Strategy};
use raddle_finding::Choice;

/// How executions are drawn.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Sampler {
    /// Every choice is equally likely.
    Random,
    /// Probabilistic concurrency testing.
    Pct {
        /// The depth of the bugs looked for.
        depth: u32,
    },
    /// Partial-order sampling.
    Pos,
    /// A uniform random walk.
    Walk,
}

/// Draws executions for ever.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sample {
    sampler: Sampler,
    seed: u64,
    n_out: u64,
    n_learned: u64,
    /// How many points the first run had.
    n_points: u32,
    /// How many steps each thread took in it.
    n_steps: Vec<u32>,
}

impl Sample {
    /// Draws from a seed.
    pub fn new(sampler: Sampler, seed: u64) -> Sample {
        Sample { sampler, seed, n_out: 0, n_learned: 0, n_points: 0, n_steps: Vec::new() }
    }

    fn needs_lengths(&self) -> bool {
        matches!(self.sampler, Sampler::Pct { .. } | Sampler::Walk)
    }

    /// The plan of one execution; if lengths are needed, the first run must have been learned.
    pub fn plan(&self, number: u64) -> Plan {
        let seed = Random(self.seed ^ Random(number).next()).next();
        let policy = match self.sampler {
            _ if self.needs_lengths() && number == 0 => Policy::Continue,
            Sampler::Random => Policy::Random { seed },
            Sampler::Pct { depth } => Policy::Pct { seed, depth, n_points: self.n_points },
            Sampler::Pos => Policy::Pos { seed },
            Sampler::Walk => Policy::Walk { seed, n_steps: self.n_steps.clone() },
        };
        let operations = self.sampler == Sampler::Pos;
        let observe = Observe { operations, ..Observe::default() };
        Plan { prefix: Vec::new(), policy, n_points_max: None, observe }
    }
}

impl Strategy for Sample {
    fn next(&mut self) -> Next {
        if self.needs_lengths() && self.n_out == 1 && self.n_learned == 0 {
            return Next::Pending;
        }
        let number = self.n_out;
        self.n_out += 1;
        Next::Ready(PlanId(number), self.plan(number))
    }

    fn learn(&mut self, id: PlanId, run: &mut Run) {
        assert_eq!(id.0, self.n_learned, "runs are learned in the order of their plans");
        self.n_learned += 1;
        if id.0 > 0 {
            return;
        }
        self.n_points = run.points().len() as u32;
        for choice in run.choices() {
            let Choice::Thread(thread) = choice else { continue };
            if self.n_steps.len() <= thread as usize {
                self.n_steps.resize(thread as usize + 1, 0);
            }
            self.n_steps[thread as usize] += 1;
        }
    }

    fn rewind(&mut self) {
        self.n_out = self.n_learned;
    }

    /// What was measured stays: it is a guess all the same.
    fn restart(&mut self) {
        self.rewind();
    }

    fn bound(&self) -> Option<u32> {
        None
    }

    fn is_exhausted(&self) -> bool {
        false
    }

    fn memory(&self) -> usize {
        size_of::<Sample>() + self.n_steps.capacity() * size_of::<u32>()
    }
}
