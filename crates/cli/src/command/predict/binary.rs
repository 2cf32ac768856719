//! `raddle predict --confirm`: runs the binary that was recorded along each witness.

use std::ffi::OsString;

use raddle_finding::Schedule;
use raddle_native::recording::{Guide, Recording};
use raddle_native::target::{Output, Target};
use raddle_session::native::{self, Launch};

use super::confirm::{Confirmation, Confirming};
use crate::command::trace::input::Input;
use crate::diagnostic::Diagnostic;

/// Runs the binary that was recorded, or the one that was named.
pub(super) fn confirm(
    confirming: &mut Confirming<'_, '_>,
    guide: &Guide,
    input: &Input,
    command: &[OsString],
) -> Result<Confirmation, Diagnostic> {
    let recording = recording(input)?;
    let launch = launch(&recording, command)?;
    let Confirming { trace, found, plan, console } = confirming;
    let (seen, allowance) = ((*trace, guide), &plan.allowance);
    let confirmed = native::confirm(&recording, seen, found, &launch, allowance, *console)?;
    let replay = move |schedule: &Schedule| launch.replay_command(&schedule.to_string());
    Ok(Confirmation { confirmed, replay: Box::new(replay) })
}

/// The recording that a trace was read from.
fn recording(input: &Input) -> Result<Recording, Diagnostic> {
    Recording::open(&input.path).map_err(|error| {
        Diagnostic::error(format!("cannot read `{}`", input.name)).remark(error.to_string())
    })
}

/// The program that was recorded, or the one that was named.
fn launch(recording: &Recording, command: &[OsString]) -> Result<Launch, Diagnostic> {
    let about = recording.about();
    let (command, directory) = match command {
        [] => (about.command.as_slice(), about.directory),
        command => (command, None),
    };
    let Some((name, arguments)) = command.split_first() else {
        return Err(Diagnostic::error("the recording does not name its program")
            .help("name it after --: raddle predict --confirm t.rdl -- ./program ARGS"));
    };
    let cannot = |error: &dyn std::error::Error| {
        Diagnostic::error("the program cannot be run").remark(error.to_string())
    };
    // A path is relative to where the program ran.
    let file = match &directory {
        Some(directory) if name.as_encoded_bytes().contains(&b'/') => {
            directory.join(name).into_os_string()
        }
        _ => name.clone(),
    };
    let mut target = Target::new(&file).map_err(|error| cannot(&error))?;
    // Programs look at their own name.
    target.invoked_as = Some(name.clone());
    target.arguments = arguments.to_vec();
    target.directory = directory;
    target.output = Output::Capture;
    Ok(Launch::new(target, false, false, Some(std::time::Duration::from_secs(60)))?)
}
