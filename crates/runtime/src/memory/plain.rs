//! The plain thing, for this library itself. Nothing here may become a call of what it stands for:
//! compilers know these loops, unless they are instructions or volatile.

use core::arch::asm;

use super::Bytes;

/// `memcpy`.
pub fn copy(to: Bytes, from: Bytes, len: usize) -> Bytes {
    // SAFETY: the caller of `memcpy` passed both, with so many bytes.
    unsafe { copy_own(to.pointer(), from.pointer(), len) };
    to
}

/// The same for places of this library's own.
///
/// # Safety
/// Both have so many bytes, which do not overlap.
pub unsafe fn copy_own(to: *mut u8, from: *const u8, len: usize) {
    // SAFETY: as the caller says.
    unsafe {
        asm!(
            "rep movsb",
            inout("rcx") len => _,
            inout("rdi") to => _,
            inout("rsi") from => _,
            options(nostack, preserves_flags),
        );
    }
}

/// A whole page, from one to another.
///
/// # Safety
/// Both are pages of 4096 bytes.
pub unsafe fn copy_page(to: *mut u8, from: *const u8) {
    // SAFETY: as the caller says.
    unsafe {
        asm!(
            "rep movsq",
            inout("rcx") 512 => _,
            inout("rdi") to => _,
            inout("rsi") from => _,
            options(nostack, preserves_flags),
        );
    }
}

/// `memmove`.
pub fn shift(to: Bytes, from: Bytes, len: usize) -> Bytes {
    if to.address().wrapping_sub(from.address()) >= len as u64 {
        return copy(to, from, len);
    }
    // SAFETY: the caller of `memmove` passed both, with so many bytes.
    unsafe {
        asm!(
            "std",
            "rep movsb",
            "cld",
            inout("rcx") len => _,
            inout("rdi") to.pointer().wrapping_add(len).wrapping_sub(1) => _,
            inout("rsi") from.pointer().wrapping_add(len).wrapping_sub(1) => _,
            options(nostack),
        );
    }
    to
}

/// `memset`.
pub fn fill(to: Bytes, value: i32, len: usize) -> Bytes {
    // SAFETY: the caller of `memset` passed so many bytes.
    unsafe {
        asm!(
            "rep stosb",
            inout("rcx") len => _,
            inout("rdi") to.pointer() => _,
            in("al") value as u8,
            options(nostack, preserves_flags),
        );
    }
    to
}

/// One byte of what a caller passed, which reads up to there.
fn byte(bytes: Bytes, at: usize) -> u8 {
    // SAFETY: the functions here read what those of the C library would read (`given`).
    unsafe { bytes.pointer().wrapping_add(at).read_volatile() }
}

/// `memcmp`.
pub fn compare(a: Bytes, b: Bytes, len: usize) -> i32 {
    for at in 0..len {
        let (a, b) = (byte(a, at), byte(b, at));
        if a != b {
            return i32::from(a) - i32::from(b);
        }
    }
    0
}

/// `strlen`.
pub fn length(text: Bytes) -> usize {
    let mut len = 0;
    while byte(text, len) != 0 {
        len += 1;
    }
    len
}

/// How many bytes `strncmp` reads of both texts: up to the first difference, or the end.
pub fn in_common(a: Bytes, b: Bytes, max: usize, same: fn(u8, u8) -> bool) -> usize {
    for at in 0..max {
        let (a, b) = (byte(a, at), byte(b, at));
        if a == 0 || !same(a, b) {
            return at + 1;
        }
    }
    max
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::given::Given;

    #[test]
    fn bytes_move_forwards_and_backwards() {
        for (to, from, len) in [(0, 3, 6), (3, 0, 6), (2, 2, 5), (0, 8, 4), (1, 0, 0)] {
            let mut bytes = *b"0123456789abcdef";
            let mut expected = bytes;
            expected.copy_within(from..from + len, to);
            // SAFETY: the bytes are there until after the last use.
            let base = unsafe { Given::own(&mut bytes) }.cast();
            shift(base.wrapping_add(to), base.wrapping_add(from), len);
            assert_eq!(bytes, expected, "{len} bytes from {from} to {to}");
        }
    }

    #[test]
    fn filling_comparing_and_measuring_stop_where_they_should() {
        let (mut a, mut b) = (*b"same one\0", *b"same two\0");
        // SAFETY: both are there until after the last use.
        let (to_a, to_b) = unsafe { (Given::own(&mut a).cast(), Given::own(&mut b).cast()) };
        assert_eq!(compare(to_a, to_b, 5), 0);
        assert!(compare(to_a, to_b, 8) < 0 && compare(to_b, to_a, 8) > 0);
        assert_eq!((length(to_a), length(to_a.wrapping_add(8))), (8, 0));
        assert_eq!(in_common(to_a, to_b, usize::MAX, |a, b| a == b), 6);
        assert_eq!(in_common(to_a, to_b, 3, |a, b| a == b), 3);
        assert_eq!(in_common(to_a, to_a, usize::MAX, |a, b| a == b), 9);
        fill(to_a.wrapping_add(1), 0x1ff, 3);
        assert_eq!(&a, b"s\xff\xff\xff one\0");
    }
}
