//! What a recording says about itself: which object files, which command, which schedule.
//!
//! The runtime lists object files before the first event. When a run has ended, the host
//! adds how the program was started and what its threads did ([`finish`]), so that a recording is
//! all that is needed to run the program along an order of its events.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Seek, SeekFrom, Write};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use raddle_wire::{Code, HEADER_LEN, RECORD_LEN, Record, TextKind, n_text_records};

use super::Recording;
use super::stream::{Item, Stream};
use crate::launch::Counts;
use crate::symbol::Symbols;
use crate::target::Target;

/// What a recording says about itself.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct About {
    /// Where the program ran.
    pub directory: Option<PathBuf>,
    /// The program and its arguments; empty if the host did not come to say it.
    pub command: Vec<OsString>,
    /// The schedule of the run, as text.
    pub schedule: Option<String>,
    /// The functions that are meant to be atomic.
    pub atomic: Vec<String>,
}

impl Recording {
    /// What the host has added.
    pub fn about(&self) -> About {
        let mut about = About::default();
        let Some(start) = self.footer() else { return about };
        for item in Stream::new(&self.bytes[start..]) {
            match item {
                Item::Text(TextKind::Command, text) => {
                    let mut words = text.split(|&byte| byte == 0).map(OsStr::from_bytes);
                    about.directory = words.next().map(PathBuf::from);
                    about.command = words.map(OsStr::to_owned).collect();
                }
                Item::Text(TextKind::Schedule, text) => {
                    let part = String::from_utf8_lossy(text);
                    about.schedule.get_or_insert_default().push_str(&part);
                }
                Item::Text(TextKind::Atomic, text) => {
                    about.atomic.push(String::from_utf8_lossy(text).into_owned());
                }
                _ => {}
            }
        }
        about
    }

    /// Adds the object files that were loaded when the program began.
    pub fn add_modules(&self, symbols: &mut Symbols) {
        for item in Stream::new(&self.bytes[HEADER_LEN..]) {
            let text = match item {
                Item::Text(TextKind::Module, text) => text,
                Item::Text(TextKind::Unseen, _) | Item::Record(Code::Piece, _) => continue,
                _ => break,
            };
            let Some((range, path)) = text.split_first_chunk::<16>() else { continue };
            let word = |at: usize| {
                u64::from_le_bytes(range[at..at + 8].try_into().expect("there are 16 bytes"))
            };
            symbols.add(word(0), word(8), Path::new(OsStr::from_bytes(path)));
        }
    }

    /// Where the host's texts begin.
    fn footer(&self) -> Option<usize> {
        let last = self.bytes.last_chunk::<RECORD_LEN>()?;
        let (head, tail) = last.split_at(8);
        let word = |bytes: &[u8]| u64::from_le_bytes(bytes.try_into().expect("8 bytes"));
        let record = Record { head: word(head), tail: word(tail) };
        let start = usize::try_from(record.object()).ok()?;
        let is_footer = record.code() == Some(Code::Footer);
        (is_footer && (HEADER_LEN..self.bytes.len()).contains(&start)).then_some(start)
    }
}

/// Marks the end of a recording whose program was killed: it may have come to the end of a piece
/// just then, and would look whole.
pub fn mark_cut(path: &Path) -> io::Result<()> {
    let mut file = File::options().append(true).open(path)?;
    file.write_all(&[0; RECORD_LEN])
}

/// Adds to a recording of a run that has ended how it was started, what its threads did, and which
/// functions are meant to be atomic.
pub fn finish(path: &Path, target: &Target, schedule: &str, atomic: &[String]) -> io::Result<()> {
    let mut file = File::options().write(true).open(path)?;
    let start = file.seek(SeekFrom::End(0))?;
    let directory = match &target.directory {
        Some(directory) => directory.clone(),
        None => std::env::current_dir().unwrap_or_default(),
    };
    let mut command = directory.into_os_string().into_vec();
    for word in std::iter::once(target.program.as_os_str()).chain(target.words()) {
        command.push(0);
        command.extend_from_slice(word.as_bytes());
    }
    let mut bytes = Vec::new();
    text(&mut bytes, TextKind::Command, &command);
    // A text has at most 24 bits of length.
    for part in schedule.as_bytes().chunks(1 << 20) {
        text(&mut bytes, TextKind::Schedule, part);
    }
    for name in atomic {
        text(&mut bytes, TextKind::Atomic, name.as_bytes());
    }
    push(&mut bytes, Record::new(Code::Footer, start, 0, 0, 0));
    let written = file.write_all(&bytes);
    // A part of it would be taken for records.
    written.or_else(|error| file.set_len(start).and(Err(error)))
}

fn push(bytes: &mut Vec<u8>, record: Record) {
    bytes.extend_from_slice(&record.head.to_le_bytes());
    bytes.extend_from_slice(&record.tail.to_le_bytes());
}

fn text(bytes: &mut Vec<u8>, kind: TextKind, content: &[u8]) {
    push(bytes, Record::counted(Code::Text, kind as u64, content.len() as u64, 0));
    bytes.extend_from_slice(content);
    let padded = n_text_records(content.len()) * RECORD_LEN;
    bytes.resize(bytes.len() + padded - content.len(), 0);
}

impl Recording {
    /// How many threads and events it has, and how many of those are accesses; that is all that is
    /// known of a run that was killed.
    pub fn counts(&self) -> Counts {
        let mut counts = Counts { threads: 1, ..Counts::default() };
        for item in Stream::new(self.in_order()) {
            let Item::Record(code, _) = item else { continue };
            counts.threads += u32::from(code == Code::Fork);
            counts.events += u64::from(code.is_event());
            counts.accesses += u64::from(code.is_access());
            counts.switches += u64::from(code == Code::Switch);
        }
        counts
    }

    /// The records of some events, each named by the runtime's number of its thread and by how many
    /// events that thread has done with it.
    pub fn events_at(&self, wanted: &[(u32, u64)]) -> Vec<Option<Record>> {
        let mut found = vec![None; wanted.len()];
        let mut done = rustc_hash::FxHashMap::<u64, u64>::default();
        let mut thread = 0;
        for item in Stream::new(self.in_order()) {
            let Item::Record(code, record) = item else { continue };
            if code == Code::Switch {
                thread = record.object();
            } else if code.is_event() {
                let n = done.entry(thread).or_default();
                *n += 1;
                for (slot, &(number, position)) in found.iter_mut().zip(wanted) {
                    if u64::from(number) == thread && position == *n {
                        *slot = Some(record);
                    }
                }
            }
        }
        found
    }
}
