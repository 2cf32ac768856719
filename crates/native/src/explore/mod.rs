//! A binary as an engine: whole runs from plans.
//!
//! In: plans. Out: runs. The target serves many plans (`launch::server`); policies act inside it.
//!
//! ```text
//!  Plan ─► slot ─► board ─► runtime ─► board ─► decode ─► Run
//!                                         └──► ending (symbols) ─► Outcome
//! ```
//!
//! How a process runs many plans is its *model*. The fastest one puts the memory of the process back
//! after every run; a program that does something that cannot be put back is explored by a child for
//! every run instead. What made the difference is kept ([`NativeEngine::model`]).

mod decode;
mod ending;
mod race;
mod setup;
mod slot;
mod spins;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use raddle_explore::{Engine, EngineError, Failure, Plan, Race, Run, Watch};
use raddle_finding::{Choice, ProgramId};
use raddle_wire::board::{CHOICE_WAITER, Fallback, MISFIT_THREADS, Model};
use raddle_wire::{OutcomeKind, Threading};

use crate::launch::server::{Server, Waited};
use crate::launch::{Answer, LaunchError};
use crate::target::{self, TargetError};
use decode::{Decoded, decode};
use ending::Endings;
use spins::{Points, Spin};

pub use setup::Setup;
pub use spins::Spins;

/// A run that could not follow its plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Divergence {
    /// The position in the plan, from 0.
    pub position: usize,
    /// What the plan has there: an earlier run took it.
    pub choice: Choice,
    /// What this run did there, for people.
    pub instead: String,
}

/// How many threads are made in advance at first, where they cost next to nothing. A child has to
/// have them copied, so there it is as many as runs have shown to be needed.
const N_POOL: u32 = 16;
/// More threads than these are not.
const N_POOL_MAX: u32 = 4096;

/// Runs a binary from plans.
pub struct NativeEngine {
    setup: Setup,
    program: ProgramId,
    model: Model,
    /// Why the model is not the fastest one.
    reason: Option<String>,
    n_pool: u32,
    /// The most threads that a run has made.
    n_threads: u32,
    server: Option<Server>,
    /// Accesses that are points, ascending.
    sites: Vec<u64>,
    endings: Endings,
    /// What the first run wrote.
    output: Option<u64>,
    divergence: Option<Divergence>,
    /// Plans that were posted and not run, in order.
    announced: std::collections::VecDeque<Plan>,
    stop: Arc<AtomicBool>,
    /// Where threads spin in the run that was last executed.
    spins: Vec<Spin>,
    /// Which points runs have.
    points: Points,
}

impl NativeEngine {
    /// An engine for a program. Nothing is started yet.
    pub fn new(setup: Setup) -> Result<NativeEngine, TargetError> {
        let program = target::identity(&setup.target)?;
        let fastest = match setup.threading {
            Threading::Coroutines => Model::Snapshot,
            _ => Model::Fork,
        };
        let model = setup.model.unwrap_or(fastest);
        let n_pool = if model == Model::Snapshot { N_POOL } else { 0 };
        let points = Points::new(setup.points_all, &[]);
        Ok(NativeEngine {
            setup,
            program,
            model,
            reason: None,
            n_pool,
            n_threads: 0,
            server: None,
            sites: Vec::new(),
            endings: Endings::default(),
            output: None,
            divergence: None,
            announced: std::collections::VecDeque::new(),
            stop: Arc::default(),
            spins: Vec::new(),
            points,
        })
    }

    /// Ends runs as [`Outcome::Stopped`](raddle_explore::Outcome::Stopped) when this is set.
    pub fn stop_when(&mut self, stop: Arc<AtomicBool>) {
        self.stop = stop;
    }

    /// Makes points of accesses; whether there are more than before.
    pub fn add_points(&mut self, sites: impl IntoIterator<Item = u64>) -> bool {
        if self.setup.points_all {
            return false;
        }
        let n = self.sites.len();
        self.sites.extend(sites);
        self.sites.sort_unstable();
        self.sites.dedup();
        if self.sites.len() == n {
            return false;
        }
        self.announced.clear();
        self.points = Points::new(self.setup.points_all, &self.sites);
        match &mut self.server {
            Some(server) if server.n_away() == 0 => server.set_sites(&self.sites),
            server => *server = None,
        }
        true
    }

    /// How a process runs many plans, and why not in a faster way.
    pub fn model(&self) -> (Model, Option<&str>) {
        (self.model, self.reason.as_deref())
    }

    /// Starts the program, so that it is known what addresses in it mean; a program that cannot be
    /// run is refused here.
    pub fn prepare(&mut self) -> Result<(), EngineError> {
        self.server().map(drop)
    }

