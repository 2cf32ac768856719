//! What was recorded, and the program that it was recorded of, to confirm findings on.

use std::ffi::OsString;

use raddle_native::recording::Recording;
use raddle_native::target::{Output, Target};
use raddle_session::native::Launch;

use crate::command::trace::input::Input;
use crate::diagnostic::Diagnostic;

/// The recording that a trace was read from.
pub(super) fn recording(input: &Input) -> Result<Recording, Diagnostic> {
    Recording::open(&input.path).map_err(|error| {
        Diagnostic::error(format!("cannot read `{}`", input.name)).remark(error.to_string())
    })
}

/// The program that was recorded, or the one that was named.
pub(super) fn launch(recording: &Recording, command: &[OsString]) -> Result<Launch, Diagnostic> {
    let about = recording.about();
    let (command, directory) = match command {
        [] => (about.command.as_slice(), about.directory),
        command => (command, None),
    };
    let Some((name, arguments)) = command.split_first() else {
        return Err(Diagnostic::error("it is not known which program was recorded")
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
