//! Explains why a trace could not be read: for people and for programs.

use raddle_trace::check::{Mode, Rule, Violation};
use raddle_trace::format::{LineError, ReadError, rdl};
use serde::Serialize;

use super::input::Input;
use crate::diagnostic::{Diagnostic, Excerpt, Place};

/// For people.
pub(crate) fn diagnostic(input: &Input, error: &ReadError) -> Diagnostic {
    match error {
        ReadError::Line(error) => syntax(input, error),
        ReadError::IllFormed(violation) => ill_formed(input, violation),
        ReadError::TooLarge { .. } => unreadable(input, error)
            .help("--max-memory sets the limit; the default is the free memory"),
        error => unreadable(input, error),
    }
}

/// What a damaged file has lost, for people.
pub(crate) fn loss(input: &Input, loss: &rdl::Loss) -> Diagnostic {
    Diagnostic::error(loss.to_string()).at(Place::file(&input.name))
}

fn unreadable(input: &Input, error: &ReadError) -> Diagnostic {
    Diagnostic::error(format!("cannot read `{}`", input.name)).because(error)
}

fn syntax(input: &Input, error: &LineError) -> Diagnostic {
    let start = error.column - 1;
    let excerpt = Excerpt {
        text: error.excerpt.clone(),
        marked: start..start.saturating_add(error.length),
        label: String::new(),
    };
    let from_the_start = error.excerpt_start == 0 && !error.excerpt.is_empty();
    let place = Place {
        path: input.name.clone(),
        line: Some(error.line as usize),
        column: Some(error.column),
        excerpt: from_the_start.then_some(excerpt),
    };
    let mut diagnostic = Diagnostic::error(error.syntax.to_string()).at(place);
    if error.excerpt_start > 0 && !error.excerpt.is_empty() {
        diagnostic = diagnostic.remark(format!("near `{}`", error.excerpt));
    }
    let is_text = !error.excerpt.contains(['\0', char::REPLACEMENT_CHARACTER]);
    match error.line {
        _ if !is_text => diagnostic.help(format!("this is not text; {FORMATS}")),
        // What does not even begin like STD text may be something else altogether.
        1 if !error.excerpt.contains('|') => diagnostic.help(FORMATS),
        _ => diagnostic,
    }
}

/// What is read as a trace.
const FORMATS: &str = "traces are read as STD text (lines like `T1|w(x)|12`) or .rdl, either of them also \
                       compressed with gzip or zstd, and recordings of `raddle record`";

fn ill_formed(input: &Input, violation: &Violation) -> Diagnostic {
    let Violation { rule, place, detail } = violation;
    let mut diagnostic = Diagnostic::error("the trace is not well-formed").code(rule.code());
    diagnostic = match (place.line, place.position) {
        (Some(line), _) => {
            let text = place.event.clone();
            let excerpt = Excerpt { marked: 0..text.len(), text, label: detail.clone() };
            let (line, excerpt) = (Some(line as usize), Some(excerpt));
            diagnostic.at(Place { line, excerpt, ..Place::file(&input.name) })
        }
        (None, position) => {
            let event = position.map_or("an event".to_owned(), |p| format!("event {p}"));
            let remark = format!("{event}, `{}`: {detail}", place.event);
            diagnostic.at(Place::file(&input.name)).remark(remark)
        }
    };
    diagnostic = diagnostic.remark(format!("rule {rule}: {}", rule.text()));
    if input.options.mode == Mode::Strict && *rule != Rule::KnownObject {
        diagnostic = diagnostic.help("use --normalise to repair this and list every repair");
    }
    diagnostic
}

/// What is wrong with the content of a file, for programs.
#[derive(Debug, Default, Serialize)]
pub(crate) struct Problem {
    kind: &'static str,
    message: String,
    rule: Option<&'static str>,
    event: Option<String>,
    position: Option<u32>,
    line: Option<u64>,
    column: Option<usize>,
    offset: Option<u64>,
}

impl Problem {
    /// What is wrong, unless the content is not what is wrong.
    pub(crate) fn of(error: &ReadError) -> Option<Problem> {
        let problem = Problem { message: error.to_string(), ..Problem::default() };
        Some(match error {
            ReadError::Empty => Problem { kind: "empty", ..problem },
            ReadError::TooManyEvents => Problem { kind: "too-many-events", ..problem },
            ReadError::Block { offset, .. } => {
                Problem { kind: "block", offset: Some(*offset), ..problem }
            }
            ReadError::Line(error) => Problem {
                kind: "syntax",
                message: error.syntax.to_string(),
                line: Some(error.line),
                column: Some(error.column),
                ..problem
            },
            ReadError::IllFormed(violation) => Problem {
                kind: "rule",
                message: violation.detail.clone(),
                rule: Some(violation.rule.code()),
                event: Some(violation.place.event.clone()),
                position: violation.place.position,
                line: violation.place.line,
                ..problem
            },
            _ => return None,
        })
    }

    /// A damaged file.
    pub(crate) fn damage(loss: &rdl::Loss) -> Problem {
        let (message, offset) = (loss.to_string(), Some(loss.offset));
        Problem { kind: "damage", message, offset, ..Problem::default() }
    }
}

/// What a damaged file has lost, for programs.
#[derive(Debug, Serialize)]
pub(crate) struct LossDocument {
    offset: u64,
    bytes: u64,
    events_read: u64,
    message: String,
}

impl From<&rdl::Loss> for LossDocument {
    fn from(loss: &rdl::Loss) -> LossDocument {
        LossDocument {
            offset: loss.offset,
            bytes: loss.n_bytes,
            events_read: loss.n_events,
            message: loss.to_string(),
        }
    }
}
