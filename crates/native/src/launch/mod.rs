//! Launching: one run of a target, from a request to an answer.
//!
//! In: a [`Target`], a [`Request`] and the file of the runtime. Out: an [`Answer`], or a
//! [`LaunchError`] that says what to do.
//!
//! ```text
//!  Request ─► control (shared memory) ─► child ─► wait (clock, pipes, interrupt) ─► control ─► Answer
//! ```
//!
//! The runtime finds the control memory and the recording as two file descriptors; the environment
//! that makes it look is set for the child alone. The child stays in our process group, so that the
//! terminal's Ctrl-C reaches both, and what is sent to us alone can be passed on (`passing`); it dies
//! with us, and what it started dies with it when a run is cut short.

mod answer;
mod child;
mod control;
mod passing;
pub(crate) mod server;
mod wait;

#[cfg(test)]
mod tests;

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::process::ExitStatus;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use raddle_wire::{Control, Flags, Phase, RecordingState, Step, Threading, VERSION};
use thiserror::Error;

use crate::elf::{self, ElfError};
use crate::target::{Output, Stdin, Target};

pub use answer::{Answer, Counts, Exit};
use passing::Passing;

/// What is asked of one run.
#[derive(Clone, Debug)]
pub struct Request<'a> {
    /// How threads are run.
    pub threading: Threading,
    /// Where random numbers begin, if they decide when the plan is used up; otherwise a thread goes on as long as it can,
    /// then the next one.
    pub seed: Option<u64>,
    /// The beginning of the schedule.
    pub plan: &'a [Step],
    /// How many events a thread may do without a scheduling point before others get a turn.
    pub slice: u32,
    /// The run ends after so many events; 0: never.
    pub max_events: u64,
    /// Where the recording goes.
    pub recording: Option<PathBuf>,
    /// The recording ends after so many bytes; 0: never.
    pub max_recording: u64,
    /// The run is ended after so long.
    pub timeout: Option<Duration>,
    /// Every access is a scheduling point.
    pub points_all: bool,
    /// Calls of functions are recorded.
    pub stacks: bool,
    /// A debugger watches.
    pub debugger: bool,
    /// Put the runtime into a program that was not built for it.
    pub preload: bool,
    /// Plans are posted on a board, many of them.
    pub explore: bool,
    /// More of [`raddle_wire::Flags`].
    pub flags: u32,
    /// The first signal to us is passed on to the program, and this is called with it; the second one ends the run.
    pub passes_signals: Option<fn(i32)>,
}

/// Long enough that switching costs nothing, short enough that nobody waits for long.
const SLICE: u32 = 20_000;

impl Default for Request<'_> {
    fn default() -> Self {
        Request {
            threading: Threading::Coroutines,
            seed: None,
            plan: &[],
            slice: SLICE,
            max_events: 0,
            recording: None,
            max_recording: 0,
            timeout: None,
            points_all: false,
            stacks: false,
            debugger: false,
            preload: false,
            explore: false,
            flags: 0,
            passes_signals: None,
        }
    }
}

/// A run could not be made, or its answer makes no sense.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum LaunchError {
    /// The program cannot run under control.
    #[error(transparent)]
    Refused(#[from] ElfError),
    /// A file that the run needs.
    #[error("{}: {source}", path.display())]
    File {
        /// It.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The system did not let us.
    #[error("cannot {what}: {source}")]
    System {
        /// What was tried.
        what: &'static str,
        /// Why not.
        source: io::Error,
    },
    /// Memory to share is a file, and files may not become long enough.
    #[error(
        "the file size limit is too small for the memory shared with the program; raise `ulimit \
         -f` \
         to {} or more",
        least.div_ceil(1024)
    )]
    Memory {
        /// How long it has to be.
        least: u64,
    },
    /// The runtime was not there.
    #[error(
        "{}: ended ({status}) before the runtime was loaded; build it with `raddle cc`, and make \
         sure that it runs without Raddle{}",
        program.display(),
        said(errors)
    )]
    NotLoaded {
        /// The program.
        program: PathBuf,
        /// How it ended.
        status: ExitStatus,
        /// What it wrote to its standard error, if that was captured.
        errors: String,
    },
    /// The runtime never came to `main`.
    #[error("{}: did not reach `main` within a minute", program.display())]
    NotReady {
        /// The program.
        program: PathBuf,
    },
    /// The runtime was there too late.
    #[error(
        "{}: the runtime was loaded after the C library, so it could not control anything; link \
         it with `raddle cc`, or put the runtime before all other libraries",
        program.display()
    )]
    Late {
        /// The program.
        program: PathBuf,
    },
    /// Nothing was told of any access.
    #[error(
        "{}: the program has no instrumented accesses; compile all of it with `raddle cc`, or use \
         --preload to control only its synchronisation",
        program.display()
    )]
    NoAccesses {
        /// The program.
        program: PathBuf,
    },
    /// Two installations were mixed.
    #[error(
        "the runtime in the program has version {found}, this is version {VERSION}; build the \
         program again with this version's `raddle cc`"
    )]
    Version {
        /// The runtime's version.
        found: u32,
    },
    /// The program wrote over the memory that it shares with us.
    #[error("the program overwrote the memory of the runtime ({field} is {value})")]
    Garbled {
        /// Which part of the answer.
        field: &'static str,
        /// What it says.
        value: u64,
    },
}

