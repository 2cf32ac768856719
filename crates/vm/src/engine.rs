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

mod footprint;
mod race;
mod spin;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use raddle_cfront::ir::{Op, Primitive};
use raddle_explore::{
    Chooser, Engine, EngineError, Observe, Outcome as End, Patrol, Plan, Point, Policy, Race, Run,
    Scene, Trouble, Watch,
};
use raddle_finding::{Choice, ProgramId};

use crate::fault::{Fault, FaultKind};
use crate::machine::Machine;
use crate::outcome::{Blocked, Outcome};
use crate::question::Question;
use crate::races::{Detector, Mark};
use crate::site::Site;
use crate::state::Snapshot;
use crate::thread::{Gate, Stage};
use spin::Spins;

/// The most values that a program can be given at one point.
const N_VALUES_MAX: i128 = 1 << 16;

/// The most bytes that saved states may take.
const SAVED_MAX: usize = 256 << 20;

/// Runs a C program from plans.
#[derive(Debug)]
pub struct VmEngine {
    machine: Machine,
    /// The last run, and what was observed in it.
    last: Run,
    observed: Observe,
    /// States before points of the last run, ascending; from `n_saved` on they are spare.
    saved: Vec<Saved>,
    n_saved: usize,
    saved_bytes: usize,
    spins: Spins,
    detector: Detector,
    /// Ends runs when it is set.
    stop: Arc<AtomicBool>,
}

/// The state before a point.
#[derive(Debug, Default)]
struct Saved {
    point: usize,
    state: Snapshot,
    spins: Spins,
    mark: Mark,
    bytes: usize,
}

/// What a point is like before something is chosen.
struct Situation {
    current: u32,
    preemptible: bool,
    spinning: bool,
}

