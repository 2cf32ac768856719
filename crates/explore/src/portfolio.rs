//! The portfolio: scouts and samplers find, bounds prove.
//!
//! In: a strategy that enumerates, and samplers that take turns. Out: the plans of both, and those of
//! `scout`. Scouts find most of what is easy within a few runs, samplers most of what there is within
//! some hundred, wherever it is; the enumeration says what there is not, and needs the runs of a long
//! search.
//!
//! - P1: whether plan i is sampled depends on i only: of the first eight blocks of plans, every second
//!   one is sampled, later every eighth. A block has 64 plans, unless engines are so fast that it pays
//!   to hear of both sooner. The first one is sampled (`FIRST` is 0), unless the enumeration is one with
//!   reduction, whose first executions differ in what matters (`FIRST` is 1).
//! - P2: each learns its own runs only. All are deterministic, so this is, too.
//! - P3: it is done when the enumeration is.
//! - P4: what is sampled or scouted is beside all bounds, and does not end where the enumeration has
//!   been.
//! - P5: a search that is not sampled first has scouts before everything else, also when it begins
//!   again; plans are counted behind them (P1). The first run, which is made for them, has no preemptions.
//!   Each of them is made when the run before it was learned, as it may depend on that.
//!   What enumerates begins with the same run, so an engine can compare the two; it does not learn from
//!   the first one, since that takes reduction longer than some scouts take. Such searches cannot be
//!   saved (`AnyStrategy`), so nothing of this is part of a checkpoint.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::bounded::Bounded;
use crate::checkpoint::{COUNT_MAX, Flaw, ensure};
use crate::engine::Watch;
use crate::run::{Outcome, Run};
use crate::sample::{Sample, Sampler};
use crate::scout::Scouts;
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
    #[serde(skip)]
    scouting: Scouting,
}

/// How far scouts are (P5).
#[derive(Clone, Debug, PartialEq, Default)]
struct Scouting {
    /// The number of the plan that the search began with, or began again with.
    first: u64,
    /// Known once the run of that plan is learned.
    scouts: Option<Scouts>,
    /// How many of their runs were learned, with the first ones.
    n_learned: u64,
}

/// Who makes a plan.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Member {
    Sample,
    Search,
    /// No member: it has no preemptions (P5).
    Plain,
    Scout,
}

impl<S: Strategy> Portfolio<S> {
    /// What enumerates, and the seed for samplers that suit most programs.
    pub fn new(search: S, seed: u64) -> Portfolio<S> {
        Portfolio::in_blocks(search, seed)
    }

    /// What enumerates and what samples; neither may have made plans before.
    pub fn with(search: S, sample: Sample) -> Portfolio<S> {
        Portfolio::of(search, sample)
    }

    /// P1: whether a plan is sampled; scouts do not count.
    pub fn is_sampled(id: PlanId) -> bool {
        Self::samples(id.0)
    }
}

impl<S: Strategy, const BLOCK: u64, const FIRST: u64> Portfolio<S, BLOCK, FIRST> {
    /// As `new`, with other blocks.
    pub fn in_blocks(search: S, seed: u64) -> Portfolio<S, BLOCK, FIRST> {
        let samplers =
            vec![Sampler::Surw, Sampler::Pos, Sampler::Pct { depth: 3 }, Sampler::Random];
        Portfolio::of(search, Sample::rotating(samplers, seed))
    }

    fn of(search: S, sample: Sample) -> Portfolio<S, BLOCK, FIRST> {
        Portfolio { sample, search, n_out: 0, n_learned: [0, 0], scouting: Scouting::default() }
    }

    fn samples(number: u64) -> bool {
        let block = number / BLOCK;
        block % (if block < N_EARLY { 2 } else { N_EARLY }) == FIRST
    }

    fn member(&self, id: PlanId) -> Member {
        let Scouting { first, scouts, .. } = &self.scouting;
        let n_scouts = scouts.as_ref().map_or(0, Scouts::len) as u64;
        match id.0 - first {
            0 if FIRST > 0 => Member::Plain,
            number @ 1.. if number <= n_scouts => Member::Scout,
            number if Self::samples(number.saturating_sub(n_scouts + FIRST.min(1))) => {
                Member::Sample
            }
            _ => Member::Search,
        }
    }

    /// How many runs were learned.
    fn n_all(&self) -> u64 {
        self.n_learned.iter().sum::<u64>() + self.scouting.n_learned
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
        let Scouting { first, scouts, .. } = &self.scouting;
        let is_over = |scouts: &Scouts| scouts.is_over() || id.0 == self.n_all();
        if FIRST > 0 && id.0 > *first && !scouts.as_ref().is_some_and(is_over) {
            return Next::Pending; // P5
        }
        let member = self.member(id);
        let mut next = match member {
            Member::Sample => self.sample.next(),
            Member::Search => self.search.next(),
            Member::Plain => Next::Ready(id, Scouts::base()),
            Member::Scout => match &mut self.scouting.scouts {
                Some(scouts) => Next::Ready(id, scouts.plan()),
                None => Next::Pending,
            },
        };
        if let Next::Ready(number, plan) = &mut next {
            *number = id;
            plan.unwatched |= member != Member::Search; // P4
            self.n_out += 1;
        }
        next
    }

    fn learn(&mut self, id: PlanId, run: &mut Run) {
        assert_eq!(id.0, self.n_all(), "runs are learned in the order of their plans");
        let member = self.member(id);
        let [sampled, enumerated] = &mut self.n_learned;
        match member {
            Member::Sample => {
                self.sample.learn(PlanId(*sampled), run);
                *sampled += 1;
            }
            Member::Search => {
                self.search.learn(PlanId(*enumerated), run);
                *enumerated += 1;
            }
            Member::Plain => {
                // A run that fails is no beginning of others.
                let suggests = run.outcome == Outcome::Passed;
                let scouts = suggests.then(|| Scouts::of(run));
                self.scouting.scouts = Some(scouts.unwrap_or_default());
                self.scouting.n_learned += 1;
            }
            Member::Scout => {
                if let Some(scouts) = &mut self.scouting.scouts {
                    scouts.learn(run);
                }
                self.scouting.n_learned += 1;
            }
        }
    }

    fn watch(&self) -> Arc<dyn Watch> {
        self.search.watch()
    }

    fn restart(&mut self) {
        self.sample.restart();
        self.search.restart();
        self.n_out = self.n_all();
        if FIRST > 0 {
            (self.scouting.first, self.scouting.scouts) = (self.n_out, None);
        }
    }

    fn rewind(&mut self) {
        self.sample.rewind();
        self.search.rewind();
        self.n_out = self.n_all();
    }

    fn bound(&self) -> Option<u32> {
        self.search.bound()
    }

    fn bound_of(&self, id: PlanId) -> Option<u32> {
        if self.member(id) == Member::Search { self.search.bound() } else { None }
    }

    fn is_exhausted(&self) -> bool {
        self.search.is_exhausted()
    }

    fn repeats_first(&self) -> bool {
        FIRST > 0 // P5
    }

    fn has_next(&self) -> bool {
        let is_next = |scouts: &Scouts| !scouts.is_over();
        self.n_out == self.n_all() && self.scouting.scouts.as_ref().is_some_and(is_next)
    }

    fn memory(&self) -> usize {
        let scouts = self.scouting.scouts.as_ref().map_or(0, Scouts::memory);
        self.sample.memory() + self.search.memory() + scouts
    }
}
