//! The survey: what has to be known of a whole recording before its first event can be named.
//!
//! In: the stream. Out: who touched which memory, which threads there are and what they are
//! called, and how far the stream can be read. Object files go to the symbols.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use raddle_trace::Events;
use raddle_wire::{Code, Record, TextKind};
use rustc_hash::FxHashMap;

use super::shadow::Shadow;
use super::stream::{Item, Note, Stream};
use crate::symbol::Symbols;

/// What a survey found.
pub(super) struct Survey {
    pub(super) shadow: Shadow,
    pub(super) threads: Threads,
    /// Where the stack of the main thread lies, if that was recorded.
    pub(super) main_stack: Option<(u64, u64)>,
    /// Records that can be read.
    pub(super) n_records: u64,
    pub(super) note: Option<Note>,
    /// The names of object files whose code is not seen and may order threads.
    pub(super) unseen: Vec<String>,
}

/// The threads, in the order in which a recording first speaks of them.
pub(super) struct Threads {
    pub(super) all: Vec<Thread>,
    ids: FxHashMap<u32, u32>,
}

/// A thread of a recording.
pub(super) struct Thread {
    /// The runtime's number for it.
    pub(super) number: u32,
    /// The name that the program gave it.
    pub(super) name: Option<String>,
    /// The address of its function.
    pub(super) start: Option<u64>,
}

impl Threads {
    fn new() -> Threads {
        let mut threads = Threads { all: Vec::new(), ids: FxHashMap::default() };
        threads.add(0);
        threads
    }

    /// Its dense id.
    pub(super) fn id(&self, number: u64) -> Option<u32> {
        self.ids.get(&u32::try_from(number).ok()?).copied()
    }

    fn add(&mut self, number: u32) -> u32 {
        let next = self.all.len() as u32;
        let id = *self.ids.entry(number).or_insert(next);
        if id == next {
            self.all.push(Thread { number, name: None, start: None });
        }
        id
    }
}

/// Goes through the whole stream.
pub(super) fn survey(bytes: &[u8], symbols: &mut Symbols) -> Survey {
    let mut survey = Survey {
        shadow: Shadow::new((bytes.len() / raddle_wire::RECORD_LEN) as u64),
        threads: Threads::new(),
        main_stack: None,
        n_records: 0,
        note: None,
        unseen: Vec::new(),
    };
    let mut walk = Walk { thread: 0, allocated: FxHashMap::default(), last_alloc: None };
    let mut stream = Stream::new(bytes);
    loop {
        survey.n_records = stream.n_read();
        match stream.next() {
            None => break,
            Some(Item::Text(kind, text)) => walk.text(&mut survey, symbols, kind, text),
            Some(Item::Record(code, record)) => {
                if let Err(number) = walk.record(&mut survey, code, record) {
                    survey.note = Some(Note::Thread { record: survey.n_records, number });
                    return survey;
                }
            }
        }
    }
    survey.note = stream.note;
    survey
}

/// Where the survey is.
struct Walk {
    /// The current thread's id.
    thread: u32,
    /// Bytes of what is allocated, by address.
    allocated: FxHashMap<u64, u64>,
    last_alloc: Option<u64>,
}

impl Walk {
    /// Takes in a record; fails with the number of a thread that cannot be.
    #[inline]
    fn record(&mut self, survey: &mut Survey, code: Code, record: Record) -> Result<(), u64> {
        let address = record.object();
        match code {
            Code::Read
            | Code::Write
            | Code::AtomicLoad
            | Code::AtomicStore
            | Code::AtomicUpdate
            | Code::AtomicMiss => {
                survey.shadow.touch(self.thread, address, record.detail().into());
            }
            Code::ReadRange | Code::WriteRange => {
                survey.shadow.touch(self.thread, address, record.count().into());
            }
            Code::Switch => self.thread = add_thread(survey, address)?,
            Code::Fork | Code::Join => _ = add_thread(survey, address)?,
            Code::Alloc => self.last_alloc = Some(address),
            Code::Extent => {
                if let Some(start) = self.last_alloc.take() {
                    self.allocated.insert(start, address);
                }
            }
            // A free touches memory: what other threads do there must come before.
            Code::Free => {
                if let Some(len) = self.allocated.remove(&address).filter(|&len| len > 0) {
                    survey.shadow.touch(self.thread, address, len);
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn text(&self, survey: &mut Survey, symbols: &mut Symbols, kind: TextKind, text: &[u8]) {
        let word = |at: usize| {
            let bytes = text.get(at..at + 8)?;
            Some(u64::from_le_bytes(bytes.try_into().expect("8 bytes")))
        };
        let thread = &mut survey.threads.all[self.thread as usize];
        match kind {
            TextKind::Module => {
                if let (Some(load), Some(end), Some(path)) = (word(0), word(8), text.get(16..)) {
                    symbols.add(load, end, Path::new(OsStr::from_bytes(path)));
                }
            }
            TextKind::ThreadName => thread.name = Some(String::from_utf8_lossy(text).into_owned()),
            TextKind::ThreadStart => thread.start = word(0),
            TextKind::Child => {
                if let Some(Ok(child)) = word(0).map(|number| add_thread(survey, number)) {
                    survey.threads.all[child as usize].start = word(8);
                }
            }
            TextKind::Stack if thread.number == 0 => {
                survey.main_stack = word(0).zip(word(8));
            }
            TextKind::Unseen => {
                let path = Path::new(OsStr::from_bytes(text));
                let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
                if !survey.unseen.contains(&name) {
                    survey.unseen.push(name);
                }
            }
            TextKind::Command
            | TextKind::Schedule
            | TextKind::Stack
            | TextKind::Atomic
            | TextKind::Bytes => {}
        }
    }
}

fn add_thread(survey: &mut Survey, number: u64) -> Result<u32, u64> {
    match u32::try_from(number) {
        Ok(small) if (small as usize) < Events::MAX_THREADS => Ok(survey.threads.add(small)),
        _ => Err(number),
    }
}
