//! Diagnostics: messages on stderr, with the place they are about.
//!
//! ```text
//! error[M2]: the trace is not well-formed
//!  --> trace.std:4:1
//!   |
//! 4 | T2|rel(m)
//!   | ^^^^^^^^^ T2 does not hold m
//!   |
//!   = help: use --normalise to repair this and list every repair
//! ```
//!
//! All of the text is made visible here, whatever it holds.

use std::error::Error;
use std::io::{self, Write};
use std::ops::Range;

use annotate_snippets::{AnnotationKind, Group, Level, Origin, Padding, Renderer, Snippet};

use raddle_report::sanitise::visible;

/// Something that people should know.
#[derive(Debug)]
pub(crate) struct Diagnostic {
    severity: Severity,
    title: String,
    code: Option<&'static str>,
    place: Option<Box<Place>>,
    remarks: Vec<(Remark, String)>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Severity {
    Error,
    Warning,
    Note,
}

#[derive(Clone, Copy, Debug)]
enum Remark {
    Cause,
    Note,
    Help,
}

/// The place that a diagnostic is about.
#[derive(Debug)]
pub(crate) struct Place {
    /// The file.
    pub(crate) path: String,
    /// Its line, counted from 1.
    pub(crate) line: Option<usize>,
    /// Its column, counted from 1; used if there is no excerpt.
    pub(crate) column: Option<usize>,
    /// What stands there.
    pub(crate) excerpt: Option<Excerpt>,
}

/// A line of which a part is marked; long lines are cut.
#[derive(Debug)]
pub(crate) struct Excerpt {
    /// The text.
    pub(crate) text: String,
    /// The part that is marked, in bytes; cut to the text if it goes beyond.
    pub(crate) marked: Range<usize>,
    /// What is said about it; may be empty.
    pub(crate) label: String,
}

impl Place {
    /// A whole file.
    pub(crate) fn file(path: impl Into<String>) -> Place {
        Place { path: path.into(), line: None, column: None, excerpt: None }
    }
}

impl Diagnostic {
    /// Something went wrong.
    pub(crate) fn error(title: impl Into<String>) -> Diagnostic {
        Diagnostic::new(Severity::Error, title.into())
    }

    /// Something is not as it may seem.
    pub(crate) fn warning(title: impl Into<String>) -> Diagnostic {
        Diagnostic::new(Severity::Warning, title.into())
    }

    /// Something was done; not said with `--quiet`.
    pub(crate) fn note(title: impl Into<String>) -> Diagnostic {
        Diagnostic::new(Severity::Note, title.into())
    }

    fn new(severity: Severity, title: String) -> Diagnostic {
        Diagnostic { severity, title, code: None, place: None, remarks: Vec::new() }
    }

    /// Adds the code of the rule that was broken.
    pub(crate) fn code(mut self, code: &'static str) -> Diagnostic {
        self.code = Some(code);
        self
    }

    /// Adds the place.
    pub(crate) fn at(mut self, place: Place) -> Diagnostic {
        self.place = Some(Box::new(place));
        self
    }

    /// Adds an error that caused it, and what caused that.
    pub(crate) fn because(mut self, error: &dyn Error) -> Diagnostic {
        let mut cause = Some(error);
        while let Some(error) = cause {
            self.remarks.push((Remark::Cause, error.to_string()));
            cause = error.source();
        }
        self
    }

    /// Adds something to know.
    pub(crate) fn remark(mut self, text: impl Into<String>) -> Diagnostic {
        self.remarks.push((Remark::Note, text.into()));
        self
    }

    /// Adds what can be done about it.
    pub(crate) fn help(mut self, text: impl Into<String>) -> Diagnostic {
        self.remarks.push((Remark::Help, text.into()));
        self
    }

    /// True for what was merely done.
    pub(crate) fn is_note(&self) -> bool {
        self.severity == Severity::Note
    }

    /// Prints it on stderr. If that fails, there is no other place for it.
    pub(crate) fn print(&self, coloured: bool) {
        let _ = writeln!(io::stderr().lock(), "{}", self.render(coloured));
    }

