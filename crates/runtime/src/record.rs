//! The recorder: 16 bytes an event, into a stage that is written to a file whenever it is full.
//!
//! The stage is memory that the host shares, so it outlives the process: if that is killed, the
//! host puts it behind what is in the file. Writing is several times cheaper than mapping the file,
//! where every page is a fault, and a full disk is an error and not a signal.
//!
//! A stage is zero behind the last record. Its place in the file is told (`Control::stage_at`) after
//! it was written there and cleared: at any moment it is either in the file as a whole, or not yet
//! cleared.

use core::cell::Cell;
use core::mem;
use core::ptr;
use core::sync::atomic::{AtomicU64, Ordering};

use raddle_wire::{
    Code, Control, HEADER_LEN, Header, MAGIC, NO_STAGE, RECORD_LEN, Record, RecordingState,
    TextKind, VERSION, n_text_records,
};

use crate::state::State;
use crate::sys::{self, nr};

/// Where the next record goes.
pub struct Recorder {
    /// Null while nothing is recorded.
    next: Cell<*mut Record>,
    end: Cell<*mut Record>,
    stage: Cell<*mut u8>,
    /// Where the host is told what the stage is.
    at: Cell<*const AtomicU64>,
    fd: Cell<i32>,
    /// Bytes of the file before the stage.
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
            stage: Cell::new(ptr::null_mut()),
            at: Cell::new(ptr::null()),
            fd: Cell::new(-1),
            before: Cell::new(0),
            max: Cell::new(0),
            state: Cell::new(0),
        }
    }

    /// Begins a recording in an open file.
    pub fn begin(&self, fd: i32, control: &'static mut Control, stacks: bool) {
        let header = Header {
            magic: MAGIC,
            version: VERSION,
            len: HEADER_LEN as u32,
            threading: control.threading,
            stacks: stacks.into(),
            reserved: [0; 5],
        };
        const { assert!(mem::size_of::<Header>() == HEADER_LEN) };
        self.fd.set(fd);
        self.max.set(if control.max_recording == 0 { u64::MAX } else { control.max_recording });
        self.at.set(&control.stage_at);
        let (offset, len) = (control.stage_offset as usize, control.stage_len as usize);
        // SAFETY: behind the control lies a stage of so many bytes, more than a header.
        unsafe {
            let stage = ptr::from_mut(control).byte_add(offset).cast::<u8>();
            stage.cast::<Header>().write(header);
            self.stage.set(stage);
            self.next.set(stage.add(HEADER_LEN).cast());
            self.end.set(stage.add(len).cast());
        }
        self.tell(0);
    }

    /// Whether records are kept.
    #[inline(always)]
    pub fn is_on(&self) -> bool {
        !self.next.get().is_null()
    }

    /// How many records fit before the stage is full.
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
        self.next_stage()
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
        if self.is_on() {
            self.save(self.used());
        }
    }

    /// Bytes of the stage that are in use.
    fn used(&self) -> usize {
        self.next.get() as usize - self.stage.get() as usize
    }

    /// Begins a new stage; false if the recording ends here.
    #[cold]
    #[inline(never)]
    fn next_stage(&self) -> bool {
        let len = self.used();
        let is_saved = self.save(len);
        if !is_saved || self.before.get() + 2 * len as u64 > self.max.get() {
            let why = if is_saved { RecordingState::Limit } else { RecordingState::DiskFull };
            self.state.set(why as u32);
            if !is_saved {
                self.next.set(self.stage.get().cast());
            }
            self.stop();
            self.tell(NO_STAGE);
            return false;
        }
        // SAFETY: the stage has so many bytes, and they are in the file.
        unsafe { ptr::write_bytes(self.stage.get(), 0, len) };
        self.before.set(self.before.get() + len as u64);
        self.next.set(self.stage.get().cast());
        self.tell(self.before.get());
        true
    }

    /// Writes so many bytes of the stage to where they belong; false if they do not fit.
    fn save(&self, len: usize) -> bool {
        const INTERRUPTED: isize = -4;
        let mut done = 0;
        while done < len {
            // SAFETY: the stage has so many bytes.
            let n = unsafe {
                let from = self.stage.get() as usize + done;
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
}

/// An event of the running thread that is not on the fast path: hashed, recorded, counted.
pub fn event(state: &State, record: Record) {
    state.hash.set(hash_of(state, record));
    state.recorder.write(record);
    if !matches!(record.code(), Some(Code::Read | Code::Write)) {
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
