//! What was found, for people.

use std::fmt::Write as _;

use raddle_finding::Finding;
use raddle_predict::{Deadlocks, Races};
use raddle_trace::format::{self, Loaded};
use raddle_trace::{EventId, Sequence, Trace};

use super::Found;
use crate::command::trace::input::Input;
use crate::command::trace::repairs;
use crate::context::Context;
use crate::output::Styles;
use crate::quantity::{count, counted};
use crate::sanitise::visible;

/// How many events of a witness are shown before its end.
const SHOWN: usize = 12;

/// Everything: findings, repairs, and what was looked at.
pub(super) fn text(
    input: &Input,
    loaded: &Loaded,
    found: &Found,
    limit: usize,
    context: &Context,
) -> String {
    let styles = context.styles();
    let mut text = findings(&loaded.trace, found, limit, &styles);
    let list = repairs::lines(loaded.trace.repairs(), input.all);
    if !list.is_empty() {
        let heading = styles.heading;
        let _ = writeln!(text, "{heading}Repairs{heading:#}");
        list.iter().for_each(|line| text.push_str(&format!("  {line}\n")));
        text.push('\n');
    }
    let heading = styles.heading;
    let _ = writeln!(text, "{heading}{}{heading:#}", visible(&input.name));
    if let Some(found) = &found.races {
        text.push_str(&race_summary(found, input.all, &styles));
    }
    if let Some(found) = &found.deadlocks {
        text.push_str(&deadlock_summary(found, input.all, &styles));
    }
    text
}

fn findings(trace: &Trace, found: &Found, limit: usize, styles: &Styles) -> String {
    let races = found.races.iter().flat_map(|found| &found.races);
    let races = races.map(|race| {
        finding(trace, &race.finding(trace), &race.witness, &[race.first, race.second], styles)
    });
    let deadlocks = found.deadlocks.iter().flat_map(|found| &found.deadlocks);
    let deadlocks = deadlocks.map(|deadlock| {
        finding(trace, &deadlock.finding(trace), &deadlock.witness, &deadlock.blocked, styles)
    });
    let mut text: String = races.chain(deadlocks).take(limit).collect();
    if let Some(rest) = found.n_findings().checked_sub(limit).filter(|&rest| rest > 0) {
        let _ = writeln!(text, "… and {} more; --limit shows them\n", count(rest as u64));
    }
    text
}

/// A finding with the end of its witness, and the events that are about to happen behind it.
fn finding(
    trace: &Trace,
    finding: &Finding,
    witness: &Sequence,
    next: &[EventId],
    styles: &Styles,
) -> String {
    let (caution, dim) = (styles.caution, styles.dim);
    let message = visible(&finding.message);
    let mut text = format!("{caution}{}{caution:#}: {message}\n", finding.property);
    let hidden = witness.len().saturating_sub(SHOWN);
    if hidden > 0 {
        let _ = writeln!(text, "    {dim}… after {}{dim:#}", counted(hidden, "event"));
    }
    for e in witness.iter_from(hidden) {
        let _ = writeln!(text, "    {}", line(trace, e));
    }
    for &e in next {
        let _ = writeln!(text, "  {caution}▶{caution:#} {}", line(trace, e));
    }
    let _ = writeln!(text, "  {dim}fingerprint {}{dim:#}\n", finding.fingerprint);
    text
}

fn line(trace: &Trace, e: EventId) -> String {
    let event = trace.event(e);
    let notation = format::notation(trace, event.thread, event.op);
    let (thread, operation) = notation.split_once('|').unwrap_or(("", &notation));
    let location = event.location.and_then(|l| trace.tables.locations.get(l.0)).unwrap_or("");
    let position = trace.source.position(e);
    let position = position.map_or("added".to_owned(), |p| format!("event {p}"));
    format!(
        "{:<12} {:<24} {:<24} {position}",
        visible(thread),
        visible(operation),
        visible(location)
    )
}

fn verdict(n: usize, noun: &str, unit: &str, styles: &Styles) -> String {
    match n {
        0 => format!("{good}no {noun}{good:#}", good = styles.good),
        n => format!("{c}{}{c:#}, one for each {unit}", counted(n, noun), c = styles.caution),
    }
}

fn race_summary(found: &Races, all: bool, styles: &Styles) -> String {
    let unit = if all { "pair of accesses" } else { "pair of locations" };
    format!(
        "  {}\n    {} candidates, {} not protected by a common lock, {} asked about\n    \
         {} with an earlier event, {} unknown\n",
        verdict(found.races.len(), "race", unit, styles),
        count(found.n_candidates),
        count(found.n_unprotected),
        count(found.n_asked),
        match found.racy_events.len() {
            1 => "1 event races".to_owned(),
            n => format!("{} events race", count(n as u64)),
        },
        count(found.unknown.len() as u64),
    )
}

fn deadlock_summary(found: &Deadlocks, all: bool, styles: &Styles) -> String {
    let unit = if all { "circle of acquires" } else { "circle of locations" };
    format!(
        "  {}\n    {} in the order of locks, {} unknown\n",
        verdict(found.deadlocks.len(), "deadlock", unit, styles),
        counted(found.n_circles as usize, "circle"),
        count(found.n_unknown),
    )
}
