//! The recorder of one thread among others.
//!
//! Its stage is a piece of the file itself that stays mapped, so it is there whichever process is killed. When it
//! is full, it is copied to another piece and begins again. A copy has the same number as what was
//! copied, and the next stage the one behind it: the reader takes of two with one number the longer
//! one, since either the copy was under way or the stage was being cleared.

use core::ptr;
use core::sync::atomic::Ordering::{self, Relaxed};
use core::sync::atomic::compiler_fence;

use raddle_wire::{Code, HEADER_LEN, Header, PIECE_UNIT, RECORD_LEN, Record, RecordingState};

use super::Recorder;
use crate::parallel::{number, pieces};
use crate::sys;

impl Recorder {
    /// Begins the pieces of one thread among others; the first one of all has the header.
    pub fn begin_one_of_many(&self, fd: i32, thread: u32, first: Option<Header>) {
        self.one_of_many.set(Some(thread));
        self.fd.set(fd);
        let Some(offset) = pieces::next() else { return pieces::end_at_limit() };
        let mut base = sys::map_file(fd, offset as usize, PIECE_UNIT);
        if base.is_null() {
            return pieces::end(RecordingState::DiskFull);
        }
        self.len.set(PIECE_UNIT);
        if let Some(header) = first {
            // SAFETY: the piece has room for more than a header.
            unsafe {
                base.cast::<Header>().write(header);
                base = base.add(HEADER_LEN);
            }
            self.len.set(PIECE_UNIT - HEADER_LEN);
        }
        self.base.store(base, Relaxed);
        self.begin_piece(thread);
    }

    /// The thread has ended: what it wrote is in the file.
    pub fn finish_one_of_many(&self) {
        if self.is_on() {
            self.stop();
            // SAFETY: a stage is one mapping with its header, and its thread writes no more.
            unsafe { sys::unmap(self.base().sub(PIECE_UNIT - self.len.get()), PIECE_UNIT) };
        }
    }

    /// Empties the stage; false if the recording ends here.
    #[cold]
    #[inline(never)]
    pub(super) fn go_on(&self, thread: u32) -> bool {
        let used = self.used();
        let is_saved = pieces::next().is_some_and(|offset| {
            self.before.set(offset);
            let is_saved = self.save(used) == used;
            if !is_saved {
                pieces::end(RecordingState::DiskFull);
            }
            is_saved
        });
        if !is_saved {
            // SAFETY: behind what counts as the end there is room for one more.
            unsafe { self.next().write(Record::new(Code::Stop, number(), 0, 0, 0)) };
            self.stop();
            pieces::end_at_limit();
            return false;
        }
        self.n_before.store(self.n_written(), Relaxed);
        // SAFETY: the stage has so many bytes; its first record stays until all others are gone.
        unsafe { ptr::write_bytes(self.base().add(RECORD_LEN), 0, used - RECORD_LEN) };
        compiler_fence(Ordering::SeqCst);
        self.n_pieces.set(self.n_pieces.get() + 1);
        self.begin_piece(thread);
        true
    }

    /// Begins with the stage, which is empty. The last record's place is kept for a `Stop`.
    fn begin_piece(&self, thread: u32) {
        let n = self.len.get() / RECORD_LEN;
        let first = self.base().cast::<Record>();
        let begin = Record::counted(Code::Piece, thread.into(), self.n_pieces.get(), n as u64);
        // SAFETY: the stage has `n` records.
        unsafe { first.write(begin) };
        self.next.store(first.wrapping_add(1), Relaxed);
        self.end.set(first.wrapping_add(n - 1));
        // What begins a piece is no record.
        self.n_before.store(self.n_before.load(Relaxed).wrapping_sub(1), Relaxed);
    }
}
