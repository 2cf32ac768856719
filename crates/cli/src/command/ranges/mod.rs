//! `raddle ranges`: intervals of shared variables over all interleavings of a run.

mod document;
mod runs;
mod show;
mod stats;

use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Instant;

use clap::{Args, ValueEnum};
use raddle_cfront::ir::Program;
use raddle_finding::Schedule;
use raddle_ranges::analysis::{self, Analysed, Inquiry, Verdict};
use raddle_ranges::assertion::Assertion;
use raddle_ranges::ctp::{Ctp, Line};
use raddle_ranges::feasible::Options;
use raddle_ranges::gaps::Gap;
use raddle_ranges::graph::GraphKind;
use raddle_vm::{Settings, fine};

use self::runs::Runs;
use crate::context::Context;
use crate::diagnostic::Diagnostic;
use crate::exit::Exit;
use crate::output;
use crate::program::source::ProgramArgs;
use crate::quantity::Time;

/// Interval updates that propagation may take.
const N_UPDATES_MAX: u64 = 20_000_000_000;

/// Bound the values of shared variables over all interleavings of a run
///
/// The program runs once, or as often as --schedules says. The steps of its threads are then
/// considered in every order that locks, threads and the values themselves allow, without trying
/// the orders one by one. An assertion is proved by intervals or by a solver, or refuted by a
/// schedule that was replayed. Where a thread can take a path that no run has taken, a run that
/// takes it is added; paths that are still left when the time is up are listed, and then nothing is
/// called proved.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  raddle ranges bank.c                              a table of variables and their values
  raddle ranges bank.c --assert 'balance >= 0'      proved, or refuted by a schedule
  raddle ranges bank.c --reach bank.c:42            can the line be reached?
  raddle ranges bank.c --schedules 20               begins with 20 runs
  raddle ranges bank.c --time 10m                   adds more runs, if paths are left
  raddle ranges bank.c --stats                      sizes and precision on three graphs

Exit codes:
  0  all assertions are proved, no line of --reach is reached
  1  an assertion is refuted, or a line is reached
  3  something is unknown, or holds only for the paths that runs have taken")]
pub(crate) struct RangesArgs {
    /// The C files of the program (.c, or .i if they are preprocessed)
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,

    #[command(flatten)]
    program: ProgramArgs,

    /// Where a switch to another thread may happen
    #[arg(long, value_enum, default_value_t = GraphArg::TsgReduced)]
    graph: GraphArg,

    /// How many transactions are considered together
    #[arg(long, value_name = "B", default_value_t = 1)]
    #[arg(value_parser = clap::value_parser!(u8).range(1..=8))]
    lookahead: u8,

    /// Use the run with this schedule; @FILE reads it from a file
    #[arg(long, value_name = "SCHEDULE", conflicts_with = "schedules")]
    trace: Option<String>,

    /// Begin with this many runs: the default one, then random ones
    #[arg(long, value_name = "N", default_value_t = 1)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=10_000))]
    schedules: u32,

    /// The seed of random runs
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,

    /// A condition that must hold after every write to its variables: 'Y <= 5', 'X + Y < 2 * Z'
    #[arg(long = "assert", value_name = "TEXT")]
    asserts: Vec<Assertion>,

    /// A line that should not be reached
    #[arg(long, value_name = "FILE:LINE")]
    reach: Vec<LineArg>,

    /// Stop adding runs, propagating and solving after this time
    #[arg(long, value_name = "DURATION", default_value = "60s")]
    time: Time,

    /// Give up on a question after this many conflicts of the solver
    #[arg(long, value_name = "N", default_value_t = 200_000)]
    max_conflicts: u32,

    /// Show the sizes and the precision of all three graphs, and the cost of solving on each
    #[arg(long)]
    stats: bool,
}

/// Where a switch to another thread may happen.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum GraphArg {
    /// Between transactions of the reduced set of MATs
    TsgReduced,
    /// Between transactions of MATs
    Tsg,
    /// Before every access
    Ccfg,
}

impl RangesArgs {
    /// What the solver may do.
    fn options(&self, deadline: Option<Instant>) -> Options {
        Options { n_conflicts_max: Some(self.max_conflicts), deadline, ..Options::default() }
    }
}

impl From<GraphArg> for GraphKind {
    fn from(graph: GraphArg) -> GraphKind {
        match graph {
            GraphArg::TsgReduced => GraphKind::TsgReduced,
            GraphArg::Tsg => GraphKind::Tsg,
            GraphArg::Ccfg => GraphKind::Ccfg,
        }
    }
}

/// A line of a file.
#[derive(Clone, PartialEq, Eq, Debug)]
struct LineArg {
    file: String,
    line: u32,
}

impl FromStr for LineArg {
    type Err = String;

    fn from_str(text: &str) -> Result<LineArg, String> {
        let split = text.rsplit_once(':').and_then(|(file, line)| Some((file, line.parse().ok()?)));
        match split {
            Some((file, line)) if !file.is_empty() => Ok(LineArg { file: file.to_owned(), line }),
            _ => Err("a line looks like bank.c:42".to_owned()),
        }
    }
}

