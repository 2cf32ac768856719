//! `raddle predict`: what other interleavings of the events of a trace would show.

use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::BufWriter;
use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::{Args, ValueEnum};
use raddle_finding::{self as finding, Report};
use raddle_predict::{Causes, Effort, Race, RaceOptions, Races, races};
use raddle_trace::check::Mode;
use raddle_trace::format::{self, Loaded};
use raddle_trace::{Event, Events, Trace};
use serde_json::json;

use super::trace::input::{Input, InputArgs};
use super::trace::{explain, repairs};
use crate::context::Context;
use crate::diagnostic::Diagnostic;
use crate::exit::Exit;
use crate::output;
use crate::progress::Progress;
use crate::quantity::{count, counted};
use crate::sanitise::visible;

/// Predict from one trace what other interleavings of its events would show
///
/// Every finding comes with a witness: a reordering of the events of the trace that an independent
/// referee has accepted. A trace that is not well-formed is repaired first, and every repair is
/// listed; --normalise=false rejects it instead.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  raddle predict trace.std                    races, one for each pair of locations
  raddle predict --all trace.std              every pair of accesses that races
  raddle predict --format json trace.rdl      raddle.findings/1, for programs
  raddle predict --witness out trace.std      each witness as a trace in the folder out")]
pub(crate) struct PredictArgs {
    #[command(flatten)]
    input: InputArgs,

    /// What to look for
    #[arg(long, value_enum, default_value = "race")]
    property: Property,

    /// Show at most so many findings; all are counted, and JSON has all
    #[arg(long, value_name = "N", default_value_t = 20)]
    limit: usize,

    /// What one query may cost, in steps of its search; an answer that costs more is unknown
    #[arg(long, value_name = "STEPS", default_value_t = Effort::default().0)]
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
}

/// Does it.
pub(crate) fn run(args: PredictArgs, context: &Context) -> Result<Exit, Diagnostic> {
    let Property::Race = args.property;
    let input = args.input.settle_as(context, Mode::Normalise);
    let loaded = input.open(context).map_err(|error| explain::diagnostic(&input, &error))?;
    let start = Instant::now();
    let options = RaceOptions { all: input.all, effort: Effort(args.budget) };
    let found = find(&loaded.trace, options, context)?;
    if let Some(folder) = &args.witness {
        export(&loaded.trace, &found, folder)?;
    }
    if context.is_json() {
        let report = report(&input, &loaded, &found, start.elapsed().as_secs_f64());
        output::print_json(&report)?;
    } else {
        output::print_text(&text(&input, &loaded, &found, args.limit, context))?;
    }
    if let Some(loss) = &loaded.loss {
        context.tell(&explain::loss(&input, loss));
    }
    Ok(match (found.races.is_empty(), found.unknown.is_empty() && loaded.loss.is_none()) {
        (false, _) => Exit::Findings,
        (true, true) => Exit::Done,
        (true, false) => Exit::Incomplete,
    })
}

fn find(trace: &Trace, options: RaceOptions, context: &Context) -> Result<Races, Diagnostic> {
    let shown = context.shows_progress();
    let mut progress = Progress::analysing(trace.len(), shown, &context.interrupt);
    let causes = Causes::new(trace);
    races(&causes, options, |n_events| {
        format::Monitor::progress(&mut progress, 0, n_events).is_continue()
    })
    .map_err(|refused| {
        Diagnostic::error("a prediction did not pass the referee")
            .because(&refused)
            .help("this is a mistake in raddle; please report it with the trace")
    })
}

/// Writes each witness, followed by the two accesses that race.
fn export(trace: &Trace, found: &Races, folder: &Path) -> Result<(), Diagnostic> {
    let failed = |error: std::io::Error| {
        let name = visible(&folder.display().to_string());
        Diagnostic::error(format!("cannot write witnesses to `{name}`")).because(&error)
    };
    fs::create_dir_all(folder).map_err(failed)?;
    for (n, race) in found.races.iter().enumerate() {
        let mut events = race.witness.clone();
        events.extend([race.first, race.second]);
        let witness = Trace::new(trace.select(&events), Mode::Strict).map_err(|violation| {
            Diagnostic::error("a witness is not well-formed").because(&violation)
        })?;
        let file = File::create(folder.join(format!("race-{}.std", n + 1))).map_err(failed)?;
        format::std::write(&witness, &mut BufWriter::new(file), &mut ()).map_err(failed)?;
    }
    Ok(())
}

