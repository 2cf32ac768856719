//! A hash table from addresses to numbers, as small as it can be.
//!
//! Open addressing with linear probing; entries that are removed leave no holes behind, since the
//! ones after them move up.

use alloc::vec;
use alloc::vec::Vec;

/// Maps non-zero addresses to values.
#[derive(Clone, Debug, Default)]
pub struct Table<V> {
    slots: Vec<(u64, V)>,
    len: usize,
}

impl<V: Copy + Default> Table<V> {
    /// An empty one.
    pub const fn new() -> Table<V> {
        Table { slots: Vec::new(), len: 0 }
    }

    /// How many entries there are.
    #[cfg(test)]
    pub fn len(&self) -> usize {
        self.len
    }

    /// All addresses with their values, in an order that depends on nothing but them.
    pub fn entries(&self) -> impl Iterator<Item = (u64, V)> + '_ {
        self.slots.iter().copied().filter(|&(key, _)| key != 0)
    }

    /// The addresses in `start..end` that have a value, all of them multiples of `step` behind
    /// `start`, which is not 0. Looks at the addresses or at the entries, whichever are fewer.
    pub fn keys_within(&self, start: u64, end: u64, step: u64) -> Vec<u64> {
        if end.saturating_sub(start) / step <= self.slots.len() as u64 {
            let keys = (start..end).step_by(step as usize);
            return keys.filter(|&key| self.get(key).is_some()).collect();
        }
        let keys = self.slots.iter().map(|&(key, _)| key);
        keys.filter(|key| (start..end).contains(key)).collect()
    }

    /// The value of an address.
    #[inline]
    pub fn get(&self, key: u64) -> Option<V> {
        let slot = self.find(key)?;
        (self.slots[slot].0 == key).then(|| self.slots[slot].1)
    }

    /// Sets the value of an address, which is not 0.
    pub fn insert(&mut self, key: u64, value: V) {
        if (self.len + 1) * 2 > self.slots.len() {
            self.grow();
        }
        let Some(slot) = self.find(key) else { return };
        if self.slots[slot].0 == 0 {
            self.len += 1;
        }
        self.slots[slot] = (key, value);
    }

    /// Forgets an address; the value that it had.
    pub fn remove(&mut self, key: u64) -> Option<V> {
        let mut hole = self.find(key)?;
        if self.slots[hole].0 != key {
            return None;
        }
        let value = self.slots[hole].1;
        let mask = self.slots.len() - 1;
        let mut at = hole;
        loop {
            at = (at + 1) & mask;
            let (key, _) = self.slots[at];
            if key == 0 {
                break;
            }
            let home = self.home(key);
            // It may move up unless its home lies between the hole and where it is.
            if (at.wrapping_sub(home) & mask) >= (at.wrapping_sub(hole) & mask) {
                self.slots[hole] = self.slots[at];
                hole = at;
            }
        }
        self.slots[hole] = (0, V::default());
        self.len -= 1;
        Some(value)
    }

    fn home(&self, key: u64) -> usize {
        let hash = key.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        (hash >> 32) as usize & (self.slots.len() - 1)
    }

    /// The slot of a key, or the free one where it would go; none if there are no slots.
    #[inline]
    fn find(&self, key: u64) -> Option<usize> {
        if self.slots.is_empty() {
            return None;
        }
        let mask = self.slots.len() - 1;
        let mut slot = self.home(key);
        while self.slots[slot].0 != key && self.slots[slot].0 != 0 {
            slot = (slot + 1) & mask;
        }
        Some(slot)
    }

    fn grow(&mut self) {
        let larger = (self.slots.len() * 2).max(64);
        let old = core::mem::replace(&mut self.slots, vec![(0, V::default()); larger]);
        self.len = 0;
        for (key, value) in old {
            if key != 0 {
                self.insert(key, value);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::collection::vec;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    #[test]
    fn it_agrees_with_a_map_over_many_changes() {
        let (mut table, mut map) = (Table::new(), BTreeMap::new());
        let mut random = 1u64;
        for step in 0..200_000u32 {
            random = random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            let key = (random >> 40) % 700 + 1;
            match random >> 33 & 3 {
                0 => assert_eq!(table.remove(key), map.remove(&key)),
                1 => assert_eq!(table.get(key), map.get(&key).copied()),
                _ => {
                    table.insert(key, step);
                    map.insert(key, step);
                }
            }
            assert_eq!(table.len(), map.len());
        }
        assert!(map.iter().all(|(&key, &value)| table.get(key) == Some(value)));
    }

    proptest! {
        #[test]
        fn what_it_lists_is_what_a_map_has(
            changes in vec((1..300u64, any::<bool>()), 0..300),
            (start, len) in (1..300u64, 0..300u64),
        ) {
            const STEP: u64 = 4;
            let (mut table, mut map) = (Table::new(), BTreeMap::new());
            for (number, (key, is_there)) in changes.into_iter().enumerate() {
                let key = key * STEP;
                if is_there {
                    table.insert(key, number);
                    map.insert(key, number);
                } else {
                    prop_assert_eq!(table.remove(key), map.remove(&key));
                }
            }
            prop_assert_eq!(table.entries().collect::<BTreeMap<_, _>>(), map.clone());
            // Few addresses, and more of them than there are entries.
            for end in [start * STEP + len, start * STEP + len * 1000] {
                let mut keys = table.keys_within(start * STEP, end, STEP);
                keys.sort_unstable();
                let expected: std::vec::Vec<_> = map.range(start * STEP..end).map(|it| *it.0).collect();
                prop_assert_eq!(keys, expected);
            }
        }
    }
}