impl LineArg {
    /// Whether a line of the program is meant: its file may be named by its last parts.
    fn is(&self, line: &Line) -> bool {
        let (known, asked) = (PathBuf::from(&*line.file), PathBuf::from(&self.file));
        line.line == self.line && known.ends_with(asked)
    }
}

/// What the command has found out.
struct Found {
    ctp: Ctp,
    n_runs: usize,
    /// What no run shows, if there is a verdict that it could change.
    open: Vec<Gap>,
    analysed: Analysed,
    assertions: Vec<(String, Verdict)>,
    reached: Vec<(String, Verdict)>,
    stats: Option<stats::Stats>,
}

/// Runs `raddle ranges`.
pub(crate) fn run(args: RangesArgs, context: &Context) -> Result<Exit, Diagnostic> {
    for file in &args.files {
        if file
            .extension()
            .is_some_and(|ending| ["rdl", "std", "gz", "zst"].iter().any(|e| ending == *e))
        {
            let title = format!("`{}` is a trace without data flow", file.display());
            return Err(
                Diagnostic::error(title).help("give the C files of the program: it is run again")
            );
        }
    }
    let program = args.program.compile(&args.files, context)?;
    let name = args.files[0].with_extension("").display().to_string();
    let settings = fine(&args.program.settings(&name)?);
    let start = Instant::now();
    let deadline = start.checked_add(args.time.0);
    // What the runs to begin with refute needs no others.
    let plain = Runs::new(&args, &program, &settings, (false, deadline), context)?;
    let judge = |runs: &Runs| verdicts(&args, &program, &settings, runs, deadline);
    let (mut assertions, mut reached) = judge(&plain)?;
    let is_refuted = |(_, verdict): &(String, Verdict)| matches!(verdict, Verdict::Refuted(_));
    let mut runs = plain;
    if !assertions.iter().chain(&reached).all(is_refuted) {
        // Half of the time is left for the questions themselves.
        let soon = start.checked_add(args.time.0 / 2);
        runs = Runs::new(&args, &program, &settings, (true, soon), context)?;
        (assertions, reached) = judge(&runs)?;
    }
    let Runs { mut ctp, analysed, n_runs, ends, open, .. } = runs;
    ends.iter().for_each(|end| context.show(end));
    ctp.notices.extend(analysis::pinned(&ctp, &analysed.ranges));
    for notice in &ctp.notices {
        let place = notice.line.as_ref().map(|l| format!(" ({}:{})", l.file, l.line));
        context.show(&Diagnostic::note(format!("{}{}", notice.text, place.unwrap_or_default())));
    }
    let stats = args.stats.then(|| stats::Stats::new(&ctp, args.lookahead.into(), args.time.0));
    let open = if assertions.is_empty() && reached.is_empty() { Vec::new() } else { open };
    let found = Found { ctp, n_runs, open, analysed, assertions, reached, stats };
    if context.is_json() {
        output::print_json(&document::Document::new(&args.files, &found))?;
    } else {
        let (before, after) = args.program.replay_command(&args.files);
        let replay = |schedule: &Schedule| format!("{before} {schedule}{after}");
        output::print_text(&show::text(&found, &replay, &context.styles()))?;
    }
    Ok(exit(&found))
}

/// Assertions and lines with what is known of each.
type Verdicts = (Vec<(String, Verdict)>, Vec<(String, Verdict)>);

/// Answers what is asked about the runs.
fn verdicts(
    args: &RangesArgs,
    program: &Arc<Program>,
    settings: &Settings,
    runs: &Runs,
    deadline: Option<Instant>,
) -> Result<Verdicts, Diagnostic> {
    let failed = |error| Diagnostic::error("the program cannot be run").because(&error);
    let is_open = !runs.open.is_empty();
    let options = args.options(deadline);
    let mut inquiry = Inquiry::new(program, settings, &runs.ctp, &runs.analysed, options);
    let mut assertions = Vec::new();
    for assertion in &args.asserts {
        let verdict = inquiry.check(assertion).map_err(failed)?.with_open(is_open);
        assertions.push((assertion.text.clone(), verdict));
    }
    for (line, verdict) in inquiry.own_assertions(&runs.failures).map_err(failed)? {
        let place = line.map_or("?".to_owned(), |line| format!("{}:{}", line.file, line.line));
        assertions.push((format!("assert at {place}"), verdict.with_open(is_open)));
    }
    let mut reached = Vec::new();
    for line in &args.reach {
        let verdict = inquiry.reach(&|known| line.is(known)).map_err(failed)?;
        reached.push((format!("{}:{}", line.file, line.line), verdict.with_open(is_open)));
    }
    Ok((assertions, reached))
}

fn exit(found: &Found) -> Exit {
    let all = || found.assertions.iter().chain(&found.reached).map(|(_, verdict)| verdict);
    if all().any(|verdict| matches!(verdict, Verdict::Refuted(_))) {
        Exit::Findings
    } else if all().any(|verdict| !matches!(verdict, Verdict::Proved { .. })) {
        Exit::Incomplete
    } else {
        Exit::Done
    }
}
