//! The stream: records of a file, one after the other, as far as they can be read.
//!
//! In: the bytes behind the header. Out: items, and a [`Note`] if the bytes end otherwise than a
//! recording does that is whole.

use std::fmt;

use raddle_wire::{Code, RECORD_LEN, Record, TextKind, n_text_records};

/// Why only a part of a recording was read; `record` counts from 0.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Note {
    /// Nothing was written from here on: the target was killed.
    Cut {
        /// The first record that is missing.
        record: u64,
    },
    /// The last record is there in part.
    Partial {
        /// It.
        record: u64,
    },
    /// The bytes of a text end before it does.
    CutText {
        /// The record that announces it.
        record: u64,
    },
    /// A record of an unknown kind.
    Unknown {
        /// It.
        record: u64,
        /// What it says that it is.
        code: u8,
    },
    /// A thread whose number is beyond what a trace can have.
    Thread {
        /// The record that names it.
        record: u64,
        /// The number.
        number: u64,
    },
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Note::Cut { record } => write!(f, "the recording was cut off after {record} records"),
            Note::Partial { record } => {
                write!(f, "the recording was cut off in the middle of record {record}")
            }
            Note::CutText { record } => {
                write!(f, "the recording was cut off inside the text of record {record}")
            }
            Note::Unknown { record, code } => write!(
                f,
                "record {record} has code {code}, which is unknown; what follows was not read"
            ),
            Note::Thread { record, number } => write!(
                f,
                "record {record} names thread {number}, more than a trace can have; what follows \
                 was not read"
            ),
        }
    }
}

/// What a recording says next.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Item<'a> {
    Record(Code, Record),
    /// Of a kind that is known.
    Text(TextKind, &'a [u8]),
}

/// Reads records.
#[derive(Clone)]
pub(super) struct Stream<'a> {
    bytes: &'a [u8],
    /// Records before the next one.
    n_read: u64,
    pub(super) note: Option<Note>,
}

impl<'a> Stream<'a> {
    /// The records in so many bytes.
    pub(super) fn new(bytes: &'a [u8]) -> Stream<'a> {
        Stream { bytes, n_read: 0, note: None }
    }

    /// How many records are before the next one.
    pub(super) fn n_read(&self) -> u64 {
        self.n_read
    }

    fn end(&mut self, note: Note) -> Option<Item<'a>> {
        self.note = Some(note);
        self.bytes = &[];
        None
    }

    #[inline]
    fn record(&mut self) -> Option<Record> {
        let (bytes, rest) = self.bytes.split_first_chunk::<RECORD_LEN>()?;
        self.bytes = rest;
        let word = |at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().expect("8 bytes"));
        Some(Record { head: word(0), tail: word(8) })
    }

    /// The bytes of a text, whose kinds are few; nothing for a kind that is not among them.
    fn text(&mut self, record: Record) -> Option<Option<Item<'a>>> {
        let len = record.count() as usize;
        let n_records = n_text_records(len);
        if self.bytes.len() < n_records * RECORD_LEN {
            return None;
        }
        let (text, rest) = self.bytes.split_at(n_records * RECORD_LEN);
        self.bytes = rest;
        self.n_read += n_records as u64;
        let kind = TextKind::from_number(record.object());
        Some(kind.map(|kind| Item::Text(kind, &text[..len])))
    }
}

impl<'a> Iterator for Stream<'a> {
    type Item = Item<'a>;

    #[inline]
    fn next(&mut self) -> Option<Item<'a>> {
        loop {
            let at = self.n_read;
            let Some(record) = self.record() else {
                let partial = !self.bytes.is_empty();
                return if partial { self.end(Note::Partial { record: at }) } else { None };
            };
            let Some(code) = record.code() else {
                return self.end(match record {
                    Record { head: 0, tail: 0 } => Note::Cut { record: at },
                    _ => Note::Unknown { record: at, code: (record.head >> 48) as u8 },
                });
            };
            self.n_read += 1;
            if code != Code::Text {
                return Some(Item::Record(code, record));
            }
            match self.text(record) {
                None => return self.end(Note::CutText { record: at }),
                Some(Some(text)) => return Some(text),
                Some(None) => {}
            }
        }
    }
}
