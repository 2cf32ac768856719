//! The order of transactions that is no choice (E2, E4, E6).
//!
//! Edges are forced if the later element cannot happen without the earlier one: then all that follows
//! from them holds in every execution, whichever steps it has.

use raddle_solve::Forced;

use crate::ctp::{Ctp, StateId};
use crate::graph::Graph;
use crate::pairs::Pairs;

/// A step of another thread that must have happened: one of several.
pub(super) struct Need {
    pub(super) before: Vec<StateId>,
    pub(super) after: StateId,
}

/// What fork and join need: the first steps of a thread its fork, a join the end of a thread.
pub(super) fn needs(ctp: &Ctp) -> Vec<Need> {
    let children = ctp.children();
    let mut found = Vec::new();
    for thread in ctp.thread_ids() {
        let forks = |id: &StateId| ctp.step(*id).forks.contains(&thread);
        let forks: Vec<_> = ctp.state_ids().filter(forks).collect();
        let root = ctp.threads[thread.0 as usize].root;
        if !forks.is_empty() {
            let first = children[root.0 as usize].iter();
            found.extend(first.map(|&after| Need { before: forks.clone(), after }));
        }
        let ends: Vec<_> = ctp.paths(thread).iter().map(|path| path[path.len() - 1]).collect();
        for after in ctp.state_ids().filter(|&id| ctp.step(id).joins.contains(&thread)) {
            found.push(Need { before: ends.clone(), after });
        }
    }
    found
}

/// The forced pairs of transactions.
pub(super) fn forced(ctp: &Ctp, graph: &Graph, pairs: &Pairs, element: &[u32]) -> Forced {
    let of = |state: StateId| element[state.0 as usize];
    let mut own = Vec::new();
    for (number, transaction) in (0..).zip(&graph.transactions) {
        let before = of(transaction.from);
        if before != u32::MAX {
            own.push((before, number));
        }
    }
    let mut edges = own.clone();
    for need in needs(ctp) {
        if let [before] = need.before[..] {
            edges.push((of(before), of(need.after)));
        }
    }
    edges.extend(passed(ctp, graph, pairs, element));
    edges.retain(|&(a, b)| a != u32::MAX && b != u32::MAX && a != b);
    let n = graph.transactions.len();
    // Several runs may rule each other out; then all that is left is the order of each thread, and
    // clauses say the rest.
    Forced::new(n, &edges)
        .or_else(|| Forced::new(n, &own))
        .expect("the transactions of a thread are a tree")
}

/// E6: what a thread must have passed before a transaction of another one can end.
fn passed(ctp: &Ctp, graph: &Graph, pairs: &Pairs, element: &[u32]) -> Vec<(u32, u32)> {
    let mut edges = Vec::new();
    // States of different runs may rule each other out altogether.
    if ctp.has_branches() {
        return edges;
    }
    let chains: Vec<_> = ctp.thread_ids().map(|t| ctp.paths(t).remove(0)).collect();
    for (number, transaction) in (0..).zip(&graph.transactions) {
        let thread = ctp.state(transaction.from).thread;
        for chain in chains.iter().filter(|chain| ctp.state(chain[0]).thread != thread) {
            let first = |at: StateId| chain.iter().position(|&s| pairs.are_reachable(at, s));
            let (before, after) = (first(transaction.from), first(transaction.to()));
            // What the transaction before is forced to is said there.
            if let Some(least) = after.filter(|&least| least > 0 && before != Some(least)) {
                edges.push((element[chain[least].0 as usize], number));
            }
        }
    }
    edges
}
