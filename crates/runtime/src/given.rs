//! What the program passes to functions here: pointers to its memory, and objects there.
//!
//! Such a value exists only because the program has put an address into a register and called. What it has to lead to, the
//! C standard or POSIX says; the C library's own function would go there, too, and where nothing is there, the program
//! crashes as it would without this library. So to read and write through one of these is no risk that is added
//! here, and no block of unsafe code around each use would say more than that. Whoever makes one of a number vouches for it.

use core::ffi::{CStr, c_char};
use core::sync::atomic::{AtomicI32, AtomicU8, AtomicU16, AtomicU32, AtomicU64};

/// A pointer that the program passed, to a value or to several in a row.
#[derive(Debug)]
#[repr(transparent)]
pub struct Given<T>(*mut T);

impl<T> Clone for Given<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Given<T> {}

impl<T> Given<T> {
    /// No pointer.
    pub const NULL: Given<T> = Given(core::ptr::null_mut());

    /// What the program passed as a number, or has in a structure that it passed.
    ///
    /// # Safety
    /// It did so where a pointer to such values is expected.
    pub const unsafe fn new(address: usize) -> Given<T> {
        Given(address as *mut T)
    }

    /// A place of this library's own, to pass on in the program's stead.
    ///
    /// # Safety
    /// The place outlives all use of it.
    pub unsafe fn own(place: &mut T) -> Given<T> {
        Given(place)
    }

    /// Whether it leads nowhere, where that is allowed.
    pub fn is_null(self) -> bool {
        self.0.is_null()
    }

    /// The same to something else that is there.
    pub fn cast<U>(self) -> Given<U> {
        Given(self.0.cast())
    }

    /// So many values further.
    pub fn wrapping_add(self, n: usize) -> Given<T> {
        Given(self.0.wrapping_add(n))
    }

    /// As a number.
    pub fn address(self) -> u64 {
        self.0 as u64
    }

    /// As a pointer.
    pub fn pointer(self) -> *mut T {
        self.0
    }

    /// The memory that it leads to, to touch.
    pub fn word(self) -> Word {
        Word(self.0 as usize)
    }
}

/// What may be looked at while others change it.
pub trait Atomic {}
impl Atomic for AtomicU8 {}
impl Atomic for AtomicU16 {}
impl Atomic for AtomicU32 {}
impl Atomic for AtomicU64 {}
impl Atomic for AtomicI32 {}

impl Given<u8> {
    /// How many bytes it is behind another one.
    pub fn behind(self, other: Given<u8>) -> usize {
        self.0 as usize - other.0 as usize
    }
}

impl<T: Atomic> Given<T> {
    /// What is there, for as long as the call takes.
    #[inline(always)]
    pub fn cell<'a>(self) -> &'a T {
        // SAFETY: the program passed it to be read or changed by an atomic operation (see above).
        unsafe { &*self.0 }
    }
}

impl<T: Copy> Given<T> {
    /// What is there.
    #[inline(always)]
    pub fn get(self) -> T {
        // SAFETY: the program passed it to be read (see above).
        unsafe { self.0.read_unaligned() }
    }

    /// Writes there.
    #[inline(always)]
    pub fn set(self, value: T) {
        // SAFETY: the program passed it to be written to (see above).
        unsafe { self.0.write_unaligned(value) }
    }

    /// What is there, so many values further.
    #[inline(always)]
    pub fn get_at(self, index: usize) -> T {
        Given(self.0.wrapping_add(index)).get()
    }
}

impl Given<c_char> {
    /// The text that begins there, without its end.
    pub fn text<'a>(self) -> &'a [u8] {
        // SAFETY: the program passed it as a string, which ends, and does not change during the call.
        unsafe { CStr::from_ptr(self.0) }.to_bytes()
    }
}

/// An object of the program that it named by its address: a lock, a semaphore, and the like. What is in it is the C
/// library's, and known to lie at some offsets.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(transparent)]
pub struct Word(usize);

impl Word {
    /// What the program named by a number.
    ///
    /// # Safety
    /// It passed that number to name such an object.
    pub const unsafe fn new(address: usize) -> Word {
        Word(address)
    }

    /// Where it is.
    pub const fn address(self) -> u64 {
        self.0 as u64
    }

    /// A part of it, as four bytes.
    pub const fn part(self, offset: usize) -> *mut u32 {
        self.0.wrapping_add(offset) as *mut u32
    }
}