fn report(input: &Input, loaded: &Loaded, found: &Races, seconds: f64) -> Report {
    let mut report = Report::new(finding::Input::named(&input.name));
    report.findings = found.races.iter().map(|race| race.finding(&loaded.trace)).collect();
    report.repairs = loaded.trace.repairs().iter().map(repairs::for_report).collect();
    report.stats.insert(
        "race".to_owned(),
        json!({
            "candidates": found.n_candidates,
            "lsa": found.n_unprotected,
            "unordered": found.n_unordered,
            "witnessed": found.races.len(),
            "unknown": found.unknown.len(),
            "racy_events": found.racy_events.len(),
            "racy_locations": found.n_racy_locations,
        }),
    );
    report.timing.insert("seconds".to_owned(), json!(seconds));
    report.sort();
    report
}

fn text(input: &Input, loaded: &Loaded, found: &Races, limit: usize, context: &Context) -> String {
    let styles = context.styles();
    let mut text = String::new();
    for race in found.races.iter().take(limit) {
        text.push_str(&show(&loaded.trace, race, context));
    }
    if found.races.len() > limit {
        let rest = count((found.races.len() - limit) as u64);
        text.push_str(&format!("… and {rest} more; --limit shows them\n\n"));
    }
    let list = repairs::lines(loaded.trace.repairs(), input.all);
    if !list.is_empty() {
        let heading = styles.heading;
        text.push_str(&format!("{heading}Repairs{heading:#}\n"));
        list.iter().for_each(|line| text.push_str(&format!("  {line}\n")));
        text.push('\n');
    }
    let unit = if input.all { "pair of accesses" } else { "pair of locations" };
    let (style, verdict) = match found.races.len() {
        0 => (styles.good, "no race".to_owned()),
        n => (styles.caution, format!("{}, one for each {unit},", counted(n, "race"))),
    };
    text.push_str(&format!("{style}{verdict}{style:#} in {}\n", visible(&input.name)));
    text.push_str(&format!(
        "  {} candidates, {} not protected by a common lock, {} not ordered either; \
         {} race with an earlier event, {} unknown\n",
        count(found.n_candidates),
        count(found.n_unprotected),
        count(found.n_unordered),
        counted(found.racy_events.len(), "event"),
        count(found.unknown.len() as u64),
    ));
    text
}

/// How many events of a witness are shown before the race.
const SHOWN: usize = 12;

/// A race with the end of its witness.
fn show(trace: &Trace, race: &Race, context: &Context) -> String {
    let styles = context.styles();
    let (caution, dim) = (styles.caution, styles.dim);
    let finding = race.finding(trace);
    let mut text = format!("{caution}race{caution:#}: {}\n", visible(&finding.message));
    let hidden = race.witness.len().saturating_sub(SHOWN);
    if hidden > 0 {
        let _ = writeln!(text, "    {dim}… after {}{dim:#}", counted(hidden, "event"));
    }
    for &e in &race.witness[hidden..] {
        let _ = writeln!(text, "    {}", line(trace, trace.event(e)));
    }
    for e in [race.first, race.second] {
        let line = line(trace, trace.event(e));
        let _ = writeln!(text, "  {caution}▶{caution:#} {line}");
    }
    let _ = writeln!(text, "  {dim}fingerprint {}{dim:#}\n", finding.fingerprint);
    text
}

fn line(events: &Events, event: Event) -> String {
    let notation = format::notation(events, event.thread, event.op);
    let (thread, operation) = notation.split_once('|').unwrap_or(("", &notation));
    let location = event.location.and_then(|l| events.tables.locations.get(l.0)).unwrap_or("");
    let position = events.source.position(event.id);
    let position = position.map_or("added".to_owned(), |p| format!("event {p}"));
    format!(
        "{:<12} {:<24} {:<24} {position}",
        visible(thread),
        visible(operation),
        visible(location)
    )
}
