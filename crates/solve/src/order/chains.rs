//! Chains: elements that are forced one behind the other, as those of a thread are.
//!
//! In: the pairs of elements that clauses speak of. Out: clauses that say what order between two
//! chains is: if a comes before b, so does everything before a, before everything behind b. With
//! them, two chains have no cycle; only cycles through three or more are left to be found.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use super::forced::Forced;
use crate::clauses::{Clauses, Lit};

/// Pairs of two chains that clauses speak of: by position in the first, then, ascending, in the second.
type Grid = BTreeMap<u32, Vec<Pair>>;

#[derive(Clone, Copy)]
struct Pair {
    /// The position in the second chain.
    at: u32,
    /// Whether the element of the first chain comes before that of the second.
    lit: Lit,
    /// Whether clauses say what it has to do with others.
    is_added: bool,
}

/// A partition of elements into chains.
pub(super) struct Chains {
    /// The chain of each element, and its position there.
    place: Vec<(u32, u32)>,
    /// By the numbers of two chains.
    grids: FxHashMap<(u32, u32), Grid>,
    /// The pairs that are in no grid yet: by chains and position in the first.
    new: Vec<((u32, u32), u32, Pair)>,
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
        Chains { place, grids: FxHashMap::default(), new: Vec::new() }
    }

    /// Adds a pair.
    pub(super) fn add(&mut self, a: u32, b: u32, before: Lit) {
        let (mut first, mut second) = (self.place[a as usize], self.place[b as usize]);
        let mut lit = before;
        if first.0 == second.0 {
            return;
        }
        if first.0 > second.0 {
            (first, second, lit) = (second, first, !before);
        }
        let pair = Pair { at: second.1, lit, is_added: false };
        self.new.push(((first.0, second.0), first.1, pair));
    }

    /// Clauses for the pairs that were added since: with all of them known, each needs those only that
    /// say what it has to do with the nearest ones, from which the rest follows.
    pub(super) fn add_clauses(&mut self, clauses: &mut Clauses) {
        if self.new.is_empty() {
            return;
        }
        for &(key, i, pair) in &self.new {
            self.grids.entry(key).or_default().entry(i).or_default().push(pair);
        }
        for row in self.grids.values_mut().flat_map(BTreeMap::values_mut) {
            // What is sorted already costs little.
            row.sort_unstable_by_key(|pair| pair.at);
        }
        for &(key, i, Pair { at, lit, .. }) in &self.new {
            let grid = &self.grids[&key];
            implied(grid, i, at, |then| clauses.clause(&[!lit, then]));
            implying(grid, i, at, |if_so| clauses.clause(&[!if_so, lit]));
        }
        let rows = self.grids.values_mut().flat_map(BTreeMap::values_mut);
        rows.flatten().for_each(|pair| pair.is_added = true);
        self.new.clear();
    }
}

/// What a pair implies: earlier ones of the first chain come before later ones of the second.
fn implied(grid: &Grid, i: u32, j: u32, mut each: impl FnMut(Lit)) {
    let mut least = u32::MAX;
    for (&number, row) in grid.range(..=i).rev() {
        let from = if number == i { j + 1 } else { j };
        let next = row.get(row.partition_point(|pair| pair.at < from));
        if let Some(pair) = next.filter(|pair| pair.at < least) {
            each(pair.lit);
            least = pair.at;
        }
        if least == j {
            break;
        }
    }
}

/// What implies a pair, of those that clauses speak of; the others say themselves what they imply.
fn implying(grid: &Grid, i: u32, j: u32, mut each: impl FnMut(Lit)) {
    let mut most = None;
    for (&number, row) in grid.range(i..) {
        let to = if number == i { j } else { j + 1 };
        let last = row[..row.partition_point(|pair| pair.at < to)].last();
        if let Some(pair) = last.filter(|pair| most.is_none_or(|most| pair.at > most)) {
            if pair.is_added {
                each(pair.lit);
            }
            most = Some(pair.at);
        }
        if most == Some(j) {
            break;
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::clauses::{Answer, Clauses};
    use crate::order::{Encoding, Forced, Order};

    /// Two chains of three: what clauses alone know of pairs, whichever question brought them up.
    #[test]
    fn pairs_of_later_questions_fit_those_of_earlier_ones() {
        let mut clauses = Clauses::new();
        let forced = Forced::new(6, &[(0, 1), (1, 2), (3, 4), (4, 5)]).unwrap();
        let mut order = Order::new(&mut clauses, forced, Encoding::Chains);
        let middle = order.before(&mut clauses, 1, 4);
        assert_eq!(order.solve(&mut clauses, &[middle], None), (Answer::Yes, 1));
        let weak = order.before(&mut clauses, 0, 5);
        let strong = order.before(&mut clauses, 2, 3);
        let other = order.before(&mut clauses, 2, 5);
        assert_eq!(order.solve(&mut clauses, &[middle, !strong], None), (Answer::Yes, 1));
        for (lit, then) in [(middle, weak), (strong, middle), (strong, other), (other, weak)] {
            assert_eq!(clauses.solve(&[lit, !then], None), Answer::No);
            assert_eq!(clauses.solve(&[!lit, then], None), Answer::Yes);
        }
        for (one, two) in [(middle, other), (other, middle)] {
            assert_eq!(clauses.solve(&[one, !two], None), Answer::Yes);
        }
    }

    #[test]
    fn each_pair_is_added_about_its_nearest_ones() {
        let mut clauses = Clauses::new();
        let chain = |first: u32| [(first, first + 1), (first + 1, first + 2)];
        let forced = Forced::new(6, &[chain(0), chain(3)].concat()).unwrap();
        let mut order = Order::new(&mut clauses, forced, Encoding::Chains);
        // In an order in which most pairs are not next to those that came before them.
        for (a, b) in [(0, 5), (2, 3), (1, 4), (0, 3), (2, 5), (1, 3), (1, 5), (0, 4), (2, 4)] {
            order.before(&mut clauses, a, b);
        }
        let before = clauses.n_clauses();
        order.solve(&mut clauses, &[], None);
        // A grid of nine has twelve edges.
        assert_eq!(clauses.n_clauses() - before, 12);
    }
}
