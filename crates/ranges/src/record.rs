//! From a run of the machine to a trace program.
//!
//! In: a C program and a schedule. Out: its CTP. The run is made twice: the first time shows which
//! memory threads share, the second time follows values.
//!
//! - C1: a read of shared memory is a step that gives a new local; what is computed from it is an
//!   expression. Registers, private memory, arguments and results carry expressions.
//! - C2: a branch on an expression is a guard. An address, a size or a target that depends on a
//!   local is taken to be what it was in the run, which is a guard, too: points-to is that of the run.
//! - C3: memory that is accessed in pieces of different sizes, and floating point, is not followed:
//!   its values are unknown, and a notice says so.
//! - C4: what goes into the library's output functions is not followed further.
//! - C5: memory that nobody writes, or that one thread alone uses, is not shared. Loops are what
//!   they were in the run.

mod access;
mod branch;
mod events;
mod memory;
mod thread;
mod transfer;
mod users;

use std::sync::Arc;

use raddle_cfront::ir::Program;
use raddle_finding::Schedule;
use raddle_vm::{Machine, Misfit, Outcome, Settings, SetupError, Site};

use crate::ctp::{Ctp, Line};
use events::Follower;
use users::Users;

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

/// A run cannot become a trace program.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RecordError {
    /// The program cannot be run.
    #[error(transparent)]
    Setup(#[from] SetupError),
    /// The schedule does not fit the program.
    #[error("choice {} of the schedule does not fit: {} was asked for", .0.position, .0.asked)]
    Misfit(Misfit),
}

/// Runs a program by a schedule and what the machine does by default behind it.
pub fn record(
    program: &Arc<Program>,
    settings: &Settings,
    schedule: Option<&Schedule>,
) -> Result<Recorded, RecordError> {
    let mut machine = Machine::new(program.clone(), settings)?;
    let mut users = Users::default();
    let taken = match schedule {
        None => machine.run_default(&mut users),
        Some(schedule) => {
            let replayed = machine.replay(schedule, &mut users);
            if let Some(misfit) = replayed.misfit {
                return Err(RecordError::Misfit(misfit));
            }
            replayed.taken
        }
    };
    let mut follower = Follower::new(users.shared());
    machine.reset();
    machine.replay(&taken, &mut follower);
    let outcome = machine.outcome().cloned();
    Ok(Recorded { ctp: follower.finish(), outcome, schedule: taken })
}

/// The line of a transition.
pub(crate) fn line(program: &Program, site: Site) -> Option<Line> {
    let span = program.function(site.function).spans.get(site.op as usize)?;
    let location = program.sources.locate(span.start);
    Some(Line { file: location.file, line: location.line })
}
