//! `raddle predict`: what other interleavings of the events of a trace would show.
//!
//! ```text
//! arguments ─► Question ─► find ─► Found ─┬─► Outcome ─► report (JSON, text, other forms)
//!                         └─► stats ──────┘─► export (a trace for each witness)
//! ```

#[cfg_attr(not(feature = "native"), path = "absent.rs")]
mod binary;
mod confirm;
mod exact;
mod export;
mod nearby;
mod outcome;
mod report;
mod stats;
mod tables;

use std::ffi::OsString;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Instant;

use clap::{Args, ValueEnum};
use raddle_finding as finding;
use raddle_predict::{ANALYSES, Causes, Scope, Settings, TransactionSource};
use raddle_session::Allowance;
use raddle_session::predict::{Found, Plan, check_threads, find};
use raddle_session::vm::Observed;
use raddle_trace::Trace;
use raddle_trace::check::Mode;
use raddle_trace::format::Loaded;

use super::trace::explain;
use super::trace::input::{Input, InputArgs};
use crate::args::Format;
use crate::console::Console;
use crate::context::Context;
use crate::diagnostic::Diagnostic;
use crate::exit::Exit;
use crate::interrupt::Output;
use crate::program::binary::recording::Guide;
use crate::publish::{self, PublishArgs};
use confirm::{Confirmation, Confirming};
use outcome::Outcome;

/// How many findings of a property are shown unless more are asked for.
const SHOWN: usize = 20;

/// Predict from one trace what other interleavings of its events would show
///
/// Every finding comes with a witness: a reordering of the events of the trace that an independent
/// referee has accepted. A trace that is not well-formed is repaired first, and every repair is
/// listed; --normalise=false rejects it instead. Ctrl-C ends the search early and reports what was found so far.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  raddle predict trace.std                      everything, one finding per place
  raddle predict --property race --all t.std    every pair of accesses that races
  raddle predict --property atomicity --transactions scopes t.std
  raddle predict --property determinism t.std   reads that can see another write
  raddle predict --stats trace.std              counts after each step, next to those of the papers
  raddle predict --format json trace.rdl        raddle.findings/1, for programs
  raddle predict trace.std -o found.html        an HTML page as well as the text
  raddle predict --witness out trace.std        each witness as a trace in the folder out
  raddle predict --confirm server.rdl           runs the binary along each witness
  raddle predict bank.c                         runs a C program, and again along each witness

Exit codes:
  0  nothing found              2  incorrect usage, or an error
  1  findings                   3  nothing found, but something is undecided or was not checked")]
pub(crate) struct PredictArgs {
    #[command(flatten)]
    input: InputArgs,

    /// What to look for, separated by commas [default: everything]
    #[arg(long, value_enum, value_delimiter = ',', value_name = "PROPERTY")]
    property: Vec<Property>,

    /// What is meant to be atomic
    #[arg(long, value_enum, value_name = "SOURCE", default_value_t = Transactions::Marked)]
    transactions: Transactions,

    /// Count the candidates left after each step of the analyses, next to the counts of the papers' own algorithms
    #[arg(long)]
    stats: bool,

    /// Also show races that are ruled out by several orders together, not by a common lock or a
    /// single order, and which orders these are
    #[arg(long)]
    ruled_out: bool,

    /// Show at most this many findings per property; JSON has all [default: 20, with --all no limit]
    #[arg(long, value_name = "N")]
    limit: Option<usize>,

    /// The cost limit of one query, in steps of its search; an answer that costs more is unknown
    #[arg(long, value_name = "STEPS", default_value_t = Settings::default().effort)]
    budget: u64,

    /// The number of search threads; the results do not depend on it [default: one per core]
    #[arg(long, value_name = "N")]
    jobs: Option<NonZeroUsize>,

    /// Write each witness as STD text to this folder
    #[arg(long, value_name = "DIR")]
    witness: Option<PathBuf>,

