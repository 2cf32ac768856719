//! `raddle explore` and `raddle check`: searches the schedules of a program.
//!
//! ```text
//! arguments ─► Source or Binary ─► Session::run ─► report ─► publish
//!                                      └─► Console: progress, notices, checkpoints
//! ```

mod args;
#[cfg_attr(not(feature = "native"), path = "absent.rs")]
mod binary;
mod compare;
pub(crate) mod saving;

use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use raddle_explore::{Ending, StrategyKind};
use raddle_finding::Schedule;
use raddle_session::vm::Source;
use raddle_session::{Checked, Error, Exploration, Session, Subject};

use super::predict;
use crate::args::Format;
use crate::console::Console;
use crate::context::Context;
use crate::diagnostic::Diagnostic;
use crate::exit::Exit;
use crate::interrupt::Output;
use crate::program::binary::launch::is_binary;
use crate::program::source::{self, ProgramArgs};
use crate::publish::{self, PublishArgs};
use crate::quantity::Time;
use crate::strategy;
use args::SearchArgs;
use binary::BinaryArgs;
use saving::Saving;

/// How long `raddle check` searches by default.
const PATIENCE: Duration = Duration::from_secs(60);

/// Search the schedules of a program and report the coverage
///
/// The program runs again and again, each time in a different interleaving: C files on Raddle's
/// virtual machine, a binary that was built with `raddle cc` natively, one thread at a time. By
/// default, all executions with at most two preemptions are explored, those with fewer first, so
/// that a finding has as few preemptions as possible. Every run is checked for data races, and
/// racing accesses become scheduling points. Ctrl-C ends the search and reports what is known.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  raddle explore bank.c                              all executions with at most 2 preemptions
  raddle explore bank.c --bound all                  all executions
  raddle explore bank.c --strategy pct:3 --runs 10000 --seed 7
  raddle explore bank.c --strategy dfs --reduction partial-order --points all
  raddle explore bank.c --checkpoint bank.search     can be resumed: --resume bank.search
  raddle explore bank.c --compare icb,dfs,random,depth:20 --curves growth.csv
  raddle explore ./server -- --port 0                a binary
  raddle explore -- server --port 0                  the same, looked up in PATH

Exit codes:
  0  the goal was reached, nothing found     2  incorrect usage, or an error
  1  findings                                3  nothing found, but the goal was not reached:
                                                a budget, Ctrl-C, or a strategy that samples")]
pub(crate) struct ExploreArgs {
    /// The C files of the program (.c, or .i if they are preprocessed), or a binary
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,

    #[command(flatten)]
    program: ProgramArgs,

    #[command(flatten)]
    binary: BinaryArgs,

    /// Which executions are chosen, and in which order; `list` lists the strategies
    ///
    /// Those that sample prove nothing, and continue until --runs or --time ends them.
    #[arg(long, value_name = "NAME", default_value = "icb", help_heading = "Searching")]
    #[arg(value_parser = strategy::any())]
    strategy: StrategyKind,

    #[command(flatten)]
    search: SearchArgs,

    #[command(flatten)]
    publish: PublishArgs,

    /// Compare how fast strategies reach new states, instead of looking for bugs
    #[arg(
        long,
        value_name = "NAMES",
        value_delimiter = ',',
        value_parser = strategy::any(),
        hide_possible_values = true,
        conflicts_with_all = ["strategy", "reduction", "part", "findings", "checkpoint", "resume"],
        help_heading = "Comparing"
    )]
    compare: Vec<StrategyKind>,

    /// Write how the number of states grows to this file: .csv or .json
    #[arg(long, value_name = "FILE", requires = "compare", help_heading = "Comparing")]
    curves: Option<PathBuf>,
}

