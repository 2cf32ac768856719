//! Which binary to run, and how.

use std::ffi::OsString;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::ExitStatus;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use clap::Args;
use raddle_finding::{ProgramId, Schedule};
use raddle_native::explore::Setup;
use raddle_native::install::Installation;
use raddle_native::launch::{self, Answer, Request};
use raddle_native::target::{self, Stdin, Target};
use raddle_native::{recording::Recording, schedule};
use raddle_wire::{Step, Threading};

use crate::command::program::source::{ProgramArgs, quoted};
use crate::context::Context;
use crate::diagnostic::Diagnostic;
use crate::quantity::Time;

/// How a binary is run.
#[derive(Debug, Args)]
#[command(next_help_heading = "Binaries")]
pub(crate) struct NativeArgs {
    /// Take over a binary that was not built with `raddle cc`: only calls of pthreads and the like
    /// are seen, no memory accesses
    #[arg(long)]
    preload: bool,

    /// Give each thread its own thread of the system; the schedules mean the same
    #[arg(long)]
    own_threads: bool,

    /// End the program after so long: 10s, 2m, …
    #[arg(long, value_name = "TIME")]
    timeout: Option<Time>,

    /// Run the program in this folder
    #[arg(long, value_name = "DIR")]
    directory: Option<PathBuf>,
}

/// A binary to run, with everything settled.
pub(crate) struct Launch {
    pub(crate) target: Target,
    pub(crate) program: ProgramId,
    installation: Installation,
    preload: bool,
    threading: Threading,
    timeout: Option<Duration>,
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
                return Err(Diagnostic::error("a binary stands alone")
                    .help("its arguments come after `--`"));
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
        self.target(name, arguments.to_vec(), stdin)
    }

    fn target(
        &self,
        name: OsString,
        arguments: Vec<OsString>,
        stdin: Stdin,
    ) -> Result<Launch, Diagnostic> {
        let mut target = Target::new(&name).map_err(|error| cannot_run(&error))?;
        (target.arguments, target.stdin) = (arguments, stdin);
        target.directory = self.directory.clone();
        if self.directory.is_some() {
            let absolute = std::path::absolute(&target.program);
            target.program = absolute.map_err(|error| cannot_run(&error))?;
        }
        let timeout = self.timeout.map(|time| time.0);
        Launch::new(target, self.preload, self.own_threads, timeout)
    }
}

impl Launch {
    /// One with a runtime that is at hand.
    pub(crate) fn new(
        target: Target,
        preload: bool,
        own_threads: bool,
        timeout: Option<Duration>,
    ) -> Result<Launch, Diagnostic> {
        let program = target::identity(&target).map_err(|error| cannot_run(&error))?;
        let installation = Installation::get()
            .map_err(|error| Diagnostic::error("the runtime cannot be unpacked").because(&error))?;
        let threading = if own_threads { Threading::Threads } else { Threading::Coroutines };
        Ok(Launch { target, program, installation, preload, threading, timeout })
    }

    /// What is asked for unless a command wants something else.
    pub(crate) fn request<'a>(&self, plan: &'a [Step]) -> Request<'a> {
        Request {
            threading: self.threading,
            preload: self.preload,
            timeout: self.timeout,
            plan,
            ..Request::default()
        }
    }

    /// Runs it once.
    pub(crate) fn run(
        &self,
        request: &Request<'_>,
        context: &Context,
    ) -> Result<Answer, Diagnostic> {
        let _heeding = context.interrupt.heed();
        self.run_until(request, &context.interrupt.flag())
    }

    /// Runs it once; ends early when `stop` is set.
    pub(crate) fn run_until(
        &self,
        request: &Request<'_>,
        stop: &AtomicBool,
    ) -> Result<Answer, Diagnostic> {
        launch::run(&self.target, request, &self.installation.runtime(), stop)
            .map_err(|error| cannot_run(&error))
    }

    /// How it is explored unless a command wants something else.
    pub(crate) fn setup(&self) -> Setup {
        let setup = Setup::new(self.target.clone(), &self.installation.runtime());
        let timeout = self.timeout.unwrap_or(setup.timeout);
        Setup { threading: self.threading, preload: self.preload, timeout, ..setup }
    }

    /// The steps of a schedule of this program.
    pub(crate) fn steps(&self, schedule: &Schedule) -> Result<Vec<Step>, Diagnostic> {
        schedule.check_program(&self.program).map_err(|error| {
            Diagnostic::error("the schedule does not belong to this program")
                .because(&error)
                .help("the binary was built again since, or it is another one")
        })?;
        schedule::to_steps(schedule)
            .map_err(|error| Diagnostic::error("this is no schedule of a binary").because(&error))
    }

    /// What a run did, as a schedule.
    pub(crate) fn schedule(&self, steps: &[Step]) -> Result<Schedule, Diagnostic> {
        schedule::to_schedule(self.program.clone(), steps).map_err(|error| cannot_run(&error))
    }

    /// The command that replays a schedule, which may be `@` and a file.
    pub(crate) fn replay_command(&self, schedule: &str) -> String {
        let Target { program, invoked_as, directory, .. } = &self.target;
        let here = std::env::current_dir().ok();
        let elsewhere = directory.as_ref().filter(|folder| here.as_ref() != Some(folder));
        let mut words = Vec::new();
        if let (Some(folder), Some(_)) = (elsewhere, invoked_as) {
            words.extend(["cd".to_owned(), quoted(folder.as_os_str()), "&&".to_owned()]);
        }
        words.extend(["raddle".to_owned(), "replay".to_owned()]);
        words.extend(self.preload.then(|| "--preload".to_owned()));
        if let (Some(folder), None) = (elsewhere, invoked_as) {
            words.push(format!("--directory={}", quoted(folder.as_os_str())));
        }
        match &self.target.stdin {
            Stdin::Closed => {}
            Stdin::Inherit => words.push("--stdin=-".to_owned()),
            Stdin::File(path) => words.push(format!("--stdin={}", quoted(path.as_os_str()))),
        }
        words.push(quoted(invoked_as.as_deref().unwrap_or(program.as_os_str())));
        words.push(quoted(schedule.as_ref()));
        if !self.target.arguments.is_empty() {
            words.push("--".to_owned());
            words.extend(self.target.words().map(quoted));
        }
        words.join(" ")
    }

    /// Runs it under a debugger.
    pub(crate) fn debug(&self, request: &Request<'_>) -> Result<ExitStatus, Diagnostic> {
        launch::debug(&self.target, request, &self.installation.runtime())
            .map_err(|error| cannot_run(&error))
    }
}

/// A schedule: its text, or `@` and a file that has it, which may be a recording.
pub(crate) fn schedule(text: &str) -> Result<Schedule, Diagnostic> {
    let wrong = |text: &str| Diagnostic::error(format!("`{text}` is not a schedule"));
    let Some(path) = text.strip_prefix('@').map(Path::new) else {
        return text.parse().map_err(|error| {
            wrong(text)
                .because(&error)
                .help("it looks like rs1:9f3ac2:0r5,1, or is @FILE, a recording or a file with it")
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

fn cannot_run(error: &(dyn std::error::Error + 'static)) -> Diagnostic {
    Diagnostic::error("the program cannot be run under control").because(error)
}
