//! Cycles: goes along kinds of waits and asks about their instances.
//!
//! In: the kinds, and which can follow which. Out: the cycles that a reordering brings to a halt.

use raddle_referee::Claim;
use raddle_trace::EventId;
use rustc_hash::{FxHashMap, FxHashSet};

use super::{Deadlock, Deadlocks, Finder, Place, deadlock_query, places};
use crate::engine::Engine;
use crate::query::Answer;
use crate::refused::{Refused, confirm};

/// Instances of one cycle of kinds that are asked about before it is called unknown.
const MAX_INSTANCES: u64 = 10_000;

/// Cycles of kinds with the same first kind that are looked at before the rest is called unknown.
const MAX_CYCLES: u64 = 100_000;

/// Goes along kinds of waits.
pub(super) struct Path<'a, 'b> {
    finder: &'a Finder<'a>,
    engine: &'a mut Engine<'b>,
    known: FxHashSet<Vec<Place>>,
    found: Deadlocks,
    /// Pairs of kinds, and whether some of their instances are not kept apart by the order.
    meetings: FxHashMap<(usize, usize), bool>,
    /// How many more instances of a cycle may be asked about.
    left: u64,
}

impl<'a, 'b> Path<'a, 'b> {
    pub(super) fn new(finder: &'a Finder<'a>, engine: &'a mut Engine<'b>) -> Path<'a, 'b> {
        let (known, meetings) = (FxHashSet::default(), FxHashMap::default());
        Path { finder, engine, known, found: Deadlocks::default(), meetings, left: 0 }
    }

    /// Finds the cycles in which a kind is the least.
    pub(super) fn cycles(mut self, least: usize) -> Result<Deadlocks, Refused> {
        self.extend(&mut vec![least])?;
        self.found.n_unknown += u64::from(self.found.n_cycles >= MAX_CYCLES);
        Ok(self.found)
    }

    /// Goes on with a path of kinds, the first of which is the least.
    fn extend(&mut self, path: &mut Vec<usize>) -> Result<(), Refused> {
        let finder = self.finder;
        let Some(&last) = path.last() else { return Ok(()) };
        let next = &finder.next[last];
        for &next in &next[next.partition_point(|&next| next < path[0])..] {
            if self.found.n_cycles >= MAX_CYCLES {
                return Ok(());
            }
            if next == path[0] && path.len() > 1 {
                self.found.n_cycles += 1;
                self.left = MAX_INSTANCES;
                self.cycle(path, &mut Vec::new())?;
                self.found.n_unknown += u64::from(self.left == 0);
            } else if next > path[0] && path.iter().all(|&p| self.can_meet(p, next)) {
                path.push(next);
                self.extend(path)?;
                path.pop();
            }
        }
        Ok(())
    }

    /// True if two kinds can be part of one cycle, as far as pairs go.
    fn can_meet(&mut self, first: usize, second: usize) -> bool {
        let finder = self.finder;
        finder.kinds[first].can_meet(&finder.kinds[second])
            && *self.meetings.entry((first, second)).or_insert_with(|| {
                let instances = &finder.kinds[first].instances;
                instances.iter().any(|&e| !finder.stretch(second, e).is_empty())
            })
    }

    /// Asks about the instances of a cycle of kinds that begin with some.
    fn cycle(&mut self, path: &[usize], chosen: &mut Vec<EventId>) -> Result<(), Refused> {
        if chosen.len() == path.len() {
            return self.instance(chosen);
        }
        let finder = self.finder;
        let kind = path[chosen.len()];
        let instances = match chosen.first() {
            Some(&first) => finder.stretch(kind, first),
            None => &finder.kinds[kind].instances,
        };
        for &instance in instances {
            let apart = |&other: &EventId| !finder.stretch(kind, other).contains(&instance);
            if self.left == 0 || chosen.iter().skip(1).any(apart) {
                continue;
            }
            chosen.push(instance);
            self.cycle(path, chosen)?;
            chosen.pop();
        }
        Ok(())
    }

    fn instance(&mut self, blocked: &[EventId]) -> Result<(), Refused> {
        let trace = self.finder.causes.trace;
        let places = places(trace, blocked);
        let known = self.known.contains(&places) || self.finder.known.contains(&places);
        if known && !self.finder.all {
            return Ok(());
        }
        self.left -= 1;
        self.found.n_asked += 1;
        match self.engine.answer(&deadlock_query(trace, blocked)) {
            Answer::Witnessed(witness) => {
                let blocked = blocked.to_vec();
                confirm(trace, Claim::Deadlock { blocked: blocked.clone() }, &witness)?;
                self.known.insert(places);
                self.found.deadlocks.push(Deadlock { blocked, witness });
            }
            Answer::Infeasible(_) => {}
            Answer::Unknown => self.found.n_unknown += 1,
        }
        Ok(())
    }
}
