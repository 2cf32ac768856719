//! Exploration of choice graphs G″: is one of the 2^d′ acyclic?
//!
//! In: an acyclic witness order graph and S_choice. Out: whether one way to order the pairs of
//! S_choice leaves no cycle, and how many ways were looked at until then.
//!
//! Pairs are decided one after the other, and what a decision induces is added at once. A cycle
//! discards all graphs that share the decisions so far and counts as one graph; so the count is at
//! most the paper's. Before each decision a linearisation is tried: where it succeeds, the order it
//! found is an acyclic choice graph; where not, its dead end says which pair to decide next. Failing
//! that it is the next one in S_choice, the observed order first. A dead end may ask for pairs outside
//! of S_choice; an exploration that did so and found nothing is repeated without them.

use raddle_trace::EventId;

use super::choice::Pair;
use super::linearise::linearise;
use super::order::WitnessOrder;
use crate::sections::NEVER;

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
    let mut exploration =
        Exploration { pairs, only_choices: false, n_graphs: 0, went_outside: false };
    let explored = exploration.run(order);
    if explored.feasible == Some(true) || !exploration.went_outside {
        return explored;
    }
    Exploration { pairs, only_choices: true, n_graphs: 0, went_outside: false }.run(order)
}

struct Exploration<'p> {
    pairs: &'p [Pair],
    /// Decide nothing but S_choice.
    only_choices: bool,
    n_graphs: u64,
    went_outside: bool,
}

type Edge = (EventId, EventId);

impl Exploration<'_> {
    fn run(&mut self, order: &WitnessOrder) -> Explored {
        let mut stack = vec![order.clone()];
        for _ in 0..MAX_GRAPHS {
            let Some(mut graph) = stack.pop() else {
                return Explored { feasible: Some(false), n_graphs: self.n_graphs, sequence: None };
            };
            let decision = match linearise(&graph) {
                Ok(sequence) => return self.found(Some(sequence)),
                Err(waiting) => self.blamed(&graph, &waiting).or_else(|| self.next(&graph)),
            };
            let Some((first, second)) = decision else { return self.found(None) };
            let mut other = graph.clone();
            self.add(&mut other, second).then(|| stack.push(other));
            self.add(&mut graph, first).then(|| stack.push(graph));
        }
        Explored { feasible: None, n_graphs: self.n_graphs.max(1), sequence: None }
    }

    fn found(&self, sequence: Option<Vec<EventId>>) -> Explored {
        Explored { feasible: Some(true), n_graphs: self.n_graphs + 1, sequence }
    }

    fn add(&mut self, graph: &mut WitnessOrder, (before, after): Edge) -> bool {
        let is_acyclic = graph.add(before, after);
        self.n_graphs += u64::from(!is_acyclic);
        is_acyclic
    }

    /// A pair from a dead end: who waits there should have come first.
    fn blamed(&mut self, graph: &WitnessOrder, waiting: &[Pair]) -> Option<(Edge, Edge)> {
        let ends = |(a, b): &&Pair| a.release != NEVER && b.release != NEVER;
        let mut open = waiting.iter().filter(ends).filter(|pair| !is_decided(graph, pair));
        let is_choice =
            |&(a, b): &Pair| self.pairs.contains(&(a, b)) || self.pairs.contains(&(b, a));
        let &(one, other) = open.find(|pair| !self.only_choices || is_choice(pair))?;
        self.went_outside |= !is_choice(&(one, other));
        let trace = graph.trace;
        let edge = (one.end(trace), other.begin(trace));
        Some((edge, (other.end(trace), one.begin(trace))))
    }

    /// The first pair of S_choice that is not decided.
    fn next(&self, graph: &WitnessOrder) -> Option<(Edge, Edge)> {
        let trace = graph.trace;
        let (one, other) = self.pairs.iter().find(|pair| !is_decided(graph, pair))?;
        let edge = (one.end(trace), other.begin(trace));
        let back = (other.end(trace), one.begin(trace));
        Some(if edge.0 < edge.1 { (edge, back) } else { (back, edge) })
    }
}

fn is_decided(graph: &WitnessOrder, (one, other): &Pair) -> bool {
    let trace = graph.trace;
    graph.reaches(one.end(trace), other.begin(trace))
        || graph.reaches(other.end(trace), one.begin(trace))
}
