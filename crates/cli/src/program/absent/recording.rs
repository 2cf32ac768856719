//! Recordings of binaries: recognised, so that they are refused with the reason.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use raddle_trace::format::{Loaded, ReadError};
use raddle_trace::{EventId, Events};

use super::{ABSENT, Never};
use crate::context::Context;

/// What steers a binary along a recording.
#[derive(Debug)]
pub(crate) struct Guide(pub(crate) Never);

impl Guide {
    /// There is no guide that could be asked.
    pub(crate) fn rests_on_guess(&self, _: &Events, _: &[EventId]) -> bool {
        match self.0 {}
    }

    /// Likewise.
    pub(crate) fn unseen(&self) -> &[String] {
        match self.0 {}
    }
}

/// Whether a file is a recording.
pub(crate) fn is_recording(path: &Path) -> bool {
    let mut start = [0; raddle_wire::MAGIC.len()];
    let read = File::open(path).and_then(|mut file| file.read_exact(&mut start));
    path.is_file() && read.is_ok() && start == raddle_wire::MAGIC
}

/// Refuses.
pub(crate) fn open(_: &Path, _: &Context) -> Result<(Loaded, Guide), ReadError> {
    Err(ReadError::Io(io::Error::other(ABSENT)))
}