    /// The hash of what the first run wrote that ended as it should, if all must write the same.
    pub fn output(&self) -> Option<u64> {
        self.output
    }

    /// Says what the first run wrote, wherever that was.
    pub fn expect_output(&mut self, hash: Option<u64>) {
        self.output = hash;
    }

    /// Whether unlocking what a thread does not hold ends the run.
    pub fn is_strict(&self) -> bool {
        self.setup.strict_locks
    }

    /// The last run that could not follow its plan.
    pub fn divergence(&self) -> Option<&Divergence> {
        self.divergence.as_ref()
    }

    /// How many pages are put back after a run.
    pub fn n_pages(&self) -> u32 {
        self.server.as_ref().map_or(0, Server::n_pages)
    }

    /// Accesses that are points, ascending.
    pub fn sites(&self) -> &[u64] {
        &self.sites
    }

    /// Runs a plan in a process of its own; with the schedule of the run as any run has it.
    pub fn run_alone(&mut self, plan: &Plan, run: &mut Run) -> Result<Answer, EngineError> {
        let mut server = self.start(Model::Once).map_err(broken)?;
        let words = self.words(plan);
        server.post(|layout, base, number| slot::write(plan, &words, layout, base, number));
        let waited = server.wait(&self.stop, Some(self.setup.timeout)).map_err(broken)?;
        let Waited::Done = waited else {
            return Err(EngineError::Broken(format!("{waited:?}")));
        };
        let spins = &mut self.spins;
        let decoded = server.read(|layout, base, number| decode(layout, base, number, spins, run));
        let decoded = decoded.map_err(EngineError::Broken)?;
        self.setup.spins.learn(self.points, &self.spins, plan.prefix.len(), run);
        self.endings.learn_modules(server.process());
        let answer = server.finish().map_err(broken)?;
        run.outcome = self.endings.outcome(&decoded, &self.setup, self.output);
        run.misuses = self.endings.misuses(&decoded, &self.setup);
        Ok(answer)
    }

    /// The choices of a plan, as the runtime has them.
    fn words(&self, plan: &Plan) -> Vec<u32> {
        self.setup.spins.words(self.points, &plan.prefix)
    }

    fn start(&self, model: Model) -> Result<Server, LaunchError> {
        let Setup { target, runtime, .. } = &self.setup;
        let mut server = Server::start(target, &self.setup.request(), model, self.n_pool, runtime)?;
        server.set_sites(&self.sites);
        Ok(server)
    }

    /// The server; starts one if there is none.
    fn server(&mut self) -> Result<&mut Server, EngineError> {
        if self.server.is_none() {
            let server = self.start(self.model).map_err(broken)?;
            self.endings.learn_modules(server.process());
            let fallback = match server.fallback() {
                Fallback::None => None,
                Fallback::NoTrap => {
                    Some("the system does not allow system calls to be intercepted")
                }
                Fallback::NoRoom => Some("the system does not provide the address space"),
            };
            if let Some(reason) = fallback {
                (self.model, self.reason) = (Model::Fork, Some(reason.to_owned()));
            }
            self.server = Some(server);
        }
        self.server.as_mut().ok_or_else(|| EngineError::Broken("no server".to_owned()))
    }

    /// Posts plans that were announced, as long as there is room.
    fn post(&mut self, plan: &Plan) -> Result<(), EngineError> {
        self.server()?;
        let Some(server) = &mut self.server else { return Ok(()) };
        let is_next = self.announced.front() == Some(plan);
        if !is_next {
            self.announced.clear();
            self.announced.push_back(plan.clone());
        }
        let n_away = server.n_away() as usize;
        let limit = if self.model == Model::Once { 1 } else { usize::MAX };
        for plan in self.announced.iter().skip(n_away).take(limit.saturating_sub(n_away)) {
            if !server.has_room() {
                break;
            }
            let words = self.setup.spins.words(self.points, &plan.prefix);
            server.post(|layout, base, number| slot::write(plan, &words, layout, base, number));
        }
        Ok(())
    }

