//! What was found, for programs and for people.
//!
//! In: what came of `raddle predict`. Out: `raddle.findings/1`, the same as a document, and text. There can be millions
//! of findings, so JSON and text are made finding by finding; the keys of JSON are those of
//! [`raddle_finding::Report`], in the same order. The first findings of each property have their story with them.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};

use raddle_finding::{
    Finding, Input, Property, Repair, Report, SchemaVersion, Skipped, Source, Tool,
};
use raddle_predict::{Engine, Prediction, Results};
use raddle_report::{source, text};
use raddle_session::predict::key;
use serde::{Serialize, Serializer};
use serde_json::{Value, json};

use super::confirm::Confirmation;
use super::nearby::Nearby;
use super::{Outcome, SHOWN, stats, tables};
use crate::command::trace::repairs;
use crate::diagnostic::Diagnostic;
use crate::output::{self, Styles};
use crate::quantity::count;

#[derive(Serialize)]
struct Document<'a> {
    schema: SchemaVersion,
    tool: Tool,
    input: Input,
    findings: Findings<'a>,
    skipped: &'a [Skipped],
    repairs: Vec<Repair>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    sources: Vec<Source>,
    stats: BTreeMap<String, Value>,
    timing: BTreeMap<String, Value>,
}

/// The findings: the first ones of each property as they are, the others made one by one.
struct Findings<'a> {
    outcome: &'a Outcome<'a>,
    /// They are written once.
    first: RefCell<BTreeMap<Property, Vec<Finding>>>,
}

impl Serialize for Findings<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut first = self.first.borrow_mut();
        serializer.collect_seq(self.outcome.by_property().flat_map(|(property, predictions)| {
            let first = first.remove(&property).unwrap_or_default();
            let rest = predictions.skip(first.len()).map(|it| self.outcome.finding(it));
            first.into_iter().chain(rest)
        }))
    }
}

/// The first findings of each property, with their stories.
fn first(outcome: &Outcome) -> BTreeMap<Property, Vec<Finding>> {
    let mut engine = Engine::new(outcome.causes);
    let of = |(property, predictions)| {
        let first = Iterator::take(predictions, SHOWN);
        (property, first.map(|it| outcome.with_story(it, &mut engine)).collect())
    };
    outcome.by_property().map(of).collect()
}

/// Prints the report for programs.
pub(super) fn print(outcome: &Outcome, seconds: f64) -> Result<(), Diagnostic> {
    let Report { schema, tool, input, skipped, repairs, stats, timing, .. } =
        frame(outcome, seconds);
    let first = first(outcome);
    output::print_findings(&Document {
        schema,
        tool,
        input,
        sources: source::sources(first.values().flatten(), &Nearby::default().lines()),
        findings: Findings { outcome, first: RefCell::new(first) },
        skipped: &skipped,
        repairs,
        stats,
        timing,
    })
}

/// Prints the report for people: at most `limit` findings of each property, then what was looked at.
pub(super) fn print_text(
    outcome: &Outcome,
    limit: usize,
    seconds: f64,
    styles: &Styles,
) -> Result<(), Diagnostic> {
    output::print_with(|out| {
        let mut list = List {
            report: frame(outcome, seconds),
            engine: Engine::new(outcome.causes),
            nearby: Nearby::default(),
            outcome,
            styles,
            out,
        };
        for (property, predictions) in outcome.by_property() {
            list.property(property, predictions, limit)?;
        }
        let List { report, out, .. } = list;
        out.write_all(text::summary(&report, styles).as_bytes())?;
        match &outcome.tables {
            Some(tables) => out.write_all(tables::text(tables, styles).as_bytes()),
            None => Ok(()),
        }
    })
}

/// The findings as text, one by one.
struct List<'a> {
    /// Without findings, with the sources of the one that is shown.
    report: Report,
    engine: Engine<'a>,
    nearby: Nearby,
    outcome: &'a Outcome<'a>,
    styles: &'a Styles,
    out: &'a mut dyn Write,
}

impl List<'_> {
    fn property<'p>(
        &mut self,
        property: Property,
        mut predictions: impl Iterator<Item = &'p dyn Prediction>,
        limit: usize,
    ) -> io::Result<()> {
        let trace = &self.outcome.loaded.trace;
        let (mut known, all) = (BTreeSet::new(), self.outcome.input.all);
        let mut is_new = |prediction: &&dyn Prediction| {
            all || prediction.likeness(trace).is_none_or(|likeness| known.insert(likeness))
        };
        let mut n = 0;
        while n < limit
            && let Some(prediction) = predictions.next()
        {
            if !is_new(&prediction) {
                continue;
            }
            n += 1;
            let finding = self.outcome.with_story(prediction, &mut self.engine);
            self.report.sources = source::sources([&finding], &self.nearby.lines());
            self.out.write_all(text::finding(&self.report, &finding, self.styles).as_bytes())?;
        }
        match predictions.count() {
            0 => Ok(()),
            rest => {
                let rest = count(rest as u64);
                writeln!(self.out, "… and {rest} more ({property}); --limit shows them\n")
            }
        }
    }
}

/// The report as a whole.
pub(super) fn document(outcome: &Outcome, seconds: f64) -> Report {
    let mut first = first(outcome);
    let mut findings = Vec::new();
    for (property, predictions) in outcome.by_property() {
        let first = first.remove(&property).unwrap_or_default();
        let rest = predictions.skip(first.len()).map(|it| outcome.finding(it));
        findings.extend(first.into_iter().chain(rest));
    }
    let sources = source::sources(&findings, &Nearby::default().lines());
    let mut report = Report { findings, sources, ..frame(outcome, seconds) };
    report.rank();
    report
}

/// The report without findings.
fn frame(outcome: &Outcome, seconds: f64) -> Report {
    let Outcome { input, loaded, found, tables, plan, .. } = outcome;
    let trace = &loaded.trace;
    let mut repairs: Vec<_> = trace.repairs().iter().map(repairs::for_report).collect();
    repairs.sort();
    let mut timing = found.timing.clone();
    timing.insert("total_s".to_owned(), json!(seconds));
    let of = |(property, results): &(Property, Box<dyn Results>)| {
        (key(*property), results.counts(trace, plan.scope))
    };
    let mut counts: BTreeMap<&str, Value> = found.results.iter().map(of).collect();
    counts.extend(outcome.ruled_out().map(|list| ("ruled_out", list)));
    if let Some(Confirmation { confirmed, .. }) = &outcome.confirmation {
        let confirmation = json!({
            "tried": confirmed.n_tried,
            "replayed": confirmed.n_shown(),
            "ruled_out": confirmed.n_ruled_out(),
        });
        counts.insert("confirmation", confirmation);
    }
    if let Some(tables) = tables {
        counts.insert("paper", stats::json(tables));
        timing.extend(tables.timing.clone());
    }
    Report {
        skipped: found.skipped.clone(),
        repairs,
        stats: counts.into_iter().map(|(name, count)| (name.to_owned(), count)).collect(),
        timing,
        ..Report::new(Input::named(&input.name))
    }
}
