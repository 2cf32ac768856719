//! `raddle cargo`: the user's Cargo, which makes Rust programs controllable.

use std::env;

use raddle_native::cargo;

use crate::args::Passed;
use crate::diagnostic::Diagnostic;
use crate::exit::Exit;

/// Becomes Cargo; comes back only if that is impossible.
pub(crate) fn run(passed: &Passed) -> Result<Exit, Diagnostic> {
    let error = cargo::become_cargo(&passed.arguments, |name| env::var_os(name));
    Err(Diagnostic::error("cannot build for Raddle").because(&error))
}
