//! The recorder: 16 bytes an event, into a stage that is written to a file whenever it is full.
//!
//! The stage is memory that the host shares, so it outlives the process: if that is killed, the
//! host puts it behind what is in the file. Writing is several times cheaper than mapping the file,
//! where every page is a fault, and a full disk is an error and not a signal.
//!
//! A stage is zero behind the last record. Its place in the file is told (`Control::stage_at`) after
//! it was written there and cleared: at any moment it is either in the file as a whole, or not yet
//! cleared.
//!
//! Under control there is one recorder. Threads that run at once have one each, which writes into
//! pieces of the file that are mapped ([`pieces`](crate::parallel::pieces)).

use core::cell::Cell;
use core::mem;
use core::ptr;
use core::sync::atomic::{AtomicU64, Ordering, compiler_fence};

use raddle_wire::{
    Code, Control, HEADER_LEN, Header, MAGIC, NO_STAGE, PIECE_UNIT, RECORD_LEN, Record,
    RecordingState, TextKind, VERSION, n_text_records,
};

use crate::parallel::pieces;
use crate::state::State;
use crate::sys::{self, nr};

/// Of threads that run at once: many of them write little, the others go on with larger pieces.
const FIRST_OF_MANY: usize = PIECE_UNIT;
const NEXT_OF_MANY: usize = 16 * PIECE_UNIT;

/// Where the next record goes.
pub struct Recorder {
    /// Null while nothing is recorded.
    next: Cell<*mut Record>,
    end: Cell<*mut Record>,
    /// The stage, or the piece that is mapped.
    base: Cell<*mut u8>,
    /// Where the host is told what the stage is.
    at: Cell<*const AtomicU64>,
    fd: Cell<i32>,
    /// Bytes of the file before the stage.
    before: Cell<u64>,
    max: Cell<u64>,
    state: Cell<u32>,
    /// The thread whose pieces these are, if there are others at the same time.
    one_of_many: Cell<Option<u32>>,
    /// Bytes of the stage, or of the piece that is mapped.
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
            at: Cell::new(ptr::null()),
            fd: Cell::new(-1),
            before: Cell::new(0),
            max: Cell::new(0),
            state: Cell::new(0),
            one_of_many: Cell::new(None),
            piece: Cell::new(0),
            n_before: Cell::new(0),
        }
    }

    /// Begins a recording in an open file.
    pub fn begin(&self, fd: i32, control: &'static mut Control, stacks: bool) {
        self.fd.set(fd);
        self.max.set(if control.max_recording == 0 { u64::MAX } else { control.max_recording });
        self.at.set(&control.stage_at);
        let (offset, len) = (control.stage_offset as usize, control.stage_len as usize);
        let header = header(control.threading, stacks);
        // SAFETY: behind the control lies a stage of so many bytes, more than a header.
        unsafe {
            let stage = ptr::from_mut(control).byte_add(offset).cast::<u8>();
            stage.cast::<Header>().write(header);
            self.base.set(stage);
            self.next.set(stage.add(HEADER_LEN).cast());
        }
        self.piece.set(len);
        self.set_end();
        self.tell(0);
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

    /// How many records fit before the stage or the piece is full.
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
            None => self.next_stage(),
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
        if self.is_on() { self.before.get() + self.used() as u64 } else { self.before.get() }
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

    /// Puts what is in the stage into the file; it stays in the stage, too.
    pub fn flush(&self) {
        if self.is_on() && self.one_of_many.get().is_none() {
            self.save(self.used());
        }
    }

    /// Bytes of the stage that are in use.
    fn used(&self) -> usize {
        self.next.get() as usize - self.base.get() as usize
    }

    /// Begins a new stage; false if the recording ends here.
    #[cold]
    #[inline(never)]
    fn next_stage(&self) -> bool {
        let len = self.used();
        let is_saved = self.save(len);
        if !is_saved || len < self.piece.get() || self.before.get() + len as u64 >= self.max.get() {
            let why = if is_saved { RecordingState::Limit } else { RecordingState::DiskFull };
            self.state.set(why as u32);
            if !is_saved {
                self.next.set(self.base.get().cast());
            }
            self.stop();
            self.tell(NO_STAGE);
            return false;
        }
        // SAFETY: the stage has so many bytes, and they are in the file.
        unsafe { ptr::write_bytes(self.base.get(), 0, len) };
        self.before.set(self.before.get() + len as u64);
        self.next.set(self.base.get().cast());
        self.set_end();
        self.tell(self.before.get());
        true
    }

    /// A stage ends where the recording has to end, at the latest; it always has room for a header.
    fn set_end(&self) {
        let left = self.max.get() - self.before.get();
        let most = left.clamp(HEADER_LEN as u64, self.piece.get() as u64) as usize;
        // SAFETY: within the stage, at the end of a record.
        self.end.set(unsafe { self.base.get().add(most - most % RECORD_LEN) }.cast());
    }

    /// Writes so many bytes of the stage to where they belong; false if they do not fit.
    fn save(&self, len: usize) -> bool {
        const INTERRUPTED: isize = -4;
        let mut done = 0;
        while done < len {
            // SAFETY: the stage has so many bytes.
            let n = unsafe {
                let from = self.base.get() as usize + done;
                let to = self.before.get() as usize + done;
                sys::call(nr::PWRITE, [self.fd.get() as usize, from, len - done, to, 0, 0])
            };
            match n {
                INTERRUPTED => {}
                1.. => done += n as usize,
                _ => return false,
            }
        }
        true
    }

    /// Tells the host where the stage belongs.
    fn tell(&self, at: u64) {
        // SAFETY: it lies in memory that stays mapped.
        unsafe { &*self.at.get() }.store(at, Ordering::Release);
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
    if state.explore.looks_for_races() {
        state.races.observe(state.current().number, record, state.explore.point());
    }
    // What comes here by the fast path is counted where it begins.
    const FAST: [Code; 5] =
        [Code::Read, Code::Write, Code::ReadRange, Code::WriteRange, Code::Free];
    if !record.code().is_some_and(|code| FAST.contains(&code)) {
        state.n_others.set(state.n_others.get() + 1);
    }
    state.budget.set(state.budget.get() - 1);
}

/// Something that is no event, but that others have to know of.
pub fn note(state: &State, record: Record) {
    state.recorder.write(record);
    if state.explore.looks_for_races() {
        state.races.observe(state.current().number, record, state.explore.point());
    }
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
