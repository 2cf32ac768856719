//! `raddle cc` and `raddle c++`: the user's compiler, which makes programs controllable.

use raddle_native::compiler::{self, Language};

use super::Passed;
use crate::diagnostic::Diagnostic;
use crate::exit::Exit;

/// Becomes the compiler; comes back only if that is impossible.
pub(crate) fn run(language: Language, passed: &Passed) -> Result<Exit, Diagnostic> {
    let error = compiler::become_compiler(language, &passed.arguments);
    Err(Diagnostic::error("cannot compile for Raddle").because(&error))
}
