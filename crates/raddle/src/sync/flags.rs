//! What a lock remembers beside its object: whether it is poisoned, and what was in it at first.
//!
//! A lock that outlives an execution (a static) has to begin the next one with what it began the
//! first one with. Values of up to 16 bytes that drop nothing are kept for that; a lock with other
//! values is refused once an execution has changed them.

use std::cell::UnsafeCell;
use std::mem::{self, MaybeUninit};
use std::ptr;
use std::sync::LockResult;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::world::{Here, Kind, Site, Slot};

/// How many bytes are kept.
const N_BYTES: usize = 16;

/// What a lock remembers.
pub(super) struct Flags {
    is_poisoned: AtomicBool,
    /// Whether an execution has changed what is in it.
    is_used: AtomicBool,
    /// What was in it at its first use.
    first: UnsafeCell<MaybeUninit<[u8; N_BYTES]>>,
}

impl Flags {
    pub(super) const fn new() -> Flags {
        Flags {
            is_poisoned: AtomicBool::new(false),
            is_used: AtomicBool::new(false),
            first: UnsafeCell::new(MaybeUninit::uninit()),
        }
    }

    /// The object of a lock, which begins each execution with what it began the first one with.
    pub(super) fn object<T: ?Sized>(
        &self,
        here: Here,
        (slot, kind): (&Slot, Kind),
        data: *mut T,
    ) -> u32 {
        // SAFETY: no thread has the lock before its first use in an execution.
        let reset = || unsafe { self.reset(slot, data) };
        // SAFETY: see above.
        let keep = || unsafe { self.keep(data) };
        slot.object_kept(here, kind, reset, keep)
    }

    pub(super) fn is_poisoned(&self) -> bool {
        self.is_poisoned.load(Ordering::Relaxed)
    }

    pub(super) fn poison(&self, is_poisoned: bool) {
        self.is_poisoned.store(is_poisoned, Ordering::Relaxed);
    }

    /// An execution has changed what is in it.
    pub(super) fn use_up(&self) {
        if !self.is_used.load(Ordering::Relaxed) {
            self.is_used.store(true, Ordering::Relaxed);
        }
    }

    /// # Safety
    ///
    /// There must be no reference to the data.
    unsafe fn keep<T: ?Sized>(&self, data: *mut T) {
        // SAFETY: the data is there, says the caller, and so many bytes of it are.
        unsafe {
            let size = mem::size_of_val(&*data);
            if can_be_kept::<T>(size) {
                ptr::copy_nonoverlapping(data.cast::<u8>(), self.first.get().cast(), size);
            }
        }
    }

    /// # Safety
    ///
    /// There must be no reference to the data.
    unsafe fn reset<T: ?Sized>(&self, slot: &Slot, data: *mut T) {
        self.poison(false);
        if !self.is_used.swap(false, Ordering::Relaxed) {
            return;
        }
        // SAFETY: the data is there, says the caller; what is put there was there before, and what
        // is there now need not be dropped.
        unsafe {
            let size = mem::size_of_val(&*data);
            if !can_be_kept::<T>(size) {
                Here::get().refuse(outlives(slot.made()));
            }
            ptr::copy_nonoverlapping(self.first.get().cast(), data.cast::<u8>(), size);
        }
    }
}

fn can_be_kept<T: ?Sized>(size: usize) -> bool {
    size <= N_BYTES && !mem::needs_drop::<T>()
}

#[cold]
fn outlives(made: Site) -> String {
    format!(
        "the lock made at {made} outlives an execution that has changed its contents, so the next \
         execution would not begin in the same state: create it inside the closure, or keep it in \
         a raddle::sync::LazyLock or OnceLock, which every execution initialises anew"
    )
}

/// A value, or a value that may be broken.
pub(super) fn result<T>(value: T, is_poisoned: bool) -> LockResult<T> {
    if is_poisoned { Err(PoisonError::new(value)) } else { Ok(value) }
}
