//! Pieces of the one file that threads at once write their records to, and the stages that they
//! fill them by.
//!
//! In: how many bytes a thread wants. Out: where in the file they are. Pieces are given out in order,
//! one at a time, so the file only ever grows, and the host is told its length at once: that is right
//! whatever ends the process. Space is reserved, so that a full disk shows here.

use core::sync::atomic::{AtomicU64, Ordering};

use raddle_wire::{N_STAGES, NO_STAGE, RecordingState, STAGES_AT};

use super::spin::Spin;
use crate::state::State;
use crate::sys::{self, nr};

/// What is left of the file.
struct File {
    fd: i32,
    /// Bytes that were given out.
    len: u64,
    max: u64,
    /// Which stages are somebody's, 64 to a word.
    taken: [u64; N_STAGES / 64],
}

static FILE: Spin<File> = Spin::new(File { fd: -1, len: 0, max: 0, taken: [0; N_STAGES / 64] });

/// A stage of one thread, and the file that it is for.
pub struct Slot {
    /// The file.
    pub fd: i32,
    /// The stage, all zero.
    pub base: *mut u8,
    /// Its bytes.
    pub len: usize,
    /// Where the host is told what it is.
    pub at: *const AtomicU64,
}

/// Begins with an empty file.
pub fn begin(fd: i32, max: u64) {
    FILE.with(|file| {
        file.fd = fd;
        file.max = if max == 0 { u64::MAX } else { max };
    });
}

/// A stage that nobody has; none if the recording ends here.
pub fn slot() -> Option<Slot> {
    let index = FILE.with(|file| {
        let word = file.taken.iter().position(|&word| word != u64::MAX)?;
        let bit = file.taken[word].trailing_ones();
        file.taken[word] |= 1 << bit;
        Some(word * 64 + bit as usize)
    });
    let Some(index) = index else {
        end(RecordingState::Limit);
        return None;
    };
    let fd = FILE.with(|file| file.fd);
    let (stages, len) = stages()?;
    // SAFETY: there are so many stages, with their table before them.
    unsafe {
        let base = stages.byte_add(STAGES_AT + index * len).cast_mut().cast();
        Some(Slot { fd, base, len, at: stages.add(index) })
    }
}

/// Somebody else may have a stage; it is empty.
pub fn give_back(at: *const AtomicU64) {
    // SAFETY: it lies in memory that stays mapped.
    unsafe { &*at }.store(NO_STAGE, Ordering::Release);
    if let Some((stages, _)) = stages() {
        let index = (at as usize - stages as usize) / size_of::<AtomicU64>();
        FILE.with(|file| file.taken[index / 64] &= !(1 << (index % 64)));
    }
}

/// The table of stages, and the bytes of each.
fn stages() -> Option<(*const AtomicU64, usize)> {
    let control = State::get().control.get();
    if control.is_null() {
        return None;
    }
    // SAFETY: it was mapped, and behind it lies what it says.
    unsafe {
        let (offset, len) = ((*control).stage_offset as usize, (*control).stage_len as usize);
        Some((control.byte_add(offset).cast_const().cast(), len))
    }
}

/// The next piece, by where it begins; none if the recording ends here.
pub fn next(len: usize) -> Option<u64> {
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
        if !allocate(file.fd, offset, len) {
            control.recording = RecordingState::DiskFull as u32;
            return None;
        }
        file.len += len as u64;
        control.recording_len = file.len;
        Some(offset)
    })
}

/// Nobody gets another piece.
pub fn end(why: RecordingState) {
    let state = State::get();
    FILE.with(|_| {
        if !state.control.get().is_null() {
            // SAFETY: it was mapped.
            unsafe { state.control() }.recording = why as u32;
        }
    });
}

/// Reserves space at the end of a file, so that a full disk and a limit of the length of files are
/// noticed here and not by a signal.
fn allocate(fd: i32, offset: u64, len: usize) -> bool {
    const NOT_SUPPORTED: isize = -95;
    const INTERRUPTED: isize = -4;
    if offset.saturating_add(len as u64) > sys::max_file_len() {
        return false;
    }
    let (fd, offset) = (fd as usize, offset as usize);
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
