//! Where a search is saved: in a file that is a checkpoint, or is not there yet.
//!
//! In: a path, and now and then a search. Out: the file, always a whole checkpoint. What is something
//! else is neither replaced nor removed.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;
use std::time::{Duration, Instant};

use raddle_explore::{Checkpoint, CheckpointError};
use raddle_session::quoted;

use crate::context::Context;
use crate::destination::Destination;
use crate::diagnostic::Diagnostic;
use crate::interrupt::Output;

/// Saving takes at most one part in so many of the time.
const SHARE: u32 = 10;

/// A file for checkpoints.
pub(crate) struct Saving<'a> {
    path: &'a Path,
    context: &'a Context,
    /// How often the search is saved.
    every: Duration,
    /// When it was saved, and how long that took.
    saved: Instant,
    took: Duration,
    has_failed: bool,
}

impl<'a> Saving<'a> {
    /// Makes sure that the file can be written, before any work is done.
    pub(crate) fn prepare(
        path: &'a Path,
        every: Duration,
        context: &'a Context,
    ) -> Result<Saving<'a>, Diagnostic> {
        let cannot =
            || Diagnostic::error(format!("cannot save the search in `{}`", path.display()));
        if path == Path::new("-") || fs::metadata(path).is_ok_and(|meta| !meta.is_file()) {
            return Err(cannot().remark("a checkpoint must be a regular file"));
        }
        if !is_replaceable(path).map_err(|error| cannot().because(&error))? {
            return Err(cannot()
                .remark("refusing to overwrite a file that is not a checkpoint")
                .help(
                    "name a file that does not exist, or one that an earlier search has written",
                ));
        }
        drop(Destination::prepare(path, &context.interrupt)?);
        let (saved, took) = (Instant::now(), Duration::ZERO);
        Ok(Saving { path, context, every, saved, took, has_failed: false })
    }

    /// Saves the search if it is time. A failure is shown once: the search itself can go on.
    pub(crate) fn remind(&mut self, search: &dyn Fn() -> Checkpoint) {
        if self.saved.elapsed() < self.every.max(SHARE * self.took) {
            return;
        }
        let start = Instant::now();
        if let Err(error) = self.write(search)
            && !std::mem::replace(&mut self.has_failed, true)
        {
            self.context.show(&error);
        }
        self.saved = Instant::now();
        self.took = self.saved - start;
    }

    /// Saves a search that has not come to its end.
    pub(crate) fn end(&self, search: &dyn Fn() -> Checkpoint) -> Result<(), Diagnostic> {
        self.write(search)?;
        let path = quoted(self.path.as_os_str());
        self.context.show(&Diagnostic::note(format!("saved; resume with --resume {path}")));
        Ok(())
    }

    /// Removes what was saved of a search that has come to its end: it is of no use.
    pub(crate) fn forget(&self) {
        match fs::remove_file(self.path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                log::debug!("cannot remove the checkpoint: {error}");
            }
            _ => {}
        }
    }

    fn write(&self, search: &dyn Fn() -> Checkpoint) -> Result<(), Diagnostic> {
        let bytes = search().to_bytes();
        let destination = Destination::prepare(self.path, &self.context.interrupt)?;
        destination.write(|out| out.write_all(&bytes))?;
        // The results are what counts for Ctrl-C.
        self.context.interrupt.state().output = Output::Nothing;
        Ok(())
    }
}

/// The search that was saved in a file.
pub(crate) fn load(path: &Path) -> Result<Checkpoint, Diagnostic> {
    let bytes = fs::read(path).map_err(|error| cannot_resume(path).because(&error))?;
    Checkpoint::from_bytes(&bytes).map_err(|error| cannot_resume(path).because(&error))
}

/// A search that was saved does not fit what is to be searched.
pub(crate) fn misfit(path: &Path, error: &CheckpointError) -> Diagnostic {
    match error {
        CheckpointError::Options { .. } => cannot_resume(path)
            .remark("it was saved with different options")
            .help("use the same options; budgets and --jobs may differ"),
        error => cannot_resume(path).because(error),
    }
}

fn cannot_resume(path: &Path) -> Diagnostic {
    Diagnostic::error(format!("cannot resume `{}`", path.display()))
}

/// Whether there is nothing, an empty file, or something that begins like a checkpoint.
fn is_replaceable(path: &Path) -> io::Result<bool> {
    let file = match File::open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(true),
        file => file?,
    };
    let mut start = Vec::new();
    file.take(8).read_to_end(&mut start)?;
    let is_foreign = Checkpoint::from_bytes(&start) == Err(CheckpointError::Foreign);
    Ok(start.is_empty() || !is_foreign)
}
