//! What was found, for people: every finding with its places and its interleaving.

use std::io::{self, Write};

use raddle_finding::{Property, Site};
use raddle_predict::{ReadWitness, Reads};
use raddle_session::NOT_REPLAYED;
use raddle_session::predict::{Item, PROPERTIES};
use raddle_trace::{EventId, LocationId, Trace};

use super::Outcome;
use super::interleaving::{self, WIDTH};
use super::{summary, tables};
use crate::diagnostic::Diagnostic;
use crate::output::{self, Styles};
use crate::quantity::count;
use raddle_report::sanitise::visible;
use raddle_report::text::{cut_end, cut_start};

/// What is said of a witness that values rule out.
const RULED_OUT: &str = "ruled out: with its values, no interleaving of this run shows it";

/// Prints everything: findings, repairs, what was looked at, and tables.
pub(super) fn print(outcome: &Outcome, limit: usize, styles: &Styles) -> Result<(), Diagnostic> {
    output::print_with(|out| {
        let Outcome { loaded, found, .. } = outcome;
        for property in PROPERTIES {
            let mut of_property = outcome.items().filter(|item| item.property() == property);
            let all = outcome.input.all;
            let trace = &loaded.trace;
            let mut list =
                List { outcome, trace, property, styles, all, limit, n: 0, out: &mut *out };
            match (property, &found.reads) {
                (Property::Determinism, Some(reads)) => list.reads(reads)?,
                _ => of_property.try_for_each(|item| list.item(item))?,
            }
            list.end()?;
        }
        out.write_all(summary::text(outcome, styles).as_bytes())?;
        if let Some(list) = outcome.ruled_out() {
            out.write_all(raddle_report::text::ruled_out(&list, styles).as_bytes())?;
        }
        match &outcome.tables {
            Some(counts) => out.write_all(tables::text(counts, styles).as_bytes()),
            None => Ok(()),
        }
    })
}

/// The findings of one property.
struct List<'a> {
    outcome: &'a Outcome<'a>,
    trace: &'a Trace,
    property: Property,
    styles: &'a Styles,
    /// Show also what shows nothing new.
    all: bool,
    limit: usize,
    /// How many there were so far.
    n: usize,
    out: &'a mut dyn Write,
}

impl List<'_> {
    /// A finding: headline, places, interleaving, fingerprint.
    fn item(&mut self, item: Item) -> io::Result<()> {
        self.n += 1;
        if self.n > self.limit {
            return Ok(());
        }
        let status = match self.outcome.replay(item) {
            Some(replay) => Some(format!("replayed: {replay}")),
            None if self.outcome.is_ruled_out(item) => Some(RULED_OUT.to_owned()),
            None if self.outcome.confirmation.is_some() => Some(NOT_REPLAYED.to_owned()),
            None if self.outcome.is_guess(item) => {
                Some("uncertain: it depends on an order that is a guess".to_owned())
            }
            None => None,
        };
        write_item(self.out, self.trace, item, status.as_deref(), self.styles)
    }

    /// Reads by their places, each with all that it may see.
    fn reads(&mut self, reads: &Reads) -> io::Result<()> {
        if reads.witnesses.is_empty() || self.limit == 0 {
            return reads.witnesses.iter().try_for_each(|read| self.item(Item::Read(read)));
        }
        let heading = self.styles.heading;
        writeln!(self.out, "{heading}{}{heading:#}\n", summary::determinism_verdict(reads))?;
        for mut group in groups(self.trace, &reads.witnesses) {
            if self.n < self.limit {
                writeln!(self.out, "{heading}{}{heading:#}", wrap(&self.heading(&group), 0))?;
            }
            if !self.all {
                self.drop_alike(&mut group);
            }
            group.iter().try_for_each(|read| self.item(Item::Read(read)))?;
        }
        Ok(())
    }

    /// Keeps one witness for each place of a write that is seen.
    fn drop_alike(&self, group: &mut Vec<&ReadWitness>) {
        let mut places = Vec::new();
        group.retain(|read| {
            let place = read.seen(self.trace).map(|e| self.trace.location(e));
            let is_new = !places.contains(&place);
            places.extend(is_new.then_some(place));
            is_new
        });
    }

    /// What the reads at one place saw, and what they may see.
    fn heading(&self, group: &[&ReadWitness]) -> String {
        let saw = self.writes(group.iter().map(|read| read.writer));
        let sees = self.writes(group.iter().map(|read| read.seen(self.trace)));
        match group.first().and_then(|read| read.read) {
            Some(read) => {
                let place = self.place(read);
                format!("The read {place} saw {saw}; it can see {sees}:")
            }
            None => format!("Final values were {saw}; they can be {sees}:"),
        }
    }

    /// The places of some writes, each once.
    fn writes(&self, writes: impl Iterator<Item = Option<EventId>>) -> String {
        let mut names: Vec<String> = Vec::new();
        for write in writes {
            let name = match write {
                Some(write) => format!("the write {}", self.place(write)),
                None => "the initial value".to_owned(),
            };
            if !names.contains(&name) {
                names.push(name);
            }
        }
        names.join(", ")
    }

    fn place(&self, event: EventId) -> String {
        let name = self.trace.location(event).and_then(|l| self.trace.tables.locations.get(l.0));
        name.map_or("without a location".to_owned(), |name| format!("at {}", visible(name)))
    }

    /// Says how many are left out.
    fn end(&mut self) -> io::Result<()> {
        match self.n.saturating_sub(self.limit) {
            0 => Ok(()),
            rest => {
                let name = self.property;
                writeln!(self.out, "… and {} more ({name}); --limit shows them\n", count(rest))
            }
        }
    }
}

