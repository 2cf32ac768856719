//! Stands in for `native` where the engine for binaries is not built in: the same names, which
//! refuse with one sentence.

pub(crate) mod launch;
pub(crate) mod record;
pub(crate) mod recording;

use std::ffi::OsString;

use clap::Args;

use crate::diagnostic::Diagnostic;
use crate::exit::Exit;

/// Arguments for another program.
#[derive(Debug, Args)]
#[command(disable_help_flag = true)]
pub(crate) struct Passed {
    /// Arguments that are passed on unchanged
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "ARGUMENT")]
    pub(crate) _arguments: Vec<OsString>,
}

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

macro_rules! refusing {
    ($($module:ident: $($name:ident($($argument:ty),*)),+;)+) => {$(
        #[allow(missing_docs, reason = "as in `native`")]
        pub(crate) mod $module {
            use super::*;
            $(pub(crate) fn $name($(_: $argument),*) -> Result<Exit, Diagnostic> {
                Err(absent())
            })+
        }
    )+};
}

refusing! {
    cc: c(&Passed), cpp(&Passed);
    cargo: run(&Passed);
    doctor: run(&crate::context::Context);
    replay: run(&launch::Launch, &raddle_finding::Schedule, bool, &crate::context::Context);
}

/// Runs a binary along witnesses.
pub(crate) mod confirm {
    use super::*;
    use crate::command::predict::confirm::{Confirmation, Confirming};
    use crate::command::trace::input::Input;

    pub(crate) fn confirm(
        _: &mut Confirming<'_, '_>,
        guide: &recording::Guide,
        _: &Input,
        _: &[OsString],
    ) -> Result<Confirmation, Diagnostic> {
        match guide.0 {}
    }
}
