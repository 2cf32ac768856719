//! Shrinking: the simplest run that shows the same failure.
//!
//! In: a schedule and the failure that its run shows. Out: a schedule whose run shows a failure of
//! the same kind at the same place, with fewer preemptions, else fewer switches, else fewer points,
//! else fewer unusual choices (spurious wake-ups, timeouts, waiters, values).
//!
//! - H1: what simplifies is tried (`edits`), each candidate by executing it; what is simpler and
//!   shows the failure takes the place of the run, until nothing helps.
//! - H2: a choice of a candidate that is not open is left out, and after some of them the rest is;
//!   the engine's default, which does not preempt, goes on behind it.
//! - H3: iterative context bounding looks for the failure with fewer preemptions than were reached.
//!   If it sees everything, or finds the failure, the number of preemptions is the least. Then H1
//!   again. Switches and points are as few as H1 can make them.
//! - H4: what comes after a race does not count, and is left to the engine's default. A state does not show which
//!   races or cycles led to it, so H3 has a cache of states only for other failures.

mod edits;

use std::sync::atomic::{AtomicBool, Ordering};

use raddle_finding::{Choice, Schedule};
use serde::{Deserialize, Serialize};

use crate::bounded::Bounded;
use crate::engine::{Engine, EngineError};
use crate::plan::{Observe, Plan};
use crate::run::{Failure, FailureKind, Outcome, Run};
use crate::strategy::{Next, Strategy};
use edits::{EDITS, Story};

/// How many times choices of a candidate are left out before the rest is cut.
const N_LEFT_OUT_MAX: u32 = 8;

/// What shrinking may use.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ShrinkBudget {
    /// The most runs for simplifying (H1).
    pub runs: u64,
    /// The most runs for the search below the preemptions reached (H3).
    pub search_runs: u64,
    /// The most points that all these runs may have together: long runs have fewer tries.
    pub points: u64,
}

impl Default for ShrinkBudget {
    fn default() -> ShrinkBudget {
        ShrinkBudget { runs: 2_000, search_runs: 20_000, points: 2_000_000 }
    }
}

/// The simplest run that was found.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Shrunk {
    /// What repeats it.
    pub schedule: Schedule,
    /// How it ends.
    pub outcome: Outcome,
    /// How many preemptions lead to the failure.
    pub preemptions: u32,
    /// How many times another thread goes on before the failure.
    pub switches: u32,
    /// How many points lead to the failure.
    pub points: u32,
    /// Whether no run of the program shows the failure with fewer preemptions.
    pub minimal: bool,
    /// How many runs this took.
    pub runs: u64,
}

/// Makes a run simpler; none if it does not show the failure. The result is the same every time,
/// unless `stop` is set.
pub fn shrink<E: Engine + ?Sized>(
    engine: &mut E,
    schedule: &Schedule,
    failure: &Failure,
    budget: &ShrinkBudget,
    stop: &AtomicBool,
) -> Result<Option<Shrunk>, EngineError> {
    let observe = Observe { fingerprints: true, races: true, ..Observe::default() };
    let mut run = Run::new();
    let plan = Plan { prefix: schedule.choices().collect(), observe, ..Plan::default() };
    engine.run(&plan, &(), &mut run)?;
    let Some(n_points) = shown(engine, failure, &run) else { return Ok(None) };
    let races = !is(&run.outcome, failure);
    let cached = !run.fingerprints.is_empty() && is_of_a_state(&run.outcome) && !races;
    let best = Best::new(&run, n_points);
    let points_left = budget.points;
    let mut shrinker =
        Shrinker { engine, failure, stop, races, best, run, n_runs: 1, limit: 0, points_left };
    shrinker.simplify(budget.runs)?;
    let minimal = shrinker.undercut(cached, budget.search_runs)?;
    shrinker.simplify(budget.runs)?;
    shrinker.end_plainly()?;
    Ok(Some(shrinker.finish(minimal)))
}

/// What is to be little, the most important first: preemptions, switches, points, odd choices.
type Size = (u32, usize, usize, usize);

/// The simplest run so far.
struct Best {
    story: Story,
    size: Size,
    whole: Vec<Choice>,
    outcome: Outcome,
}

impl Best {
    /// A run whose first `n_points` show the failure.
    fn new(run: &Run, n_points: usize) -> Best {
        let story = Story::new(run, n_points);
        let preempts = |&point: &usize| run.preempts(point, run.taken(point));
        let preemptions = (0..n_points).filter(preempts).count() as u32;
        let size = (preemptions, story.n_switches(), n_points, story.n_odd());
        Best { story, size, whole: run.choices().collect(), outcome: run.outcome.clone() }
    }
}

struct Shrinker<'a, E: ?Sized> {
    engine: &'a mut E,
    failure: &'a Failure,
    stop: &'a AtomicBool,
    /// Whether the failure is a race.
    races: bool,
    best: Best,
    run: Run,
    n_runs: u64,
    /// How many runs there may be in this part.
    limit: u64,
    /// How many points there may be from now on.
    points_left: u64,
}

