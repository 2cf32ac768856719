//! Pieces of the one file that threads at once write their records to.
//!
//! In: how many bytes a thread wants. Out: a piece of the file, mapped. Pieces are given out in
//! order, one at a time, so the file only ever grows, and the host is told its length at once:
//! that is right whatever ends the process.

use raddle_wire::RecordingState;

use super::spin::Spin;
use crate::state::State;
use crate::sys::{self, nr};

/// What is left of the file.
struct File {
    fd: i32,
    /// Bytes that were given out.
    len: u64,
    max: u64,
}

static FILE: Spin<File> = Spin::new(File { fd: -1, len: 0, max: 0 });

/// Begins with an empty file.
pub fn begin(fd: i32, max: u64) {
    FILE.with(|file| *file = File { fd, len: 0, max: if max == 0 { u64::MAX } else { max } });
}

/// The next piece; none if the recording ends here.
pub fn next(len: usize) -> Option<*mut u8> {
    FILE.with(|file| {
        let state = State::get();
        if state.control.get().is_null() {
            return None;
        }
        // SAFETY: it was mapped.
        let control = unsafe { state.control() };
        let offset = file.len;
        if control.recording != RecordingState::Whole as u32 {
            return None;
        }
        if offset > 0 && offset + len as u64 > file.max {
            control.recording = RecordingState::Limit as u32;
            return None;
        }
        let base = match allocate(file.fd, offset, len) {
            true => sys::map_file(file.fd, offset as usize, len),
            false => core::ptr::null_mut(),
        };
        if base.is_null() {
            control.recording = RecordingState::DiskFull as u32;
            return None;
        }
        file.len += len as u64;
        control.recording_len = file.len;
        Some(base)
    })
}

/// Reserves space at the end of a file, so that a full disk is noticed here and not by a signal.
pub fn allocate(fd: i32, offset: u64, len: usize) -> bool {
    const NOT_SUPPORTED: isize = -95;
    let (fd, offset) = (fd as usize, offset as usize);
    // SAFETY: reserves space in a file that is ours.
    let result = unsafe {
        match sys::call(nr::FALLOCATE, [fd, 0, offset, len, 0, 0]) {
            NOT_SUPPORTED => sys::call3(nr::FTRUNCATE, fd, offset + len, 0),
            by_blocks => by_blocks,
        }
    };
    result >= 0
}
