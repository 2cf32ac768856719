//! `raddle record` on a binary: refused before it comes here.

use super::Wish;
use crate::context::Context;
use crate::diagnostic::Diagnostic;
use crate::exit::Exit;

/// There is nothing to run.
pub(crate) fn run(wish: Wish<'_>, _: &Context) -> Result<Exit, Diagnostic> {
    match wish.launch {}
}
