//! Buffers that files and sockets are read into and written from.
//!
//! What is written out is read before. How much is read in is known only afterwards, so it is reported
//! then; the thread that waits for it touches nothing while it waits.

use core::ffi::c_void;

use super::{Bytes, reads, watching, writes};

hook! {
    3, read => read_in;
    3, write => write_out;
    4, pread => read_at;
    4, pread64 => read_at;
    4, pwrite => write_at;
    4, pwrite64 => write_at;
    4, recv => receive;
    4, send => send_out;
    4, fread => read_items;
    4, fwrite => write_items;
    4, __read_chk => checked_read;
    5, __fread_chk => checked_read_items;
}

type Stream = *mut c_void;

fn writes_out(from: Bytes, len: usize, pc: u64) {
    if let Some(state) = watching(pc) {
        reads(state, from, len, pc);
    }
}

/// `n` is what the C library returned: how many bytes, or below 0 for an error.
fn has_read(to: Bytes, n: isize, pc: u64) {
    if let (Some(state), Ok(len)) = (watching(pc), usize::try_from(n)) {
        writes(state, to, len, pc);
    }
}

extern "C" fn read_in(fd: i32, to: Bytes, len: usize, pc: u64) -> isize {
    let n = real!(fn read(fd: i32, to: Bytes, len: usize) -> isize);
    has_read(to, n, pc);
    n
}

extern "C" fn checked_read(fd: i32, to: Bytes, len: usize, room: usize, pc: u64) -> isize {
    let n = real!(fn __read_chk(fd: i32, to: Bytes, len: usize, room: usize) -> isize);
    has_read(to, n, pc);
    n
}

extern "C" fn write_out(fd: i32, from: Bytes, len: usize, pc: u64) -> isize {
    writes_out(from, len, pc);
    real!(fn write(fd: i32, from: Bytes, len: usize) -> isize)
}

extern "C" fn read_at(fd: i32, to: Bytes, len: usize, offset: i64, pc: u64) -> isize {
    let n = real!(fn pread(fd: i32, to: Bytes, len: usize, offset: i64) -> isize);
    has_read(to, n, pc);
    n
}

extern "C" fn write_at(fd: i32, from: Bytes, len: usize, offset: i64, pc: u64) -> isize {
    writes_out(from, len, pc);
    real!(fn pwrite(fd: i32, from: Bytes, len: usize, offset: i64) -> isize)
}

extern "C" fn receive(fd: i32, to: Bytes, len: usize, flags: i32, pc: u64) -> isize {
    let n = real!(fn recv(fd: i32, to: Bytes, len: usize, flags: i32) -> isize);
    // With `MSG_TRUNC` the call returns how much there was, which may be more than there is room for.
    has_read(to, n.min(len as isize), pc);
    n
}

extern "C" fn send_out(fd: i32, from: Bytes, len: usize, flags: i32, pc: u64) -> isize {
    writes_out(from, len, pc);
    real!(fn send(fd: i32, from: Bytes, len: usize, flags: i32) -> isize)
}

extern "C" fn read_items(to: Bytes, size: usize, n: usize, file: Stream, pc: u64) -> usize {
    let done = real!(fn fread(to: Bytes, size: usize, n: usize, file: Stream) -> usize);
    has_read(to, done.saturating_mul(size) as isize, pc);
    done
}

extern "C" fn checked_read_items(
    to: Bytes,
    room: usize,
    size: usize,
    n: usize,
    file: Stream,
    pc: u64,
) -> usize {
    let done =
        real!(fn __fread_chk(to: Bytes, room: usize, size: usize, n: usize, file: Stream) -> usize);
    has_read(to, done.saturating_mul(size) as isize, pc);
    done
}

extern "C" fn write_items(from: Bytes, size: usize, n: usize, file: Stream, pc: u64) -> usize {
    writes_out(from, size.saturating_mul(n), pc);
    real!(fn fwrite(from: Bytes, size: usize, n: usize, file: Stream) -> usize)
}
