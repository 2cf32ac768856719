//! Recordings of binaries as traces.

use std::path::Path;

use raddle_native::launch::Answer;
use raddle_native::recording::{self, Guide, Native, Options, Recording};
use raddle_native::symbol::Symbols;
use raddle_trace::Trace;
use raddle_trace::check::Mode;
use raddle_wire::OutcomeKind;

use crate::error::{Cause, Error};

/// A recording that was read.
pub struct Opened {
    /// What was recorded.
    pub trace: Trace,
    /// What steers the program along it.
    pub guide: Guide,
    /// What was cut off, if anything was.
    pub note: Option<String>,
    /// What had to be guessed, if anything had to.
    pub guesses: Option<String>,
}

/// Reads a recording.
pub fn open(path: &Path) -> Result<Opened, Error> {
    let read = || -> Result<Opened, Cause> {
        let recording = Recording::open(path)?;
        let native = recording::read(&recording, &Options::default(), &mut Symbols::new())?;
        let note = native.note.as_ref().map(ToString::to_string);
        let guesses = native.about_guesses();
        let (events, guide) = native.split();
        Ok(Opened { trace: Trace::new(events, Mode::Strict)?, guide, note, guesses })
    };
    read().map_err(Error::Recording)
}

/// Reads the recording of a run that ended like this, with all that its end is about.
pub fn read_ended(recording: &Recording, answer: &Answer, symbols: &mut Symbols) -> Option<Native> {
    let about = match answer.outcome {
        OutcomeKind::UseAfterFree | OutcomeKind::BadFree | OutcomeKind::Misuse => {
            Some(answer.address)
        }
        _ => None,
    };
    // An assertion may fail because of what only one thread accesses.
    let locals = answer.outcome == OutcomeKind::Assertion;
    let waited = answer.blocked.iter().map(|blocked| blocked.object);
    let objects: Vec<_> = waited.chain(about).collect();
    let options = Options { locals, stacks: true, blocks: true, about, objects: &objects };
    recording::read(recording, &options, symbols).ok()
}