    /// Run the recorded binary along each witness; findings that it reproduces are replayed
    #[arg(long)]
    confirm: bool,

    #[command(flatten)]
    publish: PublishArgs,

    /// The program to confirm with, and its arguments [default: the recorded one]
    #[arg(last = true, value_name = "PROGRAM")]
    program: Vec<OsString>,
}

/// A property of findings.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum Property {
    /// Conflicting accesses that can happen at the same time
    Race,
    /// Accesses by other threads inside a block that is meant to be atomic
    Atomicity,
    /// Threads that wait for each other's locks
    Deadlock,
    /// Waits whose notify can come too early
    LostWakeup,
    /// Reads that can see another write
    Determinism,
}

/// Where transactions come from.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum Transactions {
    /// The trace marks them
    Marked,
    /// Lock scopes without a wait inside
    Scopes,
}

impl From<Property> for finding::Property {
    fn from(property: Property) -> finding::Property {
        match property {
            Property::Race => finding::Property::Race,
            Property::Atomicity => finding::Property::Atomicity,
            Property::Deadlock => finding::Property::Deadlock,
            Property::LostWakeup => finding::Property::LostWakeup,
            Property::Determinism => finding::Property::Determinism,
        }
    }
}

impl From<Transactions> for TransactionSource {
    fn from(transactions: Transactions) -> TransactionSource {
        match transactions {
            Transactions::Marked => TransactionSource::Marked,
            Transactions::Scopes => TransactionSource::LockScopes,
        }
    }
}

/// What is asked of a trace.
struct Question {
    input: Input,
    plan: Plan,
    /// Whether properties were named.
    is_explicit: bool,
    stats: bool,
    ruled_out: bool,
    /// How many findings of a property are shown.
    limit: usize,
    effort: u64,
    witness: Option<PathBuf>,
    confirm: bool,
    program: Vec<OsString>,
}

/// Runs `raddle predict`.
pub(crate) fn run(args: PredictArgs, context: &Context) -> Result<Exit, Diagnostic> {
    let input = args.input.settle_as(context, Mode::Normalise);
    let is_explicit = !args.property.is_empty();
    let asked = if is_explicit { args.property } else { Property::value_variants().into() };
    let scope = Scope { transactions: args.transactions.into(), all: input.all };
    let question = Question {
        plan: plan(asked.into_iter().map(finding::Property::from), scope, args.jobs, context),
        is_explicit,
        stats: args.stats,
        ruled_out: args.ruled_out,
        limit: args.limit.or((!input.all).then_some(SHOWN)).unwrap_or(usize::MAX),
        effort: args.budget,
        witness: args.witness,
        confirm: args.confirm,
        program: args.program,
        input,
    };
    question.answer(&args.publish, context)
}

/// Does what `raddle predict FILE` does, for `raddle check`: reads that may see another write are no
/// findings here, since most programs have them and mean to.
pub(crate) fn run_on(
    file: &Path,
    publish: &PublishArgs,
    context: &Context,
) -> Result<Exit, Diagnostic> {
    let properties = ANALYSES.map(|analysis| analysis.property());
    let properties = properties.into_iter().filter(|&it| it != finding::Property::Determinism);
    let question = Question {
        input: InputArgs::of(file).settle_as(context, Mode::Normalise),
        plan: plan(properties, Scope::default(), None, context),
        is_explicit: true,
        stats: false,
        ruled_out: false,
        limit: SHOWN,
        effort: Settings::default().effort,
        witness: None,
        confirm: false,
        program: Vec::new(),
    };
    question.answer(publish, context)
}

fn plan(
    properties: impl Iterator<Item = finding::Property>,
    scope: Scope,
    jobs: Option<NonZeroUsize>,
    context: &Context,
) -> Plan {
    let cores = || thread::available_parallelism().map_or(1, NonZeroUsize::get);
    let allowance = Allowance {
        n_workers: jobs.map_or_else(cores, NonZeroUsize::get),
        deadline: None,
        stop: context.interrupt.stop_flags(),
    };
    Plan { properties: properties.collect(), scope, allowance }
}

