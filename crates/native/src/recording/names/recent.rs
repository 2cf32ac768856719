//! What was looked up lately: a small table in front of a large one.

const SLOTS: usize = 1 << 13;

/// Ids by address and size, as long as nothing else needs their slot.
pub(super) struct Recent {
    slots: Vec<Slot>,
    generation: u32,
}

#[derive(Clone, Copy, Default)]
struct Slot {
    address: u64,
    size: u32,
    id: u32,
    generation: u32,
}

impl Recent {
    pub(super) fn new() -> Recent {
        Recent { slots: vec![Slot::default(); SLOTS], generation: 1 }
    }

    #[inline]
    pub(super) fn get(&self, address: u64, size: u32) -> Option<u32> {
        let slot = &self.slots[index(address)];
        let same = (slot.address, slot.size) == (address, size);
        (same && slot.generation == self.generation).then_some(slot.id)
    }

    pub(super) fn put(&mut self, address: u64, size: u32, id: u32) {
        self.slots[index(address)] = Slot { address, size, id, generation: self.generation };
    }

    /// Addresses mean something else from here on.
    pub(super) fn forget(&mut self) {
        self.generation = self.generation.wrapping_add(1);
        if self.generation == 0 {
            *self = Recent::new();
        }
    }
}

#[inline]
fn index(address: u64) -> usize {
    (address.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 51) as usize % SLOTS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_remembers_until_it_forgets() {
        let mut recent = Recent::new();
        assert_eq!(recent.get(0, 0), None);
        recent.put(64, 8, 5);
        assert_eq!((recent.get(64, 8), recent.get(64, 4)), (Some(5), None));
        recent.forget();
        assert_eq!(recent.get(64, 8), None);
    }
}
