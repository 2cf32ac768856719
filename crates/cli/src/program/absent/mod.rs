//! Stands in for `binary` where the engine for binaries is not built in: the same names, which
//! refuse with one sentence. So does the file of this name in the folder of a command.

pub(crate) mod launch;
pub(crate) mod recording;

use crate::diagnostic::Diagnostic;

/// What there is none of here.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Never {}

/// The sentence.
pub(crate) const ABSENT: &str = "this build of raddle cannot run binaries: that requires Linux on \
                                 x86-64 with glibc and the feature `native`";

/// The refusal.
pub(crate) fn absent() -> Diagnostic {
    Diagnostic::error(ABSENT)
}
