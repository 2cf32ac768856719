//! `raddle replay` on a binary, by itself or under a debugger.

use std::path::PathBuf;

use raddle_finding::Schedule;
use raddle_session::native::Launch;
use raddle_wire::{Flags, OutcomeKind, Threading};
use serde::Serialize;

use crate::context::Context;
use crate::diagnostic::Diagnostic;
use crate::exit::Exit;
use crate::output;
use crate::program::binary::ending::{self, EndingDocument, Known};
use crate::program::binary::launch;

/// How many bytes are recorded, so that the host learns where the object files are, and of a short run
/// what things are called.
const GLIMPSE: u64 = 1 << 20;

/// Runs `raddle replay` on a binary.
pub(crate) fn run(
    launch: &Launch,
    schedule: &Schedule,
    gdb: bool,
    context: &Context,
) -> Result<Exit, Diagnostic> {
    let plan = launch.steps(schedule)?;
    let mut request = launch.request(&plan);
    if gdb {
        // Under a debugger every thread should be one that it knows.
        request.threading = Threading::Threads;
        request.debugger = true;
        let status = launch.debug(&request)?;
        return Ok(if status.success() { Exit::Done } else { Exit::Error });
    }
    let glimpse = tempfile::NamedTempFile::new()
        .map_err(|error| Diagnostic::error("cannot create a temporary file").because(&error))?;
    request.recording = Some(PathBuf::from(glimpse.path()));
    request.max_recording = GLIMPSE;
    request.stacks = true;
    request.flags |= Flags::RECORD;
    let answer = launch::run(launch, &request, context)?;
    let mut known = Known::of(glimpse.path(), &answer);
    let is_other = answer.outcome == OutcomeKind::Diverged;
    if is_other {
        let error = Diagnostic::error("the schedule does not match this run")
            .remark(format!("at step {}: {}", answer.diverged_at + 1, answer.message))
            .help(
                "the program depends on something external, or the arguments or the input differ",
            );
        return Err(error);
    }
    let exit = match context.is_json() {
        true => ending::exit(&answer),
        false => ending::show(&answer, &mut known, context),
    };
    if context.is_json() {
        output::print_json(&Document {
            schema: "raddle.replay-native/1",
            program: launch.target.program.display().to_string(),
            schedule: schedule.to_string(),
            taken: launch.schedule(&answer.taken)?.to_string(),
            event_hash: format!("{:016x}", answer.event_hash),
            run: EndingDocument::new(&answer, &mut known),
        })?;
    }
    context.show(&Diagnostic::note(format!("event hash {:016x}", answer.event_hash)));
    Ok(exit)
}

/// The schema `raddle.replay-native/1`.
#[derive(Debug, Serialize)]
struct Document {
    schema: &'static str,
    program: String,
    schedule: String,
    taken: String,
    event_hash: String,
    run: EndingDocument,
}
