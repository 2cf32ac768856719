//! `raddle record`: runs a program once and writes a trace of it.

#[cfg_attr(not(feature = "native"), path = "absent.rs")]
mod binary;
mod flow;

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use raddle_finding::Schedule;
use raddle_trace::check::Mode;
use raddle_trace::format::Format;
use raddle_trace::{Events, Trace};
use raddle_vm::flow::Flow;
use raddle_vm::record::{Options, Recorder};
use raddle_vm::{Machine, Outcome};
use serde::Serialize;

use crate::command::trace::encode::{self, OutputDocument};
use crate::command::trace::target::{Target, TargetArgs};
use crate::context::Context;
use crate::destination::{Destination, Outcome as Output};
use crate::diagnostic::Diagnostic;
use crate::exit::Exit;
use crate::output;
use crate::program::binary::launch::{self, Launch, NativeArgs};
use crate::program::ending::{self, EndingDocument};
use crate::program::execution::{self, Chooser, Taken, check_program, machine};
use crate::program::source::ProgramArgs;
use crate::quantity::Size;
use flow::FlowFile;

/// Run a program once, under control, and write a trace of it
///
/// A C program runs on Raddle's virtual machine, one transition at a time, in the same way each
/// time. A binary that was built with `raddle cc`, or with -fsanitize=thread, runs natively, one
/// thread at a time. Without --schedule and --seed, no thread is interrupted while it can continue.
/// The trace contains every access to memory that more than one thread uses and every
/// synchronisation; `raddle predict` predicts from it what other interleavings would do.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  raddle record bank.c                         writes bank.rdl
  raddle record bank.c -o - --to std           as text, on the standard output
  raddle record main.c queue.c -I include -D DEBUG -- 4 100
  raddle record bank.c --seed 7                another interleaving, always the same one
  raddle record bank.c --flow bank.jsonl       also writes which reads each write depends on
  raddle record ./server -- --port 0           a binary; writes server.rdl
  raddle record -- server --port 0             the same, looked up in PATH")]
pub(crate) struct RecordArgs {
    /// The C files of the program (.c, or .i if they are preprocessed), or a binary
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,

    #[command(flatten)]
    program: ProgramArgs,

    #[command(flatten)]
    native: NativeArgs,

    /// Take these choices first; @FILE takes them from a file or a recording
    #[arg(long, value_name = "SCHEDULE", help_heading = "Running")]
    schedule: Option<String>,

    /// Make the choices at random, by this seed
    #[arg(long, value_name = "N", help_heading = "Running")]
    seed: Option<u64>,

    /// Where a thread of a binary may be interrupted
    #[arg(long, value_enum, default_value_t, help_heading = "Binaries")]
    points: Points,

    /// Let the threads of a binary run in parallel, uncontrolled; where their accesses overlap,
    /// their order is then a guess
    #[cfg_attr(
        feature = "native",
        arg(long, conflicts_with_all = ["seed", "schedule", "own_threads"])
    )]
    #[cfg_attr(not(feature = "native"), arg(long, conflicts_with_all = ["seed", "schedule"]))]
    #[arg(help_heading = "Binaries")]
    parallel: bool,

    /// Keep variables that only one thread uses
    #[arg(long, help_heading = "Writing")]
    local: bool,

    /// Keep branches
    #[arg(long, help_heading = "Writing")]
    branches: bool,

    /// Keep call stacks
    #[arg(long, help_heading = "Writing")]
    stacks: bool,

    /// Write which reads the writes, branches and locks of the trace depend on, as JSON lines; implies --branches
    #[arg(long, value_name = "FLOW", help_heading = "Writing")]
    flow: Option<PathBuf>,

    /// The file to write [default: the name of the first file, with .rdl]
    #[arg(short, long, value_name = "OUT", help_heading = "Writing")]
    output: Option<PathBuf>,

    /// End a binary when its recording reaches this size: 4GiB, 500MB, …; 0 sets no limit
    #[arg(long, value_name = "SIZE", default_value = "1GiB", help_heading = "Writing")]
    max_size: Size,

    #[command(flatten)]
    target: TargetArgs,
}

/// What to record of a binary, and how.
#[cfg_attr(not(feature = "native"), allow(dead_code, reason = "nothing can be recorded"))]
struct Wish<'a> {
    launch: Launch,
    output: Option<PathBuf>,
    schedule: Option<&'a Schedule>,
    seed: Option<u64>,
    stacks: bool,
    points: Points,
    /// Threads run at once.
    parallel: bool,
    /// Functions that are meant to be atomic.
    atomic: &'a [String],
    max_size: u64,
}

/// Where a binary may be interrupted.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
enum Points {
    /// Before synchronisation and atomics
    #[default]
    Sync,
    /// Also before every access to memory
    All,
}

