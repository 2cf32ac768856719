//! `raddle explore` and `raddle check`: searches the schedules of a program.
//!
//! ```text
//! arguments ─► hunt ─► Found ─► shrink ─► evidence (replay, story) ─┬─► report (JSON)
//!                └──► coverage ─► guarantee ────────────────────────┴─► show (text)
//! ```

mod alarm;
mod args;
mod compare;
mod evidence;
mod guarantee;
mod hunt;
mod report;
mod saving;
mod show;
mod story;
mod way;

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use raddle_explore::Ending;

use super::program::source::ProgramArgs;
use crate::context::Context;
use crate::diagnostic::Diagnostic;
use crate::exit::Exit;
use crate::interrupt::Output;
use crate::quantity::Time;
use args::SearchArgs;
use hunt::Hunt;
use report::Outline;
use way::Way;

/// How long `raddle check` searches unless it is told otherwise.
const PATIENCE: Duration = Duration::from_secs(60);

/// Search the schedules of a C program, and count what was covered
///
/// The program runs again and again on Raddle's own machine, each time in another interleaving.
/// By default these are all executions with at most two preemptions, those with fewer first:
/// what is found has the fewest preemptions that it can have. Every run is checked for data races,
/// and accesses that race become scheduling points. Ctrl-C ends the search with what is known.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  raddle explore bank.c                              everything with at most 2 preemptions
  raddle explore bank.c --bound all                  everything there is
  raddle explore bank.c --strategy pct:3 --runs 10000 --seed 7
  raddle explore bank.c --strategy dfs --reduction partial-order --points all
  raddle explore bank.c --checkpoint bank.search     can go on later: --resume bank.search
  raddle explore bank.c --compare icb,dfs,random,depth:20 --curves growth.csv

Exit codes:
  0  the goal was reached, nothing found     2  wrong usage, or an error
  1  findings                                3  nothing found, but the goal was not reached:
                                                a budget, Ctrl-C, or a strategy that samples")]
pub(crate) struct ExploreArgs {
    /// The C files of the program: .c, or .i if they are preprocessed
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,

    #[command(flatten)]
    program: ProgramArgs,

    /// How executions are chosen: icb, dfs, depth:N, idepth:N, delay, random, pct:D, pos, surw or
    /// portfolio
    ///
    /// icb enumerates by the number of preemptions, delay by how often the next thread in line is
    /// passed over, dfs everything, depth:N the first N steps of everything, idepth:N the same with
    /// N more steps each time. random, pct:D, pos and surw sample: they prove nothing, and go on
    /// until --runs or --time ends them. portfolio samples and enumerates (icb) in turns.
    #[arg(long, value_name = "NAME", default_value = "icb", help_heading = "Searching")]
    strategy: Way,

    #[command(flatten)]
    search: SearchArgs,

    /// Compare how fast strategies come to new states, instead of looking for bugs
    #[arg(
        long,
        value_name = "NAMES",
        value_delimiter = ',',
        conflicts_with_all = ["strategy", "reduction", "part", "findings", "checkpoint", "resume"],
        help_heading = "Comparing"
    )]
    compare: Vec<Way>,

    /// Write the growth of the states into this file: .csv or .json
    #[arg(long, value_name = "FILE", requires = "compare", help_heading = "Comparing")]
    curves: Option<PathBuf>,
}

/// Check a C program: find the interleavings that break it, or say what was proved
///
/// Samples interleavings and enumerates those with few preemptions in turns, within a minute by
/// default. Each finding is reduced to the simplest interleaving that shows it, told with the lines
/// of the source, and can be replayed. If nothing is found, the result says which executions were
/// covered, under which conditions.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  raddle check bank.c
  raddle check main.c queue.c -I include -D DEBUG -- 4 100
  raddle check bank.c --bound 3 --time 10m
  raddle check bank.c --format json

Exit codes:
  0  the goal was reached, nothing found     2  wrong usage, or an error
  1  findings                                3  nothing found, but the goal was not reached:
                                                a budget, Ctrl-C, or nothing to interleave")]
pub(crate) struct CheckArgs {
    /// The C files of the program: .c, or .i if they are preprocessed
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,

    #[command(flatten)]
    program: ProgramArgs,

    #[command(flatten)]
    search: SearchArgs,
}

/// Does `raddle explore`.
pub(crate) fn explore(args: ExploreArgs, context: &Context) -> Result<Exit, Diagnostic> {
    let job = Job {
        files: &args.files,
        program: &args.program,
        search: &args.search,
        way: args.strategy,
        context,
    };
    match args.compare.as_slice() {
        [] => job.run(),
        ways => job.compare(ways, args.curves.as_deref()),
    }
}

/// Does `raddle check`.
pub(crate) fn check(mut args: CheckArgs, context: &Context) -> Result<Exit, Diagnostic> {
    args.search.time.get_or_insert(Time(PATIENCE));
    let CheckArgs { files, program, search } = &args;
    Job { files, program, search, way: Way::Portfolio, context }.run()
}

/// What is to be done.
struct Job<'a> {
    files: &'a [PathBuf],
    program: &'a ProgramArgs,
    search: &'a SearchArgs,
    way: Way,
    context: &'a Context,
}

impl Job<'_> {
    fn hunt(&self, states: bool) -> Result<Hunt<'_>, Diagnostic> {
        let program = self.program.compile(self.files, self.context)?;
        let mut settings = self.program.settings(&self.files[0].to_string_lossy())?;
        self.search.settle(&mut settings);
        Ok(Hunt {
            program,
            settings,
            budget: self.search.budget(states),
            jobs: self.search.jobs.get(),
            checkpoint: self.search.checkpoint(),
            options: format!("{:?} {:?} {:?}", self.way, self.search.options(), self.program),
            context: self.context,
        })
    }

    fn run(&self) -> Result<Exit, Diagnostic> {
        let Job { search, way, context, .. } = *self;
        search.check(way)?;
        let hunt = self.hunt(search.counts_states(way))?;
        if !way.enumerates() && search.runs.is_none() && search.time.is_none() {
            let title = format!("{way} goes on until it is stopped; --runs or --time ends it");
            context.tell(&Diagnostic::note(title));
        }
        let caught = hunt.run(search.strategy(way), search.resume.as_deref())?;
        let catches = hunt.collect(&caught);
        let guarantee =
            guarantee::guarantee(&caught.report, search, way, &caught.settings, &hunt.program);
        let files: Vec<_> = self.files.iter().map(|file| file.display().to_string()).collect();
        let outline = Outline {
            name: files.join(" "),
            identity: hunt.identity()?,
            way,
            seed: search.seed,
            caught: &caught,
            catches: &catches,
            guarantee: &guarantee,
            replay: self.program.replay_command(self.files),
        };
        context.interrupt.state().output = Output::Partial;
        if context.is_json() {
            report::print(&outline)?;
        } else {
            show::print(&outline, &context.styles())?;
        }
        context.interrupt.state().output = Output::Complete;
        if caught.report.ending == Ending::Stopped {
            context.tell(&Diagnostic::warning("interrupted; the results are incomplete"));
        }
        if let Some(unsaved) = caught.unsaved {
            return Err(unsaved);
        }
        Ok(match (caught.report.findings.is_empty(), guarantee.is_complete) {
            (false, _) => Exit::Findings,
            (true, true) => Exit::Done,
            (true, false) => Exit::Incomplete,
        })
    }
}
