//! The commands, a file or a folder for each. Where a command runs binaries, too, that is in `binary.rs` in its folder.

#[cfg(feature = "native")]
mod cargo;
#[cfg(feature = "native")]
mod cc;
pub(crate) mod clean;
mod completions;
#[cfg(feature = "native")]
mod doctor;
pub(crate) mod explore;
pub(crate) mod infer;
pub(crate) mod man;
pub(crate) mod predict;
pub(crate) mod ranges;
pub(crate) mod record;
pub(crate) mod replay;
pub(crate) mod report;
pub(crate) mod trace;

use crate::args::{Cli, Command, Format, GlobalArgs};
use crate::context::{self, Context};
use crate::diagnostic::Diagnostic;
use crate::exit::Exit;
#[cfg(not(feature = "native"))]
use crate::program::binary::absent;

/// Does what the arguments ask for.
pub(crate) fn run(cli: Cli) -> Exit {
    let Cli { global, command } = cli;
    match command {
        // A shell asks for these when it starts, wherever it is: no configuration is read.
        Command::Completions { shell } => early(&global, completions::run(shell)),
        Command::Man { folder } => early(&global, man::run(&folder)),
        // Builds run anywhere, and often: no configuration is read.
        #[cfg(feature = "native")]
        Command::Cc(passed) => early(&global, cc::c(&passed)),
        #[cfg(feature = "native")]
        Command::Cxx(passed) => early(&global, cc::cpp(&passed)),
        #[cfg(feature = "native")]
        Command::Cargo(passed) => early(&global, cargo::run(&passed)),
        #[cfg(feature = "native")]
        Command::Doctor => in_context(&global, false, doctor::run),
        #[cfg(not(feature = "native"))]
        Command::Cc(_) | Command::Cxx(_) | Command::Cargo(_) => early(&global, Err(absent())),
        #[cfg(not(feature = "native"))]
        Command::Doctor => in_context(&global, false, |_| Err(absent())),
        Command::Clean => in_context(&global, false, clean::run),
        Command::Check(args) => in_context(&global, true, |context| explore::check(*args, context)),
        Command::Explore(args) => {
            in_context(&global, true, |context| explore::explore(*args, context))
        }
        Command::Infer(args) => in_context(&global, false, |context| infer::run(*args, context)),
        Command::Predict(args) => in_context(&global, true, |context| predict::run(*args, context)),
        Command::Ranges(args) => in_context(&global, false, |context| ranges::run(*args, context)),
        Command::Record(args) => in_context(&global, false, |context| record::run(*args, context)),
        Command::Replay(args) => in_context(&global, false, |context| replay::run(*args, context)),
        Command::Report(args) => in_context(&global, true, |context| report::run(*args, context)),
        Command::Trace(command) => in_context(&global, false, |context| command.run(context)),
    }
}

fn early(global: &GlobalArgs, result: Result<Exit, Diagnostic>) -> Exit {
    settle(result, |error| context::tell_early(global, error))
}

fn in_context(
    global: &GlobalArgs,
    reports: bool,
    command: impl FnOnce(&Context) -> Result<Exit, Diagnostic>,
) -> Exit {
    match Context::new(global) {
        Ok(mut context) => {
            let format = settle_format(&mut context, global.format.is_some(), reports);
            let result = format.and_then(|()| command(&context));
            settle(result, |error| context.show(error))
        }
        Err(error) => settle(Err(error), |error| context::tell_early(global, error)),
    }
}

/// Only commands that report findings have more forms than two: others refuse what they were `asked` for, and
/// write text where a file says it for all commands.
fn settle_format(context: &mut Context, asked: bool, reports: bool) -> Result<(), Diagnostic> {
    match context.settings.format {
        Format::Text | Format::Json => {}
        _ if reports => {}
        _ if asked => {
            return Err(Diagnostic::error("this command supports only text and JSON").help(
                "use --format text or --format json; the other formats are for check, \
                 explore, predict and report",
            ));
        }
        _ => context.settings.format = Format::Text,
    }
    Ok(())
}

fn settle(result: Result<Exit, Diagnostic>, show: impl FnOnce(&Diagnostic)) -> Exit {
    result.unwrap_or_else(|error| {
        show(&error);
        Exit::Error
    })
}
