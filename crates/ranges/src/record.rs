//! From a run of the machine to a trace program.
//!
//! In: a C program and schedules. Out: a CTP of each. Every run is made twice: the first time shows
//! which memory threads share, in any of the runs; the second time follows values.
//!
//! - C1: a read of shared memory is a step that gives a new local; what is computed from it is an
//!   expression. Registers, private memory, arguments and results carry expressions.
//! - C2: a branch on an expression is a guard. An address, a size or a target that depends on a
//!   local is taken to be what it was in the run, which is a guard, too: points-to is that of the run.
//! - C3: memory that is accessed in pieces of different sizes, and floating point, is not followed:
//!   its values are unknown, and a notice says so.
//! - C4: what goes into the library's output functions is not followed further.
//! - C5: memory that is never written, or that one thread alone uses, is not shared, unless it is asked
//!   about. Loops are what they were in the run.

mod access;
mod branch;
mod compute;
mod events;
mod follow;
mod sync;
mod users;

use std::sync::Arc;

use raddle_cfront::ir::Program;
use raddle_finding::Schedule;
use raddle_vm::{FaultKind, Machine, Misfit, Outcome, Settings, SetupError, Site};

use crate::ctp::{Ctp, Line};
use events::Follower;
use users::{Shared, Users};

/// A trace program and the run that it comes from.
#[derive(Debug)]
pub struct Recorded {
    /// What the threads did.
    pub ctp: Ctp,
    /// How the run ended.
    pub outcome: Option<Outcome>,
    /// All choices of the run.
    pub schedule: Schedule,
}

/// An assertion that failed in a run: it is refuted, whatever the trace program says of those times that
/// it held.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Failure {
    /// Where it is.
    pub line: Option<Line>,
    /// All choices of the run.
    pub schedule: Schedule,
}

impl Recorded {
    /// The assertion that ended the run, if one did.
    pub fn failure(&self, program: &Program) -> Option<Failure> {
        let Some(Outcome::Fault(fault)) = &self.outcome else { return None };
        if !matches!(
            fault.kind,
            FaultKind::AssertFailed { .. } | FaultKind::Abort | FaultKind::ReachError
        ) {
            return None;
        }
        let own = fault.stack.iter().find(|frame| !frame.library);
        let line = line(program, own.map_or(fault.site, |frame| frame.site));
        Some(Failure { line, schedule: self.schedule.clone() })
    }
}

/// A run cannot become a trace program.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RecordError {
    /// The program cannot be run.
    #[error(transparent)]
    Setup(#[from] SetupError),
    /// The schedule does not fit the program.
    #[error("choice {} of the schedule does not match: {} was expected", .0.position, .0.asked)]
    Misfit(Misfit),
}

/// Runs a program by a schedule and what the machine does by default behind it.
pub fn record(
    program: &Arc<Program>,
    settings: &Settings,
    schedule: Option<&Schedule>,
) -> Result<Recorded, RecordError> {
    let (mut machine, mut users) = (Machine::new(program.clone(), settings)?, Users::default());
    let taken = survey(&mut machine, schedule, &mut users)?;
    Ok(follow(&mut machine, &taken, users.shared()))
}

/// Several runs of a program, which are to be merged: what is shared in one is shared in all, or the
/// same thread would have other steps in each. Variables that are named are shared in any case.
pub fn record_all(
    program: &Arc<Program>,
    settings: &Settings,
    schedules: &[Option<Schedule>],
    named: &[String],
) -> Result<Vec<Recorded>, RecordError> {
    let mut machine = Machine::new(program.clone(), settings)?;
    let mut users = Users::with(named);
    let mut taken = Vec::new();
    for schedule in schedules {
        taken.push(survey(&mut machine, schedule.as_ref(), &mut users)?);
    }
    let shared = users.shared();
    Ok(taken.iter().map(|taken| follow(&mut machine, taken, shared.clone())).collect())
}

/// The first time: who uses what; all choices.
fn survey(
    machine: &mut Machine,
    schedule: Option<&Schedule>,
    users: &mut Users,
) -> Result<Schedule, RecordError> {
    machine.reset();
    let Some(schedule) = schedule else { return Ok(machine.run_default(users)) };
    let replayed = machine.replay(schedule, users);
    match replayed.misfit {
        Some(misfit) => Err(RecordError::Misfit(misfit)),
        None => Ok(replayed.taken),
    }
}

/// The second time.
fn follow(machine: &mut Machine, taken: &Schedule, shared: Shared) -> Recorded {
    let mut follower = Follower::new(shared);
    machine.reset();
    machine.replay(taken, &mut follower);
    let outcome = machine.outcome().cloned();
    // A thread that ends the run has nothing more to do.
    match &outcome {
        Some(Outcome::Fault(fault)) => follower.ends(fault.thread),
        Some(Outcome::Exited(_) | Outcome::Assumption) => follower.ends(machine.current()),
        _ => {}
    }
    Recorded { ctp: follower.finish(), outcome, schedule: taken.clone() }
}

/// The line of a transition.
pub(crate) fn line(program: &Program, site: Site) -> Option<Line> {
    let span = program.function(site.function).spans.get(site.op as usize)?;
    let location = program.sources.locate(span.start);
    Some(Line { file: location.file, line: location.line })
}
