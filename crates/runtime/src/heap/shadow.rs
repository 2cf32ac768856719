//! The shadow of the address space: one byte for every 16, which is what a block of memory is
//! aligned to.
//!
//! - 0: nothing is known.
//! - 1 to 127, on the first byte of a block only: how many bytes the block has more than were asked
//!   for, plus one.
//! - 128: a block that was freed and was not given out again.
//!
//! It is one mapping of which only what is touched takes memory. If there is none, it looks as if
//! nothing were ever freed.

use core::cell::Cell;
use core::ptr;

use crate::sys::{self, nr};

/// Bytes for which there is one byte here, as a power of two.
const SHIFT: u32 = 4;
/// Bytes of the shadow: addresses of programs have 47 bits.
const LEN: usize = 1 << (47 - SHIFT);
const FREED: u8 = 0x80;
const SPARE_MAX: usize = 0x7e;

static NOTHING: u8 = 0;

/// Which blocks were freed.
pub struct Shadow {
    base: Cell<*mut u8>,
    /// Applied to every index: 0 while there is no shadow, which makes `base` the only byte.
    mask: Cell<usize>,
    was_tried: Cell<bool>,
}

impl Shadow {
    /// One in which nothing was freed.
    pub const fn new() -> Shadow {
        Shadow {
            base: Cell::new((&raw const NOTHING).cast_mut()),
            mask: Cell::new(0),
            was_tried: Cell::new(false),
        }
    }

    /// Sees to it that there is a shadow; false if there cannot be one.
    pub fn prepare(&self) -> bool {
        if !self.was_tried.replace(true) {
            let base = sys::map(LEN);
            if !base.is_null() {
                const NO_HUGE_PAGES: usize = 15;
                const NOT_IN_CORES: usize = 16;
                // SAFETY: advice on a mapping that is ours.
                unsafe {
                    sys::call3(nr::MADVISE, base as usize, LEN, NO_HUGE_PAGES);
                    sys::call3(nr::MADVISE, base as usize, LEN, NOT_IN_CORES);
                }
                self.base.set(base);
                self.mask.set(LEN - 1);
            }
        }
        self.mask.get() != 0
    }

    /// Whether an address lies in a block that was freed.
    #[inline(always)]
    pub fn is_freed(&self, address: u64) -> bool {
        self.mark(address) & FREED != 0
    }

    /// Says that a block of `usable` bytes was given out for `size`.
    pub fn allocated(&self, address: u64, size: usize, usable: usize) {
        let spare = usable.saturating_sub(size);
        let mark = if spare <= SPARE_MAX { spare as u8 + 1 } else { 0 };
        if self.prepare() {
            // SAFETY: since there is a shadow, the mask keeps the index inside of it.
            unsafe { *self.at(address) = mark };
        }
    }

    /// Whether a block that was given out begins at an address, as far as is known.
    pub fn is_block(&self, address: u64) -> bool {
        let mark = self.mark(address);
        mark != 0 && mark & FREED == 0
    }

    /// How many bytes were asked for when a block of `usable` bytes was given out.
    pub fn size(&self, address: u64, usable: usize) -> usize {
        let mark = self.mark(address);
        let spare = if mark & FREED == 0 { mark.saturating_sub(1) } else { 0 };
        usable.saturating_sub(spare.into())
    }

    /// Says that a block was freed.
    pub fn freed(&self, address: u64, usable: usize) {
        self.fill(address, usable, FREED);
    }

    /// Says that nothing is known of a block.
    pub fn forget(&self, address: u64, usable: usize) {
        self.fill(address, usable, 0);
    }

    fn fill(&self, address: u64, len: usize, mark: u8) {
        if self.prepare() {
            // SAFETY: as above for the first byte, and a block ends within the address space, for all of which there is
            // a shadow.
            unsafe { ptr::write_bytes(self.at(address), mark, len.div_ceil(1 << SHIFT)) };
        }
    }

    #[inline(always)]
    fn mark(&self, address: u64) -> u8 {
        // SAFETY: the mask keeps the index inside of the shadow, or makes it that of the one byte there is without.
        unsafe { *self.at(address) }
    }

    #[inline(always)]
    fn at(&self, address: u64) -> *mut u8 {
        self.base.get().wrapping_add((address >> SHIFT) as usize & self.mask.get())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_is_freed_up_to_its_last_byte_and_not_further() {
        let shadow = Shadow::new();
        assert!(!shadow.is_freed(0x5000), "there is no shadow yet");
        shadow.allocated(0x5000, 20, 24);
        assert_eq!(shadow.size(0x5000, 24), 20);
        assert!(!shadow.is_freed(0x5000));
        shadow.freed(0x5000, 24);
        let freed = [(0x4fff, false), (0x5000, true), (0x5017, true), (0x5020, false)];
        assert!(freed.iter().all(|&(address, is)| shadow.is_freed(address) == is));
        shadow.forget(0x5000, 24);
        assert!(!shadow.is_freed(0x5000) && !shadow.is_freed(0x5017));
    }

    #[test]
    fn a_size_that_does_not_fit_is_what_the_block_has() {
        let shadow = Shadow::new();
        shadow.allocated(0x9000, 100, 226);
        assert_eq!(shadow.size(0x9000, 226), 100);
        shadow.allocated(0x9000, 100, 227);
        assert_eq!(shadow.size(0x9000, 227), 227);
    }

    #[test]
    fn any_address_can_be_asked_for() {
        let shadow = Shadow::new();
        shadow.freed(0x7fff_ffff_fff0, 16);
        assert!(shadow.is_freed(0x7fff_ffff_ffff));
        assert!(!shadow.is_freed(0x7fff_ffff_ffef));
        assert!(!shadow.is_freed(0xdead_beef_dead_beef));
    }
}
