//! System calls about files.

use core::ffi::CStr;

use super::{call, call3, leave_out_of_cores, nr, place};

/// Maps a piece of a file, shared with others that have it open; null if that is not possible.
pub fn map_file(fd: i32, offset: usize, len: usize) -> *mut u8 {
    const READ_WRITE: usize = 3;
    const SHARED: usize = 1;
    let at = place(len);
    // SAFETY: a new mapping touches nothing that exists.
    let address = unsafe { call(nr::MMAP, [at, len, READ_WRITE, SHARED, fd as usize, offset]) };
    if address < 0 {
        return core::ptr::null_mut();
    }
    leave_out_of_cores(address as usize, len);
    address as *mut u8
}

/// Reads a file from its beginning; how many bytes there are, or room for.
pub fn read_file(path: &CStr, to: &mut [u8]) -> usize {
    // SAFETY: a string that ends; the file is only read.
    let file = unsafe { call3(nr::OPEN, path.as_ptr() as usize, 0, 0) };
    if file < 0 {
        return 0;
    }
    let mut len = 0;
    while len < to.len() {
        let rest = &mut to[len..];
        // SAFETY: there is room for so many bytes.
        let n = unsafe { call3(nr::READ, file as usize, rest.as_mut_ptr() as usize, rest.len()) };
        if n <= 0 {
            break;
        }
        len += n as usize;
    }
    close(file as i32);
    len
}

/// From where an offset in a file counts.
#[derive(Clone, Copy, Debug)]
pub enum Whence {
    /// Its beginning.
    Start = 0,
    /// Where it is read from next.
    Here = 1,
    /// Its end.
    End = 2,
}

/// Sets where a file is read from next; where that is, or below 0 if it is no file or has no place.
pub fn seek(file: i32, offset: isize, whence: Whence) -> isize {
    // SAFETY: three numbers.
    unsafe { call3(nr::LSEEK, file as usize, offset as usize, whence as usize) }
}

/// How long files may become (`ulimit -f`): who writes beyond that gets a signal.
pub fn max_file_len() -> u64 {
    const FILE_SIZE: usize = 1;
    let mut limits = [u64::MAX; 2];
    // SAFETY: the kernel writes two numbers there.
    unsafe { call(nr::PRLIMIT, [0, FILE_SIZE, 0, limits.as_mut_ptr() as usize, 0, 0]) };
    limits[0]
}

/// Closes a file descriptor.
pub fn close(fd: i32) {
    // SAFETY: closing is always allowed.
    unsafe { call3(nr::CLOSE, fd as usize, 0, 0) };
}
