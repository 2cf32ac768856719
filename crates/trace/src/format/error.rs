//! What can go wrong while a trace is read.

use std::io;

use crate::check::Violation;
use crate::names::NameError;

/// A trace could not be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReadError {
    /// The operating system said no.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// There is nothing in it.
    #[error("the trace is empty: it has no event")]
    Empty,
    /// A line of text is no event.
    #[error(transparent)]
    Line(Box<LineError>),
    /// A file in the native format is damaged before its first event.
    #[error("at byte {offset}: {problem}")]
    Block {
        /// Bytes from the start of the file.
        offset: u64,
        /// What is wrong there.
        problem: BlockProblem,
    },
    /// The trace does not fit into memory.
    #[error(
        "the trace needs about {} of memory for {n_events} events or more, and {} may be used; \
         split the trace, or raise the limit",
        bytes(*needed), bytes(*limit)
    )]
    TooLarge {
        /// How many events there are, or were read so far.
        n_events: u64,
        /// Bytes of memory for these.
        needed: u64,
        /// Bytes of memory that may be used.
        limit: u64,
    },
    /// More events than 32-bit ids can name.
    #[error("the trace has more than {} events", crate::Events::MAX_LEN)]
    TooManyEvents,
    /// The events break a rule.
    #[error(transparent)]
    IllFormed(#[from] Violation),
    /// The caller asked to stop.
    #[error("interrupted")]
    Interrupted,
}

/// A line of text is no event.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, column {column}: {syntax}")]
pub struct LineError {
    /// Counted from 1.
    pub line: u64,
    /// Counted from 1, in bytes.
    pub column: usize,
    /// How many bytes from there on are wrong.
    pub length: usize,
    /// What is wrong.
    pub syntax: Syntax,
    /// The line, or what stands around the column if the line is long; empty if it is not at hand.
    pub excerpt: String,
    /// The byte of the line where the excerpt begins.
    pub excerpt_start: usize,
}

/// What is wrong with a line.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Syntax {
    /// No `|` at all.
    #[error("expected `thread|operation(object)|location`")]
    NoFields,
    /// Nothing before the first `|`.
    #[error("the thread has no name")]
    NoThread,
    /// No second `|`.
    #[error("expected `|` and a location after the operation")]
    NoLocation,
    /// The operation has no object.
    #[error("expected `(` and the object of the operation")]
    NoObject,
    /// The object has no end.
    #[error("expected `)` at the end of the operation")]
    Unclosed,
    /// An operation that is not known.
    #[error("unknown operation `{0}`")]
    UnknownOperation(String),
    /// A line that no trace has.
    #[error("the line is longer than {0} bytes")]
    TooLong(usize),
    /// More threads than are supported.
    #[error("more than {} threads", crate::Events::MAX_THREADS)]
    TooManyThreads,
    /// A name that cannot be kept.
    #[error(transparent)]
    Name(#[from] NameError),
}

/// What is wrong with a block of the native format.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BlockProblem {
    /// The file ends inside the block.
    #[error("the file ends inside a block")]
    CutOff,
    /// The file is no `.rdl` file.
    #[error("this is not an .rdl file")]
    NotRdl,
    /// Another version of the format.
    #[error("the file has format version {0}; this program reads version {1}")]
    Version(u16, u16),
    /// The bytes where a block should begin are something else.
    #[error("expected the beginning of a block")]
    NoBlock,
    /// The checksum does not match.
    #[error("the checksum of the block does not match its content")]
    Checksum,
    /// The content makes no sense although its checksum matches.
    #[error("the content of the block is invalid: {0}")]
    Content(&'static str),
}

/// A number of bytes for people.
pub(crate) fn bytes(n: u64) -> String {
    const UNITS: [&str; 5] = ["bytes", "KiB", "MiB", "GiB", "TiB"];
    let mut value = n as f64;
    let mut unit = 0;
    while value >= 1024.0 && unit + 1 < UNITS.len() {
        value /= 1024.0;
        unit += 1;
    }
    if unit == 0 { format!("{n} bytes") } else { format!("{value:.1} {}", UNITS[unit]) }
}