/// Check a program: find the interleavings that break it, or state what was proved
///
/// C files run on Raddle's virtual machine, a binary that was built with `raddle cc` runs natively.
/// The search alternates between sampling interleavings and enumerating those with few preemptions,
/// for a minute by default. Each finding is reduced to the simplest interleaving that shows it, is
/// shown with the lines of the source, and can be replayed. If nothing is found, the result states
/// which executions were covered, and under which conditions.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  raddle check bank.c
  raddle check main.c queue.c -I include -D DEBUG -- 4 100
  raddle check bank.c --bound 3 --time 10m
  raddle check bank.c -o bank.html             an HTML page as well as the text
  raddle check bank.c --format json
  raddle check ./server -- --port 0            a binary
  raddle check -- server --port 0              the same, looked up in PATH
  raddle check run.rdl                         a trace: predicts what other interleavings show

Exit codes:
  0  the goal was reached, nothing found     2  incorrect usage, or an error
  1  findings                                3  nothing found, but the goal was not reached:
                                                a budget, Ctrl-C, or nothing to interleave")]
pub(crate) struct CheckArgs {
    /// The C files of the program (.c, or .i if they are preprocessed), or a binary
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,

    #[command(flatten)]
    program: ProgramArgs,

    #[command(flatten)]
    binary: BinaryArgs,

    #[command(flatten)]
    search: SearchArgs,

    #[command(flatten)]
    publish: PublishArgs,
}

/// Runs `raddle explore`.
pub(crate) fn explore(args: ExploreArgs, context: &Context) -> Result<Exit, Diagnostic> {
    let job = Job {
        files: &args.files,
        program: &args.program,
        binary: &args.binary,
        search: &args.search,
        publish: &args.publish,
        kind: args.strategy,
        is_check: false,
        context,
    };
    match args.compare.as_slice() {
        [] => job.run(),
        kinds => job.compare(kinds, args.curves.as_deref()),
    }
}

/// Runs `raddle check`.
pub(crate) fn check(mut args: CheckArgs, context: &Context) -> Result<Exit, Diagnostic> {
    if let [file] = args.files.as_slice()
        && is_trace(file)
    {
        return predict::run_on(file, &args.publish, context);
    }
    args.search.time.get_or_insert(Time(PATIENCE));
    let CheckArgs { files, program, binary, search, publish } = &args;
    let kind = StrategyKind::Portfolio;
    Job { files, program, binary, search, publish, kind, is_check: true, context }.run()
}

/// Whether a file is a trace, by its name.
fn is_trace(file: &Path) -> bool {
    let name = file.to_string_lossy();
    let name = name.strip_suffix(".gz").or(name.strip_suffix(".zst")).unwrap_or(&name);
    name.ends_with(".std") || name.ends_with(".rdl")
}

/// What is to be done.
struct Job<'a> {
    files: &'a [PathBuf],
    program: &'a ProgramArgs,
    binary: &'a BinaryArgs,
    search: &'a SearchArgs,
    publish: &'a PublishArgs,
    kind: StrategyKind,
    /// Whether a plain run is recorded, too, to predict from that.
    is_check: bool,
    context: &'a Context,
}

