//! All reorderings that answer a query, as a graph of the states that they go through.

use std::collections::HashMap;

use raddle_trace::{EventId, Trace};

use crate::query::Query;
use crate::rules::{Rules, Set, State, events, has};

pub(crate) struct Reorderings {
    /// What has happened at each node; the first is the start.
    pub(crate) nodes: Vec<Set>,
    /// An event, the node before it, and the node behind it, which has a larger number of events.
    steps: Vec<(EventId, usize, usize)>,
    must: Set,
    /// Whether all that must happen can happen from there.
    ends_well: Vec<bool>,
}

impl Reorderings {
    /// The base, if there is one, happens first.
    pub(crate) fn new(trace: &Trace, query: &Query, base: Set) -> Reorderings {
        let rules = Rules::new(trace);
        let (mut nodes, mut steps) = (vec![0], Vec::new());
        let mut states: Vec<State> = vec![rules.start()];
        let mut numbers = HashMap::from([(rules.start(), 0)]);
        let mut at = 0;
        while at < states.len() {
            let state = states[at].clone();
            let happened = state.happened;
            let is_asked = |e| {
                let mut earlier = query.asked.iter().filter(|&&(_, after)| after == e);
                earlier.all(|&(before, _)| has(happened, before))
            };
            for e in rules.next(happened) {
                let in_turn = has(base, e) || base & !happened == 0;
                let may = in_turn && has(query.may(trace), e) && is_asked(e);
                if may && rules.may_follow(&state, e, query.free) {
                    let next = rules.after(&state, e);
                    let to = *numbers.entry(next.clone()).or_insert_with(|| {
                        nodes.push(next.happened);
                        states.push(next);
                        states.len() - 1
                    });
                    steps.push((e, at, to));
                }
            }
            at += 1;
        }
        let mut ends_well: Vec<bool> =
            nodes.iter().map(|happened| query.must & !happened == 0).collect();
        // Nodes are numbered by how much has happened, so that steps lead to larger numbers.
        for &(_, from, to) in steps.iter().rev() {
            ends_well[from] |= ends_well[to];
        }
        Reorderings { nodes, steps, must: query.must, ends_well }
    }

    /// Whether there is one.
    pub(crate) fn exist(&self) -> bool {
        self.ends_well[0]
    }

    /// What has happened before an event in each of them.
    pub(crate) fn always_before(&self, e: EventId) -> Set {
        let places = self.steps.iter().filter(|&&(step, _, to)| step == e && self.ends_well[to]);
        places.fold(Set::MAX, |all, &(_, from, _)| all & self.nodes[from])
    }

    /// What happens in each of them.
    pub(crate) fn always(&self, trace: &Trace) -> Set {
        let all = events(trace).fold(0, |all, e| all | 1 << e.0);
        let full = self.nodes.iter().filter(|&&happened| self.must & !happened == 0);
        full.fold(all, |common, happened| common & happened)
    }
}
