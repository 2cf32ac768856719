//! The recorder: 16 bytes an event, into a file that is mapped piece by piece.
//!
//! A piece is reserved on disk before it is mapped, so a full disk ends the recording instead of
//! the program. What is written is in the page cache at once: it survives whatever happens to the
//! process, and a reader stops at the first record that was never written.
//!
//! Under control there is one recorder, whose pieces lie one after the other. Threads that run at
//! once have one each, and get their pieces from [`pieces`](crate::parallel::pieces).

use core::cell::Cell;
use core::mem;
use core::ptr;
use core::sync::atomic::{Ordering, compiler_fence};

use raddle_wire::{
    Code, HEADER_LEN, Header, MAGIC, PIECE_UNIT, RECORD_LEN, Record, RecordingState, TextKind,
    VERSION, n_text_records,
};

use crate::parallel::pieces;
use crate::state::State;
use crate::sys;

const PIECE: usize = 8 << 20;
/// Of threads that run at once: many of them write little, the others go on with larger pieces.
const FIRST_OF_MANY: usize = PIECE_UNIT;
const NEXT_OF_MANY: usize = 16 * PIECE_UNIT;

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
    /// The thread whose pieces these are, if there are others at the same time.
    one_of_many: Cell<Option<u32>>,
    /// Bytes of the piece that is mapped.
    piece: Cell<usize>,
    /// Records in pieces that are no longer mapped.
    n_before: Cell<u64>,
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
            one_of_many: Cell::new(None),
            piece: Cell::new(PIECE),
            n_before: Cell::new(0),
        }
    }

    /// Begins a recording in an open file.
    pub fn begin(&self, fd: i32, max: u64, threading: u32, stacks: bool) {
        self.fd.set(fd);
        self.max.set(if max == 0 { u64::MAX } else { max });
        if !self.map_piece(0) {
            return;
        }
        // SAFETY: the piece is mapped and larger than a header.
        unsafe {
            self.base.get().cast::<Header>().write(header(threading, stacks));
            self.next.set(self.base.get().add(HEADER_LEN).cast());
        }
    }

    /// Begins the pieces of one thread among others; the first one of all has the header.
    pub fn begin_one_of_many(&self, thread: u32, first: Option<Header>) {
        self.one_of_many.set(Some(thread));
        self.map_shared(FIRST_OF_MANY, thread, first);
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
        // In this order, or a signal's handler that writes here in between would be overwritten.
        self.next.set(next.add(1));
        compiler_fence(Ordering::SeqCst);
        next.write(record);
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
        match self.one_of_many.get() {
            Some(thread) => self.go_on(thread),
            None => {
                // SAFETY: the piece is full and nobody points into it.
                unsafe { sys::unmap(self.base.get(), PIECE) };
                self.map_piece(self.before.get() + PIECE as u64)
            }
        }
    }

    /// Sees to it that there is room for so many records in one piece.
    pub fn make_room_for(&self, n: i64) -> bool {
        match self.one_of_many.get() {
            Some(thread) if self.is_on() && self.room() < n => self.go_on(thread),
            _ => self.make_room(),
        }
    }

    /// The next piece of a thread among others.
    #[cold]
    fn go_on(&self, thread: u32) -> bool {
        let (base, end, piece) = (self.base.get(), self.end.get(), self.piece.get());
        let n = (self.next.get() as usize - base as usize) / RECORD_LEN;
        self.n_before.set(self.n_before.get() + n as u64);
        if self.map_shared(NEXT_OF_MANY, thread, None) {
            // SAFETY: the piece before has been left.
            unsafe { sys::unmap(base, piece) };
            return true;
        }
        // SAFETY: behind what counts as the end there is room for one more.
        unsafe { end.write(Record::new(Code::Stop, crate::parallel::number(), 0, 0, 0)) };
        false
    }

    /// How many records were written.
    pub fn n_written(&self) -> u64 {
        let now = self.next.get() as u64;
        let begun = if now == 0 { 0 } else { now - self.base.get() as u64 };
        self.n_before.get() + begun / RECORD_LEN as u64
    }

    /// Writes text.
    pub fn text(&self, kind: TextKind, parts: &[&[u8]]) {
        let len: usize = parts.iter().map(|part| part.len()).sum();
        self.make_room_for(n_text_records(len) as i64 + 1);
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
        if offset + PIECE as u64 > self.max.get() && offset > 0 {
            self.state.set(RecordingState::Limit as u32);
            return false;
        }
        let reserved = pieces::allocate(self.fd.get(), offset, PIECE);
        let base = match reserved {
            true => sys::map_file(self.fd.get(), offset as usize, PIECE),
            false => ptr::null_mut(),
        };
        if base.is_null() {
            self.state.set(RecordingState::DiskFull as u32);
            return false;
        }
        self.base.set(base);
        self.next.set(base.cast());
        // SAFETY: the end of what was mapped.
        self.end.set(unsafe { base.add(PIECE) }.cast());
        true
    }
    fn map_shared(&self, len: usize, thread: u32, header: Option<Header>) -> bool {
        self.next.set(ptr::null_mut());
        self.end.set(ptr::null_mut());
        let Some(base) = pieces::next(len) else { return false };
        // SAFETY: so many bytes were mapped; the last record's place is kept for a `Stop`.
        unsafe {
            self.end.set(base.add(len).cast::<Record>().sub(1));
            let mut first = base;
            if let Some(header) = header {
                base.cast::<Header>().write(header);
                first = base.add(HEADER_LEN);
            }
            let n = (base as usize + len - first as usize) / RECORD_LEN;
            first.cast::<Record>().write(Record::new(Code::Piece, thread.into(), 0, n as u64, 0));
            self.base.set(base);
            self.piece.set(len);
            self.next.set(first.cast::<Record>().add(1));
        }
        true
    }
}

/// The header of a recording.
pub fn header(threading: u32, stacks: bool) -> Header {
    const { assert!(mem::size_of::<Header>() == HEADER_LEN) };
    Header {
        magic: MAGIC,
        version: VERSION,
        len: HEADER_LEN as u32,
        threading,
        stacks: stacks.into(),
        reserved: [0; 5],
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
