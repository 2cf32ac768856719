//! Blocks of bytes: `memcpy` and its kin.

use super::{Bytes, plain, reads, real_or, watching, writes};

hook! {
    3, memcpy => copy;
    3, memmove => shift;
    3, mempcpy => copy_on;
    3, memset => fill;
    3, memcmp => compare;
    3, bcmp => compare;
    3, memchr => find;
    3, memrchr => find_last;
    2, bzero => clear;
    3, bcopy => copy_back;
    3, __tsan_memcpy => copy;
    3, __tsan_memmove => shift;
    3, __tsan_memset => fill;
    4, __memcpy_chk => checked_copy;
    4, __memmove_chk => checked_shift;
    4, __mempcpy_chk => checked_copy_on;
    4, __memset_chk => checked_fill;
}

// M4. A program's own `memcpy` is instrumented: it would come back here.
#[cfg(raddle_inside)]
core::arch::global_asm!(".protected memcpy, memmove, memset, memcmp, bcmp, strlen");

#[inline(always)]
fn copies(to: Bytes, from: Bytes, len: usize, pc: u64) {
    if let Some(state) = watching(pc) {
        reads(state, from, len, pc);
        writes(state, to, len, pc);
    }
}

#[inline(always)]
fn fills(to: Bytes, len: usize, pc: u64) {
    if let Some(state) = watching(pc) {
        writes(state, to, len, pc);
    }
}

extern "C" fn copy(to: Bytes, from: Bytes, len: usize, pc: u64) -> Bytes {
    copies(to, from, len, pc);
    real_or!(plain::copy, pc, fn memcpy(to: Bytes, from: Bytes, len: usize) -> Bytes)
}

extern "C" fn shift(to: Bytes, from: Bytes, len: usize, pc: u64) -> Bytes {
    copies(to, from, len, pc);
    real_or!(plain::shift, pc, fn memmove(to: Bytes, from: Bytes, len: usize) -> Bytes)
}

extern "C" fn copy_on(to: Bytes, from: Bytes, len: usize, pc: u64) -> Bytes {
    copy(to, from, len, pc).wrapping_add(len)
}

extern "C" fn copy_back(from: Bytes, to: Bytes, len: usize, pc: u64) {
    shift(to, from, len, pc);
}

extern "C" fn fill(to: Bytes, value: i32, len: usize, pc: u64) -> Bytes {
    fills(to, len, pc);
    real_or!(plain::fill, pc, fn memset(to: Bytes, value: i32, len: usize) -> Bytes)
}

extern "C" fn clear(to: Bytes, len: usize, pc: u64) {
    fill(to, 0, len, pc);
}

/// Reads all of both, wherever they differ: a program may not rely on less.
extern "C" fn compare(a: Bytes, b: Bytes, len: usize, pc: u64) -> i32 {
    if let Some(state) = watching(pc) {
        reads(state, a, len, pc);
        reads(state, b, len, pc);
    }
    real_or!(plain::compare, pc, fn memcmp(a: Bytes, b: Bytes, len: usize) -> i32)
}

extern "C" fn find(bytes: Bytes, value: i32, len: usize, pc: u64) -> Bytes {
    if let Some(state) = watching(pc) {
        let found = real!(fn memchr(bytes: Bytes, value: i32, len: usize) -> Bytes);
        let read = if found.is_null() { len } else { found.behind(bytes) + 1 };
        reads(state, bytes, read, pc);
    }
    real!(fn memchr(bytes: Bytes, value: i32, len: usize) -> Bytes)
}

extern "C" fn find_last(bytes: Bytes, value: i32, len: usize, pc: u64) -> Bytes {
    if let Some(state) = watching(pc) {
        let found = real!(fn memrchr(bytes: Bytes, value: i32, len: usize) -> Bytes);
        let before = if found.is_null() { 0 } else { found.behind(bytes) };
        reads(state, bytes.wrapping_add(before), len - before, pc);
    }
    real!(fn memrchr(bytes: Bytes, value: i32, len: usize) -> Bytes)
}

/// Forms that also know how much room there is; the C library ends a program that needs more.
macro_rules! checked_copies {
    ($($name:ident => $real:ident;)*) => {
        $(extern "C" fn $name(to: Bytes, from: Bytes, len: usize, room: usize, pc: u64) -> Bytes {
            copies(to, from, len.min(room), pc);
            real!(fn $real(to: Bytes, from: Bytes, len: usize, room: usize) -> Bytes)
        })*
    };
}
checked_copies! {
    checked_copy => __memcpy_chk;
    checked_shift => __memmove_chk;
    checked_copy_on => __mempcpy_chk;
}

extern "C" fn checked_fill(to: Bytes, value: i32, len: usize, room: usize, pc: u64) -> Bytes {
    fills(to, len.min(room), pc);
    real!(fn __memset_chk(to: Bytes, value: i32, len: usize, room: usize) -> Bytes)
}
