//! Sampling: executions drawn at random, each from a seed of its own.
//!
//! Execution number i depends on the seed of the search, on i and on the profile of the first run;
//! all of it is in its plan, so it can be executed again alone. Samplers that need a profile begin
//! with a run without preemptions, and begin with one again when the program has other points.
//! Several samplers take turns, one execution each. In every second round they leave alone what the
//! first thread does before any other goes on: where it creates many, those that come first would
//! otherwise be over before the last one exists.

use raddle_finding::Choice;
use raddle_wire::policy::Random;
use serde::{Deserialize, Serialize};

use crate::checkpoint::{COUNT_MAX, Flaw, ensure};
use crate::plan::{Observe, Plan};
use crate::policy::Policy;
use crate::profile::Profile;
use crate::registry::Profiled;
use crate::run::Run;
use crate::strategy::{Next, PlanId, Strategy};

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
    /// A uniform random walk over all steps.
    Walk,
    /// A selectively uniform random walk: over the operations on one object, which is drawn for
    /// each execution from those that threads share; over all steps if they share none.
    Surw,
    /// Race-directed testing: threads are held back before an object, which is drawn for each
    /// execution from those that threads share; a plain random walk if they share none.
    Pause,
}

/// Longer beginnings of the plain run are not left alone: each plan would have to have them.
const LEAD_MAX: u32 = 1 << 16;

/// How many executions are described whatever comes of them. Later executions are described only if there is
/// something to report, and have to be executed twice for it.
const N_DESCRIBED: u64 = 100;

/// Draws executions for ever.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sample {
    samplers: Vec<Sampler>,
    seed: u64,
    n_out: u64,
    n_learned: u64,
    /// The execution whose run is the profile, if one is needed.
    measures: u64,
    profile: Profile,
}

impl Sample {
    /// Draws from a seed.
    pub fn new(sampler: Sampler, seed: u64) -> Sample {
        Sample::rotating(vec![sampler], seed)
    }

    /// Draws from a seed with one sampler after the other; there must be one.
    pub fn rotating(samplers: Vec<Sampler>, seed: u64) -> Sample {
        assert!(!samplers.is_empty(), "at least one sampler is needed");
        let profile = Profile::default();
        Sample { samplers, seed, n_out: 0, n_learned: 0, measures: 0, profile }
    }

    /// Refuses what no sampling can come to; `executions` is how many runs it must have learned.
    pub(crate) fn check(&self, executions: u64) -> Result<(), Flaw> {
        ensure(!self.samplers.is_empty(), "its samplers")?;
        ensure(self.n_learned == executions, "how many runs were sampled")?;
        ensure(self.n_out < COUNT_MAX, "how many runs are under way")?;
        ensure(self.profile.lead <= self.profile.n_points, "its profile")?;
        ensure(self.measures <= self.n_learned, "the run that is its profile")
    }

    /// Whether another one draws the same, however far the two are.
    pub(crate) fn is_like(&self, other: &Sample) -> bool {
        (&self.samplers, self.seed) == (&other.samplers, other.seed)
    }

    fn needs_profile(&self) -> bool {
        self.samplers.iter().any(|sampler| sampler.draws().profile != Profiled::Nothing)
    }

    /// The plan of one execution; if a profile is needed, the first run must have been learned.
    pub fn plan(&self, number: u64) -> Plan {
        let mut random = Random(self.seed ^ Random(number).word());
        let seed = random.word();
        let sampler = self.samplers[(number % self.samplers.len() as u64) as usize];
        let measures = self.needs_profile() && number == self.measures;
        let lead = if measures { 0 } else { self.lead(number, sampler) };
        let policy = match sampler {
            _ if measures => Policy::Continue,
            Sampler::Random => Policy::Random { seed },
            Sampler::Pct { depth } => {
                Policy::Pct { seed, depth, n_points: self.profile.n_points - lead }
            }
            Sampler::Pos => Policy::Pos { seed },
            Sampler::Walk => self.walk(seed, None),
            Sampler::Pause => {
                let drawn = random.below(self.profile.shared.len() as u64) as usize;
                match self.profile.shared.get(drawn) {
                    Some(shared) => Policy::Pause { seed, target: shared.object },
                    None => Policy::Random { seed },
                }
            }
            Sampler::Surw => {
                let drawn = random.below(self.profile.shared.len() as u64) as usize;
                self.walk(seed, Some(drawn))
            }
        };
        let operations = match measures {
            true => self.samplers.iter().any(|it| it.draws().profile == Profiled::Objects),
            false => sampler.draws().operations,
        };
        let observe = Observe {
            operations,
            ends_only: !measures && number >= N_DESCRIBED,
            ..Observe::default()
        };
        let prefix = vec![Choice::Thread(0); lead as usize];
        Plan { prefix, policy, observe, ..Plan::default() }
    }

    /// How many choices at the beginning of an execution are those of the plain run. Walks count
    /// steps from the beginning, and who samples alone has a distribution of its own.
    fn lead(&self, number: u64, sampler: Sampler) -> u32 {
        let n_samplers = self.samplers.len() as u64;
        let is_round = n_samplers > 1 && (number / n_samplers) % 2 == 1;
        let fits = is_round && !sampler.draws().from_start && self.profile.lead <= LEAD_MAX;
        if fits { self.profile.lead } else { 0 }
    }

    /// A walk over the operations on a shared object, or over all steps.
    fn walk(&self, seed: u64, shared: Option<usize>) -> Policy {
        let Profile { n_points, n_steps, creators, .. } = &self.profile;
        let shared = shared.and_then(|index| self.profile.shared.get(index));
        Policy::Walk {
            seed,
            target: shared.map(|shared| shared.object),
            n_steps: shared.map_or(n_steps, |shared| &shared.n_steps).clone(),
            creators: creators.clone(),
            n_points: *n_points,
        }
    }
}

impl Strategy for Sample {
    fn next(&mut self) -> Next {
        let measured = self.n_learned > self.measures || self.n_out <= self.measures;
        if self.needs_profile() && !measured {
            return Next::Pending;
        }
        let number = self.n_out;
        self.n_out += 1;
        Next::Ready(PlanId(number), self.plan(number))
    }

    fn learn(&mut self, id: PlanId, run: &mut Run) {
        assert_eq!(id.0, self.n_learned, "runs are learned in the order of their plans");
        self.n_learned += 1;
        if id.0 == self.measures && self.needs_profile() {
            self.profile = Profile::of(run);
        }
    }

    fn rewind(&mut self) {
        self.n_out = self.n_learned;
    }

    fn restart(&mut self) {
        self.rewind();
        self.measures = self.n_learned;
    }

    fn bound(&self) -> Option<u32> {
        None
    }

    fn is_exhausted(&self) -> bool {
        false
    }

    fn memory(&self) -> usize {
        size_of::<Sample>() + self.profile.memory()
    }
}
