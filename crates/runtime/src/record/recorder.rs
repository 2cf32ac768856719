//! One recorder: a stage, and where in the file it belongs.

mod many;
#[cfg(test)]
mod tests;
mod value;

use core::cell::Cell;
use core::ptr;
use core::sync::atomic::Ordering::{self, Relaxed};
use core::sync::atomic::{AtomicPtr, AtomicU64, compiler_fence};

use raddle_wire::{
    Code, Control, HEADER_LEN, Header, NO_STAGE, RECORD_LEN, Record, RecordingState, TextKind,
    n_text_records,
};

use super::header;
use crate::host;
use crate::sys::{self, nr};
pub use value::peek;

/// Where the next record goes.
///
/// Only one thread uses a recorder. What says how much it has written is atomic, so that others can ask at any time
/// ([`Recorder::n_written`]), though the answer may be late.
pub struct Recorder {
    /// Null while nothing is recorded.
    next: AtomicPtr<Record>,
    end: Cell<*mut Record>,
    /// The stage.
    base: AtomicPtr<u8>,
    len: Cell<usize>,
    /// Where the host finds what the stage is.
    at: Cell<Option<&'static AtomicU64>>,
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
    n_before: AtomicU64,
    /// The access whose value is looked at before the next record; all zero: none.
    due: Cell<Record>,
}

impl Recorder {
    /// One that records nothing.
    pub const fn new() -> Recorder {
        Recorder {
            next: AtomicPtr::new(ptr::null_mut()),
            end: Cell::new(ptr::null_mut()),
            base: AtomicPtr::new(ptr::null_mut()),
            len: Cell::new(0),
            at: Cell::new(None),
            fd: Cell::new(-1),
            before: Cell::new(0),
            max: Cell::new(0),
            state: Cell::new(0),
            one_of_many: Cell::new(None),
            n_pieces: Cell::new(0),
            n_before: AtomicU64::new(0),
            due: Cell::new(Record { head: 0, tail: 0 }),
        }
    }

    /// Begins a recording in an open file.
    pub fn begin(&self, fd: i32, control: &'static Control, stacks: bool) {
        self.fd.set(fd);
        self.max.set(if control.max_recording == 0 { u64::MAX } else { control.max_recording });
        self.at.set(Some(&control.stage_at));
        let (offset, len) = (control.stage_offset as usize, control.stage_len as usize);
        let header = header(control.threading, stacks);
        self.base.store(host::at(offset), Relaxed);
        self.len.set(len);
        self.restart(0);
        self.put_header(header);
    }

    /// Whether records are kept.
    #[inline(always)]
    pub fn is_on(&self) -> bool {
        !self.next().is_null()
    }

    /// How many records fit before the stage is full.
    pub fn room(&self) -> i64 {
        (self.end.get() as i64 - self.next() as i64) / RECORD_LEN as i64
    }

    /// Writes a record if records are kept, without a look at the room that there is.
    ///
    /// # Safety
    /// Records are not kept, or there is room for one.
    #[inline(always)]
    pub unsafe fn put_within_room(&self, record: Record) {
        let next = self.next();
        if !next.is_null() {
            // SAFETY: the caller knows that there is room.
            unsafe { self.put_at(next, record) };
        }
    }

    /// Writes a record if there is room for it; false if not.
    #[inline(always)]
    pub fn put(&self, record: Record) -> bool {
        let next = self.next();
        let has_room = next < self.end.get();
        if has_room {
            // SAFETY: what lies between the two is the stage's, and a multiple of records.
            unsafe { self.put_at(next, record) };
        }
        has_room
    }

    /// # Safety
    /// The next record goes there, and there is room for it.
    #[inline(always)]
    unsafe fn put_at(&self, next: *mut Record, record: Record) {
        // In this order, or a signal's handler that writes here in between would be overwritten.
        self.next.store(next.wrapping_add(1), Relaxed);
        compiler_fence(Ordering::SeqCst);
        // SAFETY: as the caller says; the host looks there only when the process has ended.
        unsafe { next.write(record) };
    }

    #[inline(always)]
    fn next(&self) -> *mut Record {
        self.next.load(Relaxed)
    }

    fn base(&self) -> *mut u8 {
        self.base.load(Relaxed)
    }

    /// Writes a record, if records are kept.
    pub fn write(&self, record: Record) {
        self.settle_value();
        if self.is_on() && !self.put(record) {
            self.put_with_more_room(record);
        }
    }

    #[cold]
    #[inline(never)]
    fn put_with_more_room(&self, record: Record) {
        if self.make_room() {
            self.put(record);
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
        self.n_before.load(Relaxed).wrapping_add((begun / RECORD_LEN) as u64)
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
        self.n_before.store(self.n_written(), Relaxed);
        self.next.store(ptr::null_mut(), Relaxed);
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
        (self.next() as usize).saturating_sub(self.base() as usize)
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
        let has_room = self.before.get() + (len + RECORD_LEN) as u64 <= self.max.get();
        if len < self.len.get() || !has_room {
            self.end_with(len, RecordingState::Limit);
            return false;
        }
        self.clear(len);
        true
    }

    /// The recording ends with so many bytes of the stage, which are in the file.
    fn end_with(&self, saved: usize, why: RecordingState) {
        self.state.set(why as u32);
        self.next.store(self.base().wrapping_add(saved - saved % RECORD_LEN).cast(), Relaxed);
        self.stop();
        self.tell(NO_STAGE);
    }

    /// So many bytes of the stage are in the file; the next ones come behind them.
    fn clear(&self, len: usize) {
        self.n_before.store(self.n_written(), Relaxed);
        // SAFETY: the stage has so many bytes, which the host looks at when the process has ended.
        unsafe { ptr::write_bytes(self.base(), 0, len) };
        self.restart(self.before.get() + len as u64);
    }

    /// The stage, which is empty, belongs there in the file. It ends where the recording has to end,
    /// at the latest; there is always room for the header of the file.
    fn restart(&self, before: u64) {
        self.before.set(before);
        let least = if before == 0 { HEADER_LEN as u64 } else { 0 };
        let left = self.max.get().saturating_sub(before);
        let most = left.max(least).min(self.len.get() as u64) as usize;
        self.end.set(self.base().wrapping_add(most - most % RECORD_LEN).cast());
        self.next.store(self.base().cast(), Relaxed);
        self.tell(before);
    }

    fn put_header(&self, header: Header) {
        let next = self.next();
        // SAFETY: the stage has just begun, and has room for one.
        unsafe { next.cast::<Header>().write(header) };
        self.next.store(next.wrapping_byte_add(HEADER_LEN), Relaxed);
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
                let from = self.base() as usize + done;
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
        if let Some(place) = self.at.get() {
            place.store(at, Ordering::Release);
        }
    }
}
