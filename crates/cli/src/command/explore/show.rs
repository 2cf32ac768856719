//! What a search found, for people: each finding with its story, then what was covered.

use std::io::{self, Write};

use raddle_explore::Report;

use super::hunt::Catch;
use super::report::{Outline, property};
use super::way::Way;
use crate::diagnostic::Diagnostic;
use crate::output::{self, Styles};
use crate::quantity::{bytes, count, counted, plural};
use crate::sanitise::visible;
use crate::table;

/// Prints everything.
pub(super) fn print(outline: &Outline, styles: &Styles) -> Result<(), Diagnostic> {
    output::print_with(|out| {
        for catch in &outline.catches.all {
            finding(out, outline, catch, styles)?;
        }
        for foreseen in &outline.merged.new {
            out.write_all(foreseen.text.as_bytes())?;
        }
        coverage(out, outline, styles)?;
        guarantee(out, outline, styles)
    })
}

fn finding(
    out: &mut dyn Write,
    outline: &Outline,
    catch: &Catch,
    styles: &Styles,
) -> io::Result<()> {
    let (caution, dim) = (styles.caution, styles.dim);
    let Catch { found, shrunk, is_simplified, evidence, .. } = catch;
    let name = property(&found.trouble.kind).name();
    let title = evidence.as_ref().and_then(|evidence| evidence.title.as_ref());
    writeln!(
        out,
        "{caution}{name}{caution:#}: {}",
        visible(title.unwrap_or(&found.trouble.message))
    )?;
    for line in evidence.iter().flat_map(|evidence| &evidence.why) {
        writeln!(out, "  {}", visible(line))?;
    }
    let minimal = if shrunk.minimal { ", the least possible" } else { "" };
    let preemptions = counted(shrunk.preemptions as usize, "preemption");
    let switches = plural(shrunk.switches as usize, "switch", "switches");
    let untimely = if *is_simplified { "" } else { "; there was no time to simplify it further" };
    writeln!(out, "  {dim}{preemptions}{minimal}; {switches} in all{untimely}{dim:#}\n")?;
    match evidence {
        Some(evidence) => {
            write!(out, "{}", evidence.story.text(styles))?;
            if !evidence.is_replayed {
                writeln!(out, "  {caution}it did not show again in the replay{caution:#}")?;
            }
            writeln!(out, "\n  {dim}event hash {:016x}{dim:#}", evidence.hash)?;
        }
        None => writeln!(out, "  there was no time to run it again and tell its story")?,
    }
    match outline.replay(catch) {
        Some(replay) => writeln!(out, "  replay: {replay}\n"),
        None => writeln!(out, "  the schedule of the search: {}\n", found.schedule),
    }
}

fn coverage(out: &mut dyn Write, outline: &Outline, styles: &Styles) -> io::Result<()> {
    let (heading, dim) = (styles.heading, styles.dim);
    let report = &outline.caught.report;
    let executions = counted(report.executions as usize, "execution");
    let strategy = outline.way;
    // How long a moment took says nothing.
    let time = match outline.caught.seconds {
        1.0.. => format!(" in {:.1} s", outline.caught.seconds),
        _ => String::new(),
    };
    writeln!(
        out,
        "{heading}{executions}{heading:#} by {strategy}{time}, {}{dim}{}{dim:#}",
        bytes(report.memory as u64),
        ended(report),
    )?;
    rows(out, outline)?;
    if let Some((model, reason)) = &outline.caught.terms.model {
        let why = reason.as_ref().map_or(String::new(), |why| format!(": {}", visible(why)));
        let fallback = if reason.is_some() { ", not snapshot" } else { "" };
        writeln!(out, "  {dim}process model {model}{fallback}{why}{dim:#}")?;
    }
    if let Some(forecast) = outline.forecast {
        let events = counted(forecast.n_events, "event");
        let n = counted(forecast.all.len(), "finding");
        let both = forecast.all.len() - outline.merged.new.len();
        let found =
            if both > 0 { format!(", {} found by searching", count(both)) } else { String::new() };
        let cut = if forecast.is_complete { "" } else { "; there was no time for all of it" };
        writeln!(out, "  {dim}a plain run of {events} foretells {n}{found}{cut}{dim:#}")?;
    }
    let max = &report.maxima;
    writeln!(
        out,
        "  {dim}at most {}, {} (K), {} of them blocking (B), {} (c){dim:#}",
        counted(max.threads as usize, "thread"),
        counted(max.steps as usize, "step"),
        count(max.blocking),
        counted(max.preemptions as usize, "preemption"),
    )?;
    if report.restarts > 0 {
        let times = counted(report.restarts as usize, "time");
        writeln!(out, "  {dim}began again {times} with the accesses that race as points{dim:#}")?;
    }
    if report.spins > 0 {
        let spins = plural(report.spins as usize, "free switch", "free switches");
        writeln!(out, "  {dim}{spins} away from spinning threads{dim:#}")?;
    }
    Ok(())
}

fn ended(report: &Report) -> &'static str {
    use raddle_explore::Ending;
    match report.ending {
        Ending::Done => "",
        Ending::Runs => "; ended by --runs",
        Ending::Time => "; ended by --time",
        Ending::Memory => "; ended by --memory",
        Ending::Findings => "; ended by --findings",
        Ending::Stopped => "; stopped",
        Ending::Diverged => "; ended where a plan could not be followed",
    }
}

/// One row for each bound; what is beside all bounds is sampled.
fn rows(out: &mut dyn Write, outline: &Outline) -> io::Result<()> {
    let bounds = &outline.caught.report.bounds;
    let unit = outline.way.unit().map_or("", |(_, many)| many);
    let header = [unit, "executions", "states", "Theorem 1", ""].map(str::to_owned).to_vec();
    let row = |row: &raddle_explore::BoundCoverage| {
        let bound = row.bound.filter(|_| outline.way.counts_preemptions());
        let theorem = match bound.map(|bound| outline.caught.report.theorem_1(bound)) {
            Some(Some(n)) if n < 10_000_000 => count(n as u64),
            Some(Some(n)) => format!("{:.1e}", n as f64),
            Some(None) => "> 1e38".to_owned(),
            None => "-".to_owned(),
        };
        let is_sampled = row.bound.is_none() && outline.way != Way::Dfs;
        vec![
            match row.bound {
                Some(bound) => bound.to_string(),
                None if is_sampled => "sampled".to_owned(),
                None => "all".to_owned(),
            },
            count(row.executions),
            row.states.map_or("-".to_owned(), count),
            theorem,
            match row.complete {
                true => "complete".to_owned(),
                false if is_sampled => String::new(),
                false => "not complete".to_owned(),
            },
        ]
    };
    let rows: Vec<_> = std::iter::once(header).chain(bounds.iter().map(row)).collect();
    table::lines(&rows, &[4]).iter().try_for_each(|line| writeln!(out, "  {line}"))
}

fn guarantee(out: &mut dyn Write, outline: &Outline, styles: &Styles) -> io::Result<()> {
    let guarantee = outline.guarantee;
    let good =
        outline.catches.all.is_empty() && outline.merged.new.is_empty() && guarantee.is_complete;
    let style = if good { styles.good } else { styles.heading };
    writeln!(out, "\n{style}{}{style:#}", guarantee.claim)?;
    let dim = styles.dim;
    for condition in &guarantee.conditions {
        writeln!(out, "  {dim}- {}{dim:#}", visible(condition))?;
    }
    Ok(())
}
