//! Pairs of control states over all threads: which can be reached together, and where a switch can
//! happen.

use crate::ctp::{Ctp, StateId};
use crate::together::{Lineage, Path, Together};

/// Which control states of different threads can be reached together.
#[derive(Debug)]
pub struct Pairs {
    n_states: usize,
    bits: Vec<u64>,
    /// The same for the second state or any behind it.
    past: Vec<u64>,
    /// The same for the second state or any before it.
    up_to: Vec<u64>,
    row: usize,
    children: Vec<Vec<StateId>>,
}

impl Pairs {
    /// The pairs of all threads; those of threads with several paths are joined.
    pub fn new(ctp: &Ctp, lineage: &Lineage, paths: &[Vec<Path>]) -> Pairs {
        let n_states = ctp.states.len();
        let row = n_states.div_ceil(64);
        let none = vec![0; n_states * row];
        let mut pairs = Pairs {
            n_states,
            bits: none.clone(),
            past: none.clone(),
            up_to: none,
            row,
            children: ctp.children(),
        };
        for (i, first) in paths.iter().enumerate() {
            for second in &paths[i + 1..] {
                for (a, b) in first.iter().flat_map(|a| second.iter().map(move |b| (a, b))) {
                    let together = Together::new(ctp, lineage, [a, b]);
                    pairs.add(&a.states, &b.states, |p, q| together.is_reachable(p, q));
                    pairs.add(&b.states, &a.states, |q, p| together.is_reachable(p, q));
                }
            }
        }
        pairs
    }

    /// The pairs of a CTP.
    pub fn of(ctp: &Ctp) -> Pairs {
        let path = |states| Path::new(ctp, states);
        let paths: Vec<Vec<Path>> =
            ctp.thread_ids().map(|t| ctp.paths(t).into_iter().map(path).collect()).collect();
        Pairs::new(ctp, &Lineage::new(ctp), &paths)
    }

    /// Whether two states of different threads can be reached together.
    pub fn are_reachable(&self, a: StateId, b: StateId) -> bool {
        debug_assert!((a.0 as usize) < self.n_states);
        self.bits[a.0 as usize * self.row + b.0 as usize / 64] >> (b.0 % 64) & 1 == 1
    }

    /// Whether the second thread can have come to `b` when the first one is at `a`.
    pub fn can_be_past(&self, a: StateId, b: StateId) -> bool {
        self.past[a.0 as usize * self.row + b.0 as usize / 64] >> (b.0 % 64) & 1 == 1
    }

    /// Whether the second thread can be at `b`, or not even there, when the first one is at `a`.
    pub fn can_be_up_to(&self, a: StateId, b: StateId) -> bool {
        self.up_to[a.0 as usize * self.row + b.0 as usize / 64] >> (b.0 % 64) & 1 == 1
    }

    /// Whether a thread that has just come to `from` can leave it to one that goes on from `to`:
    /// the pair, the pair before, and a pair behind can be reached.
    pub fn can_switch(&self, ctp: &Ctp, from: StateId, to: StateId) -> bool {
        let Some(before) = ctp.state(from).parent else { return false };
        let behind = &self.children[to.0 as usize];
        self.are_reachable(before, to)
            && self.are_reachable(from, to)
            && behind.iter().any(|&next| self.are_reachable(from, next))
    }

    /// Adds what the states of one path can be reached together with: those of another one.
    fn add(
        &mut self,
        of: &[StateId],
        with: &[StateId],
        are_reachable: impl Fn(usize, usize) -> bool,
    ) {
        for (p, state) in of.iter().enumerate() {
            let range = state.0 as usize * self.row..(state.0 as usize + 1) * self.row;
            let mut is_up_to = false;
            let mut last = None;
            for (q, other) in with.iter().enumerate() {
                let (word, bit) = (other.0 as usize / 64, 1 << (other.0 % 64));
                if are_reachable(p, q) {
                    self.bits[range.clone()][word] |= bit;
                    (is_up_to, last) = (true, Some(q));
                }
                if is_up_to {
                    self.up_to[range.clone()][word] |= bit;
                }
            }
            for other in last.map_or(&[][..], |last| &with[..=last]) {
                self.past[range.clone()][other.0 as usize / 64] |= 1 << (other.0 % 64);
            }
        }
    }
}
