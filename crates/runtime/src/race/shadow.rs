//! Shadows: what is remembered of memory.
//!
//! In: accesses. Out: those remembered of the same bytes, shown to a [`Judge`]. An access takes the
//! place of one that happens before it, at the same program counter, of the same kind and to the
//! same bytes: a thread that is not ordered with the earlier one is not ordered with the later one either,
//! or it would know of both. So no pair of program counters is lost.
//!
//! Memory is cut into *granules* of 8 bytes, and these into *blocks* of 64 ([`block`](super::block)).
//! A granule is a line of its block's page ([`line`](super::line)), with further lines behind it
//! if one is not enough. An access to all of a block is *wide*: it is kept once, with the block. A
//! granule counts only if its bit is set, so beginning anew touches none of them.

use core::ops::Range;

use super::access::Access;
use super::block::{BLOCK, Block, Blocks, GRANULE, granule};
use super::found::Judge;
use super::line::Lines;

/// What is remembered of all memory.
pub(super) struct Shadow {
    /// How many accesses there was no block for.
    n_forgotten: u64,
    blocks: Blocks,
    lines: Lines,
}

impl Shadow {
    /// Nothing is remembered.
    pub(super) fn reset(&mut self, execution: u64) {
        self.n_forgotten = 0;
        self.blocks.reset(execution);
        self.lines.reset();
    }

    /// How many accesses there was no room for.
    pub(super) fn n_forgotten(&self) -> u64 {
        self.n_forgotten + self.lines.n_forgotten
    }

    /// Whether an access within a granule is kept already, exactly so. Then it has been compared with
    /// all others: as long as its thread's time stands still, no other thread knows of it, so later accesses
    /// found it. A granule with places of synchronisation is never known, since there is more
    /// to do.
    #[inline]
    pub(super) fn knows(&self, bytes: Range<u64>, new: Access) -> bool {
        let granule = granule(bytes.start);
        let Some(block) = self.blocks.find(bytes.start) else { return false };
        (block.used & !block.places) >> granule & 1 != 0
            && self.lines.has(block.line(granule), new.to(bytes))
    }

    /// Shows the accesses remembered of some bytes and keeps the new one. Answers whether there are
    /// places of synchronisation.
    pub(super) fn access(&mut self, bytes: Range<u64>, new: Access, judge: &mut Judge<'_>) -> bool {
        if bytes.end <= granule_end(bytes.start) {
            return self.access_one(bytes, new, judge);
        }
        self.access_many(bytes, new, judge)
    }

    fn access_many(&mut self, bytes: Range<u64>, new: Access, judge: &mut Judge<'_>) -> bool {
        let mut has_places = false;
        let mut start = bytes.start;
        while start < bytes.end {
            let block = 1 << BLOCK;
            if start.is_multiple_of(block) && bytes.end - start >= block {
                has_places |= self.access_block(start, new.to_all(), judge);
                start += block;
            } else {
                let end = bytes.end.min(granule_end(start));
                has_places |= self.access_one(start..end, new, judge);
                start = end;
            }
        }
        has_places
    }

    /// The same for bytes of one granule.
    fn access_one(&mut self, bytes: Range<u64>, new: Access, judge: &mut Judge<'_>) -> bool {
        let (base, granule) = (bytes.start & !7, granule(bytes.start));
        let Some(slot) = self.blocks.with(base) else {
            self.n_forgotten += 1;
            return false;
        };
        let new = new.to(bytes);
        let line = self.line(slot, granule);
        let block = self.blocks.at(slot);
        self.lines.show_chain(block.wide, |old| judge.compare(old, new, base));
        self.lines.keep(line, new, |old| judge.compare(old, new, base));
        block.places >> granule & 1 != 0
    }

    /// Keeps a wide access.
    fn access_block(&mut self, start: u64, new: Access, judge: &mut Judge<'_>) -> bool {
        let Some(slot) = self.blocks.with(start) else {
            self.n_forgotten += 1;
            return false;
        };
        let block = self.blocks.at(slot);
        if block.wide == 0 {
            block.wide = self.lines.new_line();
        }
        let block = *block;
        if block.wide == 0 {
            self.n_forgotten += 1;
            self.show_granules(&block, block.used, new, judge);
        } else if self.lines.keep(block.wide, new, |old| judge.compare(old, new, start)) {
            self.show_granules(&block, block.used, new, judge);
        }
        block.places != 0
    }

