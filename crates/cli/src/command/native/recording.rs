//! Recordings of binaries as traces, for the commands that read traces.

use std::io;
use std::path::Path;

use raddle_native::recording::{self, Guide, Options, Recording};
use raddle_native::symbol::Symbols;
use raddle_trace::Trace;
use raddle_trace::check::Mode;
use raddle_trace::format::{Compression, Format, Loaded, ReadError};

use super::launch::begins_with;
use crate::context::Context;
use crate::diagnostic::{Diagnostic, Place};

/// Whether a file is a recording.
pub(crate) fn is_recording(path: &Path) -> bool {
    path.is_file() && begins_with(path, &raddle_wire::MAGIC)
}

/// Reads a recording; what was cut off is told.
pub(crate) fn open(path: &Path, context: &Context) -> Result<(Loaded, Guide), ReadError> {
    let other = |error: recording::ReadError| ReadError::Io(io::Error::other(error));
    let recording = Recording::open(path).map_err(other)?;
    let mut symbols = Symbols::new();
    let native = recording::read(&recording, &Options::default(), &mut symbols).map_err(other)?;
    if let Some(note) = &native.note {
        let place = Place::file(path.display().to_string());
        context.tell(&Diagnostic::warning(note.to_string()).at(place));
    }
    if let Some(guesses) = native.about_guesses() {
        let warning = Diagnostic::warning(guesses)
            .remark("findings that rest on a guess say so")
            .help("without --parallel nothing has to be guessed");
        context.tell(&warning.at(Place::file(path.display().to_string())));
    }
    let (events, guide) = native.split();
    let trace = Trace::new(events, Mode::Strict)?;
    let (format, compression) = (Format::Rdl, Compression::None);
    Ok((Loaded { trace, format, compression, loss: None, begin_end: None }, guide))
}
