//! The recorder of one thread among others, which writes into pieces of the file.

use raddle_wire::{Code, HEADER_LEN, Header, PIECE_UNIT, RECORD_LEN, Record, RecordingState};

use super::Recorder;
use crate::parallel::number;
use crate::parallel::pieces::{self, Slot};

/// Many threads write little, the others go on with larger pieces.
const FIRST: usize = PIECE_UNIT;
const NEXT: usize = 16 * PIECE_UNIT;

impl Recorder {
    /// Begins the pieces of one thread among others; the first one of all has the header.
    pub fn begin_one_of_many(&self, thread: u32, first: Option<Header>) {
        self.one_of_many.set(Some(thread));
        let Some(Slot { fd, base, len, at }) = pieces::slot() else { return };
        self.fd.set(fd);
        self.base.set(base);
        self.len.set(len);
        self.at.set(at);
        self.next_piece(thread, FIRST, first);
    }

    /// The thread among others has ended: another one may have its stage.
    pub fn finish_one_of_many(&self) {
        if self.is_on() && self.move_on() {
            self.stop();
            pieces::give_back(self.at.get());
        }
    }

    /// Makes room for so many records of a thread among others.
    #[cold]
    #[inline(never)]
    pub(super) fn go_on(&self, thread: u32, n: i64) -> bool {
        if !self.move_on() {
            return false;
        }
        if self.room() >= n || self.next_piece(thread, NEXT, None) {
            return true;
        }
        // Behind what counts as the end of a piece there is room for one more.
        // SAFETY: the stage is empty.
        unsafe { self.put(Record::new(Code::Stop, number(), 0, 0, 0)) };
        self.move_on();
        self.stop();
        false
    }

    /// Saves the stage of a thread among others and empties it; if there is no room, which was
    /// reserved wherever the system can do that, nobody records any more.
    fn move_on(&self) -> bool {
        let used = self.used();
        let is_saved = self.save(used) == used;
        match is_saved {
            true => self.clear(used),
            false => {
                pieces::end(RecordingState::DiskFull);
                self.stop();
            }
        }
        is_saved
    }

    /// Begins a piece, if there is one, with an empty stage. The last record's place is kept for a
    /// `Stop`.
    fn next_piece(&self, thread: u32, len: usize, header: Option<Header>) -> bool {
        let Some(offset) = pieces::next(len) else { return false };
        self.max.set(offset + (len - RECORD_LEN) as u64);
        self.restart(offset);
        let header_len = if header.is_some() { HEADER_LEN } else { 0 };
        if let Some(header) = header {
            self.put_header(header);
        }
        let n = (len - header_len) / RECORD_LEN;
        // SAFETY: the stage has just begun.
        unsafe { self.put(Record::new(Code::Piece, thread.into(), 0, n as u64, 0)) };
        let n_written = self.n_before.get();
        self.n_before.set(n_written.wrapping_sub((self.used() / RECORD_LEN) as u64));
        true
    }
}
