//! What the host asked for, and where it is answered: what runs with control and recording without
//! control have in common.
//!
//! Set once, before `main` and before there is a second thread, and taken back in a child after `fork`. All
//! of it is atomic, so any thread may ask at any time.

use core::sync::atomic::{AtomicPtr, AtomicU32, Ordering};
use core::{mem, ptr};

use raddle_wire::Control;

use crate::outcome;

/// The memory that the host shares; null without a host.
static SHARED: AtomicPtr<Control> = AtomicPtr::new(ptr::null_mut());

/// Bits of [`raddle_wire::Flags`].
static FLAGS: AtomicU32 = AtomicU32::new(0);

/// There is a host.
///
/// # Safety
/// A [`Control`] begins there, and the memory stays mapped as long as the process lives.
pub unsafe fn begin(shared: *mut Control) {
    // SAFETY: as the caller says.
    FLAGS.store(unsafe { (*shared).flags }, Ordering::Relaxed);
    SHARED.store(shared, Ordering::Relaxed);
}

/// This process is a child, which has no host.
pub fn leave() {
    SHARED.store(ptr::null_mut(), Ordering::Relaxed);
}

/// The page for questions and answers, if there is a host. Only a shared reference may lead there:
/// the host has one, too.
#[inline(always)]
pub fn page() -> Option<&'static Control> {
    // SAFETY: null, or what `begin` was given. What changes there is in cells made for that.
    unsafe { SHARED.load(Ordering::Relaxed).as_ref() }
}

/// The same where there is a host, or nothing would be under control or recorded.
#[inline(always)]
pub fn control() -> &'static Control {
    page().unwrap_or_else(|| missing())
}

#[cold]
fn missing() -> ! {
    outcome::internal(format_args!("there is no host"))
}

/// Whether the host asked for something.
#[inline(always)]
pub fn has(flag: u32) -> bool {
    FLAGS.load(Ordering::Relaxed) & flag != 0
}

/// What lies at a number of bytes behind the beginning of the shared memory. Whether there is room for it, the page or
/// the layout of the board says.
pub fn at<T>(offset: usize) -> *mut T {
    debug_assert!(offset.is_multiple_of(mem::align_of::<T>()));
    SHARED.load(Ordering::Relaxed).wrapping_byte_add(offset).cast()
}
