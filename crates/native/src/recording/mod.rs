//! Recordings: from what the runtime wrote to a trace.
//!
//! In: a file of 16-byte records (`raddle_wire::Record`). Out: [`Native`], the events of a trace
//! with names and places, and what is needed to turn an order of them into a schedule again.
//!
//! ```text
//!  bytes ─► (merge) ─► stream ─► survey (who touches what, threads, modules)
//!                         └──► convert ─► thin, heap, frames, names ─► Events, positions ─► steer ─► steps
//! ```
//!
//! A recording may end anywhere and contain anything: what can be read is used, and a note says
//! where that ended ([`Note`]). A recording that the runtime finished passes the strict check.

mod about;
mod atomic;
mod convert;
mod frames;
mod heap;
mod merge;
mod names;
mod passes;
mod shadow;
mod steer;
mod stream;
mod survey;
mod thin;

#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use memmap2::Mmap;
use raddle_trace::{EventId, Events, LocationId, Op, RegionId, ThreadId, VarId};
use raddle_wire::{HEADER_LEN, MAGIC, Threading, VERSION};
use rustc_hash::{FxHashMap, FxHashSet};
use thiserror::Error;

pub use about::{About, finish, mark_cut};
pub use passes::Passes;
pub use steer::Guide;
pub use stream::Note;

use crate::symbol::{Frame, Symbols};
use atomic::Functions;

/// A recording could not be read.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ReadError {
    /// The file could not be opened.
    #[error("{}: {source}", path.display())]
    Open {
        /// It.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The file is something else.
    #[error("this is not a recording of a program")]
    NotARecording,
    /// Another version wrote it.
    #[error("the recording has version {found}, this program reads version {VERSION}")]
    Version {
        /// Its version.
        found: u32,
    },
    /// More events than a trace can have.
    #[error("the recording has more events than a trace can hold ({limit})")]
    TooLong {
        /// How many a trace can have.
        limit: usize,
    },
    /// More names than a trace can have.
    #[error("the names in the recording exceed 4 GiB")]
    Names,
}

impl From<names::Full> for ReadError {
    fn from(_: names::Full) -> ReadError {
        ReadError::Names
    }
}

/// A recording, not yet looked at.
pub struct Recording {
    bytes: Mmap,
    threading: Option<Threading>,
    /// What threads at once did, in one order, computed when it is first needed.
    merged: OnceLock<Vec<u8>>,
}

/// What to keep of a recording.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Options<'a> {
    /// Memory that one thread alone touches, and reads that say nothing new.
    pub locals: bool,
    /// Call stacks, where the recording has them.
    pub stacks: bool,
    /// Allocations and frees, whichever thread uses the memory.
    pub blocks: bool,
    /// An address of which it is asked what it belongs to at the end.
    pub about: Option<u64>,
    /// Addresses of locks and the like of which it is asked what they are called at the end.
    pub objects: &'a [u64],
}

/// A recording as a trace.
#[derive(Debug)]
pub struct Native {
    /// The events.
    pub events: Events,
    /// Per event, how many events that a schedule counts its thread has done after it.
    pub positions: Vec<u64>,
    /// The runtime's number of each thread.
    pub threads: Vec<u32>,
    /// Events that are not certain, ascending: reads whose writer is a guess, wake-ups of which the
    /// reason is, and what a thread did first after something of which the place is not known.
    /// There are none unless threads ran at once.
    pub guesses: Vec<EventId>,
    /// Per thread, from where the function was called that it was in at the end, the innermost first;
    /// nothing unless stacks were asked for.
    pub callers: Vec<Vec<Frame>>,
    /// Places in headers and libraries of the system.
    pub libraries: Libraries,
    /// The block of the heap that was asked about, and where in it the address lies.
    pub about: Option<(RegionId, u64)>,
    /// Names of what was asked for by its address, as far as they are known.
    pub objects: FxHashMap<u64, String>,
    /// Variables on stacks.
    pub locals: FxHashSet<VarId>,
    /// Why only a part was read.
    pub note: Option<Note>,
    /// The names of object files whose code was not instrumented and may order threads.
    pub unseen: Vec<String>,
    /// Notifies of one thread and which waits they ended, ascending.
    woken: Vec<(EventId, ThreadId)>,
}

/// Places in headers and libraries of the system.
pub type Libraries = FxHashSet<LocationId>;

/// Whether a file that begins like this is a recording, of whatever version.
pub fn is_recording(bytes: &[u8]) -> bool {
    bytes.starts_with(&MAGIC)
}

impl Recording {
    /// Opens a recording.
    pub fn open(path: &Path) -> Result<Recording, ReadError> {
        let failed = |source| ReadError::Open { path: path.to_owned(), source };
        let file = File::open(path).map_err(failed)?;
        if file.metadata().map_err(failed)?.len() < HEADER_LEN as u64 {
            return Err(ReadError::NotARecording);
        }
        // SAFETY: the map is only read. If another process cuts the file short meanwhile, this process
        // ends by a signal, as with any program that maps its input.
        let bytes = unsafe { Mmap::map(&file) }.map_err(failed)?;
        if !is_recording(&bytes) {
            return Err(ReadError::NotARecording);
        }
        let word = |at: usize| {
            u32::from_le_bytes(bytes[at..at + 4].try_into().expect("the header has 4 bytes here"))
        };
        let (version, len, threading) = (word(8), word(12), word(16));
        if version != VERSION {
            return Err(ReadError::Version { found: version });
        }
        if len != HEADER_LEN as u32 {
            return Err(ReadError::NotARecording);
        }
        let threading = Threading::from_number(threading);
        Ok(Recording { bytes, threading, merged: OnceLock::new() })
    }

    /// How threads were run.
    pub fn threading(&self) -> Option<Threading> {
        self.threading
    }

    /// Its records in one order.
    fn in_order(&self) -> &[u8] {
        match self.threading {
            Some(Threading::Parallel) => {
                self.merged.get_or_init(|| merge::merge(&self.bytes).bytes)
            }
            _ => &self.bytes[HEADER_LEN..],
        }
    }
}

impl Native {
    /// A sentence about guesses, if there are any.
    pub fn about_guesses(&self) -> Option<String> {
        let reads = self.guesses.iter().filter_map(|&event| match self.events.op(event) {
            Op::Read { var, .. } | Op::ReadModifyWrite { var, .. } => Some(var),
            _ => None,
        });
        let n_reads = reads.clone().count();
        let n_variables = reads.collect::<BTreeSet<_>>().len();
        let n_others = self.guesses.len() - n_reads;
        match (n_reads, n_others) {
            (0, 0) => None,
            (_, 0) => Some(format!(
                "{n_reads} reads of {n_variables} variables overlap writes: which write each saw \
                 is a guess"
            )),
            _ => Some(format!(
                "{n_reads} reads of {n_variables} variables and {n_others} other events overlap \
                 events that they depend on: which of those each saw is a guess"
            )),
        }
    }
}

/// Makes a trace of a recording. Object files that it speaks of are added to the symbols.
pub fn read(
    recording: &Recording,
    options: &Options<'_>,
    symbols: &mut Symbols,
) -> Result<Native, ReadError> {
    let functions = Functions::new(recording.about().atomic);
    if recording.threading == Some(Threading::Parallel) {
        let merged = merge::merge(&recording.bytes);
        let native = convert::convert(&merged.bytes, *options, functions, symbols)?;
        return Ok(Native { note: merged.note.or(native.note), ..native });
    }
    convert::convert(&recording.bytes[HEADER_LEN..], *options, functions, symbols)
}
