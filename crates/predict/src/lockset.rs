//! Lock sets: which pairs of accesses a common lock keeps apart.

use raddle_trace::{EventId, LockId, LockMode};
use rustc_hash::FxHashMap;

use crate::causes::Causes;

/// The locks held at each event, as numbers of distinct sets.
pub(crate) struct LockSets {
    of_event: Vec<u32>,
    sets: Vec<Vec<(LockId, LockMode)>>,
}

impl LockSets {
    pub(crate) fn new(causes: &Causes) -> LockSets {
        let trace = causes.trace;
        let mut numbers: FxHashMap<Vec<(LockId, LockMode)>, u32> = FxHashMap::default();
        let mut sets: Vec<Vec<(LockId, LockMode)>> = Vec::new();
        let mut of_node: FxHashMap<Option<u32>, u32> = FxHashMap::default();
        let events = (0..trace.len() as u32).map(EventId);
        let of_event = events.map(|event| {
            *of_node.entry(causes.held.node(event)).or_insert_with(|| {
                let scopes = causes.held.after(event).map(|s| trace.scopes()[s.index()]);
                let mut set: Vec<_> = scopes.map(|scope| (scope.lock, scope.mode)).collect();
                set.sort_unstable();
                *numbers.entry(set).or_insert_with_key(|set| {
                    sets.push(set.clone());
                    sets.len() as u32 - 1
                })
            })
        });
        let of_event = of_event.collect();
        LockSets { of_event, sets }
    }

    /// The set of an event.
    #[inline]
    pub(crate) fn of(&self, event: EventId) -> u32 {
        self.of_event[event.index()]
    }

    /// True if a lock of both sets keeps events of different threads apart.
    pub(crate) fn exclude(&self, a: u32, b: u32) -> bool {
        let (a, b) = (&self.sets[a as usize], &self.sets[b as usize]);
        a.iter().any(|&(lock, mode)| {
            let excludes = |&(l, m): &(LockId, LockMode)| {
                l == lock && (m == LockMode::Exclusive || mode == LockMode::Exclusive)
            };
            b.iter().any(excludes)
        })
    }
}
