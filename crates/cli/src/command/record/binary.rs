//! `raddle record` on a binary.
//!
//! The recording is written while the program runs, 16 bytes an event, into the file that was asked
//! for: whatever happens to either process, what was recorded until then can be read.

use std::io;
use std::path::{Path, PathBuf};

use raddle_native::launch::Answer;
use raddle_native::recording::{self, Recording};
use raddle_native::symbol::Symbols;
use raddle_wire::{Flags, OutcomeKind, Phase, RecordingState, Threading};
use serde::Serialize;

use super::{Points, Wish};
use crate::context::Context;
use crate::diagnostic::Diagnostic;
use crate::exit::Exit;
use crate::output;
use crate::program::binary::ending::{self, EndingDocument, Known};
use crate::program::binary::launch::{self, Launch};
use crate::quantity::{bytes, count};

/// A schedule that is longer is named by the file that has it.
const SHOWN: usize = 2000;

/// Runs `raddle record` on a binary.
pub(crate) fn run(wish: Wish<'_>, context: &Context) -> Result<Exit, Diagnostic> {
    let Wish { launch, .. } = &wish;
    let path = wish.output.clone().unwrap_or_else(|| default_output(&launch.target.program));
    let plan = wish.schedule.map(|schedule| launch.steps(schedule)).transpose()?;
    let plan = plan.unwrap_or_default();
    let mut request = launch.request(&plan);
    request.recording = Some(path.clone());
    request.max_recording = wish.max_size;
    request.stacks = wish.stacks || !wish.atomic.is_empty();
    request.points_all = wish.points == Points::All;
    request.seed = wish.seed;
    if wish.parallel {
        request.threading = Threading::Parallel;
    }
    request.flags |= Flags::RECORD | Flags::ENDS_WITH_RECORDING;
    request.passes_signals = Some(passed_on);
    let mut answer = launch::run(launch, &request, context)?;
    let schedule = launch.schedule(&answer.taken)?.to_string();
    // There may have been no room for even the beginning of a recording.
    if Recording::open(&path).is_ok() {
        let completed = complete(&path, &answer, &wish, &schedule);
        if let (Err(error), false) = (completed, answer.recording == RecordingState::DiskFull) {
            let title = format!("cannot write `{}`", path.display());
            return Err(Diagnostic::error(title).because(&error));
        }
    }
    if answer.phase != Phase::Ended {
        count_recorded(&path, &mut answer);
    }
    let mut known = Known::of(&path, &answer);
    check_entered(wish.atomic, &path, &mut known.symbols)?;
    let cut = match answer.recording {
        RecordingState::Whole => None,
        RecordingState::Limit => Some("the recording has reached its maximum size (`--max-size`)"),
        RecordingState::DiskFull => {
            Some("the disk is full, or the file size limit is reached (`ulimit -f`)")
        }
    };
    let exit = match context.is_json() {
        true => ending::exit(&answer),
        false => ending::show(&answer, &mut known, context),
    };
    // A run that ended at the limit says so itself.
    if let (Some(why), false) = (cut, answer.outcome == OutcomeKind::Limit) {
        context.show(&Diagnostic::warning(format!("{why}; the end of the run is missing")));
    }
    let len = answer.recording_len;
    // A program that was killed could not write its own, and threads at once have none.
    let has_hash = answer.phase == Phase::Ended && !wish.parallel;
    let event_hash = has_hash.then(|| format!("{:016x}", answer.event_hash));
    if context.is_json() {
        output::print_json(&Document {
            schema: "raddle.record-native/1",
            program: launch.target.program.display().to_string(),
            recording: path.display().to_string(),
            bytes: len,
            schedule,
            event_hash,
            complete: cut.is_none(),
            run: EndingDocument::new(&answer, &mut known),
        })?;
    } else {
        let per_event = len as f64 / answer.counts.events.max(1) as f64;
        let hash = event_hash.map_or(String::new(), |hash| format!("; event hash {hash}"));
        context.show(&Diagnostic::note(format!(
            "wrote {}: {} events in {}, {per_event:.1} bytes per event{hash}",
            path.display(),
            count(answer.counts.events),
            bytes(len),
        )));
        // A replay would go on where the recording ended, perhaps for ever.
        if has_hash && answer.outcome != OutcomeKind::Limit {
            context.show(&match answer.passed {
                None => replay_hint(launch, &path, &schedule),
                Some(_) => Diagnostic::note(
                    "this run cannot be repeated exactly: a replay does not send the signal",
                ),
            });
        }
    }
    Ok(if cut.is_some() && exit == Exit::Done { Exit::Incomplete } else { exit })
}

/// Says that a signal was passed on to the program.
fn passed_on(signal: i32) {
    let name = match signal {
        1 => "SIGHUP",
        2 => "SIGINT",
        _ => "SIGTERM",
    };
    let title = format!("passed {name} on to the program; another signal terminates it");
    Diagnostic::note(title).print(false);
}

/// Adds to a recording what the program could not write.
fn complete(path: &Path, answer: &Answer, wish: &Wish<'_>, schedule: &str) -> io::Result<()> {
    if answer.phase != Phase::Ended {
        recording::mark_cut(path)?;
    }
    match answer.taken_complete {
        true => recording::finish(path, &wish.launch.target, schedule, wish.atomic),
        false => Ok(()),
    }
}

/// A program that was killed has not said how much it did: its recording does.
fn count_recorded(path: &Path, answer: &mut Answer) {
    if let (Ok(recording), Ok(file)) = (Recording::open(path), path.metadata()) {
        answer.counts = recording.counts();
        answer.recording_len = file.len();
    }
}

/// Refuses functions that are meant to be atomic and were never called as functions.
fn check_entered(names: &[String], path: &Path, symbols: &mut Symbols) -> Result<(), Diagnostic> {
    if names.is_empty() {
        return Ok(());
    }
    let recording = Recording::open(path).map_err(|error| {
        Diagnostic::error(format!("cannot read `{}`", path.display())).because(&error)
    })?;
    match recording.never_entered(names, symbols).first() {
        None => Ok(()),
        Some(name) => Err(Diagnostic::error(format!("`{name}` was not called in this run"))
            .remark("the compiler may have inlined all calls of it")
            .help("build with -fno-inline, or mark it __attribute__((noinline))")),
    }
}

fn replay_hint(launch: &Launch, path: &Path, schedule: &str) -> Diagnostic {
    let command = match schedule.len() {
        0..=SHOWN => launch.replay_command(schedule),
        _ => launch.replay_command(&format!("@{}", path.display())),
    };
    Diagnostic::note(format!("to repeat this run: {command}"))
}

fn default_output(program: &Path) -> PathBuf {
    let mut name = program.file_name().unwrap_or(program.as_os_str()).to_owned();
    name.push(".rdl");
    PathBuf::from(name)
}

/// The schema `raddle.record-native/1`.
#[derive(Debug, Serialize)]
struct Document {
    schema: &'static str,
    program: String,
    recording: String,
    bytes: u64,
    schedule: String,
    event_hash: Option<String>,
    complete: bool,
    run: EndingDocument,
}
