//! The search: carries plans to engines and runs back to the strategy.
//!
//! Workers execute plans in any order; what is learned, counted and found happens in the order of
//! plan ids, on one thread. So the report is the same for any number of engines, except where time
//! or memory end the search.
//!
//! A race makes points of its accesses, if that is wanted: the search then begins again with them
//! (CHESS restarts the bound in progress; the bounds before it are cheap beside it, and plans made
//! for other points are void).

mod ledger;
mod workers;

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use raddle_finding::ProgramId;
use serde::{Deserialize, Serialize};

use crate::engine::{Engine, EngineError, Watch};
use crate::plan::Plan;
use crate::report::{Doubt, Ending, Found, Report};
use crate::run::{Outcome, Race, Run};
use crate::strategy::{Next, PlanId, Strategy};

pub use ledger::Ledger;

/// What a search may use, and what it has to count.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Budget {
    /// The most runs.
    pub runs: Option<u64>,
    /// The most time.
    pub time: Option<Duration>,
    /// What is kept of the time once there is a failure, for working on that.
    pub kept: Duration,
    /// The most bytes for the strategy and the states, without the engines.
    pub memory: Option<usize>,
    /// After how many findings it ends.
    pub findings: Option<usize>,
    /// After how many findings other than races it ends.
    pub failures: Option<usize>,
    /// Whether distinct states are counted; the engine has to give fingerprints.
    pub states: bool,
    /// What is done about data races.
    pub races: Races,
    /// Which release sequences order what may race.
    pub release_sequence: ReleaseSequence,
}

/// Which atomic writes continue the release sequence of a write, beside read-modify-writes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub enum ReleaseSequence {
    /// None, as in C++20 and Rust.
    #[default]
    Cpp20,
    /// Those of the same thread, as in C11 and C++17. So some races of C++20 are none.
    C11,
}

impl ReleaseSequence {
    /// Whether a race is one by it.
    pub fn has(self, race: &Race) -> bool {
        self == ReleaseSequence::Cpp20 || !race.ordered_by_c11
    }
}

/// What is done about data races.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub enum Races {
    /// Nothing: they are not looked for.
    #[default]
    Ignored,
    /// They are findings.
    Reported,
    /// They are findings, and their accesses become points.
    Promoted,
}

/// Looks on while a search goes on.
pub trait Monitor<S: ?Sized> {
    /// Whether the search has to stop.
    fn is_stopped(&self) -> bool;

    /// Whether the ledger is needed when the search is over, with all that was found.
    fn keeps_ledger(&self) -> bool {
        true
    }

    /// Called now and then, between two runs.
    fn progress(&mut self, strategy: &S, ledger: &Ledger) {
        let _ = (strategy, ledger);
    }
}

/// Stops the search when it is set.
impl<S: ?Sized> Monitor<S> for &AtomicBool {
    fn is_stopped(&self) -> bool {
        self.load(Ordering::Relaxed)
    }
}

/// Searches until the strategy is done, the budget is spent or `stop` is set, with one worker per
/// engine. The engines must run the same program. After it the strategy can go on where it was.
pub fn search<E: Engine + Send, S: Strategy + ?Sized>(
    engines: &mut [E],
    strategy: &mut S,
    budget: &Budget,
    stop: &AtomicBool,
) -> Result<Report, EngineError> {
    resume(engines, strategy, &mut Ledger::default(), budget, &mut { stop })
}

/// The same, from where a search was; runs of an earlier part count towards the budget.
pub fn resume<E: Engine + Send, S: Strategy + ?Sized>(
    engines: &mut [E],
    strategy: &mut S,
    ledger: &mut Ledger,
    budget: &Budget,
    monitor: &mut dyn Monitor<S>,
) -> Result<Report, EngineError> {
    if engines.is_empty() {
        return Err(EngineError::Broken("there is no engine".to_owned()));
    }
    strategy.rewind();
    if !ledger.promoted().iter().all(|race| engines[0].knows(race)) {
        return Err(EngineError::Misfit);
    }
    for engine in engines.iter_mut().filter(|_| !ledger.promoted().is_empty()) {
        engine.promote(ledger.promoted());
    }
    let mut desk = Desk {
        strategy,
        ledger,
        budget,
        monitor,
        program: engines[0].program(),
        since: Instant::now(),
        patience: (0, 1),
    };
    let result = loop {
        let left = match &mut *engines {
            [engine] if engine.ahead() == 1 => alone(engine, &mut desk),
            engines => workers::together(engines, &mut desk),
        };
        match left {
            Ok(Left::Ended(ending)) => {
                if engines.iter().any(Engine::is_coarse) {
                    engines.iter_mut().for_each(Engine::refine);
                    desk.strategy.restart();
                    desk.ledger.restart(&[]);
                    if ending == Ending::Done {
                        continue;
                    }
                }
                break Ok(ending);
            }
            Ok(Left::Races(run, races)) => {
                for &race in &races {
                    let failure = engines[0].race(&race);
                    if race.in_doubt {
                        desk.ledger.add_doubt(Doubt { race, failure });
                        continue;
                    }
                    let outcome = Some(run.outcome.clone());
                    let found = desk.ledger.found(failure, outcome, &run, &desk.program);
                    desk.ledger.add_race(race, Found { race: Some(race), ..found });
                }
                let promotes = budget.races == Races::Promoted;
                let more = engines.iter_mut().map(|engine| promotes && engine.promote(&races));
                if more.fold(false, |any, more| any | more) {
                    desk.strategy.restart();
                    desk.ledger.restart(&races);
                } else {
                    desk.strategy.rewind();
                }
            }
            Err(error) => break Err(error),
        }
    };
    desk.spend(Instant::now());
    strategy.rewind();
    Ok(ledger.report(result?, strategy, monitor.keeps_ledger()))
}

