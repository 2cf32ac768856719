//! The recorder: 16 bytes an event, into a file that is mapped piece by piece.
//!
//! A piece is reserved on disk before it is mapped, so a full disk ends the recording instead of
//! the program. What is written is in the page cache at once: it survives whatever happens to the
//! process, and a reader stops at the first record that was never written.

use core::cell::Cell;
use core::mem;
use core::ptr;

use raddle_wire::{
    Code, HEADER_LEN, Header, MAGIC, RECORD_LEN, Record, RecordingState, TextKind, VERSION,
    n_text_records,
};

use crate::state::State;
use crate::sys::{self, nr};

const PIECE: usize = 8 << 20;

/// Where the next record goes.
pub struct Recorder {
    /// Null while nothing is recorded.
    next: Cell<*mut Record>,
    end: Cell<*mut Record>,
    base: Cell<*mut u8>,
    fd: Cell<i32>,
    /// Bytes of the file before the piece that is mapped.
    before: Cell<u64>,
    max: Cell<u64>,
    state: Cell<u32>,
}

impl Recorder {
    /// One that records nothing.
    pub const fn new() -> Recorder {
        Recorder {
            next: Cell::new(ptr::null_mut()),
            end: Cell::new(ptr::null_mut()),
            base: Cell::new(ptr::null_mut()),
            fd: Cell::new(-1),
            before: Cell::new(0),
            max: Cell::new(0),
            state: Cell::new(0),
        }
    }

    /// Begins a recording in an open file.
    pub fn begin(&self, fd: i32, max: u64, threading: u32, stacks: bool) {
        self.fd.set(fd);
        self.max.set(if max == 0 { u64::MAX } else { max });
        if !self.map_piece(0) {
            return;
        }
        let header = Header {
            magic: MAGIC,
            version: VERSION,
            len: HEADER_LEN as u32,
            threading,
            stacks: stacks.into(),
            reserved: [0; 5],
        };
        const { assert!(mem::size_of::<Header>() == HEADER_LEN) };
        // SAFETY: the piece is mapped and larger than a header.
        unsafe {
            self.base.get().cast::<Header>().write(header);
            self.next.set(self.base.get().add(HEADER_LEN).cast());
        }
    }

    /// Whether records are kept.
    #[inline(always)]
    pub fn is_on(&self) -> bool {
        !self.next.get().is_null()
    }

    /// How many records fit before a new piece is needed.
    pub fn room(&self) -> i64 {
        (self.end.get() as i64 - self.next.get() as i64) / RECORD_LEN as i64
    }

    /// Writes a record for which there is room.
    ///
    /// # Safety
    /// The recorder is on, and `room` was above 0.
    #[inline(always)]
    pub unsafe fn put(&self, record: Record) {
        let next = self.next.get();
        next.write(record);
        self.next.set(next.add(1));
    }

    /// Writes a record, if records are kept.
    pub fn write(&self, record: Record) {
        if self.is_on() && self.make_room() {
            // SAFETY: there is room.
            unsafe { self.put(record) };
        }
    }

    /// Sees to it that there is room for a record; false if the recording ends here.
    pub fn make_room(&self) -> bool {
        if !self.is_on() {
            return false;
        }
        if self.room() > 0 {
            return true;
        }
        if self.end.get() as usize - (self.base.get() as usize) < PIECE {
            self.state.set(RecordingState::Limit as u32);
            self.stop();
            return false;
        }
        // SAFETY: the piece is full and nobody points into it.
        unsafe { sys::unmap(self.base.get(), PIECE) };
        self.map_piece(self.before.get() + PIECE as u64)
    }

    /// Writes text.
    pub fn text(&self, kind: TextKind, parts: &[&[u8]]) {
        let len: usize = parts.iter().map(|part| part.len()).sum();
        self.write(Record::counted(Code::Text, kind as u64, len as u64, 0));
        let mut bytes = parts.iter().flat_map(|part| part.iter().copied());
        for _ in 0..n_text_records(len) {
            let mut half = || {
                let mut word = [0; 8];
                word.iter_mut().zip(&mut bytes).for_each(|(to, from)| *to = from);
                u64::from_le_bytes(word)
            };
            let head = half();
            let tail = half();
            self.write(Record { head, tail });
        }
    }

    /// Bytes of the file that are in use.
    pub fn len(&self) -> u64 {
        if self.is_on() {
            self.before.get() + (self.next.get() as u64 - self.base.get() as u64)
        } else {
            self.before.get()
        }
    }

    /// A `RecordingState`.
    pub fn state(&self) -> u32 {
        self.state.get()
    }

    /// Records no more: this process is a child, or the recording ended.
    pub fn stop(&self) {
        self.before.set(self.len());
        self.next.set(ptr::null_mut());
        self.end.set(ptr::null_mut());
    }

    fn map_piece(&self, offset: u64) -> bool {
        self.before.set(offset);
        self.next.set(ptr::null_mut());
        self.end.set(ptr::null_mut());
        if offset >= self.max.get() && offset > 0 {
            self.state.set(RecordingState::Limit as u32);
            return false;
        }
        // SAFETY: reserves space in a file that is ours.
        let reserved = unsafe {
            let fd = self.fd.get() as usize;
            let by_blocks = sys::call(nr::FALLOCATE, [fd, 0, offset as usize, PIECE, 0, 0]);
            const NOT_SUPPORTED: isize = -95;
            if by_blocks == NOT_SUPPORTED {
                sys::call3(nr::FTRUNCATE, fd, offset as usize + PIECE, 0)
            } else {
                by_blocks
            }
        };
        let base = if reserved < 0 {
            ptr::null_mut()
        } else {
            sys::map_file(self.fd.get(), offset as usize, PIECE)
        };
        if base.is_null() {
            self.state.set(RecordingState::DiskFull as u32);
            return false;
        }
        self.base.set(base);
        self.next.set(base.cast());
        let most = (self.max.get() - offset).clamp(HEADER_LEN as u64, PIECE as u64) as usize;
        // SAFETY: within what was mapped, at the end of a record.
        self.end.set(unsafe { base.add(most - most % RECORD_LEN) }.cast());
        true
    }
}

/// An event of the running thread that is not on the fast path: hashed, recorded, counted.
pub fn event(state: &State, record: Record) {
    state.hash.set(hash_of(state, record));
    state.recorder.write(record);
    // What comes here by the fast path is counted where it begins.
    const FAST: [Code; 5] =
        [Code::Read, Code::Write, Code::ReadRange, Code::WriteRange, Code::Free];
    if !record.code().is_some_and(|code| FAST.contains(&code)) {
        state.n_others.set(state.n_others.get() + 1);
    }
    state.budget.set(state.budget.get() - 1);
}

/// An event of the running thread that changed nothing and orders nothing, though when it happened
/// matters: its time ran out, or it looked at something.
pub fn in_vain(state: &State, pc: u64) {
    event(state, Record::new(Code::Pass, 0, 0, pc, 0));
}

/// The hash with one more event.
#[inline(always)]
pub fn hash_of(state: &State, record: Record) -> u64 {
    let same = state.same.get();
    let mut head = record.head & same.head;
    let object = record.object();
    if object >= same.stack {
        // Where the main stack begins depends on the environment; what lies above the frames
        // (arguments and environment) is not told apart.
        let depth = same.stack_base.saturating_sub(object);
        head = head & !((1 << 48) - 1) | depth;
    }
    crate::hash::add(state.hash.get(), Record { head, tail: record.tail & same.tail ^ same.thread })
}
