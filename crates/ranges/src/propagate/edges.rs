//! Transactions as rounds need them: what they touch, and where they can come from.

use rustc_hash::{FxHashMap, FxHashSet};

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
    /// The join of all sources but its own begin, if there are any.
    pub(super) others: Option<usize>,
}

/// A join of states that transactions share.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(super) enum Join {
    /// Of the nodes of one thread.
    Nodes(Vec<usize>),
    /// Of two joins that come before.
    Both(usize, usize),
}

/// Joins, each once.
#[derive(Default)]
pub(super) struct Joins {
    pub(super) all: Vec<Join>,
    known: FxHashMap<Join, usize>,
}

impl Joins {
    /// Whether a join has one of these nodes.
    pub(super) fn contains_any(&self, join: usize, nodes: &FxHashSet<usize>) -> bool {
        !nodes.is_empty()
            && match &self.all[join] {
                Join::Nodes(members) => members.iter().any(|node| nodes.contains(node)),
                &Join::Both(first, second) => {
                    self.contains_any(first, nodes) || self.contains_any(second, nodes)
                }
            }
    }

    fn add(&mut self, join: Join) -> usize {
        let next = self.all.len();
        let index = *self.known.entry(join.clone()).or_insert(next);
        if index == next {
            self.all.push(join);
        }
        index
    }
}

impl Run<'_> {
    pub(super) fn add_edges(&mut self, graph: &Graph) {
        let node = |state: StateId| graph.nodes.binary_search(&state).expect("ends are nodes");
        let mut sources: Vec<Vec<usize>> = vec![Vec::new(); graph.nodes.len()];
        for &(from, to) in &graph.switches {
            sources[node(to)].push(node(from));
        }
        for transaction in &graph.transactions {
            let (from, to) = (node(transaction.from), node(transaction.to()));
            // Threads in their order: what transactions have in common is mostly a beginning.
            sources[from].sort_by_key(|&node| (self.thread(node), node));
            let same = |&a: &usize, &b: &usize| self.thread(a) == self.thread(b);
            let runs: Vec<_> = sources[from].chunk_by(same).map(<[usize]>::to_vec).collect();
            let others = runs.into_iter().fold(None, |before, run| {
                let run = self.joins.add(Join::Nodes(run));
                Some(before.map_or(run, |before| self.joins.add(Join::Both(before, run))))
            });
            let all = std::iter::once(from).chain(sources[from].iter().copied()).collect();
            let touched = touched(self.ctp, self.slots, &transaction.through);
            let through = transaction.through.clone();
            self.edges.push(Edge { from, to, through, touched, sources: all, others });
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
