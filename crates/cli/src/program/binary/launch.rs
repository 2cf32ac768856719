//! Which binary to run, and how.

use std::ffi::OsString;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use clap::Args;
use raddle_finding::Schedule;
use raddle_native::launch::{Answer, Request};
use raddle_native::recording::Recording;
use raddle_native::target::{Output, Stdin, Target};
pub(crate) use raddle_session::native::Launch;
use raddle_session::{Cause, Error};

use crate::context::Context;
use crate::diagnostic::Diagnostic;
use crate::program::source::ProgramArgs;
use crate::quantity::Time;

/// How a binary is run.
#[derive(Debug, Args)]
#[command(next_help_heading = "Binaries")]
pub(crate) struct NativeArgs {
    /// Control a binary that was not built with `raddle cc`; only its calls of pthreads and the
    /// like are seen, not its memory accesses
    #[arg(long)]
    preload: bool,

    /// Run each thread as a thread of the operating system; schedules keep their meaning
    #[arg(long)]
    own_threads: bool,

    /// End the program after this time: 10s, 2m, …
    #[arg(long, value_name = "TIME")]
    timeout: Option<Time>,

    /// Run the program in this directory
    #[arg(long, value_name = "DIR")]
    directory: Option<PathBuf>,
}

/// Whether the files name a binary: there are none, and the command follows `--`, or the first one
/// is no C source.
pub(crate) fn is_binary(files: &[PathBuf]) -> bool {
    let Some(file) = files.first() else { return true };
    let is_source = file.extension().is_some_and(|extension| extension == "c" || extension == "i");
    !is_source && begins_with(file, b"\x7fELF")
}

/// Whether a file begins with some bytes.
pub(crate) fn begins_with(path: &Path, magic: &[u8]) -> bool {
    let mut start = vec![0; magic.len()];
    File::open(path).and_then(|mut file| file.read_exact(&mut start)).is_ok() && start == magic
}

impl NativeArgs {
    /// The first option that was given: none of them means anything for C files.
    pub(crate) fn given(&self) -> Option<&'static str> {
        let given = [
            (self.preload, "--preload"),
            (self.own_threads, "--own-threads"),
            (self.timeout.is_some(), "--timeout"),
            (self.directory.is_some(), "--directory"),
        ];
        given.into_iter().find_map(|(is_given, name)| is_given.then_some(name))
    }

    /// Settles what to run.
    pub(crate) fn settle(
        &self,
        files: &[PathBuf],
        program: &ProgramArgs,
    ) -> Result<Launch, Diagnostic> {
        let arguments = program.arguments();
        let (name, arguments) = match (files, arguments) {
            ([file], arguments) => (file.clone().into_os_string(), arguments),
            ([], [name, arguments @ ..]) => (name.clone(), arguments),
            ([], []) => {
                return Err(Diagnostic::error("there is no program to run")
                    .help("name C files, a binary, or `--` and a command"));
            }
            _ => {
                return Err(Diagnostic::error("only one binary may be given")
                    .help("its arguments follow `--`"));
            }
        };
        // What is in this folder needs no `./` when it is named as a file.
        let is_here = !files.is_empty() && !name.as_encoded_bytes().contains(&b'/');
        let name = if is_here { Path::new(".").join(name).into_os_string() } else { name };
        let stdin = match program.stdin() {
            None => Stdin::Closed,
            Some(path) if path == Path::new("-") => Stdin::Inherit,
            Some(path) => Stdin::File(path.to_owned()),
        };
        let mut launch = self.target(name, arguments.to_vec(), stdin)?;
        launch.strict_locks = program.strict_locks();
        Ok(launch)
    }

    fn target(
        &self,
        name: OsString,
        arguments: Vec<OsString>,
        stdin: Stdin,
    ) -> Result<Launch, Diagnostic> {
        let mut target = Target::new(&name).map_err(cannot_run)?;
        (target.arguments, target.stdin) = (arguments, stdin);
        target.directory = self.directory.clone();
        if self.directory.is_some() {
            let absolute = std::path::absolute(&target.program);
            target.program = absolute.map_err(cannot_run)?;
        }
        let timeout = self.timeout.map(|time| time.0);
        Ok(Launch::new(target, self.preload, self.own_threads, timeout)?)
    }
}

/// Settles what to run; where results are JSON, what the program prints is dropped.
pub(crate) fn prepare(
    args: &NativeArgs,
    files: &[PathBuf],
    program: &ProgramArgs,
    context: &Context,
) -> Result<Launch, Diagnostic> {
    let mut launch = args.settle(files, program)?;
    if context.is_json() {
        launch.target.output = Output::Discard;
    }
    Ok(launch)
}

/// Runs a binary once; Ctrl-C ends that.
pub(crate) fn run(
    launch: &Launch,
    request: &Request<'_>,
    context: &Context,
) -> Result<Answer, Diagnostic> {
    let _deferral = context.interrupt.defer_signal();
    Ok(launch.run(request, &context.interrupt.flag())?)
}

/// A schedule: its text, or `@` and a file that has it, which may be a recording.
pub(crate) fn schedule(text: &str) -> Result<Schedule, Diagnostic> {
    let wrong = |text: &str| Diagnostic::error(format!("`{text}` is not a schedule"));
    let Some(path) = text.strip_prefix('@').map(Path::new) else {
        return text.parse().map_err(|error| {
            wrong(text).because(&error).help(
                "a schedule looks like rs1:9f3ac2:0r5,1, or is @FILE, where FILE is a \
                 recording or contains a schedule",
            )
        });
    };
    let read = match begins_with(path, &raddle_wire::MAGIC) {
        true => Recording::open(path)
            .map_err(|error| wrong(text).because(&error))?
            .about()
            .schedule
            .ok_or_else(|| wrong(text).remark("the recording was not finished"))?,
        false => std::fs::read_to_string(path).map_err(|error| wrong(text).because(&error))?,
    };
    read.trim().parse().map_err(|error| wrong(text).because(&error))
}

fn cannot_run(error: impl Into<Cause>) -> Diagnostic {
    Error::Control(error.into()).into()
}
