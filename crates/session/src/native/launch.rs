//! Which binary to run, and how.

use std::process::ExitStatus;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use raddle_explore::{EngineError, Plan, Race, Run};
use raddle_finding::{Choice, ProgramId, Schedule};
use raddle_native::explore::{NativeEngine, Setup};
use raddle_native::install::Installation;
use raddle_native::launch::{self, Answer, Request};
use raddle_native::schedule;
use raddle_native::target::{self, Stdin, Target};
use raddle_wire::{Flags, OutcomeKind, Step, Threading};

use crate::document::STRICT;
use crate::error::{Cause, Error};
use crate::shell::quoted;

/// What the identity of a program ends with if every access is a point.
const ALL_SUFFIX: &str = ".all";

/// A binary to run, with everything settled.
#[derive(Clone, Debug)]
pub struct Launch {
    /// The binary with its arguments, and where it runs.
    pub target: Target,
    /// Its identity.
    pub program: ProgramId,
    installation: Installation,
    preload: bool,
    threading: Threading,
    timeout: Option<Duration>,
    /// Whether unlocking what a thread does not hold ends a run.
    pub strict_locks: bool,
}

impl Launch {
    /// One with a runtime that is at hand.
    pub fn new(
        target: Target,
        preload: bool,
        own_threads: bool,
        timeout: Option<Duration>,
    ) -> Result<Launch, Error> {
        let installation = Installation::get().map_err(|error| Error::Runtime(error.into()))?;
        Launch::with(installation, target, preload, own_threads, timeout)
    }

    /// The same with this runtime.
    pub fn with(
        installation: Installation,
        target: Target,
        preload: bool,
        own_threads: bool,
        timeout: Option<Duration>,
    ) -> Result<Launch, Error> {
        let program = target::identity(&target).map_err(cannot_run)?;
        let threading = if own_threads { Threading::Threads } else { Threading::Coroutines };
        let strict_locks = false;
        Ok(Launch { target, program, installation, preload, threading, timeout, strict_locks })
    }

    /// What is asked for unless a command wants something else.
    pub fn request<'a>(&self, plan: &'a [Step]) -> Request<'a> {
        Request {
            threading: self.threading,
            preload: self.preload,
            timeout: self.timeout,
            flags: if self.strict_locks { Flags::STRICT_LOCKS } else { 0 },
            plan,
            ..Request::default()
        }
    }

    /// Runs it once; ends early when `stop` is set.
    pub fn run(&self, request: &Request<'_>, stop: &AtomicBool) -> Result<Answer, Error> {
        launch::run(&self.target, request, &self.installation.runtime(), stop).map_err(cannot_run)
    }

    /// How it is explored unless a command wants something else.
    pub fn setup(&self) -> Setup {
        let setup = Setup::new(self.target.clone(), &self.installation.runtime());
        let timeout = self.timeout.unwrap_or(setup.timeout);
        let Launch { threading, preload, strict_locks, .. } = *self;
        Setup { threading, preload, strict_locks, timeout, ..setup }
    }

    /// The steps of a schedule of this program. Those of a search are found out by a run.
    pub fn steps(&self, schedule: &Schedule) -> Result<Vec<Step>, Error> {
        let named = schedule.program().points();
        let program = named.as_ref().map_or(schedule.program(), |(program, _)| program);
        let alone = program.as_str().strip_suffix(ALL_SUFFIX).filter(|_| named.is_some());
        let alone = alone.and_then(|alone| alone.parse().ok()).unwrap_or_else(|| program.clone());
        let foreign = Schedule::new(alone).check_program(&self.program);
        foreign.map_err(|error| Error::Foreign(error.into()))?;
        let Some((program, sites)) = named else {
            return schedule::to_steps(schedule).map_err(|error| Error::Unsuitable(error.into()));
        };
        let points_all = program.as_str().ends_with(ALL_SUFFIX);
        let setup = Setup { points_all, ..self.setup() };
        let mut engine = NativeEngine::new(setup).map_err(cannot_run)?;
        engine.add_points(sites);
        let plan = Plan { prefix: schedule.choices().collect(), ..Plan::default() };
        let answer = engine.run_alone(&plan, &mut Run::new()).map_err(Error::Search)?;
        if answer.outcome == OutcomeKind::Diverged {
            let position = answer.diverged_at as usize;
            let choice = plan.prefix.get(position).copied().unwrap_or(Choice::Thread(0));
            return Err(Error::Search(EngineError::Diverged { position, choice }));
        }
        Ok(answer.taken)
    }

    /// A schedule of a search, whose choices are made at points and not for so many events.
    pub fn name_points(&self, schedule: &Schedule, promoted: &[Race], all: bool) -> Schedule {
        let sites = promoted.iter().flat_map(|race| race.sites).collect();
        let suffix = if all { ALL_SUFFIX } else { "" };
        let program: Option<ProgramId> = format!("{}{suffix}", schedule.program()).parse().ok();
        let named = program.and_then(|program| program.with_points(&sites));
        named.map_or_else(|| schedule.clone(), |program| schedule.clone().of(program))
    }

    /// What a run did, as a schedule.
    pub fn schedule(&self, steps: &[Step]) -> Result<Schedule, Error> {
        schedule::to_schedule(self.program.clone(), steps).map_err(cannot_run)
    }

    /// The command that replays a schedule, which may be `@` and a file.
    pub fn replay_command(&self, schedule: &str) -> String {
        let Target { program, invoked_as, directory, .. } = &self.target;
        let here = std::env::current_dir().ok();
        let elsewhere = directory.as_ref().filter(|folder| here.as_ref() != Some(folder));
        let mut words = Vec::new();
        if let (Some(folder), Some(_)) = (elsewhere, invoked_as) {
            words.extend(["cd".to_owned(), quoted(folder.as_os_str()), "&&".to_owned()]);
        }
        words.extend(["raddle".to_owned(), "replay".to_owned()]);
        words.extend(self.preload.then(|| "--preload".to_owned()));
        words.extend(self.strict_locks.then(|| STRICT.to_owned()));
        if let (Some(folder), None) = (elsewhere, invoked_as) {
            words.push(format!("--directory={}", quoted(folder.as_os_str())));
        }
        match &self.target.stdin {
            Stdin::Closed => {}
            Stdin::Inherit => words.push("--stdin=-".to_owned()),
            Stdin::File(path) => words.push(format!("--stdin={}", quoted(path.as_os_str()))),
        }
        words.push(quoted(invoked_as.as_deref().unwrap_or(program.as_os_str())));
        words.push(quoted(schedule.as_ref()));
        if !self.target.arguments.is_empty() {
            words.push("--".to_owned());
            words.extend(self.target.words().map(quoted));
        }
        words.join(" ")
    }

    /// Runs it under a debugger.
    pub fn debug(&self, request: &Request<'_>) -> Result<ExitStatus, Error> {
        launch::debug(&self.target, request, &self.installation.runtime()).map_err(cannot_run)
    }
}

fn cannot_run(error: impl Into<Cause>) -> Error {
    Error::Control(error.into())
}
