//! One recorder: a stage, and where in the file it belongs.

mod many;
mod value;

use core::cell::Cell;
use core::ptr;
use core::sync::atomic::{AtomicU64, Ordering, compiler_fence};

use raddle_wire::{
    Code, Control, HEADER_LEN, Header, NO_STAGE, RECORD_LEN, Record, RecordingState, TextKind,
    n_text_records,
};

use super::header;
use crate::sys::{self, nr};
pub use value::peek;

/// Where the next record goes.
pub struct Recorder {
    /// Null while nothing is recorded.
    next: Cell<*mut Record>,
    end: Cell<*mut Record>,
    /// The stage.
    base: Cell<*mut u8>,
    len: Cell<usize>,
    /// Where the host finds what the stage is.
    at: Cell<*const AtomicU64>,
    fd: Cell<i32>,
    /// Bytes of the file before the stage.
    before: Cell<u64>,
    /// Where the file has to end.
    max: Cell<u64>,
    state: Cell<u32>,
    /// The thread whose pieces these are, if there are others at the same time.
    one_of_many: Cell<Option<u32>>,
    /// How many pieces were filled before the stage.
    n_pieces: Cell<u64>,
    /// Records that are no longer in the stage; what only begins a piece is no record.
    n_before: Cell<u64>,
    /// The access whose value is looked at before the next record; all zero: none.
    due: Cell<Record>,
}

impl Recorder {
    /// One that records nothing.
    pub const fn new() -> Recorder {
        Recorder {
            next: Cell::new(ptr::null_mut()),
            end: Cell::new(ptr::null_mut()),
            base: Cell::new(ptr::null_mut()),
            len: Cell::new(0),
            at: Cell::new(ptr::null()),
            fd: Cell::new(-1),
            before: Cell::new(0),
            max: Cell::new(0),
            state: Cell::new(0),
            one_of_many: Cell::new(None),
            n_pieces: Cell::new(0),
            n_before: Cell::new(0),
            due: Cell::new(Record { head: 0, tail: 0 }),
        }
    }

    /// Begins a recording in an open file.
    pub fn begin(&self, fd: i32, control: &'static mut Control, stacks: bool) {
        self.fd.set(fd);
        self.max.set(if control.max_recording == 0 { u64::MAX } else { control.max_recording });
        self.at.set(&control.stage_at);
        let (offset, len) = (control.stage_offset as usize, control.stage_len as usize);
        let header = header(control.threading, stacks);
        // SAFETY: behind the control lies a stage of so many bytes.
        self.base.set(unsafe { ptr::from_mut(control).byte_add(offset).cast() });
        self.len.set(len);
        self.restart(0);
        self.put_header(header);
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
        // In this order, or a signal's handler that writes here in between would be overwritten.
        self.next.set(next.add(1));
        compiler_fence(Ordering::SeqCst);
        next.write(record);
    }

    /// Writes a record, if records are kept.
    pub fn write(&self, record: Record) {
        self.settle_value();
        if self.is_on() && self.make_room() {
            // SAFETY: there is room.
            unsafe { self.put(record) };
        }
    }

    /// Sees to it that there is room for a record; false if the recording ends here.
    pub fn make_room(&self) -> bool {
        self.make_room_for(1)
    }

    /// The same for several records of a thread among others, in one piece.
    pub fn make_room_for(&self, n: i64) -> bool {
        match self.one_of_many.get() {
            _ if !self.is_on() => false,
            Some(thread) if self.room() < n => self.go_on(thread),
            None if self.room() < 1 => self.next_stage(),
            _ => true,
        }
    }

    /// How many records were written.
    pub fn n_written(&self) -> u64 {
        let begun = if self.is_on() { self.used() } else { 0 };
        self.n_before.get().wrapping_add((begun / RECORD_LEN) as u64)
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
        self.forget_value();
        self.before.set(self.len());
        self.n_before.set(self.n_written());
        self.next.set(ptr::null_mut());
        self.end.set(ptr::null_mut());
    }

    /// Puts what is in the stage into the file, if it fits; it stays in the stage, too.
    pub fn flush(&self) {
        if self.is_on() && self.one_of_many.get().is_none() {
            let (used, saved) = (self.used(), self.save(self.used()));
            if saved < used {
                self.end_with(saved, RecordingState::DiskFull);
            }
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
        let saved = self.save(len);
        if saved < len {
            self.end_with(saved, RecordingState::DiskFull);
            return false;
        }
        if len < self.len.get() || self.before.get() + len as u64 >= self.max.get() {
            self.end_with(len, RecordingState::Limit);
            return false;
        }
        self.clear(len);
        true
    }

    /// The recording ends with so many bytes of the stage, which are in the file.
    fn end_with(&self, saved: usize, why: RecordingState) {
        self.state.set(why as u32);
        // SAFETY: within the stage, at the end of a record.
        self.next.set(unsafe { self.base.get().add(saved - saved % RECORD_LEN) }.cast());
        self.stop();
        self.tell(NO_STAGE);
    }

    /// So many bytes of the stage are in the file; the next ones come behind them.
    fn clear(&self, len: usize) {
        self.n_before.set(self.n_written());
        // SAFETY: the stage has so many bytes.
        unsafe { ptr::write_bytes(self.base.get(), 0, len) };
        self.restart(self.before.get() + len as u64);
    }

    /// The stage, which is empty, belongs there in the file. It ends where the recording has to end,
    /// at the latest; there is always room for the header of the file.
    fn restart(&self, before: u64) {
        self.before.set(before);
        let least = if before == 0 { HEADER_LEN as u64 } else { 0 };
        let left = self.max.get().saturating_sub(before);
        let most = left.max(least).min(self.len.get() as u64) as usize;
        // SAFETY: within the stage, at the end of a record.
        self.end.set(unsafe { self.base.get().add(most - most % RECORD_LEN) }.cast());
        self.next.set(self.base.get().cast());
        self.tell(before);
    }

    fn put_header(&self, header: Header) {
        let next = self.next.get();
        // SAFETY: the stage has just begun, and has room for one.
        unsafe {
            next.cast::<Header>().write(header);
            self.next.set(next.byte_add(HEADER_LEN));
        }
    }

    /// Writes so many bytes of the stage to where they belong; how many of them fitted.
    fn save(&self, len: usize) -> usize {
        const INTERRUPTED: isize = -4;
        let room = sys::max_file_len().saturating_sub(self.before.get());
        let len = len.min(usize::try_from(room).unwrap_or(usize::MAX));
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
                _ => break,
            }
        }
        done
    }

    /// Publishes where the stage belongs.
    fn tell(&self, at: u64) {
        // SAFETY: it lies in memory that stays mapped.
        unsafe { &*self.at.get() }.store(at, Ordering::Release);
    }
}