impl<E: Engine + ?Sized> Shrinker<'_, E> {
    /// H1.
    fn simplify(&mut self, n_runs: u64) -> Result<(), EngineError> {
        self.limit = self.n_runs + n_runs;
        loop {
            let before = self.best.size;
            for edit in EDITS {
                let mut n = 0;
                while let Some(choices) = edit(&self.best.story, n) {
                    if self.is_over() {
                        return Ok(());
                    }
                    // What has changed is looked at again at the same place.
                    n += usize::from(!self.attempt(choices)?);
                }
            }
            if self.best.size == before {
                return Ok(());
            }
        }
    }

    /// Executes a candidate, and takes it if it is simpler.
    fn attempt(&mut self, choices: Vec<Choice>) -> Result<bool, EngineError> {
        if choices == self.best.story.choices || !self.execute(choices)? {
            return Ok(false);
        }
        let Some(n_points) = shown(self.engine, self.failure, &self.run) else { return Ok(false) };
        let new = Best::new(&self.run, n_points);
        let simpler = new.size < self.best.size;
        if simpler {
            self.best = new;
        }
        Ok(simpler)
    }

    /// Executes a candidate (H2); false if there are no runs left for it.
    fn execute(&mut self, mut choices: Vec<Choice>) -> Result<bool, EngineError> {
        let mut n_left_out = 0;
        loop {
            if self.n_runs >= self.limit {
                return Ok(false);
            }
            self.count();
            let observe = Observe { races: self.races, ..Observe::default() };
            let plan = Plan { prefix: choices, observe, ..Plan::default() };
            match self.engine.run(&plan, &(), &mut self.run) {
                Err(EngineError::Diverged { position, choice }) => {
                    n_left_out += 1;
                    choices = plan.prefix;
                    leave_out(&mut choices, position, choice, n_left_out); // H2
                }
                other => return other.map(|()| true),
            }
        }
    }

    /// H3: whether the preemptions of the simplest run are the least.
    fn undercut(&mut self, cached: bool, n_runs: u64) -> Result<bool, EngineError> {
        let Some(most) = self.best.size.0.checked_sub(1) else { return Ok(true) };
        let search = Bounded::icb(Some(most));
        let mut search = if cached { search.cached() } else { search };
        let watch = search.watch();
        self.limit = self.n_runs + n_runs;
        let mut saw_all = true;
        while let Next::Ready(id, mut plan) = search.next() {
            if self.is_over() {
                return Ok(false);
            }
            self.count();
            plan.observe.races = self.races;
            self.engine.run(&plan, watch.as_ref(), &mut self.run)?;
            if let Some(n_points) = shown(self.engine, self.failure, &self.run) {
                self.best = Best::new(&self.run, n_points);
                return Ok(saw_all);
            }
            saw_all &= self.run.outcome.is_whole() || self.run.outcome.is_known();
            search.learn(id, &mut self.run);
        }
        Ok(saw_all)
    }

    /// H4: lets the engine's default go on behind a race.
    fn end_plainly(&mut self) -> Result<(), EngineError> {
        self.limit = self.n_runs + 1;
        if self.races && self.execute(self.best.story.choices.clone())? {
            // A request may have stopped it.
            let n_points = self.best.story.choices.len();
            if self.run.outcome != Outcome::Stopped && self.run.points().len() >= n_points {
                self.best = Best::new(&self.run, n_points);
            }
        }
        Ok(())
    }

    /// Counts a run, as long as the simplest one so far.
    fn count(&mut self) {
        self.n_runs += 1;
        self.points_left = self.points_left.saturating_sub(self.best.whole.len() as u64);
    }

    fn is_over(&self) -> bool {
        let spent = self.n_runs >= self.limit || self.points_left == 0;
        spent || self.stop.load(Ordering::Relaxed)
    }

    fn finish(self, minimal: bool) -> Shrunk {
        let mut schedule = Schedule::new(self.engine.program());
        schedule.extend(self.best.whole);
        let (preemptions, switches, points, _) = self.best.size;
        Shrunk {
            schedule,
            outcome: self.best.outcome,
            preemptions,
            switches: switches as u32,
            points: points as u32,
            minimal,
            runs: self.n_runs,
        }
    }
}

/// H2: drops a choice that is not open, and those behind it that are not for the same reason.
fn leave_out(choices: &mut Vec<Choice>, position: usize, choice: Choice, n_left_out: u32) {
    let same = choices[position..].iter().take_while(|&&other| other == choice).count();
    choices.drain(position..position + same);
    if n_left_out > N_LEFT_OUT_MAX {
        choices.truncate(position);
    }
}

/// How many points of a run show the failure; none if it does not.
fn shown<E: Engine + ?Sized>(engine: &E, failure: &Failure, run: &Run) -> Option<usize> {
    if is(&run.outcome, failure) {
        return Some(run.points().len());
    }
    let race = run.races.iter().find(|race| engine.race(race).is_same(failure))?;
    Some(race.point as usize + 1)
}

fn is(outcome: &Outcome, failure: &Failure) -> bool {
    outcome.failure().is_some_and(|shown| shown.is_same(failure))
}

/// Whether the last state alone decides that the run ends so.
fn is_of_a_state(outcome: &Outcome) -> bool {
    outcome.failure().is_some_and(|failure| failure.kind != FailureKind::Livelock)
}
