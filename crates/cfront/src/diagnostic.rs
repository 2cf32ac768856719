//! What the front end has to say about a program, and what can go wrong before it can say it.
//!
//! In: messages with [`Span`]s. Out: [`Report`]s, whose places are resolved and which print as
//! `file:line:column: error: message` with the line and a caret, or an [`Error`].

use std::fmt;
use std::path::PathBuf;

use crate::source::{Excerpt, SourceMap, Span, TooLarge};

/// How bad a [`Diagnostic`] is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Kind {
    /// The program is not valid C.
    Invalid,
    /// The program may be valid, but uses what is not supported.
    Unsupported,
    /// The program is accepted.
    Warning,
}

/// A message about a place in the program.
#[derive(Clone, PartialEq, Debug)]
pub struct Diagnostic {
    /// How bad it is.
    pub kind: Kind,
    /// What is wrong.
    pub message: String,
    /// Where.
    pub span: Span,
    /// A few words to stand beside the place.
    pub label: Option<String>,
    /// Further explanations, with their places if they have one.
    pub notes: Vec<(Option<Span>, String)>,
}

impl Diagnostic {
    /// A message without label and notes.
    pub fn new(kind: Kind, span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic { kind, message: message.into(), span, label: None, notes: Vec::new() }
    }

    /// The program is not valid C.
    pub fn invalid(span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(Kind::Invalid, span, message)
    }

    /// The program uses what is not supported.
    pub fn unsupported(span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(Kind::Unsupported, span, message)
    }

    /// The program is accepted, but should be looked at.
    pub fn warning(span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(Kind::Warning, span, message)
    }

    /// With a few words beside the place.
    pub fn label(mut self, label: impl Into<String>) -> Diagnostic {
        self.label = Some(label.into());
        self
    }

    /// With one more explanation.
    pub fn note(mut self, span: Option<Span>, note: impl Into<String>) -> Diagnostic {
        self.notes.push((span, note.into()));
        self
    }

    /// With the places looked up.
    pub fn resolve(&self, map: &SourceMap) -> Report {
        let notes = self.notes.iter();
        Report {
            kind: self.kind,
            message: self.message.clone(),
            excerpt: map.excerpt(self.span),
            label: self.label.clone(),
            notes: notes.map(|(at, note)| (at.map(|at| map.excerpt(at)), note.clone())).collect(),
        }
    }
}

/// A [`Diagnostic`] that can be shown without the program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Report {
    /// How bad it is.
    pub kind: Kind,
    /// What is wrong.
    pub message: String,
    /// Where, with the line.
    pub excerpt: Excerpt,
    /// A few words to stand beside the place.
    pub label: Option<String>,
    /// Further explanations, with their places if they have one.
    pub notes: Vec<(Option<Excerpt>, String)>,
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let severity = match self.kind {
            Kind::Invalid | Kind::Unsupported => "error",
            Kind::Warning => "warning",
        };
        write_place(f, &self.excerpt, severity, &self.message, self.label.as_deref())?;
        for (place, note) in &self.notes {
            writeln!(f)?;
            match place {
                Some(excerpt) => write_place(f, excerpt, "note", note, None)?,
                None => write!(f, "note: {note}")?,
            }
        }
        Ok(())
    }
}

/// `file:line:column: severity: message`, the line, and what is underlined in it.
fn write_place(
    f: &mut fmt::Formatter<'_>,
    excerpt: &Excerpt,
    severity: &str,
    message: &str,
    label: Option<&str>,
) -> fmt::Result {
    let Excerpt { location, line, underlined } = excerpt;
    writeln!(f, "{}:{}:{}: {severity}: {message}", location.file, location.line, location.column)?;
    let width = location.line.to_string().len().max(5);
    writeln!(f, "{:width$} | {line}", location.line)?;
    // Tabs stay tabs, so that the caret stands below what it means at any tab width.
    let indent = line[..underlined.start].chars().map(|c| if c == '\t' { '\t' } else { ' ' });
    let tildes = line[underlined.clone()].chars().count().saturating_sub(1);
    let indent = indent.collect::<String>();
    write!(f, "{:width$} | {indent}^{}", "", "~".repeat(tildes))?;
    label.map_or(Ok(()), |label| write!(f, " {label}"))
}

/// Why a program could not be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The program is invalid or not supported.
    #[error("{}", join(.0))]
    Diagnostics(Vec<Report>),
    /// The preprocessor refused the file.
    #[error("{compiler} cannot preprocess {} ({status})\n{}", file.display(), stderr.trim_end())]
    Preprocessor {
        /// The compiler.
        compiler: String,
        /// The file.
        file: PathBuf,
        /// How it ended.
        status: std::process::ExitStatus,
        /// What it wrote.
        stderr: String,
    },
    /// A file does not exist or cannot be read.
    #[error("cannot read {}: {reason}", file.display())]
    File {
        /// The file.
        file: PathBuf,
        /// Why.
        reason: String,
    },
    /// There is no C compiler by this name.
    #[error("cannot run the C compiler '{compiler}', which is needed to preprocess: {source}")]
    NoCompiler {
        /// The compiler.
        compiler: String,
        /// Why.
        source: std::io::Error,
    },
    /// The embedded headers could not be written, neither to the cache nor to a temporary directory.
    #[error("cannot write the embedded headers: {0}")]
    Headers(#[source] raddle_cache::CacheError),
    /// There is no memory for the thread that compiles.
    #[error("cannot start a thread: {0}")]
    Thread(#[source] std::io::Error),
    /// The program is too large.
    #[error(transparent)]
    TooLarge(#[from] TooLarge),
}

impl Error {
    /// Diagnostics with their places looked up.
    pub fn diagnostics(diagnostics: &[Diagnostic], map: &SourceMap) -> Error {
        Error::Diagnostics(diagnostics.iter().map(|one| one.resolve(map)).collect())
    }
}

fn join(reports: &[Report]) -> String {
    reports.iter().map(Report::to_string).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(diagnostic: Diagnostic, expected: &str) {
        let mut map = SourceMap::new();
        map.add("<a.c>", "int a\n\tint bcd;\n".to_owned()).unwrap();
        assert_eq!(Error::diagnostics(&[diagnostic], &map).to_string(), expected);
    }

    #[test]
    fn errors_show_line_and_caret() {
        check(
            Diagnostic::invalid(Span { start: 11, end: 14 }, "no such thing").label("here"),
            "<a.c>:2:6: error: no such thing\n    2 | \tint bcd;\n      | \t    ^~~ here",
        );
    }

    #[test]
    fn notes_follow() {
        check(
            Diagnostic::unsupported(Span { start: 0, end: 3 }, "no integers")
                .note(Some(Span { start: 4, end: 5 }), "used here")
                .note(None, "try another"),
            "<a.c>:1:1: error: no integers\n    1 | int a\n      | ^~~\n\
             <a.c>:1:5: note: used here\n    1 | int a\n      |     ^\n\
             note: try another",
        );
    }

    #[test]
    fn the_end_of_the_file_can_be_meant() {
        check(
            Diagnostic::warning(Span { start: 16, end: 16 }, "no end"),
            "<a.c>:3:1: warning: no end\n    3 | \n      | ^",
        );
    }
}
