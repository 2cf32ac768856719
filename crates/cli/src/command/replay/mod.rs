//! `raddle replay`: runs one schedule of a program again.

#[cfg_attr(not(feature = "native"), path = "absent.rs")]
mod binary;

use std::ffi::OsString;
use std::path::PathBuf;

use clap::Args;
use raddle_explore::{Engine, FailureKind, Plan, Policy, Run};
use raddle_finding::Schedule;
use raddle_vm::{EventHash, Machine, VmEngine};
use serde::Serialize;

use crate::context::Context;
use crate::diagnostic::Diagnostic;
use crate::exit::Exit;
use crate::output;
use crate::program::binary::launch::{self, NativeArgs};
use crate::program::ending::{self, EndingDocument};
use crate::program::execution::{self, Chooser, Taken, check_program, machine};
use crate::program::source::ProgramArgs;

/// Replay one schedule of a program
///
/// The program does exactly what it did when the schedule was found. After the last choice of the
/// schedule, no thread is interrupted while it can continue. Options that change what the program
/// sees (-D, --stdin, --nondet, --spurious, arguments) must be the same as in the run that produced
/// the schedule.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  raddle replay bank.c rs1:9f3ac2:0r5,1,0r2
  raddle replay main.c queue.c rs1:9f3ac2:0r5,1,0r2 -- 4 100
  raddle replay ./server rs1:5d02e6:0r25,1r8,0r4 -- --port 0
  raddle replay ./server @server.rdl           the schedule of a recording
  raddle replay --gdb ./server @server.rdl     under the debugger")]
pub(crate) struct ReplayArgs {
    /// The C files of the program, or a binary, and the schedule
    #[arg(value_name = "FILE... SCHEDULE", required = true, num_args = 1..)]
    parts: Vec<OsString>,

    /// Run a binary under gdb; it stops where the run ends
    #[arg(long, help_heading = "Binaries")]
    gdb: bool,

    #[command(flatten)]
    native: NativeArgs,

    #[command(flatten)]
    program: ProgramArgs,
}

/// Runs `raddle replay` on C files.
pub(crate) fn run(args: ReplayArgs, context: &Context) -> Result<Exit, Diagnostic> {
    let (text, files) = args.parts.split_last().expect("at least one is required");
    let files: Vec<PathBuf> = files.iter().map(PathBuf::from).collect();
    let schedule = launch::schedule(&text.to_string_lossy())?;
    if launch::is_binary(&files) {
        let launch = launch::prepare(&args.native, &files, &args.program, context)?;
        return binary::run(&launch, &schedule, args.gdb, context);
    }
    if args.gdb {
        return Err(Diagnostic::error("gdb cannot debug programs on Raddle's virtual machine")
            .help("build a binary with `raddle cc`, and record that"));
    }
    let program = args.program.compile(&files, context)?;
    let mut settings = args.program.settings(&files[0].to_string_lossy())?;
    settings.take_points(schedule.program());
    let mut machine = machine(program, &settings)?;
    check_program(&schedule, &machine)?;
    let mut hash = EventHash::default();
    let spins = ends_spinning(&machine, &schedule);
    let chooser = if spins { Chooser::Stop } else { Chooser::Default };
    let taken = execution::run(&mut machine, Some(&schedule), chooser, &mut hash, context);
    let spins = spins && !taken.stopped && machine.outcome().is_none();
    report(&files, &schedule, &machine, (&taken, spins), hash.value(), context)
}

/// Whether every thread spins at the end of the schedule. Who went on would do so for ever.
fn ends_spinning(machine: &Machine, schedule: &Schedule) -> bool {
    let plan =
        Plan { prefix: schedule.choices().collect(), policy: Policy::Continue, ..Plan::default() };
    let mut run = Run::new();
    let done = VmEngine::new(machine.clone()).run(&plan, &(), &mut run);
    let is_whole = run.points().len() >= plan.prefix.len();
    done.is_ok() && is_whole && run.outcome.is_failure(FailureKind::Livelock)
}

fn report(
    files: &[PathBuf],
    schedule: &Schedule,
    machine: &Machine,
    (taken, spins): (&Taken, bool),
    hash: u64,
    context: &Context,
) -> Result<Exit, Diagnostic> {
    let exit = match (machine.outcome(), context.is_json()) {
        (_, false) if spins => {
            context.show(&ending::livelock(machine));
            Exit::Findings
        }
        (_, true) if spins => Exit::Findings,
        (_, false) => ending::show(machine, taken.stopped, context),
        (Some(outcome), true) => ending::exit(outcome),
        (None, true) => Exit::Incomplete,
    };
    if context.is_json() {
        output::print_json(&Document {
            schema: "raddle.replay/1",
            files: files.iter().map(|file| file.display().to_string()).collect(),
            schedule: schedule.to_string(),
            taken: taken.schedule.to_string(),
            misfit: taken.misfit.clone(),
            event_hash: format!("{hash:016x}"),
            run: match spins {
                true => EndingDocument::livelock(machine),
                false => EndingDocument::new(machine),
            },
        })?;
    }
    match &taken.misfit {
        None => {
            context.show(&Diagnostic::note(format!("event hash {hash:016x}")));
            Ok(exit)
        }
        Some(misfit) => {
            Err(Diagnostic::error("the schedule does not match this run").remark(misfit.clone()))
        }
    }
}

/// The schema `raddle.replay/1`.
#[derive(Debug, Serialize)]
struct Document {
    schema: &'static str,
    files: Vec<String>,
    schedule: String,
    taken: String,
    misfit: Option<String>,
    event_hash: String,
    run: EndingDocument,
}
