//! Recordings of binaries as traces, for the commands that read traces.

use std::io;
use std::path::Path;

pub(crate) use raddle_native::recording::Guide;
use raddle_session::Error;
use raddle_session::native::Opened;
use raddle_trace::format::{Compression, Format, Loaded, ReadError};

use super::launch::begins_with;
use crate::context::Context;
use crate::diagnostic::{Diagnostic, Place};

/// Whether a file is a recording.
pub(crate) fn is_recording(path: &Path) -> bool {
    path.is_file() && begins_with(path, &raddle_wire::MAGIC)
}

/// Reads a recording, with a warning about what was cut off.
pub(crate) fn open(path: &Path, context: &Context) -> Result<(Loaded, Guide), ReadError> {
    let Opened { trace, guide, note, guesses } =
        raddle_session::native::open(path).map_err(|error| {
            ReadError::Io(match error {
                Error::Recording(cause) => io::Error::other(cause),
                error => io::Error::other(error),
            })
        })?;
    if let Some(note) = note {
        let place = Place::file(path.display().to_string());
        context.show(&Diagnostic::warning(note).at(place));
    }
    if let Some(guesses) = guesses {
        let warning = Diagnostic::warning(guesses)
            .remark("findings that depend on a guess are marked")
            .help("without --parallel, nothing has to be guessed");
        context.show(&warning.at(Place::file(path.display().to_string())));
    }
    let (format, compression) = (Format::Rdl, Compression::None);
    Ok((Loaded { trace, format, compression, loss: None, begin_end: None }, guide))
}
