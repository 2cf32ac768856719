//! `raddle predict`: what other interleavings of the events of a trace would show.

mod report;
mod show;

use std::fs::{self, File};
use std::io::{self, BufWriter};
use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::{Args, ValueEnum};
use raddle_predict::{Causes, Deadlocks, Job, Races, Refused, Settings, deadlocks, races};
use raddle_trace::check::Mode;
use raddle_trace::format::{self, Monitor};
use raddle_trace::{EventId, Trace};

use super::trace::explain;
use super::trace::input::InputArgs;
use crate::context::Context;
use crate::diagnostic::Diagnostic;
use crate::exit::Exit;
use crate::output;
use crate::progress::Progress;
use crate::quantity::count;
use crate::sanitise::visible;

/// Predict from one trace what other interleavings of its events would show
///
/// Every finding comes with a witness: a reordering of the events of the trace that an independent
/// referee has accepted. A trace that is not well-formed is repaired first, and every repair is
/// listed; --normalise=false rejects it instead.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  raddle predict trace.std                    races and deadlocks, one for each place
  raddle predict --property race --all t.std  every pair of accesses that races
  raddle predict --format json trace.rdl      raddle.findings/1, for programs
  raddle predict --witness out trace.std      each witness as a trace in the folder out")]
pub(crate) struct PredictArgs {
    #[command(flatten)]
    input: InputArgs,

    /// What to look for [default: everything]
    #[arg(long, value_enum, value_delimiter = ',', value_name = "PROPERTY")]
    property: Vec<Property>,

    /// Show at most so many findings; all are counted, and JSON has all
    #[arg(long, value_name = "N", default_value_t = 20)]
    limit: usize,

    /// What one query may cost, in steps of its search; an answer that costs more is unknown
    #[arg(long, value_name = "STEPS", default_value_t = Settings::default().effort)]
    budget: u64,

    /// Write each witness as STD text into this folder
    #[arg(long, value_name = "DIR")]
    witness: Option<PathBuf>,
}

/// A property of findings.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum Property {
    /// Conflicting accesses that can happen at the same time
    Race,
    /// Threads that wait for each other's locks
    Deadlock,
}

/// What was asked for and found.
struct Found {
    races: Option<Races>,
    deadlocks: Option<Deadlocks>,
}

impl Found {
    fn n_findings(&self) -> usize {
        self.races.as_ref().map_or(0, |found| found.races.len())
            + self.deadlocks.as_ref().map_or(0, |found| found.deadlocks.len())
    }

    fn n_unknown(&self) -> u64 {
        self.races.as_ref().map_or(0, |found| found.unknown.len() as u64)
            + self.deadlocks.as_ref().map_or(0, |found| found.n_unknown)
    }
}

/// Does it.
pub(crate) fn run(args: PredictArgs, context: &Context) -> Result<Exit, Diagnostic> {
    let input = args.input.settle_as(context, Mode::Normalise);
    let loaded = input.open(context).map_err(|error| explain::diagnostic(&input, &error))?;
    let start = Instant::now();
    let asked = |property| args.property.is_empty() || args.property.contains(&property);
    let trace = &loaded.trace;
    if trace.n_threads() > Causes::MAX_THREADS {
        let n = count(trace.n_threads() as u64);
        let limit = count(Causes::MAX_THREADS as u64);
        let title = format!("the trace has {n} threads; predict can take {limit}");
        return Err(Diagnostic::error(title));
    }
    let settings = Settings { effort: args.budget, ..Settings::default() };
    let causes = Causes::with(trace, settings);
    let races = asked(Property::Race).then(|| find_races(&causes, input.all, context));
    let mut progress = |_, _| true;
    let job = Job { n_workers: 1, progress: &mut progress };
    let deadlocks =
        asked(Property::Deadlock).then(|| deadlocks(&causes, input.all, job).map_err(refused));
    let found = Found { races: races.transpose()?, deadlocks: deadlocks.transpose()? };

    if let Some(folder) = &args.witness {
        export(trace, &found, folder)?;
    }
    if context.is_json() {
        let seconds = start.elapsed().as_secs_f64();
        output::print_json(&report::report(&input, &loaded, &found, seconds))?;
    } else {
        output::print_text(&show::text(&input, &loaded, &found, args.limit, context))?;
    }
    if let Some(loss) = &loaded.loss {
        context.tell(&explain::loss(&input, loss));
    }
    let complete = found.n_unknown() == 0 && loaded.loss.is_none();
    Ok(match (found.n_findings(), complete) {
        (0, true) => Exit::Done,
        (0, false) => Exit::Incomplete,
        _ => Exit::Findings,
    })
}

fn find_races(causes: &Causes, all: bool, context: &Context) -> Result<Races, Diagnostic> {
    let shown = context.shows_progress();
    let mut progress = Progress::analysing(causes.trace().len(), shown, &context.interrupt);
    let mut tell = |done, _| progress.progress(0, done as u64).is_continue();
    races(causes, all, Job { n_workers: 1, progress: &mut tell }).map_err(refused)
}

fn refused(refused: Refused) -> Diagnostic {
    Diagnostic::error("a prediction did not pass the referee")
        .because(&refused)
        .help("this is a mistake in raddle; please report it with the trace")
}

/// Writes each witness; that of a race is followed by the two accesses.
fn export(trace: &Trace, found: &Found, folder: &Path) -> Result<(), Diagnostic> {
    fs::create_dir_all(folder).map_err(|error| cannot_export(folder, &error))?;
    for (n, race) in found.races.iter().flat_map(|found| &found.races).enumerate() {
        let mut events: Vec<EventId> = race.witness.iter().collect();
        events.extend([race.first, race.second]);
        export_one(trace, &events, folder, &format!("race-{}.std", n + 1))?;
    }
    for (n, deadlock) in found.deadlocks.iter().flat_map(|found| &found.deadlocks).enumerate() {
        export_one(
            trace,
            &deadlock.witness.iter().collect::<Vec<_>>(),
            folder,
            &format!("deadlock-{}.std", n + 1),
        )?;
    }
    Ok(())
}

fn export_one(
    trace: &Trace,
    events: &[EventId],
    folder: &Path,
    name: &str,
) -> Result<(), Diagnostic> {
    let witness = Trace::new(trace.select(events), Mode::Strict).map_err(|violation| {
        Diagnostic::error("a witness is not well-formed").because(&violation)
    })?;
    let file = File::create(folder.join(name)).map_err(|error| cannot_export(folder, &error))?;
    format::std::write(&witness, &mut BufWriter::new(file), &mut ())
        .map_err(|error| cannot_export(folder, &error))?;
    Ok(())
}

fn cannot_export(folder: &Path, error: &io::Error) -> Diagnostic {
    let name = visible(&folder.display().to_string());
    Diagnostic::error(format!("cannot write witnesses to `{name}`")).because(error)
}