impl Job<'_> {
    fn run(&self) -> Result<Exit, Diagnostic> {
        if is_binary(self.files) {
            let search = self.search.for_binary()?;
            return Job { search: &search, ..*self }.run_binary();
        }
        self.search.check(self.kind)?;
        let exploration = self.explore_source(self.search.counts_states(self.kind))?;
        let files: Vec<_> = self.files.iter().map(|file| file.display().to_string()).collect();
        let (before, after) = self.program.replay_command(self.files);
        let replay = move |schedule: &Schedule| format!("{before} {schedule}{after}");
        self.pursue(exploration, files.join(" "), Box::new(replay))
    }

    #[cfg(not(feature = "native"))]
    fn run_binary(&self) -> Result<Exit, Diagnostic> {
        Err(crate::program::binary::absent())
    }

    #[cfg(feature = "native")]
    fn run_binary(&self) -> Result<Exit, Diagnostic> {
        self.search.check(self.kind)?;
        let binary = self.binary.settle(self.files, self.program, self.search)?;
        let arguments = (self.program.arguments(), self.program.stdin());
        let options =
            format!("{:?} {:?} {arguments:?} {:?}", self.kind, self.search.options(), self.binary);
        let launch = binary.launch.clone();
        let name = launch.target.program.display().to_string();
        let replay = move |schedule: &Schedule| launch.replay_command(&schedule.to_string());
        self.pursue(self.exploration(binary, false, options), name, Box::new(replay))
    }

    fn explore_source(&self, states: bool) -> Result<Exploration<Source>, Diagnostic> {
        if let Some(option) = self.binary.given() {
            return Err(Diagnostic::error(format!("{option} cannot be used with C files"))
                .help("it is for binaries: build one with `raddle cc`"));
        }
        let program = self.program.compile(self.files, self.context)?;
        let mut settings = self.program.settings(&self.files[0].to_string_lossy())?;
        self.search.settle(&mut settings);
        let options = format!("{:?} {:?} {:?}", self.kind, self.search.options(), self.program);
        Ok(self.exploration(Source { program, settings }, states, options))
    }

    fn exploration<S>(&self, subject: S, states: bool, options: String) -> Exploration<S> {
        let (jobs, stop) = (self.search.jobs.get(), self.context.interrupt.stop_flags());
        let reports_races = self.search.reports_races();
        let exploration = Exploration::new(subject, self.search.budget(states));
        Exploration { jobs, options, stop, reports_races, ..exploration }
    }

    /// Searches, works on what was found, and reports.
    fn pursue<S: Subject>(
        &self,
        exploration: Exploration<S>,
        name: String,
        replay: Box<dyn Fn(&Schedule) -> String>,
    ) -> Result<Exit, Diagnostic> {
        let Job { search, kind, context, .. } = *self;
        if !kind.enumerates() && search.runs.is_none() && search.time.is_none() {
            let title =
                format!("{kind} runs until it is stopped; use --runs or --time to limit it");
            context.show(&Diagnostic::note(title));
        }
        let (publisher, known) = self.publish.prepare(context)?;
        let resume = search.resume.as_deref().map(saving::load).transpose()?;
        let mut console = Console::new(context);
        if let Some((path, every)) = search.checkpoint() {
            console.save_to(Saving::prepare(path, every, context)?);
        }
        let deferral = context.interrupt.defer_two_signals();
        let method = search.method(kind);
        let (predicts, folds) = (self.is_check, !search.all);
        let session = Session { name, exploration, method, resume, predicts, folds, replay };
        let checked = session.run(&mut console);
        drop(deferral);
        let unsaved = console.finish();
        let Checked { mut report, ending, is_complete, unsupported, is_void } =
            checked.map_err(|error| match (error, &search.resume) {
                (Error::Checkpoint(misfit), Some(path)) => saving::misfit(path, &misfit),
                (error, _) => error.into(),
            })?;
        context.interrupt.state().output = Output::Partial;
        let n_new = known.sift(&mut report, context);
        let unsupported = unsupported.filter(|_| !is_binary(self.files));
        if let Some(failure) = &unsupported {
            context.show(&source::unsupported(failure, self.files));
        }
        // The reason says more than a table of nothing.
        let says_nothing = unsupported.is_some() && is_void && report.findings.is_empty();
        if !says_nothing || context.settings.format != Format::Text {
            publish::print(&report, context.settings.format.form(), context)?;
        }
        publisher.write(&report, context)?;
        context.interrupt.state().output = Output::Complete;
        if ending == Ending::Stopped {
            context.show(&Diagnostic::warning("interrupted; the results are incomplete"));
        }
        if let Some(unsaved) = unsaved {
            return Err(unsaved);
        }
        // What is known already may have ended the search.
        let is_complete =
            is_complete || ending == Ending::Findings && !report.findings.is_empty() && n_new == 0;
        Ok(match (n_new == 0, is_complete) {
            (false, _) => Exit::Findings,
            (true, true) => Exit::Done,
            (true, false) => Exit::Incomplete,
        })
    }
}
