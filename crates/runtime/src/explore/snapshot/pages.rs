//! Pages that were written: their content as it was before, and where to find it.

use super::region::Region;
use super::{GROWTH_MAX, Kept, N_PAGES_MAX, N_PLACES, PAGE};
use crate::memory::plain;
use crate::sys;

const READ_WRITE: usize = 3;

impl Kept {
    /// A page that was written, by its number.
    pub(super) fn page(&self, index: usize) -> usize {
        assert!(index < self.n_pages.get(), "so many were noted");
        // SAFETY: there is room for `N_PAGES_MAX`, and this one was noted.
        unsafe { self.pages.get().add(index).read() }
    }

    /// Where the content of a page is kept, by its number.
    pub(super) fn content(&self, index: usize) -> *mut u8 {
        assert!(index < N_PAGES_MAX, "there is room for so many");
        self.saved.get().wrapping_add(index * PAGE)
    }

    /// The place of a page among the hashes: free, or where the page is.
    fn place_of(&self, page: usize) -> (*mut u32, bool) {
        let mut place = (page >> 12).wrapping_mul(0x9e37_79b9_7f4a_7c15) % N_PLACES;
        loop {
            let at = self.places.get().wrapping_add(place);
            // SAFETY: there are so many places, at first all zero.
            match unsafe { at.read() } {
                0 => return (at, true),
                other if self.page(other as usize - 1) == page => return (at, false),
                _ => place = (place + 1) % N_PLACES,
            }
        }
    }

    /// Saves a page and makes it writable; false if it is none of ours, or was writable.
    pub(super) fn open(&self, page: usize) -> bool {
        let regions = self.regions();
        let index = regions.partition_point(|region| region.get().end <= page);
        let Some(region) = regions.get(index) else { return false };
        let Region { start, is_stack, .. } = region.get();
        if page < start {
            let grows = is_stack && start - page <= GROWTH_MAX;
            if !grows {
                return false;
            }
            region.set(Region { start: page, ..region.get() });
        }
        let (place, is_free) = self.place_of(page);
        if !is_free || self.n_pages.get() >= N_PAGES_MAX {
            return false;
        }
        // SAFETY: the program could always write there.
        if unsafe { sys::protect(page, PAGE, READ_WRITE) } < 0 {
            return false;
        }
        let index = self.n_pages.get();
        // SAFETY: the page is there, since its rights could be changed, and there is room for its content, for
        // its address and, at a free place, for its number.
        unsafe {
            plain::copy_page(self.content(index), page as *const u8);
            self.pages.get().add(index).write(page);
            place.write(index as u32 + 1);
        }
        self.n_pages.set(index + 1);
        true
    }
}
