//! The default enumeration: everything if that is little, few preemptions first if it is much.
//!
//! In: runs. Out: plans. Reduction without a bound has sleep sets, and covers a small program with
//! a few executions; under a bound it needs many times as many.
//!
//! - L1: at first everything is tried, without a bound, for some thousand executions.
//! - L2: if that was not all, executions are enumerated bound by bound, up to a bound: most bugs
//!   show there, and what is covered can be said.
//! - L3: then the first stage goes on where it was.
//!
//! The first stage is beside all bounds; the last one counts as the bound [`BEYOND`].

use raddle_explore::{Next, PlanId, Reduced, Run, Strategy};

/// The bound that stands for none.
pub(crate) const BEYOND: u32 = u32::MAX;

/// How many executions the first stage has (L1).
const N_FIRST: u64 = 5_000;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Stage {
    First,
    Bounded,
    Last,
}

/// Enumerates with reduction, in stages.
#[derive(Debug)]
pub(crate) struct Ladder {
    all: Reduced,
    /// None before its stage: most searches never come to it.
    bounded: Option<Box<Reduced>>,
    bound_max: u32,
    stage: Stage,
    /// How many runs were learned without a bound, and with one.
    n_learned: [u64; 2],
}

impl Ladder {
    /// Bounds go up to a number of preemptions; behind them comes everything.
    pub(crate) fn new(bound_max: u32) -> Ladder {
        Ladder {
            all: Reduced::all(),
            bounded: None,
            bound_max,
            stage: Stage::First,
            n_learned: [0, 0],
        }
    }

    fn bounded(&mut self) -> &mut Reduced {
        let bound_max = Some(self.bound_max);
        self.bounded.get_or_insert_with(|| Box::new(Reduced::bounded(bound_max)))
    }

    fn has_exhausted_bounds(&self) -> bool {
        self.bounded.as_ref().is_some_and(|bounded| bounded.is_exhausted())
    }

    /// Goes on to the next stage; false if there is none.
    fn step(&mut self) -> bool {
        let next = match self.stage {
            Stage::First => Stage::Bounded,
            Stage::Bounded if !self.has_exhausted_bounds() => Stage::Last,
            _ => return false,
        };
        self.stage = next;
        true
    }
}

impl Strategy for Ladder {
    fn next(&mut self) -> Next {
        if self.stage == Stage::First && self.n_learned[0] >= N_FIRST {
            self.step();
        }
        loop {
            let next = match self.stage {
                Stage::Bounded => self.bounded().next(),
                Stage::First | Stage::Last => self.all.next(),
            };
            match next {
                Next::Ready(_, plan) => {
                    return Next::Ready(PlanId(self.n_learned.iter().sum()), plan);
                }
                Next::Done if !self.all.is_exhausted() && self.step() => {}
                next => return next,
            }
        }
    }

    fn learn(&mut self, _: PlanId, run: &mut Run) {
        let index = usize::from(self.stage == Stage::Bounded);
        let id = PlanId(self.n_learned[index]);
        match self.stage {
            Stage::Bounded => self.bounded().learn(id, run),
            Stage::First | Stage::Last => self.all.learn(id, run),
        }
        self.n_learned[index] += 1;
    }

    fn restart(&mut self) {
        self.all.restart();
        self.bounded.iter_mut().for_each(|bounded| bounded.restart());
        self.stage = Stage::First;
    }

    fn rewind(&mut self) {
        self.all.rewind();
        self.bounded.iter_mut().for_each(|bounded| bounded.rewind());
    }

    fn bound(&self) -> Option<u32> {
        match self.stage {
            Stage::First => None,
            Stage::Bounded => self.bounded.as_ref().map_or(Some(0), |bounded| bounded.bound()),
            Stage::Last => Some(BEYOND),
        }
    }

    fn is_exhausted(&self) -> bool {
        self.all.is_exhausted() || self.has_exhausted_bounds()
    }

    fn memory(&self) -> usize {
        self.all.memory() + self.bounded.as_ref().map_or(0, |bounded| bounded.memory())
    }
}
