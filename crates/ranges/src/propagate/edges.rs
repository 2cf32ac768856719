//! Transactions as rounds need them: what they touch, and where they can come from.

use rustc_hash::FxHashMap;

use super::Run;
use crate::ctp::{Ctp, StateId};
use crate::graph::Graph;
use crate::slots::Slots;

/// A transaction as rounds need it.
pub(super) struct Edge {
    pub(super) from: usize,
    pub(super) to: usize,
    pub(super) through: Vec<StateId>,
    /// The places that it reads or writes.
    pub(super) touched: Vec<usize>,
    /// Where it can come from: its own begin, then the sources of switches to it.
    pub(super) sources: Vec<usize>,
    /// The same as sets that several transactions have.
    pub(super) sets: Vec<usize>,
}

impl Run<'_> {
    pub(super) fn add_edges(&mut self, graph: &Graph) {
        let node = |state: StateId| graph.nodes.binary_search(&state).expect("ends are nodes");
        let mut sources: Vec<Vec<usize>> = vec![Vec::new(); graph.nodes.len()];
        for &(from, to) in &graph.switches {
            sources[node(to)].push(node(from));
        }
        let mut known: FxHashMap<Vec<usize>, usize> = FxHashMap::default();
        for transaction in &graph.transactions {
            let (from, to) = (node(transaction.from), node(transaction.to()));
            let mut sets = Vec::new();
            // The sources in one thread are a set.
            sources[from].sort_by_key(|&node| (self.thread(node), node));
            let same = |&a: &usize, &b: &usize| self.thread(a) == self.thread(b);
            let runs: Vec<_> = sources[from].chunk_by(same).map(<[usize]>::to_vec).collect();
            for run in runs {
                let next = self.sets.len();
                let set = *known.entry(run.clone()).or_insert(next);
                if set == next {
                    self.sets.push(run);
                }
                sets.push(set);
            }
            let all = std::iter::once(from).chain(sources[from].iter().copied()).collect();
            let touched = touched(self.ctp, self.slots, &transaction.through);
            let through = transaction.through.clone();
            self.edges.push(Edge { from, to, through, touched, sources: all, sets });
        }
    }
}

/// The places that the steps of a transaction read or write.
fn touched(ctp: &Ctp, slots: &Slots, through: &[StateId]) -> Vec<usize> {
    let mut places = Vec::new();
    for &id in through {
        let step = ctp.step(id);
        let mut note = |local| places.push(slots.of(local));
        step.guards.iter().for_each(|guard| ctp.exprs.locals(guard.condition, &mut note));
        if let Some((_, value)) = step.action.written() {
            ctp.exprs.locals(value, &mut note);
        }
        if let Some((global, to)) = step.action.read() {
            places.extend([global.0 as usize, slots.of(to)]);
        }
        places.extend(step.action.written().map(|(global, _)| global.0 as usize));
    }
    places.sort_unstable();
    places.dedup();
    places
}