/// Runs `raddle record` on C files.
pub(crate) fn run(args: RecordArgs, context: &Context) -> Result<Exit, Diagnostic> {
    let schedule = args.schedule.as_deref().map(launch::schedule).transpose()?;
    if launch::is_binary(&args.files) {
        let launch = launch::prepare(&args.native, &args.files, &args.program, context)?;
        let wish = Wish {
            launch,
            output: args.output,
            schedule: schedule.as_ref(),
            seed: args.seed,
            stacks: args.stacks,
            points: args.points,
            parallel: args.parallel,
            atomic: args.program.atomic(),
            max_size: args.max_size.0,
        };
        return binary::run(wish, context);
    }
    let path = args.output.clone().unwrap_or_else(|| default_output(&args.files[0]));
    let target = args.target.settle(path, Some(Format::Std))?;
    let program = args.program.compile(&args.files, context)?;
    let mut settings = args.program.settings(&args.files[0].to_string_lossy())?;
    if let Some(schedule) = &schedule {
        settings.take_points(schedule.program());
    }
    let destination = Destination::prepare(&target.path, &context.interrupt)?;
    let mut machine = machine(program, &settings)?;
    if let Some(schedule) = &schedule {
        check_program(schedule, &machine)?;
    }
    let flow_file = args.flow.as_deref().map(|path| FlowFile::prepare(path, &target.path, context));
    let flow_file = flow_file.transpose()?;
    let chooser = match args.seed {
        Some(seed) => Chooser::Random(fastrand::Rng::with_seed(seed)),
        None => Chooser::Default,
    };
    let schedule = schedule.as_ref();
    let options = Options {
        local: args.local,
        branches: args.branches || flow_file.is_some(),
        stacks: args.stacks,
        story: false,
    };
    let (taken, full, events);
    if let Some(file) = flow_file {
        let mut flow = Flow::with(options);
        taken = execution::run(&mut machine, schedule, chooser, &mut flow, context);
        full = flow.is_full();
        let flow = flow.finish().map_err(|error| {
            Diagnostic::error("the flow of this run is too large to be written").because(&error)
        })?;
        file.write(&flow, &target.path, context)?;
        events = flow.events;
    } else {
        let mut recorder = Recorder::with(options);
        taken = execution::run(&mut machine, schedule, chooser, &mut recorder, context);
        full = recorder.is_full();
        events = recorder.finish();
    }
    let trace = checked(events)?;
    let written = encode::write(&trace, &target, destination, context)?;
    report(&args, &machine, &taken, &trace, &target, written, full, context)
}

fn default_output(file: &Path) -> PathBuf {
    Path::new(file.file_name().unwrap_or(file.as_os_str())).with_extension("rdl")
}

fn checked(events: Events) -> Result<Trace, Diagnostic> {
    Trace::new(events, Mode::Strict).map_err(|fault| {
        Diagnostic::error("the recorded trace is not well-formed; this is a bug in Raddle")
            .because(&fault)
    })
}

#[allow(clippy::too_many_arguments, reason = "everything that the command has done")]
fn report(
    args: &RecordArgs,
    machine: &Machine,
    taken: &Taken,
    trace: &Trace,
    target: &Target,
    written: encode::Written,
    full: bool,
    context: &Context,
) -> Result<Exit, Diagnostic> {
    if let Some(misfit) = &taken.misfit {
        context.show(
            &Diagnostic::warning("the schedule does not match the program").remark(misfit.clone()),
        );
    }
    if full {
        context.show(&Diagnostic::warning("the trace is full; the end of the run is missing"));
    }
    let exit = match (machine.outcome(), context.is_json()) {
        (Some(outcome), true) => ending::exit(outcome),
        (None, true) => Exit::Incomplete,
        (_, false) => ending::show(machine, taken.stopped, context),
    };
    let Output::Written(unsaid, n_bytes) = written else { return Ok(exit) };
    if context.is_json() && target.path != Path::new("-") {
        let document = Document {
            schema: "raddle.record/1",
            files: args.files.iter().map(|file| file.display().to_string()).collect(),
            trace: OutputDocument::new(target, n_bytes),
            events: trace.len(),
            schedule: taken.schedule.to_string(),
            run: EndingDocument::new(machine),
        };
        output::print_json(&document)?;
    } else {
        encode::announce(target, trace, &unsaid, n_bytes, context);
        let (before, after) = args.program.replay_command(&args.files);
        let hint = format!("to repeat this run: {before} {}{after}", taken.schedule);
        context.show(&Diagnostic::note(hint));
    }
    let worth = !matches!(machine.outcome(), Some(Outcome::Exited(_))) || taken.misfit.is_none();
    Ok(if worth && !full { exit } else { Exit::Incomplete })
}

/// The schema `raddle.record/1`.
#[derive(Debug, Serialize)]
struct Document {
    schema: &'static str,
    files: Vec<String>,
    trace: OutputDocument,
    events: usize,
    schedule: String,
    run: EndingDocument,
}
