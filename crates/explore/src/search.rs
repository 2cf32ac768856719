//! The search: carries plans to engines and runs back to the strategy.
//!
//! Workers execute plans in any order; what is counted, found and learned happens in the order of
//! plan ids, on one thread. So the report is the same for any number of engines, except where time
//! or memory end the search.

mod tally;
mod workers;

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use crate::engine::{Engine, EngineError};
use crate::plan::Plan;
use crate::report::{Ending, Report};
use crate::run::Run;
use crate::strategy::{Next, Strategy};

use tally::Tally;

/// What a search may use, and what it has to count.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Budget {
    /// The most runs.
    pub runs: Option<u64>,
    /// The most time.
    pub time: Option<Duration>,
    /// The most bytes for the strategy and the states, without the engines.
    pub memory: Option<usize>,
    /// After how many findings it ends.
    pub findings: Option<usize>,
    /// Whether distinct states are counted; the engine has to give fingerprints.
    pub states: bool,
}

/// Searches until the strategy is done, the budget is spent or `stop` is set, with one worker per
/// engine. The engines must run the same program. After it the strategy can go on where it was.
pub fn search<E: Engine + Send>(
    engines: &mut [E],
    strategy: &mut dyn Strategy,
    budget: &Budget,
    stop: &AtomicBool,
) -> Result<Report, EngineError> {
    let Some(first) = engines.first() else {
        return Err(EngineError::Broken("there is no engine".to_owned()));
    };
    let mut tally = Tally::new(first.program(), budget, stop);
    let ending = match engines {
        [engine] => alone(engine, strategy, &mut tally),
        engines => workers::together(engines, strategy, &mut tally),
    };
    strategy.rewind();
    Ok(tally.report(ending?, strategy))
}

/// The search with one engine, on this thread.
fn alone<E: Engine>(
    engine: &mut E,
    strategy: &mut dyn Strategy,
    tally: &mut Tally<'_>,
) -> Result<Ending, EngineError> {
    let mut run = Run::new();
    loop {
        let (id, mut plan) = match strategy.next() {
            Next::Ready(id, plan) => (id, plan),
            Next::Pending => unreachable!("every run is learned"),
            Next::Done => return Ok(Ending::Done),
        };
        if let Some(ending) = tally.before(strategy) {
            return Ok(ending);
        }
        tally.want(&mut plan);
        engine.run(&plan, &mut run)?;
        tally.count(&plan, &run);
        strategy.learn(id, &run);
    }
}

impl Tally<'_> {
    /// Adds to a plan what is counted here.
    fn want(&self, plan: &mut Plan) {
        plan.observe.fingerprints |= self.budget.states;
    }
}