    /// Executes the plan that was posted first.
    fn execute(&mut self, plan: &Plan, run: &mut Run) -> Result<Decoded, EngineError> {
        if self.server.as_ref().is_some_and(|server| server.n_away() > 0)
            && self.announced.front() != Some(plan)
        {
            // What is under way is for nobody any more.
            self.server = None;
            self.announced.clear();
        }
        loop {
            self.post(plan)?;
            let Some(server) = &mut self.server else { continue };
            match server.wait(&self.stop, Some(self.setup.timeout)).map_err(broken)? {
                Waited::Done => {}
                Waited::Died(status) => {
                    self.restart();
                    return Err(EngineError::Broken(format!("the program was killed ({status})")));
                }
                Waited::Stopped => {
                    self.restart();
                    run.clear();
                    let stopped = self.stop.load(Ordering::Relaxed);
                    return Ok(Decoded::lost(match stopped {
                        true => OutcomeKind::Stopped,
                        false => OutcomeKind::None,
                    }));
                }
            }
            let spins = &mut self.spins;
            let decoded =
                server.read(|layout, base, number| decode(layout, base, number, spins, run));
            let decoded = decoded.map_err(EngineError::Broken)?;
            server.release();
            self.announced.pop_front();
            self.n_threads = self.n_threads.max(decoded.n_threads.saturating_sub(1));
            let is_short =
                self.model == Model::Fork && self.n_pool < self.n_threads.min(N_POOL_MAX);
            if self.model == Model::Once {
                self.server = None;
            } else if is_short && server.n_away() == 0 {
                self.n_pool = self.n_threads.min(N_POOL_MAX);
                self.server = None;
            }
            match decoded.kind {
                OutcomeKind::Misfit if self.fit(&decoded) => {}
                OutcomeKind::Internal => return Err(EngineError::Broken(decoded.message)),
                // It was told to end because it was late: the others go on.
                OutcomeKind::Stopped if !self.stop.load(Ordering::Relaxed) => {
                    self.restart();
                    return Ok(Decoded { kind: OutcomeKind::None, ..decoded });
                }
                _ => return Ok(decoded),
            }
        }
    }

    /// Drops the server; plans that were announced are posted again.
    fn restart(&mut self) {
        self.server = None;
    }

    /// Finds another way to run a program that cannot be put back; false if there is none.
    fn fit(&mut self, decoded: &Decoded) -> bool {
        let wants_threads = decoded.address == MISFIT_THREADS;
        if wants_threads && self.n_pool < N_POOL_MAX {
            self.n_pool = (self.n_pool * 4).max(N_POOL);
        } else if self.setup.model.is_none() {
            self.reason = Some(ending::why_misfit(decoded));
            self.model = Model::Fork;
            self.n_pool = self.n_threads;
        } else {
            return false;
        }
        self.announced.clear();
        self.restart();
        true
    }
}

impl Engine for NativeEngine {
    fn run(&mut self, plan: &Plan, _watch: &dyn Watch, run: &mut Run) -> Result<(), EngineError> {
        let decoded = self.execute(plan, run)?;
        match decoded.kind {
            OutcomeKind::Diverged => {
                let position = decoded.diverged_at as usize;
                let choice = plan.prefix.get(position).copied();
                let choice = choice.unwrap_or(Choice::Thread(decoded.address as u32));
                let instead = self.endings.instead(&decoded, choice);
                self.divergence = Some(Divergence { position, choice, instead });
                return Err(EngineError::Diverged { position, choice });
            }
            OutcomeKind::Exited if self.setup.same_output => {
                self.output.get_or_insert(decoded.output_hash);
            }
            _ => {}
        }
        self.setup.spins.learn(self.points, &self.spins, plan.prefix.len(), run);
        run.endless = self.endings.endless(&decoded.endless);
        run.outcome = self.endings.outcome(&decoded, &self.setup, self.output);
        run.misuses = self.endings.misuses(&decoded, &self.setup);
        Ok(())
    }

    fn end_at_misuse(&mut self) {
        if !std::mem::replace(&mut self.setup.strict_locks, true) {
            self.announced.clear();
            self.restart();
        }
    }

    fn announce(&mut self, plans: &mut dyn Iterator<Item = &Plan>) {
        self.announced.extend(plans.cloned());
    }

    fn ahead(&self) -> usize {
        raddle_wire::board::N_SLOTS
    }

    fn program(&self) -> ProgramId {
        self.program.clone()
    }

    fn race(&self, race: &Race) -> Failure {
        self.endings.race(race)
    }

    fn promote(&mut self, races: &[Race]) -> bool {
        self.add_points(races.iter().flat_map(|race| race.sites))
    }
}

fn broken(error: LaunchError) -> EngineError {
    EngineError::Broken(error.to_string())
}

/// A choice as the runtime has it; none if it knows no such choice.
fn choice_word(choice: Choice) -> Option<u32> {
    match choice {
        Choice::Thread(thread) => Some(thread),
        Choice::Waiter(thread) => Some(thread | CHOICE_WAITER),
        _ => None,
    }
}
