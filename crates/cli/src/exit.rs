//! Exit codes, the same for every command.

use std::process::ExitCode;

/// How a command ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub(crate) enum Exit {
    /// The goal was completed, without findings.
    Done = 0,
    /// There are findings.
    Findings = 1,
    /// The command was used wrongly, or something went wrong.
    Error = 2,
    /// The goal was not completed: part of the input is lost, or the user stopped the command.
    Incomplete = 3,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(exit as u8)
    }
}
