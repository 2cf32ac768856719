//! The machine as an engine: whole runs from plans.
//!
//! In: plans, one after the other. Out: runs. The states before the points of the last run are
//! kept, so that of a plan that begins like the last run only the rest is executed.
//!
//! - E1: leaving a thread that can go on is a preemption, unless it yields, sleeps or spins.
//! - E2: which waiter is woken, whether a wait runs out or ends for no reason and which value a
//!   program gets are points of their own, and free.
//! - E3: behind the prefix the default policy of the machine decides, which never preempts.
//! - E4: a thread that spins (`spin`) is not offered again until something has changed, as long as
//!   anybody else can be: otherwise there would be no end of free choices. What it would do before
//!   that is left out: a condition of guarantees.
//! - E5: with races observed, what their detector remembers is part of the history of a point, so
//!   that a run is only cut where all races have been that can be from there on.

mod ending;
mod footprint;
mod race;
mod scene;
mod spin;
mod trail;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use raddle_explore::{
    Chooser, Engine, EngineError, Observe, Outcome as End, Patrol, Plan, Point, Policy, Race, Run,
    Trouble, Watch,
};
use raddle_finding::{Choice, ProgramId};

use crate::machine::Machine;
use crate::question::Question;
use crate::races::Detector;
use crate::thread::Gate;
use ending::trouble;
use scene::Situation;
use spin::Spins;
use trail::Trail;

/// Runs a C program from plans.
#[derive(Debug)]
pub struct VmEngine {
    machine: Machine,
    /// The last run, and what was observed in it.
    last: Run,
    observed: Observe,
    /// Where the last run has been.
    trail: Trail,
    spins: Spins,
    detector: Detector,
    /// Ends runs when it is set.
    stop: Arc<AtomicBool>,
}

impl VmEngine {
    /// An engine for the program and the settings of a machine.
    pub fn new(mut machine: Machine) -> VmEngine {
        machine.reset();
        VmEngine {
            machine,
            last: Run::new(),
            observed: Observe::default(),
            trail: Trail::default(),
            spins: Spins::default(),
            detector: Detector::default(),
            stop: Arc::default(),
        }
    }

    /// Ends runs as [`End::Stopped`] when this is set: one alone may take very long.
    pub fn stop_when(&mut self, stop: Arc<AtomicBool>) {
        self.stop = stop;
    }

    /// The machine, in the last state of the last run.
    pub fn machine(&self) -> &Machine {
        &self.machine
    }

    /// Takes a choice, and notes who spins (E4).
    fn answer(&mut self, choice: Choice) {
        match self.observed.races {
            true => self.machine.take(choice, &mut self.detector),
            false => self.machine.take(choice, &mut ()),
        }
        if let Choice::Thread(thread) = choice {
            self.spins.after(&self.machine, thread);
        }
    }

    /// What decides beside the state what is open from here on: who is tired (E4), and what is
    /// remembered of races (E5).
    fn history(&self, remembered: u64) -> u64 {
        remembered ^ self.spins.history()
    }

    /// Fingerprints the state, and what is remembered of races.
    fn fingerprint(&mut self) -> (u128, u64) {
        match self.observed.races {
            true => self.machine.fingerprints(&mut self.detector),
            false => (self.machine.fingerprint(), 0),
        }
    }

    fn is_blocking(&self, choice: Choice) -> bool {
        let Choice::Thread(thread) = choice else { return false };
        self.machine.state.threads[thread as usize].core.gate != Gate::Open
    }

    /// Notes what those want to do who cannot be chosen.
    fn note_left(&self, observe: Observe, run: &mut Run) {
        let open = &self.machine.state.options;
        let left = (0..self.machine.n_threads()).filter(|thread| !open.contains(thread));
        left.filter(|_| observe.operations).for_each(|thread| self.note(thread, run));
    }
}

impl Engine for VmEngine {
    fn run(&mut self, plan: &Plan, watch: &dyn Watch, run: &mut Run) -> Result<(), EngineError> {
        self.rewind(plan, run);
        let n_kept = run.points().len();
        let mut patrol = Patrol::new(watch);
        self.observed = plan.observe;
        // Only plans with a prefix come back to where a run has been.
        let keeps = matches!(plan.policy, Policy::Continue | Policy::Awake { .. });
        let mut chooser = Chooser::new(&plan.policy);
        let mut result = Ok(());
        loop {
            let at = run.points().len();
            let mut remembered = 0;
            if plan.observe.fingerprints {
                let state;
                (state, remembered) = self.fingerprint();
                run.fingerprints.push(state);
            }
            if plan.n_points_max.is_some_and(|most| at >= most as usize) {
                run.outcome = self.end();
                break;
            }
            if !self.describe(plan.observe, run) {
                let what = "a nondeterministic value with more than 65536 values";
                let places = vec![self.place(self.machine.site())];
                run.outcome = End::Unsupported(trouble("unsupported", places, what.to_owned()));
                break;
            }
            if self.stop.load(Ordering::Relaxed) {
                run.truncate_opened();
                run.outcome = End::Stopped;
                break;
            }
            let planned = plan.prefix.get(at).copied();
            self.admit(planned, plan.observe, run);
            let open = run.opened();
            if open.is_empty() {
                result = planned.map_or(Ok(()), |choice| diverged(at, choice));
                run.outcome = self.end();
                self.note_left(plan.observe, run);
                break;
            }
            let n_open = open.len();
            if let Some(Question::Thread(threads)) = self.machine.question()
                && let Some(stuck) = self.spins.stuck(&self.machine, threads)
                && (stuck.is_sure || planned.is_none())
            {
                run.truncate_opened();
                run.outcome = self.livelock(stuck.why);
                break;
            }
            let situation = self.situation();
            let Some(taken) = self.choose(run, &situation, planned, &mut chooser) else {
                run.truncate_opened();
                run.outcome = End::Known; // Everybody sleeps.
                self.note_left(plan.observe, run);
                result = planned.map_or(Ok(()), |choice| diverged(at, choice));
                break;
            };
            let choice = run.opened()[taken];
            let (blocking, taken) = (self.is_blocking(choice), taken as u32);
            let Situation { current, preemptible, spinning } = situation;
            let deferred = plan.defers_preemptions && preemptible && at >= plan.prefix.len();
            if keeps && n_open > 1 && !deferred {
                self.save(at);
            }
            if let Choice::Thread(thread) = choice {
                let state = run.fingerprints.get(at).copied();
                self.spins.before(&self.machine, thread, state);
            }
            let history = self.history(remembered);
            run.push(Point { current, preemptible, spinning, blocking, taken, history });
            if at >= plan.prefix.len() && patrol.is_known(run) {
                run.outcome = End::Known;
                break;
            }
            self.detector.point = at as u32;
            self.answer(choice);
            run.races.append(&mut self.detector.found);
        }
        self.last.copy_behind(run, n_kept);
        result
    }

    fn program(&self) -> ProgramId {
        self.machine.program_id()
    }

    fn race(&self, race: &Race) -> Trouble {
        self.describe_race(race)
    }

    fn knows(&self, race: &Race) -> bool {
        self.has_sites(race)
    }

    fn promote(&mut self, races: &[Race]) -> bool {
        self.add_points(races)
    }
}

fn diverged(position: usize, choice: Choice) -> Result<(), EngineError> {
    Err(EngineError::Diverged { position, choice })
}

#[cfg(test)]
mod tests;