impl VmEngine {
    /// An engine for the program and the settings of a machine.
    pub fn new(mut machine: Machine) -> VmEngine {
        machine.reset();
        VmEngine {
            machine,
            last: Run::new(),
            observed: Observe::default(),
            saved: Vec::new(),
            n_saved: 0,
            saved_bytes: 0,
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

    /// Goes to the last saved state that a plan passes through; `run` becomes what led there.
    fn rewind(&mut self, plan: &Plan, run: &mut Run) {
        let n = self.last.points().len().min(plan.prefix.len());
        let common = (0..n).take_while(|&at| self.last.taken(at) == plan.prefix[at]).count();
        let fits = |saved: &Saved| saved.point <= common && self.observed == plan.observe;
        while self.n_saved > 0 && !fits(&self.saved[self.n_saved - 1]) {
            self.n_saved -= 1;
            self.saved_bytes -= self.saved[self.n_saved].bytes;
        }
        match self.n_saved {
            0 => {
                self.machine.reset();
                self.spins.reset();
                run.clear();
                self.detector.rewind(Mark::default(), &[]);
            }
            n => {
                let Saved { point, state, spins, mark, .. } = &self.saved[n - 1];
                self.machine.restore(state);
                self.spins.copy(spins);
                run.copy_prefix(&self.last, *point);
                self.detector.rewind(*mark, &run.races);
            }
        }
    }

    /// Keeps the state before a point, unless it is kept.
    fn save(&mut self, point: usize) {
        let known = self.n_saved > 0 && self.saved[self.n_saved - 1].point == point;
        if known || self.saved_bytes + self.detector.size() >= SAVED_MAX {
            return;
        }
        if self.n_saved == self.saved.len() {
            self.saved.push(Saved::default());
        }
        let saved = &mut self.saved[self.n_saved];
        saved.point = point;
        saved.spins.copy(&self.spins);
        self.machine.save(&mut saved.state);
        saved.bytes = saved.state.size();
        saved.mark = if self.observed.races { self.detector.mark() } else { Mark::default() };
        self.n_saved += 1;
        self.saved_bytes += saved.bytes;
    }

    /// Notes what is open; false if that is too much.
    fn describe(&self, observe: Observe, run: &mut Run) -> bool {
        match self.machine.question() {
            None => {}
            Some(Question::Thread(threads)) => {
                // If all are tired, they go on in turn: who does changes nothing.
                let current = self.machine.current();
                let next = || threads.iter().find(|&&t| t > current).or(threads.first());
                let turn = if self.spins.are_tired(threads) { next() } else { None };
                let offered = |thread: &&u32| match turn {
                    Some(turn) => *thread == turn,
                    None => !self.spins.is_tired(**thread),
                };
                for &thread in threads.iter().filter(offered) {
                    run.open(Choice::Thread(thread));
                    if observe.operations {
                        self.note(thread, run);
                    }
                }
            }
            Some(Question::Waiter(waiters)) => {
                waiters.iter().for_each(|&waiter| run.open(Choice::Waiter(waiter)));
            }
            Some(Question::Timeout) => {
                run.open(Choice::Timeout(false));
                run.open(Choice::Timeout(true));
            }
            Some(Question::Spurious) => {
                run.open(Choice::Spurious(false));
                run.open(Choice::Spurious(true));
            }
            Some(Question::Value { low, high }) => {
                if i128::from(high) - i128::from(low) >= N_VALUES_MAX {
                    return false;
                }
                (low..=high).for_each(|value| run.open(Choice::Value(value)));
            }
        }
        true
    }

    /// Offers what a plan wants although E4 holds it back: a schedule may come from other points.
    fn admit(&self, planned: Option<Choice>, observe: Observe, run: &mut Run) {
        let Some(choice @ Choice::Thread(thread)) = planned else { return };
        let Some(Question::Thread(threads)) = self.machine.question() else { return };
        if threads.contains(&thread) && !run.opened().contains(&choice) {
            run.open(choice);
            if observe.operations {
                self.note(thread, run);
            }
        }
    }

    fn situation(&self) -> Situation {
        let current = self.machine.current();
        let free = Situation { current, preemptible: false, spinning: false };
        let Some(Question::Thread(threads)) = self.machine.question() else { return free };
        let among = threads.len() > 1 && threads.contains(&current);
        if !among || !self.machine.is_gate_open(current) {
            return free;
        }
        let yields = self.yields(current);
        let spins = self.spins.is_tired(current);
        Situation { current, preemptible: !yields && !spins, spinning: !yields && spins }
    }

    /// Whether a thread stopped before a yield or a sleep.
    fn yields(&self, thread: u32) -> bool {
        let at = &self.machine.state.threads[thread as usize];
        let Site { function, op } = at.site();
        let op = self.machine.image.function(function).code[op as usize];
        at.core.stage == Stage::Start
            && matches!(op, Op::Primitive { call: Primitive::Yield | Primitive::Sleep, .. })
    }

    /// Takes a choice, and notes who spins (E4).
    fn answer(&mut self, choice: Choice) {
        match self.observed.races {
            true => self.machine.answer(choice, &mut self.detector),
            false => self.machine.answer(choice, &mut ()),
        }
        .expect("what is open is accepted");
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

    /// Which of the open choices is taken.
    fn choose(
        &self,
        run: &Run,
        situation: &Situation,
        planned: Option<Choice>,
        chooser: &mut Chooser,
    ) -> Option<usize> {
        let open = run.opened();
        if let Some(choice) = planned {
            return open.iter().position(|&other| other == choice);
        }
        let goes_on = situation.preemptible.then_some(Choice::Thread(situation.current));
        let default = match open {
            [_] => 0,
            _ => {
                let choice = goes_on.or_else(|| self.machine.default_choice());
                // The policy knows nothing of E4: if its thread is not offered, the next one is.
                let next = Choice::Thread(situation.current);
                let index = open.iter().position(|&other| Some(other) == choice);
                index.or_else(|| open.iter().position(|&other| other > next)).unwrap_or(0)
            }
        };
        let scene = Scene {
            alternatives: open,
            operations: run.pendings(),
            current: situation.current,
            preemptible: situation.preemptible,
            default,
        };
        chooser.choose(&scene)
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

    fn end(&self) -> End {
        match self.machine.outcome() {
            None => End::Cut,
            Some(Outcome::Exited(_)) => End::Passed,
            Some(Outcome::Deadlock(blocked)) => End::Deadlock(self.deadlock(blocked)),
            Some(Outcome::Fault(fault)) => End::Failure(self.failure(fault)),
            Some(Outcome::Assumption) => End::Assumption,
            Some(Outcome::Steps { .. }) => End::Steps,
            Some(Outcome::Unsupported { what, site }) => {
                End::Unsupported(trouble("unsupported", vec![self.place(*site)], what.clone()))
            }
        }
    }

    /// A livelock is where the functions are that threads go round in.
    fn livelock(&self, message: &str) -> End {
        let threads = match self.machine.question() {
            Some(Question::Thread(threads)) => threads.to_vec(),
            _ => vec![self.machine.current()],
        };
        let place = |thread: &u32| {
            let thread = &self.machine.state.threads[*thread as usize];
            let site = thread.site_outside(&self.machine.image);
            self.place(Site { op: 0, ..site })
        };
        let mut places: Vec<_> = threads.iter().map(place).collect();
        places.sort_unstable();
        places.dedup();
        End::Livelock(trouble("livelock", places, message.to_owned()))
    }

    fn deadlock(&self, blocked: &[Blocked]) -> Trouble {
        let site = |b: &Blocked| {
            let thread = &self.machine.state.threads[b.thread as usize];
            self.place(thread.site_outside(&self.machine.image))
        };
        let mut places: Vec<_> = blocked.iter().map(site).collect();
        places.sort_unstable();
        places.dedup();
        let waits = |b: &Blocked| format!("thread {} waits for {}", b.thread, b.object);
        let message = blocked.iter().map(waits).collect::<Vec<_>>().join("; ");
        trouble("deadlock", places, message)
    }

    fn failure(&self, fault: &Fault) -> Trouble {
        let outside = fault.stack.iter().find(|frame| !frame.library);
        let place = self.place(outside.map_or(fault.site, |frame| frame.site));
        let kind = match fault.kind {
            FaultKind::AssertFailed { .. } | FaultKind::ReachError => "assertion",
            FaultKind::UseAfterFree { .. } | FaultKind::UseAfterReturn { .. } => "use-after-free",
            FaultKind::DoubleFree { .. } | FaultKind::InvalidFree { .. } => "invalid-free",
            FaultKind::Misuse(_) => "misuse",
            _ => "crash",
        };
        trouble(kind, vec![place], fault.to_string())
    }

    fn place(&self, site: Site) -> String {
        let program = self.machine.program();
        let Some(site) = site.known() else { return "nowhere".to_owned() };
        let span = program.function(site.function).spans[site.op as usize];
        let location = program.sources.locate(span.start);
        format!("{}:{}:{}", location.file, location.line, location.column)
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
            if keeps && n_open > 1 {
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

fn trouble(kind: &str, places: Vec<String>, message: String) -> Trouble {
    Trouble { kind: kind.to_owned(), places, message }
}

#[cfg(test)]
mod tests;
