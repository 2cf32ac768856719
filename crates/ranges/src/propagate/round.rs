//! What is known per node, or per join of nodes, in one round.

use crate::interval::Interval;

/// States of intervals, by number.
#[derive(Clone)]
pub(super) struct Round {
    pub(super) width: usize,
    pub(super) known: Vec<bool>,
    pub(super) changed: Vec<bool>,
    values: Vec<Interval>,
}

impl Round {
    pub(super) fn new(n_nodes: usize, width: usize) -> Round {
        let values = vec![Interval::ALL; n_nodes * width];
        Round { width, known: vec![false; n_nodes], changed: vec![false; n_nodes], values }
    }

    pub(super) fn at(&self, node: usize) -> &[Interval] {
        &self.values[node * self.width..][..self.width]
    }

    pub(super) fn at_mut(&mut self, node: usize) -> &mut [Interval] {
        &mut self.values[node * self.width..][..self.width]
    }

    /// Joins a state into one of these; the first one is taken as it is.
    pub(super) fn add(&mut self, node: usize, state: &[Interval]) {
        if std::mem::replace(&mut self.known[node], true) {
            join_all(self.at_mut(node), state);
        } else {
            self.at_mut(node).copy_from_slice(state);
        }
    }

    /// Makes a state the join of two with smaller numbers.
    pub(super) fn join(&mut self, node: usize, parts: [usize; 2]) {
        let (before, rest) = self.values.split_at_mut(node * self.width);
        let mut known = false;
        for part in parts.into_iter().filter(|&part| self.known[part]) {
            let state = &before[part * self.width..][..self.width];
            let into = &mut rest[..self.width];
            if known {
                join_all(into, state)
            } else {
                into.copy_from_slice(state)
            }
            known = true;
        }
        self.known[node] = known;
    }
}

pub(super) fn join_all(into: &mut [Interval], from: &[Interval]) {
    into.iter_mut().zip(from).for_each(|(a, &b)| *a = a.join(b));
}
