//! The heap: which allocation an address belongs to.
//!
//! An allocation keeps its bytes after it was freed, until others lie there: a late access is one
//! to what was freed, not to something new. Each allocation has a number of its own, so memory that
//! is used again is other memory.

use std::collections::BTreeMap;

/// An allocation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Block {
    pub(super) start: u64,
    pub(super) len: u64,
    /// Counts allocations from 0.
    pub(super) number: u32,
    /// From where it was asked for.
    pub(super) pc: u64,
    /// Counts what was asked for from the same line, from 1.
    pub(super) ordinal: u32,
    /// The thread whose stack it is.
    pub(super) stack_of: Option<u32>,
}

/// All allocations that have not been replaced.
#[derive(Default)]
pub(super) struct Heap {
    blocks: BTreeMap<u64, Block>,
    n_blocks: u32,
    /// The block found last, by far the most likely one to be asked for next.
    last: Option<Block>,
}

impl Heap {
    /// Memory becomes the stack of a thread.
    pub(super) fn give(&mut self, start: u64, len: u64, thread: u32) {
        let block = self.allocate(start, len, 0, 0);
        self.blocks.insert(start, Block { stack_of: Some(thread), ..block });
    }

    /// Memory is allocated.
    pub(super) fn allocate(&mut self, start: u64, len: u64, pc: u64, ordinal: u32) -> Block {
        self.last = None;
        let end = start.saturating_add(len.max(1));
        while let Some((&at, block)) = self.blocks.range(..end).next_back() {
            if block.start + block.len.max(1) <= start {
                break;
            }
            self.blocks.remove(&at);
        }
        let block = Block { start, len, number: self.n_blocks, pc, ordinal, stack_of: None };
        self.n_blocks = self.n_blocks.wrapping_add(1);
        self.blocks.insert(start, block);
        block
    }

    /// The allocation that starts at an address.
    pub(super) fn starting(&self, start: u64) -> Option<Block> {
        self.blocks.get(&start).copied()
    }

    /// The allocation that an address belongs to.
    #[inline]
    pub(super) fn find(&mut self, address: u64) -> Option<Block> {
        let has = |block: &Block| address.wrapping_sub(block.start) < block.len.max(1);
        if let Some(last) = self.last.filter(has) {
            return Some(last);
        }
        let block = self.blocks.range(..=address).next_back().map(|(_, &block)| block);
        let block = block.filter(has)?;
        self.last = Some(block);
        Some(block)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_that_is_used_again_is_other_memory() {
        let mut heap = Heap::default();
        heap.allocate(100, 50, 1, 1);
        heap.allocate(200, 50, 2, 1);
        assert_eq!(heap.find(149).map(|b| b.number), Some(0));
        assert_eq!(heap.find(150), None);
        heap.allocate(140, 70, 3, 1);
        assert_eq!(heap.find(120), None);
        assert_eq!(heap.find(209).map(|b| b.number), Some(2));
        assert_eq!(heap.find(220), None);
    }

    #[test]
    fn neighbours_stay() {
        let mut heap = Heap::default();
        heap.allocate(100, 50, 1, 1);
        heap.allocate(150, 0, 2, 1);
        assert_eq!(heap.find(149).map(|b| b.number), Some(0));
        assert_eq!(heap.find(150).map(|b| b.number), Some(1));
        assert_eq!(heap.starting(150).map(|b| b.pc), Some(2));
    }
}