impl Question {
    fn answer(&self, publish: &PublishArgs, context: &Context) -> Result<Exit, Diagnostic> {
        let (publisher, known) = publish.prepare(context)?;
        let start = Instant::now();
        let Opened { loaded, guide, observed } = self.open(context)?;
        let trace = &loaded.trace;
        check_threads(trace)?;
        let mut console = Console::new(context);
        let deferral = context.interrupt.defer_signal();
        let settings = Settings { effort: self.effort, ..Settings::default() };
        let causes = Causes::with(trace, settings);
        let found = find(&causes, &self.plan, &mut console)?;
        let tables = match self.stats {
            true => Some(stats::count(&causes, &found, &self.plan, context)?),
            false => None,
        };
        let sources = (observed.as_ref(), guide.as_ref());
        let confirmation = self.confirm(trace, &found, sources, &mut console)?;
        drop(console);
        drop(deferral);
        if let Some(folder) = &self.witness {
            export::export(trace, &found, folder)?;
        }
        context.interrupt.state().output = Output::Partial;
        let outcome = Outcome {
            input: &self.input,
            loaded: &loaded,
            plan: &self.plan,
            found: &found,
            tables,
            confirmation,
            guide: guide.as_ref(),
            known: &known,
            causes: &causes,
            lists_ruled_out: self.ruled_out,
        };
        let seconds = start.elapsed().as_secs_f64();
        match context.settings.format {
            Format::Json => report::print(&outcome, seconds)?,
            Format::Text => report::print_text(&outcome, self.limit, seconds, &context.styles())?,
            form => publish::print(&report::document(&outcome, seconds), form.form(), context)?,
        }
        if publish.needs_document() {
            publisher.write(&report::document(&outcome, seconds), context)?;
        }
        context.interrupt.state().output = Output::Complete;
        if let Some(loss) = &loaded.loss {
            context.show(&explain::loss(&self.input, loss));
        }
        if context.interrupt.is_asked() {
            context.show(&Diagnostic::warning("interrupted; the results are incomplete"));
        }
        Ok(outcome.exit(self.is_explicit.then_some(self.plan.properties.len()), context))
    }

    fn open(&self, context: &Context) -> Result<Opened, Diagnostic> {
        if exact::is_source(&self.input) {
            let (loaded, observed) = exact::open(&self.input, &self.program, context)?;
            return Ok(Opened { loaded, guide: None, observed: Some(observed) });
        }
        let opened = self.input.open_guided(context);
        let (loaded, guide) = opened.map_err(|error| explain::diagnostic(&self.input, &error))?;
        Ok(Opened { loaded, guide, observed: None })
    }

    /// Runs the program along each witness, if there is one and that was asked for; C files always are.
    fn confirm(
        &self,
        trace: &Trace,
        found: &Found,
        (observed, guide): (Option<&Observed>, Option<&Guide>),
        console: &mut Console<'_>,
    ) -> Result<Option<Confirmation>, Diagnostic> {
        let mut confirming = Confirming { trace, found, plan: &self.plan, console };
        match (self.confirm, observed, guide) {
            (_, Some(observed), _) => {
                confirming.on_machine(observed, &self.input, &self.program).map(Some)
            }
            (false, ..) => Ok(None),
            (true, _, Some(guide)) => {
                confirming.on_binary(guide, &self.input, &self.program).map(Some)
            }
            (true, _, None) => {
                Err(Diagnostic::error("only recordings of binaries can be confirmed").help(
                    "`raddle record ./program` writes one; `raddle trace convert` drops what is \
                 needed for this",
                ))
            }
        }
    }
}

/// A trace, and what runs its program along an interleaving.
struct Opened {
    loaded: Loaded,
    /// Of a recording of a binary.
    guide: Option<Guide>,
    /// Of a C file.
    observed: Option<Observed>,
}
