//! Chains: elements that are forced one behind the other, as those of a thread are.
//!
//! In: the pairs of elements that clauses speak of. Out: clauses that say what order between two
//! chains is: if a comes before b, so does everything before a, before everything behind b. With
//! them, two chains have no circle; only circles through three or more are left to be found.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use super::forced::Forced;
use crate::clauses::{Clauses, Lit};

/// Pairs of two chains that were asked for: by position in the first, then in the second, whether
/// the first comes before.
type Grid = BTreeMap<u32, BTreeMap<u32, Lit>>;

/// A partition of elements into chains.
pub(super) struct Chains {
    /// The chain of each element, and its position there.
    place: Vec<(u32, u32)>,
    grids: FxHashMap<(u32, u32), Grid>,
}

impl Chains {
    /// Takes elements by their numbers, each behind the last one of a chain that it follows.
    pub(super) fn new(forced: &Forced) -> Chains {
        let n = forced.n_elements();
        let mut place = vec![(u32::MAX, 0); n];
        let mut n_chains = 0;
        for start in 0..n {
            if place[start].0 != u32::MAX {
                continue;
            }
            let mut at = start;
            for position in 0.. {
                place[at] = (n_chains, position);
                let free = |&&next: &&u32| place[next as usize].0 == u32::MAX;
                match forced.after(at).iter().find(free) {
                    Some(&next) => at = next as usize,
                    None => break,
                }
            }
            n_chains += 1;
        }
        Chains { place, grids: FxHashMap::default() }
    }

    /// Adds a pair, and what it has to do with those that are known.
    pub(super) fn add(&mut self, clauses: &mut Clauses, a: u32, b: u32, before: Lit) {
        let (mut first, mut second) = (self.place[a as usize], self.place[b as usize]);
        let mut lit = before;
        if first.0 == second.0 {
            return;
        }
        if first.0 > second.0 {
            (first, second, lit) = (second, first, !before);
        }
        let grid = self.grids.entry((first.0, second.0)).or_default();
        let (i, j) = (first.1, second.1);
        // What it implies: the nearest pairs, further ones follow from them.
        let mut least = u32::MAX;
        for (_, row) in grid.range(..=i).rev() {
            if let Some((&at, &then)) = row.range(j..least).next() {
                clauses.clause(&[!lit, then]);
                least = at;
            }
            if least == j {
                break;
            }
        }
        // What implies it.
        let mut most = None;
        for (_, row) in grid.range(i..) {
            let from = most.map_or(0, |at: u32| at + 1);
            if let Some((&at, &if_so)) =
                (from <= j).then(|| row.range(from..=j).next_back()).flatten()
            {
                clauses.clause(&[!if_so, lit]);
                most = Some(at);
            }
            if most == Some(j) {
                break;
            }
        }
        grid.entry(i).or_default().insert(j, lit);
    }
}
