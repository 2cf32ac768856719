//! What the search sees of the engine: runs, races, and why a run is none.

use std::panic::Location;

use raddle_explore::{
    Engine, EngineError, Failure, FailureKind, Observe, Outcome, Plan, Race, Run, Touch, Watch,
};
use raddle_finding::ProgramId;

use super::{RustEngine, is_built_upon, is_plain};
use crate::world::{Divergence, Site, location};

/// Why nothing can be said of a closure whose executions are not repeated by their choices.
pub(crate) const DIFFERS: &str = "two executions with the same choices differ in how they end: the closure \
                       depends on something that raddle does not control";

impl Engine for RustEngine {
    fn run(&mut self, plan: &Plan, _: &dyn Watch, run: &mut Run) -> Result<(), EngineError> {
        self.attempt(plan, run)?;
        let is_plain = run.outcome == Outcome::Passed && run.races.is_empty();
        if !plan.observe.ends_only || is_plain {
            return Ok(());
        }
        let ended = run.outcome.clone(); // G3
        let observe = Observe { ends_only: false, ..plan.observe };
        self.attempt(&Plan { observe, ..plan.clone() }, run)?;
        let is_guessed = !is_built_upon(plan) && [&ended, &run.outcome].into_iter().any(spins);
        let may_differ = is_guessed || may_differ(&ended, &run.outcome);
        if places(&ended) != places(&run.outcome) && !may_differ {
            return Err(EngineError::Broken(DIFFERS.to_owned()));
        }
        Ok(())
    }

    fn lend(&mut self) -> Run {
        std::mem::take(&mut self.world.run)
    }

    fn take_back(&mut self, run: Run) {
        self.world.run = run;
    }

    fn program(&self) -> ProgramId {
        self.id.clone()
    }

    fn race(&self, race: &Race) -> Failure {
        let side = |side: usize| {
            let does = match race.touches[side] {
                Touch::Read => "read",
                Touch::AtomicRead => "read atomically",
                Touch::AtomicWrite => "written atomically",
                Touch::Write | Touch::Free | Touch::End => "written",
            };
            format!("{does} by thread {} at {}", race.threads[side], site(race.sites[side]))
        };
        let places = race.sites.map(|it| location(site(it)));
        let message = format!("a cell is {} and {}, and nothing orders them", side(0), side(1));
        Failure::new(FailureKind::Race, places, message)
    }

    fn promote(&mut self, races: &[Race]) -> bool {
        let sites = races.iter().flat_map(|race| race.sites).map(site);
        let more = sites.map(|site| self.world.cells.promote(site));
        let more = more.fold(false, |any, more| any | more);
        if more {
            self.forget();
        }
        more
    }
}

impl RustEngine {
    /// Executes a plan, and keeps what the next one can build upon.
    fn attempt(&mut self, plan: &Plan, run: &mut Run) -> Result<(), EngineError> {
        self.execute(plan, run)?;
        run.outcome = std::mem::take(&mut self.world.outcome);
        run.left_out = self.world.left_out();
        self.observed = None;
        if let Some(why) = self.world.refusal.take() {
            return Err(EngineError::Broken(why));
        }
        if let Some(divergence) = self.world.divergence.take() {
            return Err(self.diverged(&divergence));
        }
        if is_plain(plan) && self.world.tale.is_none() {
            self.compare_plain(run)?;
        }
        // What is beside the enumeration is no beginning of what that does.
        let is_kept = is_built_upon(plan) && !plan.unwatched && run.outcome != Outcome::Stopped;
        if is_kept && self.world.tale.is_none() {
            self.world.cut_trail();
            self.world.last.copy_behind(run, self.n_shared);
            self.observed = Some(plan.observe);
        }
        Ok(())
    }

    /// G4
    fn compare_plain(&mut self, run: &Run) -> Result<(), EngineError> {
        self.world.cut_trail();
        match &self.plain {
            None => self.plain = Some((self.world.trail().to_vec(), run.outcome.clone())),
            Some((trail, before)) => {
                let is_same = trail.len() == self.world.trail().len()
                    && places(before) == places(&run.outcome);
                let is_same = is_same || may_differ(before, &run.outcome);
                return is_same
                    .then_some(())
                    .ok_or_else(|| EngineError::Broken(DIFFERS.to_owned()));
            }
        }
        Ok(())
    }

    /// Why an execution did not repeat what it should.
    fn diverged(&self, divergence: &Divergence) -> EngineError {
        match (divergence.before, divergence.choice) {
            (None, Some(choice)) => EngineError::Diverged { position: divergence.point, choice },
            _ => EngineError::Broken(self.world.explain(divergence)),
        }
    }
}

/// Where a run failed, if it did.
fn places(outcome: &Outcome) -> Option<&Vec<raddle_finding::Location>> {
    outcome.failure().map(|failure| &failure.places)
}

/// Whether two executions with the same choices may end in these two ways: what spins is noticed earlier in one that is
/// described, so it may end where the other went on for too long, or at another place of the same loop.
fn may_differ(one: &Outcome, other: &Outcome) -> bool {
    let is_livelock = |outcome: &Outcome| outcome.is_failure(FailureKind::Livelock);
    is_livelock(other) && (is_livelock(one) || *one == Outcome::Steps)
}

/// Whether an execution went on for ever or for too long: in executions that are drawn, who spins is guessed.
fn spins(outcome: &Outcome) -> bool {
    outcome.is_failure(FailureKind::Livelock) || matches!(outcome, Outcome::Steps | Outcome::Known)
}

/// The place behind the number of a site.
fn site(number: u64) -> Site {
    // SAFETY: such numbers are made of references to static places by `World::add_race`, and races
    // of other processes are never given to this engine, which saves no checkpoints.
    unsafe { &*(number as *const Location<'static>) }
}
