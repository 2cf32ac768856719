//! The machine as an engine: whole runs from plans.
//!
//! In: plans, one after the other. Out: runs. The states before the points of the last run are
//! kept, so that of a plan that begins like the last run only the rest is executed.
//!
//! - E1: leaving a thread that can go on is a preemption, unless it yields, sleeps or spins.
//! - E2: which waiter is woken, whether a wait times out or ends for no reason and which value a
//!   program gets are points of their own, and free.
//! - E3: behind the prefix the default policy of the machine decides, which never preempts.
//! - E4: leaving a thread that spins is free at every point of its round, and a thread that has done a
//!   round is not offered until something has changed (`spin`, `round`).
//! - E5: with races observed, what their detector remembers is part of the history of a point, so
//!   that a run is only cut where all races have been that can be from there on.
//! - E6: fingerprints have no time in them. From the first look at the clock on, the time is part of the
//!   history of a point: what the program does next may depend on it.

mod attempt;
mod ending;
mod footprint;
mod joint;
mod race;
mod round;
mod scene;
mod spin;
mod trail;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use raddle_explore::{
    Defect, Engine, EngineError, Failure, FailureKind, Misuse, Observe, Outcome as End, Plan, Race,
    Run, Watch,
};
use raddle_finding::{Choice, ProgramId};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::machine::Machine;
use crate::outcome::RemarkKind;
use crate::question::Question;
use crate::races::Detector;
use crate::settings::Settings;
use crate::thread::Gate;
use joint::Circuit;
use round::{Alone, Round, can_go_on};
use spin::{Spins, Why};
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
    /// Whether the flags of the last run's points are settled: those of samplers are not.
    is_settled: bool,
    /// The rounds of this run, and those of the last one as far as both are the same.
    rounds: Vec<Round>,
    rounds_before: Vec<Round>,
    /// Rounds for which this run began again.
    rounds_again: Vec<Round>,
    /// Rounds that were taken for endless, as hashes of states without what changes in them.
    endless: FxHashSet<u128>,
    /// Whether the last run came back to where it was.
    circuit: Circuit,
    /// Whether nothing leads out of states, by their fingerprints.
    hopeless: FxHashMap<u128, bool>,
    /// On which threads run alone.
    second: Option<Machine>,
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
            is_settled: false,
            rounds: Vec::new(),
            rounds_before: Vec::new(),
            rounds_again: Vec::new(),
            endless: FxHashSet::default(),
            circuit: Circuit::default(),
            hopeless: FxHashMap::default(),
            second: None,
            detector: Detector::new(),
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
        if let Choice::Thread(_) = choice {
            self.spins.after(&self.machine);
        }
    }

    /// What decides beside the state what is open from here on: who is set aside (E4), what is
    /// remembered of races (E5), and the time, once the program has read the clock (E6).
    fn history(&self, remembered: u64) -> u64 {
        let counters = &self.machine.state.counters;
        let time = if counters.n_clock > 0 { counters.clock.wrapping_mul(spin::MIX) } else { 0 };
        remembered ^ self.spins.history() ^ time
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
        // Who could go on where a run repeats itself is left, too: only the current thread went round. So is who could
        // only be woken spuriously.
        let (current, repeats) = (self.machine.current(), run.outcome == End::Repeats);
        let is_left =
            |&thread: &u32| !can_go_on(&self.machine, thread) || repeats && thread != current;
        let left = (0..self.machine.n_threads()).filter(is_left);
        let notes = observe.operations && !Defect::NobodyIsLeft.is_there();
        left.filter(|_| notes).for_each(|thread| self.note(thread, run));
    }
}

impl VmEngine {
    /// Notes what the choice at a point led to that the program must not do, and went on.
    fn note_misuses(&self, point: usize, run: &mut Run) {
        let misuses = self.machine.remarks().iter().filter_map(|remark| match remark.kind {
            RemarkKind::Unlocked { address, held } => Some((remark, address, held)),
            _ => None,
        });
        for (remark, address, held) in misuses.skip(run.misuses.len()) {
            let who = if held { "another thread" } else { "no thread" };
            let message = format!("unlock of {}, which {who} holds", self.machine.name_at(address));
            let failure = Failure::new(FailureKind::Misuse, [self.place(remark.site)], message);
            run.misuses.push(Misuse { point: point as u32, failure });
        }
    }

    /// Whether a plan leaves the current thread, which could go on and is not set aside.
    fn is_left(&self, planned: Option<Choice>) -> bool {
        let (current, stretch) = (self.machine.current(), &self.spins.stretch);
        matches!(planned, Some(Choice::Thread(thread)) if thread != current)
            && matches!(self.machine.question(), Some(Question::Thread(_)))
            && stretch.n > 0
            && stretch.thread == current
            && !self.spins.is_aside(current)
            && can_go_on(&self.machine, current)
    }

    /// The threads that can go on, if every one of them is set aside.
    fn all_aside(&self) -> Option<Vec<u32>> {
        if self.spins.is_empty() {
            return None;
        }
        let Some(Question::Thread(threads)) = self.machine.question() else { return None };
        let able: Vec<u32> =
            threads.iter().copied().filter(|&thread| can_go_on(&self.machine, thread)).collect();
        (!able.is_empty() && self.spins.are_aside(&able)).then_some(able)
    }

    /// Where every thread is set aside, one may have changed what another one reads in its round by an access that is
    /// not a point: who would leave its round now is not aside any more (P7).
    fn wake_those_who_leave(&mut self) {
        for thread in self.all_aside().unwrap_or_default() {
            if !self.spins.computes(thread) && matches!(self.alone(thread), Alone::Leaves) {
                self.spins.wake(thread);
            }
        }
    }

    /// How the run ends if every thread that can go on is set aside (P4).
    fn stuck(&self) -> Option<End> {
        let able = self.all_aside()?;
        let mut reasons = self.spins.reasons();
        let computes = able.iter().any(|&thread| self.spins.computes(thread));
        let restores = reasons.any(|why| why == Why::Restores);
        match (computes, restores) {
            (true, _) => None,
            (false, true) if !Defect::RestoringIsStuck.is_there() => Some(End::Known), // Others can go on within a round.
            (false, _) => Some(self.livelock("every thread spins")),
        }
    }
}

impl Engine for VmEngine {
    fn run(&mut self, plan: &Plan, watch: &dyn Watch, run: &mut Run) -> Result<(), EngineError> {
        let mut is_first = true;
        loop {
            if let Some(result) = self.attempt(plan, watch, run, is_first) {
                return result;
            }
            is_first = false;
        }
    }

    fn program(&self) -> ProgramId {
        self.machine.program_id()
    }

    fn race(&self, race: &Race) -> Failure {
        self.describe_race(race)
    }

    fn knows(&self, race: &Race) -> bool {
        self.has_sites(race)
    }

    fn promote(&mut self, races: &[Race]) -> bool {
        self.add_points(races)
    }

    fn end_at_misuse(&mut self) {
        if !self.machine.settings().strict_locks {
            self.set(&Settings { strict_locks: true, ..self.machine.settings().clone() });
        }
    }

    fn is_coarse(&self) -> bool {
        !self.machine.settings().exact_addresses && self.machine.looked_at_addresses().is_some()
    }

    fn refine(&mut self) {
        self.set(&Settings { exact_addresses: true, ..self.machine.settings().clone() });
    }
}

#[cfg(test)]
mod tests;
