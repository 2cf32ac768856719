//! The quarantine: blocks that were freed and are not given out again for a while, so that their
//! use can be distinguished from the use of what would lie there next.

use alloc::collections::VecDeque;

/// How many blocks are kept.
const BLOCKS_MAX: usize = 4096;
/// How many bytes they have together.
pub const BYTES_MAX: usize = 16 << 20;

/// A block that was freed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Block {
    /// Where it begins.
    pub address: u64,
    /// How many bytes were asked for.
    pub size: usize,
    /// How many it has.
    pub usable: usize,
    /// From where it was freed.
    pub pc: u64,
    /// Who freed it.
    pub thread: u32,
}

impl Block {
    /// Whether an address lies in what the shadow marks for this block.
    fn covers(&self, address: u64) -> bool {
        address
            .checked_sub(self.address)
            .is_some_and(|at| at < self.usable.next_multiple_of(16) as u64)
    }
}

/// Blocks that were freed, oldest first.
pub struct Quarantine {
    blocks: VecDeque<Block>,
    n_bytes: usize,
}

impl Quarantine {
    /// An empty one.
    pub const fn new() -> Quarantine {
        Quarantine { blocks: VecDeque::new(), n_bytes: 0 }
    }

    /// Takes a block in.
    pub fn push(&mut self, block: Block) {
        self.n_bytes += block.usable;
        self.blocks.push_back(block);
    }

    /// The oldest block, if there are more than can be kept; it leaves.
    pub fn pop_excess(&mut self) -> Option<Block> {
        if self.blocks.len() <= BLOCKS_MAX && self.n_bytes <= BYTES_MAX {
            return None;
        }
        let block = self.blocks.pop_front()?;
        self.n_bytes -= block.usable;
        Some(block)
    }

    /// The block that an address lies in.
    pub fn find(&self, address: u64) -> Option<Block> {
        self.blocks.iter().find(|block| block.covers(address)).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block(address: u64, usable: usize) -> Block {
        Block { address, size: usable, usable, pc: 0, thread: 0 }
    }

    #[test]
    fn the_oldest_leaves_when_there_are_too_many() {
        let mut quarantine = Quarantine::new();
        for number in 0..BLOCKS_MAX as u64 {
            quarantine.push(block(number * 32, 24));
        }
        assert_eq!(quarantine.pop_excess(), None);
        quarantine.push(block(0x100_0000, 24));
        assert_eq!(quarantine.pop_excess(), Some(block(0, 24)));
        assert_eq!(quarantine.pop_excess(), None);
    }

    #[test]
    fn the_oldest_leave_until_the_rest_is_small_enough() {
        let mut quarantine = Quarantine::new();
        quarantine.push(block(0x10, 24));
        quarantine.push(block(0x30, 24));
        quarantine.push(block(0x1000, BYTES_MAX - 24));
        assert_eq!(quarantine.pop_excess(), Some(block(0x10, 24)));
        assert_eq!(quarantine.pop_excess(), None);
    }

    #[test]
    fn a_block_is_found_by_any_address_in_it() {
        let mut quarantine = Quarantine::new();
        quarantine.push(block(0x100, 24));
        assert_eq!(quarantine.find(0x100), quarantine.find(0x117));
        assert!(quarantine.find(0x117).is_some());
        assert!(quarantine.find(0xff).is_none() && quarantine.find(0x120).is_none());
    }
}
