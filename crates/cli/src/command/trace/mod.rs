//! `raddle trace`: work with trace files.

mod convert;
pub(crate) mod encode;
pub(crate) mod explain;
mod generate;
mod info;
pub(crate) mod input;
mod kinds;
mod knobs;
mod perfetto;
pub(crate) mod repairs;
pub(crate) mod target;
mod validate;

use clap::Subcommand;

use crate::context::Context;
use crate::diagnostic::Diagnostic;
use crate::exit::Exit;

/// What to do with traces; the arguments of each describe it.
#[derive(Debug, Subcommand)]
pub(crate) enum TraceCommand {
    Info(info::InfoArgs),
    Validate(validate::ValidateArgs),
    Convert(convert::ConvertArgs),
    Generate(Box<generate::GenerateArgs>),
    Perfetto(perfetto::PerfettoArgs),
}

impl TraceCommand {
    /// Runs the command.
    pub(crate) fn run(self, context: &Context) -> Result<Exit, Diagnostic> {
        match self {
            TraceCommand::Info(args) => info::run(args, context),
            TraceCommand::Validate(args) => validate::run(args, context),
            TraceCommand::Convert(args) => convert::run(args, context),
            TraceCommand::Generate(args) => generate::run(*args, context),
            TraceCommand::Perfetto(args) => perfetto::run(args, context),
        }
    }
}
