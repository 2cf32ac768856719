//! Formats: traces in files.
//!
//! [`read`] and [`open`] recognise a format by its first bytes: the native format
//! [`rdl`], or RAPID's STD text [`mod@std`], either of them compressed with gzip or zstd.

mod error;
mod input;
mod memory;
mod notation;
pub mod rdl;
pub mod std;

use ::std::io;
use ::std::ops::ControlFlow;
use ::std::path::Path;

pub use error::{BlockProblem, LineError, ReadError, Syntax};
pub use input::Compression;
pub use notation::notation;

use crate::check::Mode;
use crate::events::Events;
use crate::trace::Trace;
use input::Content;

/// A file format for traces.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    /// Text, one event a line, as RAPID reads and writes it.
    Std,
    /// The native format.
    Rdl,
}

impl Format {
    /// The usual ending of file names.
    pub fn extension(self) -> &'static str {
        match self {
            Format::Std => "std",
            Format::Rdl => "rdl",
        }
    }
}

/// Receives the progress of a reader or writer, and can stop it.
pub trait Monitor {
    /// `bytes` of the input file and `n_events` are done.
    fn progress(&mut self, bytes: u64, n_events: u64) -> ControlFlow<()>;

    /// All is read; checking and indexing follow.
    fn read_all(&mut self) {}
}

/// Does not watch.
impl Monitor for () {
    fn progress(&mut self, _: u64, _: u64) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

/// How to read a trace.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Options {
    /// What to do with a trace that is not well-formed.
    pub mode: Mode,
    /// What `begin` and `end` mean in STD text.
    pub begin_end: std::BeginEnd,
    /// Claim that locks are nested, and check it.
    pub nested_locks: bool,
    /// Bytes of memory that the trace may use; what is free, if not given.
    pub max_memory: Option<u64>,
}

/// A trace from a file, and what there is to say about the file.
#[derive(Debug)]
pub struct Loaded {
    /// The trace.
    pub trace: Trace,
    /// The format it was in.
    pub format: Format,
    /// How the file was compressed.
    pub compression: Compression,
    /// What a damaged file has lost.
    pub loss: Option<rdl::Loss>,
    /// How `begin` and `end` were read, if STD text has them.
    pub begin_end: Option<std::BeginEnd>,
}

/// Events from a file, not checked yet.
#[derive(Debug)]
pub struct Raw {
    /// The events.
    pub events: Events,
    /// The format they were in.
    pub format: Format,
    /// How the file was compressed.
    pub compression: Compression,
    /// What a damaged file has lost.
    pub loss: Option<rdl::Loss>,
    /// How `begin` and `end` were read, if STD text has them.
    pub begin_end: Option<std::BeginEnd>,
}

/// Reads, checks and indexes the trace in a file; `-` is the standard input.
pub fn open(path: &Path, options: Options, monitor: &mut dyn Monitor) -> Result<Loaded, ReadError> {
    let limit = memory::limit(options.max_memory);
    let raw = raw(input::open(path, limit)?, options, limit, monitor)?;
    monitor.read_all();
    check(raw, options)
}

/// Reads, checks and indexes a trace from bytes.
pub fn read(bytes: &[u8], options: Options) -> Result<Loaded, ReadError> {
    check(read_raw(bytes, options)?, options)
}

/// Reads events from bytes without checking them.
pub fn read_raw(bytes: &[u8], options: Options) -> Result<Raw, ReadError> {
    let limit = memory::limit(options.max_memory);
    raw(input::from_bytes(bytes, limit)?, options, limit, &mut ())
}

/// A trace from lines of `thread operation object`, for examples and tests.
///
/// The location of each event is its line.
pub fn sketch(text: &str) -> Result<Events, ReadError> {
    let line = |(n, line): (usize, &str)| {
        let mut words = line.split_whitespace();
        let (thread, op) = (words.next().unwrap_or(""), words.next().unwrap_or(""));
        format!("{thread}|{op}({})|{}\n", words.next().unwrap_or("0"), n + 1)
    };
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let text: String = lines.enumerate().map(line).collect();
    Ok(read_raw(text.as_bytes(), Options::default())?.events)
}

fn check(raw: Raw, options: Options) -> Result<Loaded, ReadError> {
    let Raw { mut events, format, compression, loss, begin_end } = raw;
    events.claims.nested_locks |= options.nested_locks;
    let trace = Trace::new(events, options.mode)?;
    Ok(Loaded { trace, format, compression, loss, begin_end })
}

fn raw(
    (compression, content): (Compression, Content),
    options: Options,
    limit: u64,
    monitor: &mut dyn Monitor,
) -> Result<Raw, ReadError> {
    match content {
        Content::Rdl(bytes) => {
            let rdl::Decoded { events, loss } = rdl::decode(&bytes, limit, monitor)?;
            Ok(Raw { events, format: Format::Rdl, compression, loss, begin_end: None })
        }
        Content::Text(text) => {
            let (events, begin_end) = std::read(text, options.begin_end, limit, monitor)?;
            Ok(Raw { events, format: Format::Std, compression, loss: None, begin_end })
        }
    }
}

/// Refuses a trace of so many events that would not fit into memory.
pub fn ensure_fits(n_events: u64, max_memory: Option<u64>) -> Result<(), ReadError> {
    check_memory(n_events, memory::limit(max_memory))
}

fn check_memory(n_events: u64, limit: u64) -> Result<(), ReadError> {
    let needed = n_events.saturating_mul(memory::BYTES_PER_EVENT);
    if needed > limit { Err(ReadError::TooLarge { n_events, needed, limit }) } else { Ok(()) }
}

/// Reports progress to the monitor, and stops if it says so.
fn report(monitor: &mut dyn Monitor, bytes: u64, n_events: u64) -> Result<(), ReadError> {
    match monitor.progress(bytes, n_events) {
        ControlFlow::Continue(()) => Ok(()),
        ControlFlow::Break(()) => Err(ReadError::Interrupted),
    }
}

/// As [`report`], for writers.
fn report_write(monitor: &mut dyn Monitor, n_events: u64) -> io::Result<()> {
    match monitor.progress(0, n_events) {
        ControlFlow::Continue(()) => Ok(()),
        ControlFlow::Break(()) => Err(io::ErrorKind::Interrupted.into()),
    }
}
