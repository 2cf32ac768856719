//! Blocks: 512 aligned bytes of memory, found by hashing.
//!
//! A block of another execution is a free slot. Each block has a *page* of lines, one a granule;
//! pages are given out in order, so that small executions use few of them again and again.

use core::ops::Range;

/// Bytes of a granule, and of a block, as powers of two.
pub(super) const GRANULE: u32 = 3;
pub(super) const BLOCK: u32 = 9;
/// Granules of a block: one bit each.
pub(super) const N_GRANULES: u32 = 1 << (BLOCK - GRANULE);

pub(super) const N_BLOCKS: usize = 1 << 16;
/// More than blocks, so that looking for one is short and ends.
const N_SLOTS: usize = 2 * N_BLOCKS;

/// What is remembered of 64 granules. Free unless it is of this execution.
#[derive(Clone, Copy)]
#[repr(align(64))]
pub(super) struct Block {
    number: u64,
    execution: u64,
    /// Granules with accesses, and those with places of synchronisation.
    pub(super) used: u64,
    pub(super) places: u64,
    page: u32,
    /// The first line of wide accesses; 0: none.
    pub(super) wide: u32,
}

impl Block {
    /// Its first byte.
    pub(super) fn start(&self) -> u64 {
        self.number << BLOCK
    }

    /// The line of a granule.
    #[inline]
    pub(super) fn line(&self, granule: u32) -> u32 {
        self.page * N_GRANULES + granule
    }

    /// Which of its granules have bytes in a range that has some of the block.
    pub(super) fn granules(&self, bytes: &Range<u64>) -> u64 {
        let (start, end) = (self.start(), self.start() + (1 << BLOCK));
        let first = granule(bytes.start.max(start));
        let last = granule(bytes.end.min(end) - 1);
        u64::MAX << first & u64::MAX >> (N_GRANULES - 1 - last)
    }
}

/// All blocks of an execution.
pub(super) struct Blocks {
    execution: u64,
    n: u32,
    slots: [Block; N_SLOTS],
    /// Where the block with each page is.
    by_page: [u32; N_BLOCKS],
}

/// How far a walk over the blocks of some memory has come: by number, or by page if there are more
/// numbers than blocks.
pub(super) struct Walk {
    numbers: Range<u64>,
    pages: Option<Range<u32>>,
}

impl Blocks {
    /// There are no blocks.
    pub(super) fn reset(&mut self, execution: u64) {
        self.execution = execution;
        self.n = 0;
    }

    /// The block with an address, if there is one.
    #[inline]
    pub(super) fn find(&self, address: u64) -> Option<&Block> {
        let block = &self.slots[self.slot(address >> BLOCK)];
        (block.execution == self.execution).then_some(block)
    }

    /// The block with an address, new if there was none; none if there is no room.
    #[inline]
    pub(super) fn with(&mut self, address: u64) -> Option<usize> {
        let slot = self.slot(address >> BLOCK);
        if self.slots[slot].execution == self.execution {
            return Some(slot);
        }
        self.make(slot, address >> BLOCK)
    }

    /// A block that was found.
    #[inline]
    pub(super) fn at(&mut self, slot: usize) -> &mut Block {
        &mut self.slots[slot]
    }

    /// Begins a walk over the blocks with bytes in a range.
    pub(super) fn walk(&self, bytes: &Range<u64>) -> Walk {
        let end =
            if bytes.is_empty() { bytes.start >> BLOCK } else { ((bytes.end - 1) >> BLOCK) + 1 };
        let numbers = bytes.start >> BLOCK..end;
        let is_long = numbers.end - numbers.start > u64::from(self.n);
        Walk { numbers, pages: is_long.then_some(0..self.n) }
    }

    /// The next block of a walk.
    pub(super) fn next(&self, walk: &mut Walk) -> Option<usize> {
        let Walk { numbers, pages } = walk;
        let Some(pages) = pages else {
            let mut slots = numbers.map(|number| self.slot(number));
            return slots.find(|&slot| self.slots[slot].execution == self.execution);
        };
        let mut slots = pages.map(|page| self.by_page[page as usize] as usize);
        slots.find(|&slot| numbers.contains(&self.slots[slot].number))
    }

    #[cold]
    fn make(&mut self, slot: usize, number: u64) -> Option<usize> {
        let (execution, page) = (self.execution, self.n);
        *self.by_page.get_mut(page as usize)? = slot as u32;
        self.slots[slot] = Block { number, execution, used: 0, places: 0, page, wide: 0 };
        self.n += 1;
        Some(slot)
    }

    /// The slot of a block, or the free one where it would be; there always is one.
    #[inline]
    fn slot(&self, number: u64) -> usize {
        let mut slot = (number.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40) as usize % N_SLOTS;
        while self.slots[slot].execution == self.execution && self.slots[slot].number != number {
            slot = (slot + 1) % N_SLOTS;
        }
        slot
    }
}

/// Which granule of its block an address is in.
#[inline]
pub(super) fn granule(address: u64) -> u32 {
    (address >> GRANULE) as u32 % N_GRANULES
}
