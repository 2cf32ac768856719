//! The arena: the bytes of all objects, in blocks of a few sizes.
//!
//! Small blocks come in steps of 16 bytes, larger ones in powers of two. A free block holds the
//! start of the next free block of its size, so that the lists are copied with the bytes. Blocks
//! above a mebibyte share one list and are used again for the same size only.

const STEP: u32 = 16;
const N_SMALL: usize = 32;
const N_CLASSES: usize = N_SMALL + 32;
const LARGE: u32 = 1 << 20;
const LARGE_CLASS: usize = N_CLASSES - 1;
const NONE: u32 = u32::MAX;

/// The bytes of all objects.
#[derive(Debug)]
pub(crate) struct Arena {
    pub(crate) bytes: Vec<u8>,
    free: [u32; N_CLASSES],
    limit: usize,
}

impl Default for Arena {
    fn default() -> Self {
        Arena::new(0)
    }
}

impl Clone for Arena {
    fn clone(&self) -> Self {
        Arena { bytes: self.bytes.clone(), ..*self }
    }

    fn clone_from(&mut self, from: &Self) {
        self.bytes.clone_from(&from.bytes);
        self.free = from.free;
        self.limit = from.limit;
    }
}

impl Arena {
    pub(super) fn new(limit: u64) -> Arena {
        let limit = limit.min(u64::from(NONE) - u64::from(STEP)) as usize;
        Arena { bytes: Vec::new(), free: [NONE; N_CLASSES], limit }
    }

    /// The start of a block for so many bytes; none if the limit is reached.
    pub(super) fn take(&mut self, size: u32) -> Option<u32> {
        let (class, room) = class(size)?;
        if class == LARGE_CLASS
            && let Some(start) = self.take_large(room)
        {
            return Some(start);
        }
        let start = self.free[class];
        if class != LARGE_CLASS && start != NONE {
            self.free[class] = self.word(start);
            return Some(start);
        }
        let start = self.bytes.len();
        if start + room as usize > self.limit {
            return None;
        }
        self.bytes.resize(start + room as usize, 0);
        Some(start as u32)
    }

    fn take_large(&mut self, room: u32) -> Option<u32> {
        let (mut before, mut start) = (NONE, self.free[LARGE_CLASS]);
        while start != NONE && self.word(start + 4) != room {
            (before, start) = (start, self.word(start));
        }
        let next = if start == NONE { return None } else { self.word(start) };
        match before {
            NONE => self.free[LARGE_CLASS] = next,
            _ => self.set_word(before, next),
        }
        Some(start)
    }

    /// Frees the block that was taken for so many bytes.
    pub(super) fn give_back(&mut self, start: u32, size: u32) {
        let Some((class, room)) = class(size) else { return };
        self.set_word(start, self.free[class]);
        self.set_word(start + 4, room);
        self.free[class] = start;
    }

    fn word(&self, at: u32) -> u32 {
        let bytes = &self.bytes[at as usize..at as usize + 4];
        u32::from_le_bytes(bytes.try_into().expect("these are four"))
    }

    fn set_word(&mut self, at: u32, word: u32) {
        self.bytes[at as usize..at as usize + 4].copy_from_slice(&word.to_le_bytes());
    }

    pub(super) fn fill(&mut self, start: u32, size: u32, byte: u8) {
        self.bytes[start as usize..start as usize + size as usize].fill(byte);
    }
}

/// The class of blocks that so many bytes need, and how many bytes these blocks have.
fn class(size: u32) -> Option<(usize, u32)> {
    let steps = size.div_ceil(STEP).max(1) as usize;
    if steps <= N_SMALL {
        return Some((steps - 1, steps as u32 * STEP));
    }
    if size > LARGE {
        return Some((LARGE_CLASS, size.checked_next_multiple_of(1 << 16)?));
    }
    let room = size.next_power_of_two();
    Some((N_SMALL + room.trailing_zeros() as usize, room))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_freed_block_is_used_again() {
        let mut arena = Arena::new(1 << 20);
        let first = arena.take(20).unwrap();
        let second = arena.take(20).unwrap();
        arena.give_back(first, 20);
        arena.give_back(second, 20);
        assert_eq!((arena.take(30), arena.take(17)), (Some(second), Some(first)));
        assert_eq!(arena.bytes.len(), 64);
    }

    #[test]
    fn the_limit_holds() {
        let mut arena = Arena::new(64);
        assert!(arena.take(65).is_none());
        assert!(arena.take(64).is_some());
        assert!(arena.take(1).is_none());
    }
}