    /// Shows the accesses remembered of some bytes, without keeping the new one.
    pub(super) fn peek(&mut self, bytes: Range<u64>, new: Access, judge: &mut Judge<'_>) {
        let mut walk = self.blocks.walk(&bytes);
        while let Some(slot) = self.blocks.next(&mut walk) {
            let block = *self.blocks.at(slot);
            let (first, behind) = (block.start(), block.start() + (1 << BLOCK));
            if bytes.start <= first && bytes.end >= behind {
                let new = new.to_all();
                self.lines.show_chain(block.wide, |old| judge.compare(old, new, first));
                self.show_granules(&block, block.used, new, judge);
                continue;
            }
            let mut start = bytes.start.max(first);
            while start < bytes.end.min(behind) {
                let end = bytes.end.min(granule_end(start));
                let new = new.to(start..end);
                self.lines.show_chain(block.wide, |old| judge.compare(old, new, start & !7));
                self.show_granules(&block, block.used & 1 << granule(start), new, judge);
                start = end;
            }
        }
    }

    /// Says that there is a place of synchronisation at an address.
    pub(super) fn note_place(&mut self, address: u64) {
        match self.blocks.with(address) {
            Some(slot) => self.blocks.at(slot).places |= 1 << granule(address),
            // What ends there will not be seen to end, which can hide a race.
            None => self.n_forgotten += 1,
        }
    }

    /// Calls `act` with each granule that has bytes in a range and places of synchronisation.
    pub(super) fn each_place(&mut self, bytes: &Range<u64>, mut act: impl FnMut(u64)) {
        let mut walk = self.blocks.walk(bytes);
        while let Some(slot) = self.blocks.next(&mut walk) {
            let block = self.blocks.at(slot);
            let start = block.start();
            each_bit(block.places & block.granules(bytes), |granule| {
                act(start + (u64::from(granule) << GRANULE));
            });
        }
    }

    /// Forgets the accesses to all granules that have bytes in a range. Takes time in proportion to
    /// the blocks in use or those of the range, whichever are fewer.
    pub(super) fn forget(&mut self, bytes: &Range<u64>) {
        let mut walk = self.blocks.walk(bytes);
        while let Some(slot) = self.blocks.next(&mut walk) {
            let gone = self.blocks.at(slot).granules(bytes);
            if gone != u64::MAX {
                self.narrow(slot, !gone);
            }
            let block = self.blocks.at(slot);
            self.lines.recycle(block.wide);
            each_bit(block.used & gone, |granule| self.lines.cut(block.line(granule)));
            block.wide = 0;
            block.used &= !gone;
            block.places &= !gone;
        }
    }

    /// Keeps the wide accesses of a block with some of its granules, too.
    fn narrow(&mut self, slot: usize, granules: u64) {
        let mut next = self.blocks.at(slot).wide;
        while let Some(line) = self.lines.get(next) {
            next = line.next;
            for &old in line.accesses() {
                each_bit(granules, |granule| {
                    let line = self.line(slot, granule);
                    let is_own = |other: Access| other.thread() == old.thread();
                    self.lines.keep(line, old.to(0..8), is_own);
                });
            }
        }
    }

    /// Shows the accesses to some granules of a block.
    fn show_granules(&self, block: &Block, which: u64, new: Access, judge: &mut Judge<'_>) {
        each_bit(which, |granule| {
            let base = block.start() + (u64::from(granule) << GRANULE);
            self.lines.show(block.line(granule), |old| judge.compare(old, new, base));
        });
    }

    /// The line of a granule, which is in use from now on.
    fn line(&mut self, slot: usize, granule: u32) -> u32 {
        let block = self.blocks.at(slot);
        let line = block.line(granule);
        if block.used >> granule & 1 == 0 {
            block.used |= 1 << granule;
            self.lines.clear(line);
        }
        line
    }
}

/// The end of the granule that an address is in.
#[inline]
pub(super) fn granule_end(address: u64) -> u64 {
    (address & !7) + (1 << GRANULE)
}

fn each_bit(mut bits: u64, mut act: impl FnMut(u32)) {
    while bits != 0 {
        act(bits.trailing_zeros());
        bits &= bits - 1;
    }
}