    fn render(&self, coloured: bool) -> String {
        let level = match self.severity {
            Severity::Error => Level::ERROR,
            Severity::Warning => Level::WARNING,
            Severity::Note => Level::NOTE,
        };
        let mut title = level.primary_title(visible(&self.title));
        if let Some(code) = self.code {
            title = title.id(code);
        }
        let mut group = match &self.place {
            Some(place) => place.show(Group::with_title(title)),
            None => Group::with_title(title),
        };
        let has_excerpt = self.place.as_ref().is_none_or(|place| place.excerpt.is_some());
        if !has_excerpt && !self.remarks.is_empty() {
            group = group.element(Padding);
        }
        for (remark, text) in &self.remarks {
            let level = match remark {
                Remark::Cause => Level::NOTE.with_name("caused by"),
                Remark::Note => Level::NOTE,
                Remark::Help => Level::HELP,
            };
            group = group.element(level.message(visible(text)));
        }
        let renderer = if coloured { Renderer::styled() } else { Renderer::plain() };
        renderer.render(&[group])
    }
}

impl Place {
    fn show<'a>(&'a self, group: Group<'a>) -> Group<'a> {
        let path = visible(&self.path);
        let Some(excerpt) = &self.excerpt else {
            let mut origin = Origin::path(path);
            if let Some(line) = self.line {
                origin = origin.line(line);
            }
            if let Some(column) = self.column {
                origin = origin.char_column(column);
            }
            return group.element(origin);
        };
        let (text, marked) = excerpt.visible();
        let label = Some(visible(&excerpt.label)).filter(|label| !label.is_empty());
        let annotation = AnnotationKind::Primary.span(marked).label(label);
        let snippet = Snippet::source(text).line_start(self.line.unwrap_or(1)).path(path);
        group.element(snippet.annotation(annotation))
    }
}

/// Characters of a line that are shown.
const WIDTH: usize = 120;

impl Excerpt {
    /// The text with every character visible, and the marked part of that.
    fn visible(&self) -> (String, Range<usize>) {
        let boundary = |at: usize| {
            let at = at.min(self.text.len());
            (0..=at).rev().find(|&at| self.text.is_char_boundary(at)).unwrap_or(0)
        };
        let start = boundary(self.marked.start);
        let end = boundary(self.marked.end).max(start);
        let before = visible(&self.text[..start]);
        let marked = visible(&self.text[start..end]);
        let range = before.len()..before.len() + marked.len();
        cut(before + &marked + &visible(&self.text[end..]), range)
    }
}

/// Leaves out what comes long after the beginning of the marked part.
fn cut(mut text: String, marked: Range<usize>) -> (String, Range<usize>) {
    let before = text[..marked.start].chars().count();
    match text.char_indices().nth(before.max(WIDTH / 2) + WIDTH / 2) {
        Some((at, _)) => {
            text.truncate(at);
            text.push('…');
            (text, marked.start..marked.end.min(at))
        }
        None => (text, marked),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str, marked: Range<usize>) -> String {
        let excerpt = Excerpt { text: text.to_owned(), marked, label: String::new() };
        let place = Place { excerpt: Some(excerpt), line: Some(3), ..Place::file("a\x1b.std") };
        Diagnostic::error("bad\x07").at(place).help("look").render(false)
    }

    #[test]
    fn the_place_is_marked() {
        insta::assert_snapshot!(at("T1|frob(x)|12", 3..7), @"
        error: bad␇
         --> a␛.std:3:4
          |
        3 | T1|frob(x)|12
          |    ^^^^
          |
          = help: look
        ");
    }

    #[test]
    fn escapes_in_the_line_do_not_move_the_mark() {
        insta::assert_snapshot!(at("T\x1b[1|frob(x)|12", 5..9), @"
        error: bad␇
         --> a␛.std:3:6
          |
        3 | T␛[1|frob(x)|12
          |      ^^^^
          |
          = help: look
        ");
    }

    #[test]
    fn a_mark_beyond_the_excerpt_or_inside_a_character_is_cut() {
        insta::assert_snapshot!(at("äöü", 1..99), @"
        error: bad␇
         --> a␛.std:3:1
          |
        3 | äöü
          | ^^^
          |
          = help: look
        ");
    }

    #[test]
    fn long_lines_are_cut_at_the_end_and_at_the_beginning() {
        insta::assert_snapshot!(at(&"x".repeat(500), 3..400), @"
        error: bad␇
         --> a␛.std:3:4
          |
        3 | xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…
          |    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
          |
          = help: look
        ");
        insta::assert_snapshot!(at(&"x".repeat(500), 300..400), @"
        error: bad␇
         --> a␛.std:3:301
          |
        3 | ...xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…
          |                                       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
          |
          = help: look
        ");
    }

    #[test]
    fn every_cause_is_named() {
        let error = io::Error::other(io::Error::from(io::ErrorKind::NotFound));
        insta::assert_snapshot!(Diagnostic::error("cannot read `x`").because(&error).render(false), @"
        error: cannot read `x`
         |
         = caused by: entity not found
        ");
    }
}
