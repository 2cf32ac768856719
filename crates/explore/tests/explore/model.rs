//! Models: programs of a few steps, one shared access each, and the engine that runs them.

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};

use raddle_explore::*;
use raddle_finding::{Choice, ProgramId};

/// The program counter of a thread that has ended.
pub const END: u32 = 99;

/// The state of a model.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct State {
    /// Per thread.
    pub pc: Vec<u32>,
    /// What threads share, and their locals.
    pub vars: Vec<i64>,
    /// The assertion that failed.
    pub failed: Option<&'static str>,
}

type Step = Box<dyn Fn(&mut State, usize) + Send + Sync>;
type Ask<T> = Box<dyn Fn(&State, usize) -> T + Send + Sync>;

/// A model: threads start enabled, there is no main thread, and an execution ends when no thread
/// is enabled.
pub struct Model {
    pub n_threads: usize,
    pub n_vars: usize,
    pub first: Vec<i64>,
    /// Whether a thread that has not ended can take its next step.
    pub enabled: Ask<bool>,
    /// The step: changes the state of the thread.
    pub step: Step,
    /// What the next step is for others.
    pub operation: Ask<(Access, u64)>,
}

impl Model {
    pub fn start(&self) -> State {
        let mut vars = self.first.clone();
        vars.resize(self.n_vars, 0);
        State { pc: vec![0; self.n_threads], vars, failed: None }
    }

    pub fn is_enabled(&self, state: &State, thread: usize) -> bool {
        state.failed.is_none() && state.pc[thread] != END && (self.enabled)(state, thread)
    }

    /// Whether the next step of a thread is to give way: it is not known.
    pub fn yields(&self, state: &State, thread: usize) -> bool {
        (self.operation)(state, thread).0 == Access::Local
    }
}

/// Runs a model; notes how each run ended, for tests that want to know.
pub struct ModelEngine<'a> {
    pub model: &'a Model,
    /// Preemptions and last state of each run.
    pub ends: Vec<(u32, State)>,
}

impl<'a> ModelEngine<'a> {
    pub fn new(model: &'a Model) -> Self {
        ModelEngine { model, ends: Vec::new() }
    }

    fn describe(&self, plan: &Plan, run: &mut Run, state: &State) {
        for thread in (0..self.model.n_threads).filter(|&t| self.model.is_enabled(state, t)) {
            run.open(Choice::Thread(thread as u32));
            if plan.observe.operations {
                self.note(run, state, thread);
            }
        }
    }

    /// What those who cannot go on want to do.
    fn note_left(&self, run: &mut Run, state: &State) {
        let left = (0..self.model.n_threads).filter(|&thread| state.pc[thread] != END);
        let left = left.filter(|&thread| !self.model.is_enabled(state, thread));
        left.for_each(|thread| self.note(run, state, thread));
    }

    fn note(&self, run: &mut Run, state: &State, thread: usize) {
        let (access, object) = (self.model.operation)(state, thread);
        run.pending(Operation { thread: thread as u32, access, object });
    }
}

impl Engine for ModelEngine<'_> {
    fn run(&mut self, plan: &Plan, watch: &dyn Watch, run: &mut Run) -> Result<(), EngineError> {
        run.clear();
        let mut patrol = Patrol::new(watch);
        let mut state = self.model.start();
        let mut chooser = Chooser::new(&plan.policy);
        let mut current = u32::MAX;
        loop {
            if plan.observe.fingerprints {
                run.fingerprints.push(fingerprint(&state));
            }
            self.describe(plan, run, &state);
            let at = run.points().len();
            let open = run.opened();
            if open.is_empty() || plan.n_points_max.is_some_and(|most| at >= most as usize) {
                run.outcome = outcome(&state, open.is_empty());
                run.truncate_opened();
                if plan.observe.operations {
                    self.note_left(run, &state);
                }
                break;
            }
            let default = open.iter().position(|&choice| choice == Choice::Thread(current));
            let yields = || self.model.yields(&state, current as usize);
            let preemptible = default.is_some() && !yields();
            let default = default.unwrap_or(0);
            let taken = match plan.prefix.get(at) {
                Some(&choice) => open
                    .iter()
                    .position(|&other| other == choice)
                    .ok_or(EngineError::Diverged { position: at, choice })?,
                None => {
                    let (alternatives, operations) = (open, run.pendings());
                    let scene = Scene { alternatives, operations, current, preemptible, default };
                    let Some(chosen) = chooser.choose(&scene) else {
                        run.truncate_opened();
                        run.outcome = Outcome::Known;
                        self.note_left(run, &state);
                        return Ok(());
                    };
                    chosen
                }
            };
            let Choice::Thread(thread) = open[taken] else { unreachable!() };
            let blocking = (self.model.operation)(&state, thread as usize).0 == Access::Block;
            let taken = taken as u32;
            run.push(Point { current, preemptible, blocking, taken, ..Point::default() });
            if at >= plan.prefix.len() && patrol.is_known(run) {
                run.outcome = Outcome::Known;
                return Ok(());
            }
            (self.model.step)(&mut state, thread as usize);
            current = thread;
        }
        self.ends.push((run.n_preemptions(), state));
        Ok(())
    }

    fn program(&self) -> ProgramId {
        "model".parse().unwrap()
    }

    fn race(&self, _: &Race) -> Failure {
        unreachable!("no test looks for races")
    }

    fn promote(&mut self, _: &[Race]) -> bool {
        false
    }
}

fn outcome(state: &State, over: bool) -> Outcome {
    let failure = |kind: FailureKind, place: &str| Failure::new(kind, [place.into()], "");
    match state.failed {
        _ if !over => Outcome::Cut,
        Some(assertion) => Outcome::Failed(failure(FailureKind::Assertion, assertion)),
        None if state.pc.iter().all(|&pc| pc == END) => Outcome::Passed,
        None => Outcome::Failed(failure(FailureKind::Deadlock, &format!("{:?}", state.pc))),
    }
}

pub fn fingerprint(state: &State) -> u128 {
    let half = |salt: u64| {
        let mut hasher = DefaultHasher::new();
        salt.hash(&mut hasher);
        state.hash(&mut hasher);
        u128::from(hasher.finish())
    };
    half(1) << 64 | half(2)
}
