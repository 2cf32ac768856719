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

mod ending;
mod footprint;
mod joint;
mod race;
mod round;
mod scene;
mod spin;
mod trail;

use std::mem::take;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use raddle_explore::{
    Chooser, Defect, Engine, EngineError, Misuse, Observe, Outcome as End, Patrol, Plan, Point,
    Policy, Race, Run, Trouble, Watch,
};
use raddle_finding::{Choice, ProgramId};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::machine::Machine;
use crate::outcome::RemarkKind;
use crate::question::Question;
use crate::races::Detector;
use crate::settings::Settings;
use crate::thread::Gate;
use ending::trouble;
use joint::{Circuit, N_POINTS};
use round::{Alone, Left, Look, Round, can_go_on};
use scene::Situation;
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
    /// Executes a run from as far back as it must; none if it has to begin again.
    fn attempt(
        &mut self,
        plan: &Plan,
        watch: &dyn Watch,
        run: &mut Run,
        is_first: bool,
    ) -> Option<Result<(), EngineError>> {
        let n_common = self.rewind(plan, run);
        if is_first {
            self.rounds_before = take(&mut self.rounds);
            self.rounds_again.clear();
        }
        let n_kept = run.points().len();
        self.rounds.clear();
        self.rounds.extend(self.rounds_before.iter().filter_map(|round| round.up_to(n_kept)));
        let mut patrol = Patrol::new(watch);
        let mut circuit = take(&mut self.circuit);
        circuit.rewind(n_kept);
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
            let planned = plan.prefix.get(at).copied();
            let is_copied = n_common.is_some_and(|common| at <= common);
            // A saved state knows what was seen there.
            let is_saved = at > 0 && at == n_kept;
            let is_among_threads = matches!(self.machine.question(), Some(Question::Thread(_)));
            if keeps
                && planned.is_none()
                && !is_among_threads
                && circuit.has_same_question(self, run)
            {
                if let Some(outcome) = self.repeat_by_answers(run) {
                    run.outcome = outcome;
                    self.note_left(plan.observe, run);
                    break;
                }
                patrol.allow_circle();
            }
            if !is_saved && is_among_threads {
                match self.look_back(run, is_copied, plan.prefix.len(), keeps) {
                    Look::On => {}
                    Look::Again(round) => {
                        self.rounds_again.push(round);
                        self.trail.clear();
                        self.circuit = circuit;
                        return None;
                    }
                    Look::Ends(outcome) if planned.is_none() => {
                        run.outcome = outcome;
                        self.note_left(plan.observe, run);
                        break;
                    }
                    Look::Ends(_) => {}
                }
            }
            let mut why = match self.is_left(planned) {
                true if is_copied => self.judged(at),
                true => self.judge(run),
                false => None,
            };
            let is_free = why.is_some();
            self.wake_those_who_leave();
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
            if planned.is_none()
                && let Some(outcome) = self.stuck()
            {
                run.truncate_opened();
                run.outcome = outcome;
                self.note_left(plan.observe, run);
                break;
            }
            self.admit(planned, plan.observe, run);
            let open = run.opened();
            if open.is_empty() {
                result = planned.map_or(Ok(()), |choice| diverged(at, choice));
                run.outcome = self.end();
                self.note_left(plan.observe, run);
                break;
            }
            let n_open = open.len();
            let mut situation = self.situation(is_free);
            let Some(mut taken) = self.choose(run, &situation, planned, &mut chooser) else {
                run.truncate_opened();
                run.outcome = End::Known; // Everybody sleeps.
                self.note_left(plan.observe, run);
                result = planned.map_or(Ok(()), |choice| diverged(at, choice));
                break;
            };
            let choice = run.opened()[taken];
            if keeps && planned.is_none() && !is_copied && self.is_left(Some(choice)) {
                match self.leave(run, plan.prefix.len()) {
                    Left::Within(round) => why = round,
                    Left::Over(Look::On) => {
                        run.truncate_opened();
                        self.describe(plan.observe, run);
                        let offered = run.opened().iter().position(|&other| other == choice);
                        taken = offered.expect("only the current thread is not offered any more");
                    }
                    Left::Over(Look::Ends(outcome)) => {
                        run.truncate_opened();
                        run.outcome = outcome;
                        self.note_left(plan.observe, run);
                        break;
                    }
                    Left::Over(Look::Again(round)) => {
                        self.rounds_again.push(round);
                        self.trail.clear();
                        self.circuit = circuit;
                        return None;
                    }
                }
                situation = self.situation(why.is_some());
            }
            let (blocking, taken) = (self.is_blocking(choice), taken as u32);
            let Situation { current, preemptible, spinning } = situation;
            let deferred = plan.defers_preemptions && preemptible && at >= plan.prefix.len();
            if keeps && n_open > 1 && !deferred {
                self.save(at);
            }
            let history = self.history(remembered);
            run.push(Point { current, preemptible, spinning, blocking, taken, history });
            let known = at >= plan.prefix.len() && patrol.is_known(run);
            if is_copied {
                run.copy_flags(&self.last, at);
            } else if keeps && planned.is_none() && known {
                self.settle(run);
            }
            if known {
                run.outcome = End::Known;
                break;
            }
            if let Some(why) = why
                && let Look::Ends(outcome) = self.aside(run, at, why)
                && (planned.is_none()
                    || at + 1 == plan.prefix.len() && matches!(outcome, End::Livelock(_)))
            {
                run.outcome = outcome;
                self.note_left(plan.observe, run);
                break;
            }
            if self.spins.is_met_at(at) {
                patrol.allow_circle(); // P4
            }
            match choice {
                Choice::Thread(thread) if self.spins.before(thread, at) => {
                    let is_watched =
                        keeps && (planned.is_none() && at >= N_POINTS || circuit.is_due(at));
                    if is_watched && circuit.is_closed(self, thread, at) && planned.is_none() {
                        run.outcome = End::Repeats;
                        self.note_left(plan.observe, run);
                        break;
                    }
                    self.begin_stretch(run, at)
                }
                Choice::Thread(_) => {}
                _ => self.spins.stretch.is_asked |= n_open > 1,
            }
            self.detector.point = at as u32;
            self.answer(choice);
            run.races.append(&mut self.detector.found);
            self.note_misuses(at, run);
        }
        self.is_settled = keeps;
        self.circuit = circuit;
        self.last.copy_behind(run, n_kept);
        Some(result)
    }

    /// Notes what the choice at a point led to that the program must not do, and went on.
    fn note_misuses(&self, point: usize, run: &mut Run) {
        let misuses = self.machine.remarks().iter().filter_map(|remark| match remark.kind {
            RemarkKind::Unlocked { address, held } => Some((remark, address, held)),
            _ => None,
        });
        for (remark, address, held) in misuses.skip(run.misuses.len()) {
            let who = if held { "another thread" } else { "no thread" };
            let message = format!("unlock of {}, which {who} holds", self.machine.name_at(address));
            let trouble = trouble("misuse", vec![self.place(remark.site)], message);
            run.misuses.push(Misuse { point: point as u32, trouble });
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

    fn race(&self, race: &Race) -> Trouble {
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

fn diverged(position: usize, choice: Choice) -> Result<(), EngineError> {
    Err(EngineError::Diverged { position, choice })
}

#[cfg(test)]
mod tests;
