//! `raddle cc` and `raddle c++`: the user's compiler, which makes programs controllable.

use raddle_native::compiler::{self, Language};

use crate::args::Passed;
use crate::diagnostic::Diagnostic;
use crate::exit::Exit;

/// Becomes the compiler of C; comes back only if that is impossible.
pub(crate) fn c(passed: &Passed) -> Result<Exit, Diagnostic> {
    run(Language::C, passed)
}

/// The same for C++.
pub(crate) fn cpp(passed: &Passed) -> Result<Exit, Diagnostic> {
    run(Language::Cpp, passed)
}

fn run(language: Language, passed: &Passed) -> Result<Exit, Diagnostic> {
    let error = compiler::become_compiler(language, &passed.arguments);
    Err(Diagnostic::error("cannot compile for Raddle").because(&error))
}
