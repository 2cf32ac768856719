//! Values in memory that host and runtime have mapped at the same time.
//!
//! A reference to such a value must not promise that it stays as it is, or that nothing else reads
//! it: the other side may, at any moment. So whatever changes while both are there is in a [`Shared`].

use core::cell::UnsafeCell;
use core::mem::{MaybeUninit, align_of, size_of};
use core::sync::atomic::{AtomicU32, AtomicU64, Ordering};

/// Plain numbers: what any bytes are one of.
///
/// # Safety
/// The type consists of integers without anything in between. It is aligned to 4 or 8 bytes and
/// has a multiple of as many.
pub unsafe trait Plain: Copy {}

// SAFETY: an integer of 4 bytes.
unsafe impl Plain for u32 {}
// SAFETY: an integer of 4 bytes.
unsafe impl Plain for i32 {}
// SAFETY: an integer of 8 bytes.
unsafe impl Plain for u64 {}

/// A value that both sides read and write, without waiting for each other. A number is always read
/// as it was once written; of what is longer, some numbers may be newer than others.
#[derive(Debug)]
#[repr(transparent)]
pub struct Shared<T>(UnsafeCell<T>);

// SAFETY: its memory is only read and written by atomic operations.
unsafe impl<T: Plain> Sync for Shared<T> {}

impl<T: Plain> Shared<T> {
    /// What it is now.
    #[inline(always)]
    pub fn get(&self) -> T {
        let mut value = MaybeUninit::<T>::uninit();
        let (from, to) = (self.0.get(), value.as_mut_ptr());
        // SAFETY: both places have the size and the alignment of `T`, which is cut into numbers as
        // `Plain` allows; the first is only ever accessed by atomic operations of one width, which
        // follows from `T`, and the second is filled.
        unsafe {
            if align_of::<T>() == align_of::<u64>() {
                for index in 0..size_of::<T>() / 8 {
                    let number = AtomicU64::from_ptr(from.cast::<u64>().add(index));
                    to.cast::<u64>().add(index).write(number.load(Ordering::Relaxed));
                }
            } else {
                for index in 0..size_of::<T>() / 4 {
                    let number = AtomicU32::from_ptr(from.cast::<u32>().add(index));
                    to.cast::<u32>().add(index).write(number.load(Ordering::Relaxed));
                }
            }
            value.assume_init()
        }
    }

    /// Writes it.
    #[inline(always)]
    pub fn set(&self, value: T) {
        let (from, to) = (&raw const value, self.0.get());
        // SAFETY: as in `get`.
        unsafe {
            if align_of::<T>() == align_of::<u64>() {
                for index in 0..size_of::<T>() / 8 {
                    let number = AtomicU64::from_ptr(to.cast::<u64>().add(index));
                    number.store(from.cast::<u64>().add(index).read(), Ordering::Relaxed);
                }
            } else {
                for index in 0..size_of::<T>() / 4 {
                    let number = AtomicU32::from_ptr(to.cast::<u32>().add(index));
                    number.store(from.cast::<u32>().add(index).read(), Ordering::Relaxed);
                }
            }
        }
    }

    /// Replaces it by what a function makes of it. What others write meanwhile is lost.
    #[inline(always)]
    pub fn update(&self, act: impl FnOnce(T) -> T) {
        self.set(act(self.get()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Blocked, Misuse};

    /// Of the same size and alignment as what it holds, and reads what was written.
    #[track_caller]
    fn check<T: Plain + PartialEq + core::fmt::Debug>(values: [T; 2]) {
        assert_eq!(size_of::<Shared<T>>(), size_of::<T>());
        assert_eq!(align_of::<Shared<T>>(), align_of::<T>());
        let shared = Shared(UnsafeCell::new(values[0]));
        assert_eq!(shared.get(), values[0]);
        shared.set(values[1]);
        assert_eq!(shared.get(), values[1]);
        shared.update(|_| values[0]);
        assert_eq!(shared.get(), values[0]);
    }

    #[test]
    fn what_is_written_is_read() {
        check([7u32, u32::MAX]);
        check([-1i32, i32::MIN]);
        check([1u64 << 40, 3]);
        let blocked =
            Blocked { thread: 1, code: 2, object: 3 << 33, pc: 4, holder: 5, reserved: 0 };
        check([blocked, Blocked::default()]);
        let misuse = Misuse { pc: 1, address: 2 << 34, point: 3, what: 4, held: 5 };
        check([misuse, Misuse::default()]);
    }
}
