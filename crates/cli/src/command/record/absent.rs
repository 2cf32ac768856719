//! `raddle record` on a binary: refused before it comes here.

use std::path::PathBuf;

use clap::ValueEnum;
use raddle_finding::Schedule;

use crate::context::Context;
use crate::diagnostic::Diagnostic;
use crate::exit::Exit;
use crate::program::binary::launch::Launch;

/// What to record, and how.
#[allow(dead_code, reason = "nothing can be recorded")]
pub(crate) struct Wish<'a> {
    pub(crate) launch: Launch,
    pub(crate) output: Option<PathBuf>,
    pub(crate) schedule: Option<&'a Schedule>,
    pub(crate) seed: Option<u64>,
    pub(crate) stacks: bool,
    pub(crate) points: Points,
    pub(crate) parallel: bool,
    pub(crate) atomic: &'a [String],
    pub(crate) max_size: u64,
}

/// Where a binary may be interrupted.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
pub(crate) enum Points {
    /// Before synchronisation and atomics
    #[default]
    Sync,
    /// Also before every access to memory
    All,
}

/// There is nothing to run.
pub(crate) fn run(wish: Wish<'_>, _: &Context) -> Result<Exit, Diagnostic> {
    match wish.launch {}
}
