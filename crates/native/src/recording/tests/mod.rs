//! Recordings that are written by hand, and the traces that they become.

mod any;
mod memory;
mod names;
mod parallel;
mod rules;
mod steer;
mod thinned;

use std::fs;
use std::path::PathBuf;

use raddle_trace::check::{Mode, check};
use raddle_trace::format::notation;
use raddle_wire::{Code, HEADER_LEN, MAGIC, Record, TextKind, VERSION};

use super::{Native, Options, Recording, read};
use crate::symbol::Symbols;

/// Where test programs are.
pub(super) const PC: u64 = 0x40_1000;

/// A recording in the making.
#[derive(Clone)]
pub(super) struct Build {
    pub(super) bytes: Vec<u8>,
}

impl Build {
    pub(super) fn new() -> Build {
        let mut bytes = MAGIC.to_vec();
        bytes.extend(VERSION.to_le_bytes());
        bytes.extend((HEADER_LEN as u32).to_le_bytes());
        bytes.resize(HEADER_LEN, 0);
        Build { bytes }
    }

    pub(super) fn record(mut self, record: Record) -> Build {
        self.bytes.extend(record.head.to_le_bytes());
        self.bytes.extend(record.tail.to_le_bytes());
        self
    }

    pub(super) fn on(self, thread: u64) -> Build {
        self.record(Record::new(Code::Switch, thread, 0, 0, 0))
    }

    /// A record about an object, with an extra.
    pub(super) fn with(self, code: Code, object: u64, extra: u16) -> Build {
        self.record(Record::new(code, object, 4, PC, extra))
    }

    pub(super) fn does(self, code: Code, object: u64) -> Build {
        self.with(code, object, 0)
    }

    pub(super) fn read(self, address: u64) -> Build {
        self.does(Code::Read, address)
    }

    pub(super) fn write(self, address: u64) -> Build {
        self.does(Code::Write, address)
    }

    pub(super) fn counted(self, code: Code, object: u64, count: u64) -> Build {
        self.record(Record::counted(code, object, count, PC))
    }

    pub(super) fn alloc(self, address: u64, len: u64) -> Build {
        self.does(Code::Alloc, address).does(Code::Extent, len)
    }

    pub(super) fn text(self, kind: TextKind, text: &[u8]) -> Build {
        let mut build = self.counted(Code::Text, kind as u64, text.len() as u64);
        build.bytes.extend(text);
        let rest = (build.bytes.len() - HEADER_LEN) % 16;
        build.bytes.resize(build.bytes.len() + (16 - rest) % 16, 0);
        build
    }

    pub(super) fn open(&self) -> Recording {
        let folder = tempfile::tempdir().unwrap();
        let path: PathBuf = folder.path().join("recording");
        fs::write(&path, &self.bytes).unwrap();
        Recording::open(&path).unwrap()
    }

    pub(super) fn read_with(&self, options: Options) -> Native {
        read(&self.open(), &options, &mut Symbols::new()).unwrap()
    }

    /// Everything, shared or not.
    pub(super) fn all(&self) -> Native {
        self.read_with(Options { locals: true, stacks: false, ..Options::default() })
    }
}

/// The events in STD notation; memory is shown by its address alone.
pub(super) fn shown(native: &Native) -> String {
    let event = |e: raddle_trace::Event| {
        let text = notation(&native.events, e.thread, e.op);
        match text.split_once("stack of ") {
            Some((before, rest)) => {
                let (_, address) = rest.split_once(" at ").unwrap();
                format!("{before}{address}")
            }
            None => text,
        }
    };
    native.events.iter().map(event).collect::<Vec<_>>().join(" ")
}

/// All of a recording is a trace that passes the strict check, and it is this one.
#[track_caller]
pub(super) fn check_all(build: &Build, expected: &str) -> Native {
    let native = build.all();
    assert_eq!(shown(&native), expected);
    assert_eq!(native.note, None);
    check(native.events.clone(), Mode::Strict).unwrap();
    assert_eq!(native.positions.len(), native.events.len());
    native
}
