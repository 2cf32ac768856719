//! Confirms findings: the program is run along each witness.

use std::ffi::OsString;

use raddle_finding::Schedule;
use raddle_native::recording::{Guide, Recording};
use raddle_native::target::{Output, Target};
use raddle_session::native::{self, Launch};
use raddle_session::predict::{Confirmed, Found, Plan};
use raddle_session::vm::Observed;
use raddle_trace::Trace;

use super::exact;
use crate::command::trace::input::Input;
use crate::console::Console;
use crate::diagnostic::Diagnostic;

/// What the program did, and the command that does it again.
pub(super) struct Confirmation {
    pub(super) confirmed: Confirmed,
    pub(super) replay: Box<dyn Fn(&Schedule) -> String>,
}

/// Runs programs along witnesses.
pub(super) struct Confirming<'a, 'b> {
    pub(super) trace: &'a Trace,
    pub(super) found: &'a Found,
    pub(super) plan: &'a Plan,
    pub(super) console: &'a mut Console<'b>,
}

impl Confirming<'_, '_> {
    /// A C program.
    pub(super) fn on_machine(
        &mut self,
        observed: &Observed,
        input: &Input,
        arguments: &[OsString],
    ) -> Result<Confirmation, Diagnostic> {
        let Plan { allowance, .. } = self.plan;
        let (effort, console) = (exact::EFFORT, &mut *self.console);
        let confirmed = observed.confirm(self.trace, self.found, effort, allowance, console)?;
        let replay = exact::replay_command(input, arguments);
        Ok(Confirmation { confirmed, replay: Box::new(replay) })
    }

    /// The binary that was recorded, or the one that was named.
    pub(super) fn on_binary(
        &mut self,
        guide: &Guide,
        input: &Input,
        command: &[OsString],
    ) -> Result<Confirmation, Diagnostic> {
        let recording = recording(input)?;
        let launch = launch(&recording, command)?;
        let (seen, allowance) = ((self.trace, guide), &self.plan.allowance);
        let confirmed =
            native::confirm(&recording, seen, self.found, &launch, allowance, self.console)?;
        let replay = move |schedule: &Schedule| launch.replay_command(&schedule.to_string());
        Ok(Confirmation { confirmed, replay: Box::new(replay) })
    }
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