fn said(errors: &str) -> String {
    match errors.trim() {
        "" => String::new(),
        errors => format!("; it printed: {errors}"),
    }
}

/// Runs a target once. `runtime` is the runtime's file; beside it lies `libtsan.so.2`, which is the
/// same, for programs that were linked with gcc's own. A run ends early when `interrupted` is set.
pub fn run(
    target: &Target,
    request: &Request<'_>,
    runtime: &Path,
    interrupted: &AtomicBool,
) -> Result<Answer, LaunchError> {
    let request = &admit(target, request, runtime)?;
    let recording = request.recording.as_deref().map(create).transpose()?;
    let control = control::Shared::new(request)?;
    let passing = request.passes_signals.map(Passing::begin);
    let child = child::start(target, request, runtime, &control, recording.as_ref())?;
    let ended = wait::until_end(child, request.timeout, interrupted, passing.as_ref())?;
    let left = control.answer();
    let mut answer = Answer::new(&left, &control, ended)?;
    explain(target, request, &answer)?;
    let is_parallel = request.threading == Threading::Parallel;
    let finished = match recording {
        // While threads run at once the length is told all the time, not only at the end.
        Some(file) if is_parallel && answer.recording_len > 0 => trim(&file, answer.recording_len),
        Some(file) if answer.phase == Phase::Ended => trim(&file, answer.recording_len),
        Some(file) => rescue(&file, &left, &control),
        None => Ok(()),
    };
    match finished {
        Err(error) if is_full(&error) => answer.recording = RecordingState::DiskFull,
        finished => finished.map_err(system("finish the recording"))?,
    }
    Ok(answer)
}

/// Whether a file could not become longer.
fn is_full(error: &io::Error) -> bool {
    use io::ErrorKind::{FileTooLarge, QuotaExceeded, StorageFull};
    matches!(error.kind(), FileTooLarge | QuotaExceeded | StorageFull)
}

/// Refuses a program that would run without control, or would call what nobody controls; the request
/// with what has to be known of others.
fn admit<'a>(
    target: &Target,
    request: &Request<'a>,
    runtime: &Path,
) -> Result<Request<'a>, LaunchError> {
    // A runtime that is not there is told of when it was not loaded.
    let interposed = elf::exports(runtime).unwrap_or_default();
    let facts = elf::look(&target.program, &interposed)?;
    facts.admit(request.preload)?;
    if !interposed.is_empty() && request.threading != Threading::Parallel {
        facts.admit_calls()?;
    }
    let half_seen = if facts.calls_system { Flags::HALF_SEEN } else { 0 };
    Ok(Request { flags: request.flags | half_seen, ..request.clone() })
}

/// The debugger that programs are run under.
const DEBUGGER: &str = "gdb";

/// Runs a target under a debugger, on our terminal; how that ended.
pub fn debug(
    target: &Target,
    request: &Request<'_>,
    runtime: &Path,
) -> Result<ExitStatus, LaunchError> {
    let request = &admit(target, request, runtime)?;
    let control = control::Shared::new(request)?;
    let target = Target { stdin: Stdin::Inherit, output: Output::Inherit, ..target.clone() };
    let request = Request { debugger: true, ..request.clone() };
    let started = child::start(&target, &request, runtime, &control, None);
    let mut child = started.map_err(|error| match error {
        LaunchError::File { source, .. } => LaunchError::File { path: DEBUGGER.into(), source },
        other => other,
    })?;
    child.wait().map_err(system("wait for the debugger"))
}

/// Makes the file of a recording, empty.
fn create(path: &Path) -> Result<File, LaunchError> {
    let mut options = File::options();
    options.read(true).write(true).create(true).truncate(true);
    options.open(path).map_err(|source| LaunchError::File { path: path.to_owned(), source })
}

/// Cuts off what was written in part; a length beyond the file adds nothing.
fn trim(file: &File, len: u64) -> io::Result<()> {
    match file.metadata()?.len() {
        now if len < now => file.set_len(len),
        _ => Ok(()),
    }
}

/// Adds what a target that was killed did not come to write.
fn rescue(file: &File, left: &Control, control: &control::Shared) -> io::Result<()> {
    match control.stage(left, file.metadata()?.len()) {
        Some((at, stage)) => file.write_all_at(stage, at),
        None => Ok(()),
    }
}

/// Refuses an answer that shows that nothing was under control.
fn explain(target: &Target, request: &Request<'_>, answer: &Answer) -> Result<(), LaunchError> {
    let program = || target.program.clone();
    match answer.phase {
        _ if answer.timed_out || answer.interrupted => Ok(()),
        Phase::Absent => {
            let errors = answer.output.as_ref().map_or(&[][..], |(_, errors)| errors);
            let errors = String::from_utf8_lossy(errors).into_owned();
            Err(LaunchError::NotLoaded { program: program(), status: answer.exit.status, errors })
        }
        Phase::Late => Err(LaunchError::Late { program: program() }),
        Phase::Ended if answer.has_run_blind() && !request.preload => {
            Err(LaunchError::NoAccesses { program: program() })
        }
        Phase::Loaded | Phase::Running | Phase::Ended => Ok(()),
    }
}

fn system(what: &'static str) -> impl Fn(io::Error) -> LaunchError {
    move |source| LaunchError::System { what, source }
}
