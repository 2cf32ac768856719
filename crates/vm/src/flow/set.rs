//! Sets of sources, shared as far as can be.
//!
//! In: single sources and unions. Out: dense ids. A small set is kept as a sorted list, and there
//! is one of each; a larger one is the two sets that it is the union of. So a union costs a fixed
//! amount of memory, however large its set is, and the loop that adds one value to a sum for each
//! of its iterations costs as much as it has iterations.

use rustc_hash::{FxHashMap, FxHashSet};

/// A set of sources.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Set(u32);

impl Set {
    pub(super) const EMPTY: Set = Set(0);
}

/// The largest set that is kept as a list.
const SMALL: usize = 16;

enum Node {
    List(Box<[u32]>),
    Union(Set, Set),
}

/// All sets of a run.
pub(super) struct Sets {
    nodes: Vec<Node>,
    lists: FxHashMap<Box<[u32]>, Set>,
    unions: FxHashMap<(Set, Set), Set>,
    limit: usize,
}

impl Sets {
    /// No set but the empty one; at most so many will be made.
    pub(super) fn new(limit: usize) -> Sets {
        let mut sets = Sets {
            nodes: Vec::new(),
            lists: FxHashMap::default(),
            unions: FxHashMap::default(),
            limit,
        };
        sets.list(Vec::new());
        sets
    }

    /// Whether there would have been more sets than there may be; then sets have elements missing.
    pub(super) fn is_exhausted(&self) -> bool {
        self.nodes.len() >= self.limit
    }

    /// The set of one source.
    pub(super) fn single(&mut self, source: u32) -> Set {
        self.list(vec![source])
    }

    /// The union of two sets.
    pub(super) fn union(&mut self, a: Set, b: Set) -> Set {
        let (a, b) = if a <= b { (a, b) } else { (b, a) };
        if a == b || a == Set::EMPTY {
            return b;
        }
        if let Some(&known) = self.unions.get(&(a, b)) {
            return known;
        }
        let set = match (self.node(a), self.node(b)) {
            (Node::List(x), Node::List(y)) if x.len() + y.len() <= 2 * SMALL => {
                let mut all: Vec<_> = x.iter().chain(y).copied().collect();
                all.sort_unstable();
                all.dedup();
                if all.len() <= SMALL { self.list(all) } else { self.push(Node::Union(a, b)) }
            }
            // What was added last is often added again.
            (_, &Node::Union(x, y)) if x == a || y == a => b,
            (&Node::Union(x, y), _) if x == b || y == b => a,
            _ => self.push(Node::Union(a, b)),
        };
        if !self.is_exhausted() {
            self.unions.insert((a, b), set);
        }
        set
    }

    /// Calls `visit` with each source of a set that was not seen yet.
    pub(super) fn walk(&self, set: Set, seen: &mut FxHashSet<Set>, mut visit: impl FnMut(u32)) {
        let mut open = vec![set];
        while let Some(set) = open.pop() {
            if !seen.insert(set) {
                continue;
            }
            match self.node(set) {
                Node::List(list) => list.iter().copied().for_each(&mut visit),
                &Node::Union(a, b) => open.extend([a, b]),
            }
        }
    }

    fn node(&self, set: Set) -> &Node {
        &self.nodes[set.0 as usize]
    }

    fn list(&mut self, list: Vec<u32>) -> Set {
        let list = list.into_boxed_slice();
        if let Some(&known) = self.lists.get(&list) {
            return known;
        }
        let set = self.push(Node::List(list.clone()));
        if set != Set::EMPTY || list.is_empty() {
            self.lists.insert(list, set);
        }
        set
    }

    /// Beyond the limit sets are empty, and the result is an error.
    fn push(&mut self, node: Node) -> Set {
        if self.nodes.len() >= self.limit {
            return Set::EMPTY;
        }
        self.nodes.push(node);
        Set(self.nodes.len() as u32 - 1)
    }
}

/// What a value depends on.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Cell {
    /// The sources it was computed from.
    pub(super) data: Set,
    /// Those of the branches that decided that it was computed, or which value was.
    pub(super) control: Set,
}

impl Cell {
    pub(super) const EMPTY: Cell = Cell { data: Set::EMPTY, control: Set::EMPTY };

    /// What a value made of both depends on.
    pub(super) fn with(self, other: Cell, sets: &mut Sets) -> Cell {
        Cell {
            data: sets.union(self.data, other.data),
            control: sets.union(self.control, other.control),
        }
    }

    /// The same value, known only because of these branches.
    pub(super) fn under(self, control: Set, sets: &mut Sets) -> Cell {
        Cell { control: sets.union(self.control, control), ..self }
    }

    /// Everything it depends on, however.
    pub(super) fn all(self, sets: &mut Sets) -> Set {
        sets.union(self.data, self.control)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sources(sets: &Sets, set: Set) -> Vec<u32> {
        let mut found = Vec::new();
        sets.walk(set, &mut FxHashSet::default(), |source| found.push(source));
        found.sort_unstable();
        found.dedup();
        found
    }

    #[test]
    fn unions_have_the_sources_of_both_whatever_their_size() {
        let mut sets = Sets::new(10_000);
        let mut all = Set::EMPTY;
        for source in 0..1000 {
            let one = sets.single(source);
            all = sets.union(all, one);
            assert_eq!(sets.union(all, one), all);
        }
        assert_eq!(sources(&sets, all), (0..1000).collect::<Vec<_>>());
        assert!(!sets.is_exhausted());
    }

    #[test]
    fn equal_small_sets_are_one() {
        let mut sets = Sets::new(100);
        let [a, b, c] = [1, 2, 3].map(|source| sets.single(source));
        let (ab, bc) = (sets.union(a, b), sets.union(b, c));
        assert_eq!(sets.union(ab, c), sets.union(bc, a));
    }

    #[test]
    fn the_limit_is_noticed() {
        let mut sets = Sets::new(3);
        let [a, b] = [1, 2].map(|source| sets.single(source));
        sets.union(a, b);
        assert!(sets.is_exhausted());
    }
}
