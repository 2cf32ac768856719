//! `raddle replay` on a binary: refused before it comes here.

use raddle_finding::Schedule;

use crate::context::Context;
use crate::diagnostic::Diagnostic;
use crate::exit::Exit;
use crate::program::binary::launch::Launch;

/// There is nothing to run.
pub(crate) fn run(launch: &Launch, _: &Schedule, _: bool, _: &Context) -> Result<Exit, Diagnostic> {
    match *launch {}
}