/// Why workers stop for now.
enum Left {
    /// The search is over.
    Ended(Ending),
    /// The last run had these races, which are new.
    Races(Box<Run>, Vec<Race>),
}

/// The search with one engine, on this thread.
fn alone<E: Engine, S: Strategy + ?Sized>(
    engine: &mut E,
    desk: &mut Desk<'_, S>,
) -> Result<Left, EngineError> {
    let mut run = engine.lend();
    let watch = desk.strategy.watch();
    let ending = loop {
        if desk.strategy.has_next()
            && let Some(ending) = desk.ending()
        {
            break ending;
        }
        let mut next = desk.strategy.next();
        let (id, plan) = match &mut next {
            Next::Ready(id, plan) => (*id, plan),
            Next::Pending => unreachable!("every run is learned"),
            Next::Done => break Ending::Done,
        };
        desk.observe(plan);
        if let Some(ending) = desk.before(id) {
            break ending;
        }
        engine.run(plan, watch_for(plan, watch.as_ref()), &mut run)?;
        if run.outcome == Outcome::Stopped {
            break desk.stopped();
        }
        let races = desk.learn(id, plan, &mut run)?;
        if !races.is_empty() {
            return Ok(Left::Races(Box::new(run), races));
        }
    };
    engine.take_back(run);
    Ok(Left::Ended(ending))
}

/// What an engine looks up in the run of a plan.
fn watch_for<'a>(plan: &Plan, watch: &'a dyn Watch) -> &'a dyn Watch {
    if plan.unwatched { &() } else { watch }
}

/// Where plans are handed out and runs come back, in order.
struct Desk<'a, S: ?Sized> {
    strategy: &'a mut S,
    ledger: &'a mut Ledger,
    budget: &'a Budget,
    monitor: &'a mut dyn Monitor<S>,
    program: ProgramId,
    /// Since when the time was not added to the ledger.
    since: Instant,
    /// How many runs go by until clock and memory are looked at again, and how many that was.
    patience: (u32, u32),
}

/// The most runs that go by between two looks at clock and memory.
const PATIENCE_MAX: u32 = 64;

/// Looks are about this far apart.
const LOOK: Duration = Duration::from_millis(2);

impl<S: Strategy + ?Sized> Desk<'_, S> {
    /// The next plan, with what is counted here.
    fn next(&mut self) -> Next {
        let mut next = self.strategy.next();
        if let Next::Ready(_, plan) = &mut next {
            self.observe(plan);
        }
        next
    }

    /// Adds what is counted here to what a plan observes.
    fn observe(&self, Plan { observe, .. }: &mut Plan) {
        observe.fingerprints |= self.budget.states;
        observe.races |= self.budget.races != Races::Ignored;
    }

    /// Whether one more run may be needed while so many are under way: those that the budget allows, and
    /// one that shows that there would have been more.
    fn has_room(&self, n_under_way: usize) -> bool {
        let n = self.ledger.executions() + n_under_way as u64;
        self.budget.runs.is_none_or(|limit| n <= limit)
    }

    /// A run is about to be counted: begins its bound, and says whether the search ends instead.
    fn before(&mut self, id: PlanId) -> Option<Ending> {
        self.ledger.enter(self.strategy.bound_of(id), self.budget.states);
        if let Some(ending) = self.ending() {
            return Some(ending);
        }
        let (left, all) = &mut self.patience;
        if *left > 0 {
            *left -= 1;
            return None;
        }
        let now = Instant::now();
        let time = now - self.since;
        *all = if time < LOOK { (*all * 2).min(PATIENCE_MAX) } else { 1.max(*all / 2) };
        *left = *all;
        self.spend(now);
        self.monitor.progress(self.strategy, self.ledger);
        let kept = if self.ledger.n_failures() > 0 { self.budget.kept } else { Duration::ZERO };
        let late = self.budget.time.is_some_and(|limit| self.ledger.spent() + kept >= limit);
        let memory = || self.strategy.memory() + self.ledger.states.memory();
        let full = self.budget.memory.is_some_and(|limit| memory() >= limit);
        late.then_some(Ending::Time).or(full.then_some(Ending::Memory))
    }

    /// Why a search ends that could go on, as far as clock and memory need not be looked at for that.
    fn ending(&self) -> Option<Ending> {
        let over = |limit: Option<u64>, used| limit.is_some_and(|limit| used >= limit);
        let (n_findings, n_failures) = (self.ledger.findings().len(), self.ledger.n_failures());
        if self.monitor.is_stopped() {
            Some(Ending::Stopped)
        } else if over(self.budget.runs, self.ledger.executions()) {
            Some(Ending::Runs)
        } else if over(self.budget.findings.map(|n| n as u64), n_findings as u64)
            || over(self.budget.failures.map(|n| n as u64), n_failures as u64)
        {
            Some(Ending::Findings)
        } else {
            None
        }
    }

    /// Why a run was stopped.
    fn stopped(&self) -> Ending {
        if self.monitor.is_stopped() { Ending::Stopped } else { Ending::Time }
    }

    /// Takes in a run, in order; answers with races that are new.
    fn learn(&mut self, id: PlanId, plan: &Plan, run: &mut Run) -> Result<Vec<Race>, EngineError> {
        if !self.strategy.fits(run) {
            return Err(EngineError::Misfit);
        }
        self.strategy.learn(id, run);
        self.ledger.count(plan, run, self.budget.states, &self.program);
        Ok(self.ledger.count_races(run, self.budget.release_sequence))
    }

    /// Adds the time until now to the ledger.
    fn spend(&mut self, now: Instant) {
        self.ledger.add_time(now - self.since);
        self.since = now;
    }
}
