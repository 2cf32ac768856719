//! Lock sets: which pairs of accesses a common lock keeps apart.

use raddle_trace::{EventId, LockId, LockMode};
use rustc_hash::FxHashMap;

use crate::causes::Causes;

/// The locks held at each access, as numbers of distinct sets.
pub(crate) struct LockSets {
    of_event: FxHashMap<EventId, u32>,
    sets: Vec<Vec<(LockId, LockMode)>>,
    apart: FxHashMap<(u32, u32), bool>,
}

impl LockSets {
    pub(crate) fn new(causes: &Causes, accesses: impl Iterator<Item = EventId>) -> LockSets {
        let mut numbers = FxHashMap::default();
        let mut sets = Vec::new();
        let mut of_event = FxHashMap::default();
        for access in accesses {
            let scopes = causes.held.after(access).map(|s| causes.trace.scopes()[s.index()]);
            let mut set: Vec<_> = scopes.map(|scope| (scope.lock, scope.mode)).collect();
            set.sort_unstable();
            let number = *numbers.entry(set).or_insert_with_key(|set: &Vec<_>| {
                sets.push(set.clone());
                sets.len() as u32 - 1
            });
            of_event.insert(access, number);
        }
        LockSets { of_event, sets, apart: FxHashMap::default() }
    }

    /// True if a lock that both hold keeps two accesses of different threads apart.
    pub(crate) fn keep_apart(&mut self, a: EventId, b: EventId) -> bool {
        let key = (self.of_event[&a], self.of_event[&b]);
        let sets = &self.sets;
        *self.apart.entry(key).or_insert_with(|| {
            sets[key.0 as usize].iter().any(|&(lock, mode)| {
                let excludes = |&(l, m): &(LockId, LockMode)| {
                    l == lock && (m == LockMode::Exclusive || mode == LockMode::Exclusive)
                };
                sets[key.1 as usize].iter().any(excludes)
            })
        })
    }
}
