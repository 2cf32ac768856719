//! Exploration of choice graphs G″: is one of the 2^d′ acyclic?
//!
//! In: an acyclic witness order graph and S_choice. Out: whether one way to order the pairs of
//! S_choice leaves no cycle, and how many ways were looked at until then.
//!
//! Pairs are decided one after the other, the observed order first, and what a decision induces is
//! added at once. A cycle discards all graphs that share the decisions so far and counts as one
//! graph; so the count is at most the paper's. Before each decision a linearisation is tried:
//! where it succeeds, the order it found is an acyclic choice graph.

use raddle_trace::EventId;

use super::choice::Pair;
use super::linearise::linearise;
use super::order::WitnessOrder;

/// How many partly decided graphs are looked at for one witness.
pub const MAX_GRAPHS: u64 = 10_000;

/// What came out.
pub(super) struct Explored {
    /// None if [`MAX_GRAPHS`] was not enough.
    pub feasible: Option<bool>,
    pub n_graphs: u64,
    /// The order that was found, if one was.
    pub sequence: Option<Vec<EventId>>,
}

pub(super) fn explore(order: &WitnessOrder, pairs: &[Pair]) -> Explored {
    let mut n_graphs = 0;
    let mut left = MAX_GRAPHS;
    let mut stack = vec![order.clone()];
    while let Some(mut graph) = stack.pop() {
        let sequence = linearise(&graph);
        let undecided = pairs.iter().find(|pair| !is_decided(&graph, pair));
        let Some((one, other)) = undecided.filter(|_| sequence.is_none()) else {
            return Explored { feasible: Some(true), n_graphs: n_graphs + 1, sequence };
        };
        let trace = graph.trace;
        let edge = (one.end(trace), other.begin(trace));
        let back = (other.end(trace), one.begin(trace));
        let (first, second) = if edge.0 < edge.1 { (edge, back) } else { (back, edge) };
        let mut reversed = graph.clone();
        for (graph, (before, after)) in [(&mut reversed, second), (&mut graph, first)] {
            if graph.add(before, after) {
                stack.push(graph.clone());
            } else {
                n_graphs += 1;
            }
        }
        left -= 1;
        if left == 0 {
            return Explored { feasible: None, n_graphs: n_graphs.max(1), sequence: None };
        }
    }
    Explored { feasible: Some(false), n_graphs, sequence: None }
}

fn is_decided(graph: &WitnessOrder, (one, other): &Pair) -> bool {
    let trace = graph.trace;
    graph.reaches(one.end(trace), other.begin(trace))
        || graph.reaches(other.end(trace), one.begin(trace))
}
