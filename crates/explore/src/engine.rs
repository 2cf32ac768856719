//! Engines: what executes a program.

use raddle_finding::{Choice, ProgramId};

use crate::plan::Plan;
use crate::run::Run;

/// Executes one program, one whole run at a time. Knows nothing about search.
pub trait Engine {
    /// Executes one run and describes it; what `run` held before is dropped, its memory is used
    /// again.
    fn run(&mut self, plan: &Plan, run: &mut Run) -> Result<(), EngineError>;

    /// The program that is executed.
    fn program(&self) -> ProgramId;
}

/// A run could not be executed as planned.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EngineError {
    /// A choice of the prefix was not open: the program depends on something else than choices.
    #[error("choice {position} of the plan is {choice}, which is not open in this run")]
    Diverged {
        /// Its position, from 0.
        position: usize,
        /// The choice.
        choice: Choice,
    },
    /// The program could not be executed at all.
    #[error("the program cannot be executed: {0}")]
    Broken(String),
}
