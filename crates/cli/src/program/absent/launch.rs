//! Which binary to run: none.

use std::path::{Path, PathBuf};

use clap::Args;
use raddle_finding::Schedule;

use super::{Never, absent};
use crate::context::Context;
use crate::diagnostic::Diagnostic;
use crate::program::source::ProgramArgs;

/// How a binary is run; there are no options for that.
#[derive(Debug, Args)]
pub(crate) struct NativeArgs {}

/// A binary that is run.
pub(crate) type Launch = Never;

/// Whether the files name a binary: there are none, or the first one is no source.
pub(crate) fn is_binary(files: &[PathBuf]) -> bool {
    let Some(file) = files.first() else { return true };
    let is_source = file.extension().is_some_and(|extension| extension == "c" || extension == "i");
    let start = std::fs::read(file).unwrap_or_default();
    !is_source
        && [&b"\x7fELF"[..], b"MZ", b"\xcf\xfa\xed\xfe"]
            .iter()
            .any(|magic| start.starts_with(magic))
}

/// Refuses.
pub(crate) fn prepare(
    _: &NativeArgs,
    _: &[PathBuf],
    _: &ProgramArgs,
    _: &Context,
) -> Result<Launch, Diagnostic> {
    Err(absent())
}

/// A schedule: its text, or `@` and a file that has it.
pub(crate) fn schedule(text: &str) -> Result<Schedule, Diagnostic> {
    let wrong = |text: &str| Diagnostic::error(format!("`{text}` is not a schedule"));
    let read = match text.strip_prefix('@').map(Path::new) {
        Some(path) => std::fs::read_to_string(path).map_err(|error| wrong(text).because(&error))?,
        None => text.to_owned(),
    };
    read.trim().parse().map_err(|error| {
        wrong(text).because(&error).help("a schedule looks like rs1:9f3ac2:0r5,1, or is @FILE")
    })
}
