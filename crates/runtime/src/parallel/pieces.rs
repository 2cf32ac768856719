//! Pieces of the one file that threads at once write their records to.
//!
//! Out: where in the file the next piece is, [`PIECE_UNIT`] bytes. Pieces are given out in order, so the
//! file only ever grows, and the host learns its length at once: that is right whatever ends the
//! process. Space is reserved before, so that a full disk shows here.

use core::sync::atomic::{AtomicBool, Ordering};

use raddle_wire::{Flags, OutcomeKind, PIECE_UNIT, RecordingState};

use super::end;
use super::spin::Spin;
use crate::outcome::End;
use crate::sys::{self, nr};
use crate::{host, record};

/// So many pieces are reserved at a time, where there is room.
const N_RESERVED: u64 = 16;

/// What is left of the file.
struct File {
    fd: i32,
    /// Bytes that were given out.
    len: u64,
    /// Bytes that were reserved.
    reserved: u64,
    max: u64,
}

static FILE: Spin<File> = Spin::new(File { fd: -1, len: 0, reserved: 0, max: 0 });

/// Whether the file is full, and the run has to end with it.
static IS_OVER: AtomicBool = AtomicBool::new(false);

/// Begins with an empty file.
pub fn begin(fd: i32, max: u64) {
    let max = if max == 0 { u64::MAX } else { max };
    FILE.with(|file| *file = File { fd, len: 0, reserved: 0, max });
}

/// The next piece, by where it begins; none if the recording ends here.
pub fn next() -> Option<u64> {
    const UNIT: u64 = PIECE_UNIT as u64;
    FILE.with(|file| {
        let control = host::page()?;
        let offset = file.len;
        if control.recording.get() != RecordingState::Whole as u32 {
            return None;
        }
        if offset > 0 && offset + UNIT > file.max {
            control.recording.set(RecordingState::Limit as u32);
            IS_OVER.store(host::has(Flags::ENDS_WITH_RECORDING), Ordering::Relaxed);
            return None;
        }
        if offset == file.reserved {
            let mut sizes = [N_RESERVED * UNIT, UNIT].into_iter();
            let Some(len) = sizes.find(|&len| reserve(file.fd, offset, len)) else {
                control.recording.set(RecordingState::DiskFull as u32);
                return None;
            };
            file.reserved += len;
        }
        file.len += UNIT;
        control.recording_len.set(file.len);
        Some(offset)
    })
}

/// Ends the run if it has to end with the file. Of several threads that got no piece only one does so: an end takes a
/// while to report, and a thread that comes second would end the process meanwhile.
pub fn end_at_limit() {
    if IS_OVER.swap(false, Ordering::Relaxed) {
        let end = End { kind: OutcomeKind::Limit, pc: 0, address: 0 };
        end::finish(end, format_args!("{}", record::FULL));
    }
}

/// No thread gets another piece.
pub fn end(why: RecordingState) {
    FILE.with(|_| {
        if let Some(control) = host::page() {
            control.recording.set(why as u32);
        }
    });
}

/// Reserves space at the end of a file, so that a full disk and a limit of the length of files are
/// noticed here and not by a signal.
fn reserve(fd: i32, offset: u64, len: u64) -> bool {
    const NOT_SUPPORTED: isize = -95;
    const INTERRUPTED: isize = -4;
    if offset.saturating_add(len) > sys::max_file_len() {
        return false;
    }
    let (fd, offset, len) = (fd as usize, offset as usize, len as usize);
    // SAFETY: reserves space in a file that is ours.
    let reserve = || unsafe {
        match sys::call(nr::FALLOCATE, [fd, 0, offset, len, 0, 0]) {
            NOT_SUPPORTED => sys::call3(nr::FTRUNCATE, fd, offset + len, 0),
            by_blocks => by_blocks,
        }
    };
    loop {
        match reserve() {
            INTERRUPTED => {}
            answer => return answer >= 0,
        }
    }
}
