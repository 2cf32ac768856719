//! Results, on the standard output.
//!
//! A reader that closes the pipe early, as `head` does, has what it wanted: that is no error.

use std::io::{self, BufWriter, Write};

use clap::builder::styling::{AnsiColor, Effects, Style};
use serde::Serialize;

use crate::diagnostic::Diagnostic;
use crate::sanitise::{escape_json, has_hidden};

/// The looks of text on the standard output.
pub(crate) struct Styles {
    /// What the text is about.
    pub(crate) heading: Style,
    /// Good news.
    pub(crate) good: Style,
    /// Not so good news.
    pub(crate) caution: Style,
    /// Remarks.
    pub(crate) dim: Style,
}

impl Styles {
    /// No looks at all.
    pub(crate) const fn plain() -> Styles {
        let none = Style::new();
        Styles { heading: none, good: none, caution: none, dim: none }
    }

    /// For a terminal.
    pub(crate) const fn coloured() -> Styles {
        let bold = Style::new().effects(Effects::BOLD);
        Styles {
            heading: bold,
            good: AnsiColor::Green.on_default().effects(Effects::BOLD),
            caution: AnsiColor::Yellow.on_default().effects(Effects::BOLD),
            dim: Style::new().effects(Effects::DIMMED),
        }
    }
}

/// Prints text; the caller has made what came from outside visible.
pub(crate) fn print_text(text: &str) -> Result<(), Diagnostic> {
    print(text.as_bytes())
}

/// Prints a document of one of the documented schemas.
pub(crate) fn print_json(document: &impl Serialize) -> Result<(), Diagnostic> {
    let json = serde_json::to_string_pretty(document)
        .map_err(|error| Diagnostic::error("cannot write JSON").because(&error))?;
    print(format!("{}\n", escape_json(&json)).as_bytes())
}

/// Prints a report of findings while it is being made, so that it need not fit into memory.
pub(crate) fn print_findings(report: &impl Serialize) -> Result<(), Diagnostic> {
    print_with(|out| {
        raddle_finding::write_json(report, &mut Escaping(out)).map_err(io::Error::from)
    })
}

/// Prints what something writes, while it is being made.
pub(crate) fn print_with(
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), Diagnostic> {
    let mut out = BufWriter::with_capacity(1 << 16, io::stdout().lock());
    settle(write(&mut out).and_then(|()| out.flush()))
}

/// Escapes the characters of JSON that a terminal might act on. Characters come in one piece.
struct Escaping<'a>(&'a mut dyn Write);

impl Write for Escaping<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.write_all(bytes).map(|()| bytes.len())
    }

    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        match str::from_utf8(bytes) {
            Ok(text) if text != "\n" && has_hidden(text) => {
                self.0.write_all(escape_json(text).as_bytes())
            }
            _ => self.0.write_all(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

fn print(bytes: &[u8]) -> Result<(), Diagnostic> {
    let mut stdout = io::stdout().lock();
    settle(stdout.write_all(bytes).and_then(|()| stdout.flush()))
}

fn settle(written: io::Result<()>) -> Result<(), Diagnostic> {
    match written {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        Err(error) => Err(cannot_write(&error)),
        Ok(()) => Ok(()),
    }
}

/// The standard output takes no more.
pub(crate) fn cannot_write(error: &io::Error) -> Diagnostic {
    Diagnostic::error("cannot write to the standard output").because(error)
}
