//! The plain thing, for this library itself. Nothing here may become a call of what it stands for:
//! compilers know these loops, unless they are instructions or volatile.

use core::arch::asm;

use super::Bytes;

/// `memcpy`.
pub unsafe fn copy(to: Bytes, from: Bytes, len: usize) -> Bytes {
    asm!(
        "rep movsb",
        inout("rcx") len => _,
        inout("rdi") to => _,
        inout("rsi") from => _,
        options(nostack, preserves_flags),
    );
    to
}

/// A whole page, from one to another.
pub unsafe fn copy_page(to: Bytes, from: *const u8) {
    asm!(
        "rep movsq",
        inout("rcx") 512 => _,
        inout("rdi") to => _,
        inout("rsi") from => _,
        options(nostack, preserves_flags),
    );
}

/// `memmove`.
pub unsafe fn shift(to: Bytes, from: Bytes, len: usize) -> Bytes {
    if (to as usize).wrapping_sub(from as usize) >= len {
        return copy(to, from, len);
    }
    asm!(
        "std",
        "rep movsb",
        "cld",
        inout("rcx") len => _,
        inout("rdi") to.wrapping_add(len).wrapping_sub(1) => _,
        inout("rsi") from.wrapping_add(len).wrapping_sub(1) => _,
        options(nostack),
    );
    to
}

/// `memset`.
pub unsafe fn fill(to: Bytes, value: i32, len: usize) -> Bytes {
    asm!(
        "rep stosb",
        inout("rcx") len => _,
        inout("rdi") to => _,
        in("al") value as u8,
        options(nostack, preserves_flags),
    );
    to
}

/// `memcmp`.
pub unsafe fn compare(a: Bytes, b: Bytes, len: usize) -> i32 {
    for at in 0..len {
        let (a, b) = (a.add(at).read_volatile(), b.add(at).read_volatile());
        if a != b {
            return i32::from(a) - i32::from(b);
        }
    }
    0
}

/// `strlen`.
pub unsafe fn length(text: Bytes) -> usize {
    let mut len = 0;
    while text.add(len).read_volatile() != 0 {
        len += 1;
    }
    len
}

/// How many bytes `strncmp` reads of both texts: up to the first difference, or the end.
pub unsafe fn in_common(a: Bytes, b: Bytes, max: usize, same: fn(u8, u8) -> bool) -> usize {
    for at in 0..max {
        let (a, b) = (a.add(at).read_volatile(), b.add(at).read_volatile());
        if a == 0 || !same(a, b) {
            return at + 1;
        }
    }
    max
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_move_forwards_and_backwards() {
        for (to, from, len) in [(0, 3, 6), (3, 0, 6), (2, 2, 5), (0, 8, 4), (1, 0, 0)] {
            let mut bytes = *b"0123456789abcdef";
            let mut expected = bytes;
            expected.copy_within(from..from + len, to);
            let base = bytes.as_mut_ptr();
            // SAFETY: both ranges lie in `bytes`.
            unsafe { shift(base.add(to), base.add(from), len) };
            assert_eq!(bytes, expected, "{len} bytes from {from} to {to}");
        }
    }

    #[test]
    fn filling_comparing_and_measuring_stop_where_they_should() {
        let (mut a, mut b) = (*b"same one\0", *b"same two\0");
        let (to_a, to_b) = (a.as_mut_ptr(), b.as_mut_ptr());
        // SAFETY: lengths are within the arrays.
        unsafe {
            assert_eq!(compare(to_a, to_b, 5), 0);
            assert!(compare(to_a, to_b, 8) < 0 && compare(to_b, to_a, 8) > 0);
            assert_eq!((length(to_a), length(to_a.add(8))), (8, 0));
            assert_eq!(in_common(to_a, to_b, usize::MAX, |a, b| a == b), 6);
            assert_eq!(in_common(to_a, to_b, 3, |a, b| a == b), 3);
            assert_eq!(in_common(to_a, to_a, usize::MAX, |a, b| a == b), 9);
            fill(to_a.add(1), 0x1ff, 3);
        }
        assert_eq!(&a, b"s\xff\xff\xff one\0");
    }
}