/// A finding: headline, places, interleaving, what became of it, with details its fingerprint.
pub(super) fn write_item(
    out: &mut dyn Write,
    trace: &Trace,
    item: Item,
    status: Option<&str>,
    styles: &Styles,
) -> io::Result<()> {
    let (caution, dim) = (styles.caution, styles.dim);
    let finding = item.finding(trace);
    let name = finding.property.name();
    let message = wrap(&visible(&finding.message), name.len() + 2);
    writeln!(out, "{caution}{name}{caution:#}: {message}")?;
    for line in sites(&finding.locations, |site| item.remark(trace, site)) {
        writeln!(out, "  {line}")?;
    }
    for line in interleaving::lines(trace, item, styles) {
        writeln!(out, "{line}")?;
    }
    if let Some(status) = status {
        writeln!(out, "  {}", visible(status))?;
    }
    if styles.details {
        writeln!(out, "  {dim}fingerprint {}{dim:#}", finding.fingerprint)?;
    }
    writeln!(out)
}

/// Reads by place, in the order of the trace; those at the end of the run come last.
fn groups<'a>(trace: &Trace, witnesses: &'a [ReadWitness]) -> Vec<Vec<&'a ReadWitness>> {
    type Place = Option<Option<LocationId>>;
    let place = |read: &ReadWitness| -> Place { read.read.map(|e| trace.location(e)) };
    let mut sorted: Vec<(Place, usize)> =
        witnesses.iter().enumerate().map(|(n, read)| (place(read), n)).collect();
    sorted.sort_unstable();
    let mut groups: Vec<Vec<usize>> = sorted
        .chunk_by(|a, b| a.0 == b.0)
        .map(|group| group.iter().map(|&(_, n)| n).collect())
        .collect();
    groups.sort_unstable();
    groups.iter().map(|group| group.iter().map(|&n| &witnesses[n]).collect()).collect()
}

/// Where it happens: role, place, thread and event, one line each.
fn sites(sites: &[Site], remark: impl Fn(usize) -> Option<String>) -> Vec<String> {
    let width = |of: &dyn Fn(&Site) -> String, limit: usize| {
        sites.iter().map(|site| of(site).chars().count()).max().unwrap_or(0).min(limit)
    };
    let role = |site: &Site| visible(&site.role);
    let place = |site: &Site| visible(&site.location.to_string());
    let thread = |site: &Site| visible(site.thread.as_deref().unwrap_or(""));
    let (roles, places, threads) = (width(&role, 26), width(&place, 32), width(&thread, 20));
    let line = |(n, site): (usize, &Site)| {
        let event = site.event.map_or(String::new(), |event| format!("event {event}"));
        let line = format!(
            "{:<roles$}  {:<places$}  {:<threads$}  {event}",
            cut_end(&role(site), roles),
            cut_start(&place(site), places),
            cut_end(&thread(site), threads),
        );
        match remark(n) {
            Some(remark) => cut_end(&format!("{line}, {}", visible(&remark)), WIDTH - 2),
            None => line.trim_end().to_owned(),
        }
    };
    sites.iter().enumerate().map(line).collect()
}

/// Text in lines that fit, indented, where it has blanks to break at; the first begins behind `before`.
pub(super) fn wrap(text: &str, before: usize) -> String {
    let mut wrapped = String::new();
    let mut at = before;
    for word in text.split(' ') {
        let width = word.chars().count();
        if at + 1 + width > WIDTH && !wrapped.is_empty() {
            wrapped.push_str("\n  ");
            at = 2;
        } else if !wrapped.is_empty() {
            wrapped.push(' ');
            at += 1;
        }
        wrapped.push_str(word);
        at += width;
    }
    wrapped
}
