//! Results, on the standard output.
//!
//! A reader that closes the pipe early, as `head` does, has what it wanted: that is no error.

use std::io::{self, BufWriter, Write};

pub(crate) use raddle_report::text::Styles;
use serde::Serialize;

use crate::diagnostic::Diagnostic;
use raddle_report::sanitise::{escape_json, has_hidden};

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
