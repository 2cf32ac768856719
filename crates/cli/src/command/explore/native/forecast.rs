//! What a plain run of a binary foretells: it is recorded, and `predict` does the rest.

use std::io;
use std::path::Path;
use std::time::{Duration, Instant};

use raddle_native::launch::Answer;
use raddle_native::recording;
use raddle_wire::{Flags, Phase};
use tempfile::NamedTempFile;

use super::Binary;
use crate::command::predict::foresee::{Forecast, foresee};
use crate::context::Context;
use crate::diagnostic::Diagnostic;

/// Recordings are read whole: 16 bytes an event.
const RECORDING_MAX: u64 = 256 << 20;

impl Binary {
    /// Records a plain run and predicts from it, within this time. Functions in `atomic` are meant
    /// to be atomic.
    pub(in crate::command::explore) fn forecast(
        &self,
        atomic: &[String],
        n_workers: usize,
        time: Option<Duration>,
        context: &Context,
    ) -> Result<Forecast, Diagnostic> {
        let deadline = time.map(|time| Instant::now() + time);
        let file = NamedTempFile::new()
            .map_err(|error| Diagnostic::error("cannot make a temporary file").because(&error))?;
        let mut request = self.launch.request(&[]);
        request.recording = Some(file.path().to_owned());
        request.max_recording = RECORDING_MAX;
        request.stacks = !atomic.is_empty();
        request.flags |= Flags::RECORD;
        request.timeout = Some(time.map_or(self.setup.timeout, |t| t.min(self.setup.timeout)));
        let answer = self.launch.run(&request, context)?;
        self.finish(file.path(), &answer, atomic)
            .map_err(|error| Diagnostic::error("cannot write a temporary file").because(&error))?;
        let has_transactions = !atomic.is_empty();
        foresee(file.path(), &self.launch, has_transactions, n_workers, deadline, context)
    }

    /// Adds to a recording what the program could not write.
    fn finish(&self, path: &Path, answer: &Answer, atomic: &[String]) -> io::Result<()> {
        if answer.phase != Phase::Ended {
            recording::mark_cut(path)?;
        }
        // What is predicted needs no schedule.
        recording::finish(path, &self.launch.target, "", atomic)
    }
}
