//! Touching what calls are about, as the C library would.
//!
//! Locks and the like are models, so the C library never gets to see the real ones. A pointer that leads nowhere must
//! crash all the same, where it would and in the program's name: every modelled call touches what the C library's
//! would touch, before anything else, and a crash inside of the runtime is reported as one of the call that the program
//! has made ([`caller`]).
//!
//! Writes leave memory as it is. What the C library only reads is only read, so that it may be constant.

use core::arch::asm;
use core::sync::atomic::{AtomicU64, Ordering};

use crate::given::Word;

/// From where the program called what the runtime is doing; 0: not known.
pub static CALLED_FROM: AtomicU64 = AtomicU64::new(0);

/// The running thread does from here on what the program called from `pc`.
#[inline(always)]
pub fn called(pc: u64) {
    CALLED_FROM.store(pc, Ordering::Relaxed);
}

/// From where the program called what the runtime is doing, if that is known.
pub fn caller() -> Option<u64> {
    Some(CALLED_FROM.load(Ordering::Relaxed)).filter(|&pc| pc != 0)
}

/// Reads four bytes of an object.
#[inline(always)]
pub fn read(object: Word, offset: usize) -> u32 {
    // SAFETY: the C library's function would read it, too (`given`).
    unsafe { object.part(offset).read_volatile() }
}

/// Writes to four bytes of an object what is there. Only an instruction that the compiler does not know is sure to do
/// so.
#[inline(always)]
pub fn write(object: Word, offset: usize) {
    // SAFETY: the C library's function would write there, too (`given`), and this leaves what is there.
    unsafe { asm!("lock or dword ptr [{0}], 0", in(reg) object.part(offset), options(nostack)) };
}
