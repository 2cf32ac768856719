//! The cache: what was taken in which state.
//!
//! K1: a key stands for a state, what was chosen in it, and what else decides what comes after:
//! the history that the engine keeps beside the state.
//!
//! Engines look keys up while runs are learned: the table is split into shards with a lock each.
//! What they see depends on when they look, but a key never goes away, so a run that ends early
//! would have been cut there, or before, when it is learned.

use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use raddle_finding::Choice;
use rustc_hash::FxHashSet;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::engine::Watch;
use crate::run::Run;

const N_SHARDS: usize = 64;

/// What was taken in which state. Clones are independent of each other.
#[derive(Debug)]
pub(crate) struct Cache(Arc<Table>);

#[derive(Debug)]
struct Table {
    shards: [RwLock<FxHashSet<u128>>; N_SHARDS],
}

impl Cache {
    pub(crate) fn watch(&self) -> Arc<dyn Watch> {
        self.0.clone()
    }

    pub(crate) fn contains(&self, key: u128) -> bool {
        self.0.is_known(key)
    }

    /// Adds a key; false if it was there.
    pub(crate) fn insert(&self, key: u128) -> bool {
        write(self.0.shard(key)).insert(key)
    }

    pub(crate) fn clear(&self) {
        self.0.shards.iter().for_each(|shard| *write(shard) = FxHashSet::default());
    }

    /// How many bytes it takes.
    pub(crate) fn memory(&self) -> usize {
        self.0.shards.iter().map(|shard| table_memory(read(shard).capacity())).sum()
    }

    fn sorted(&self) -> Vec<u128> {
        let mut keys = Vec::new();
        self.0.shards.iter().for_each(|shard| keys.extend(read(shard).iter()));
        keys.sort_unstable();
        keys
    }
}

impl Table {
    fn shard(&self, key: u128) -> &RwLock<FxHashSet<u128>> {
        &self.shards[(key >> 96) as usize % N_SHARDS]
    }
}

impl Watch for Table {
    fn key(&self, run: &Run) -> Option<u128> {
        let last = run.points().len().checked_sub(1)?;
        Some(key(run, last, run.taken(last)))
    }

    fn is_known(&self, key: u128) -> bool {
        read(self.shard(key)).contains(&key)
    }
}

impl Default for Cache {
    fn default() -> Cache {
        Cache(Arc::new(Table { shards: std::array::from_fn(|_| RwLock::default()) }))
    }
}

impl Clone for Cache {
    fn clone(&self) -> Cache {
        let copy = |shard: &RwLock<FxHashSet<u128>>| RwLock::new(read(shard).clone());
        Cache(Arc::new(Table { shards: self.0.shards.each_ref().map(copy) }))
    }
}

impl PartialEq for Cache {
    fn eq(&self, other: &Cache) -> bool {
        self.sorted() == other.sorted()
    }
}

impl Serialize for Cache {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.sorted().serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Cache {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Cache, D::Error> {
        let cache = Cache::default();
        for key in Vec::<u128>::deserialize(deserializer)? {
            cache.insert(key);
        }
        Ok(cache)
    }
}

/// How many bytes a hash table of 16-byte keys with this capacity takes: a byte of control each,
/// and at most 7/8 full.
pub(crate) fn table_memory(capacity: usize) -> usize {
    capacity * 8 / 7 * 17
}

/// K1: what is taken in which state.
pub(crate) fn key(run: &Run, point: usize, choice: Choice) -> u128 {
    let state = *run.fingerprints.get(point).expect("a cache needs fingerprints");
    let at = run.points()[point];
    let (kind, number) = match choice {
        Choice::Thread(thread) => (1, u64::from(thread)),
        Choice::Waiter(waiter) => (2, u64::from(waiter)),
        Choice::Timeout(yes) => (3, u64::from(yes)),
        Choice::Spurious(yes) => (4, u64::from(yes)),
        Choice::Branch(yes) => (5, u64::from(yes)),
        Choice::Value(value) => (6, value as u64),
    };
    // Odd multipliers keep apart what differs, and spread small numbers.
    let choice = (number ^ kind << 56).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let history = at.history.wrapping_mul(0xd6e8_feb8_6659_fd93);
    state.rotate_left(23) ^ (u128::from(choice) << 32 | u128::from(kind)) ^ u128::from(history)
}

fn read<T>(lock: &RwLock<T>) -> RwLockReadGuard<'_, T> {
    lock.read().unwrap_or_else(PoisonError::into_inner)
}

fn write<T>(lock: &RwLock<T>) -> RwLockWriteGuard<'_, T> {
    lock.write().unwrap_or_else(PoisonError::into_inner)
}
