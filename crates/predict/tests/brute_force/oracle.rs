//! Brute force, the answers: which claims some reordering shows.
//!
//! All states that reorderings reach make a graph, one for each choice of the read that is free.
//! Whether some events can happen in some order is read off its steps: what had happened before
//! an event, and what can still happen after it.

use raddle_finding::ReadWitnessType::{BeforeWriter, Overwritten, WithoutWriter};
use raddle_referee::Claim;
use raddle_trace::{EventId, Trace};
use rustc_hash::FxHashMap;

use crate::brute_force::claims::{Lost, frees, stops_at};
use crate::brute_force::rules::{Rules, Set, has, set};

pub(crate) struct Oracle<'a> {
    rules: Rules<'a>,
    /// By the read that is free.
    graphs: FxHashMap<Option<EventId>, Graph>,
}

impl<'a> Oracle<'a> {
    pub(crate) fn new(trace: &'a Trace) -> Oracle<'a> {
        Oracle { rules: Rules::new(trace), graphs: FxHashMap::default() }
    }

    /// Whether some reordering shows a claim that makes sense.
    pub(crate) fn is_feasible(&mut self, claim: &Claim) -> bool {
        let frees = frees(self.rules.trace, claim);
        frees.into_iter().any(|free| {
            let graph = self.graphs.entry(free).or_insert_with(|| Graph::new(&self.rules, free));
            graph.shows(&self.rules, claim)
        })
    }
}

struct Graph {
    nodes: Vec<Node>,
}

#[derive(Clone)]
struct Node {
    happened: Set,
    steps: Vec<(EventId, usize)>,
    /// All that has happened here or somewhere behind.
    future: Set,
}

impl Graph {
    fn new(rules: &Rules, free: Option<EventId>) -> Graph {
        let mut states = vec![rules.start()];
        let mut numbers = FxHashMap::from_iter([(rules.start(), 0)]);
        let mut nodes: Vec<Node> = Vec::new();
        while let Some(state) = states.get(nodes.len()).cloned() {
            let mut steps = Vec::new();
            for e in rules.next(state.happened).filter(|&e| rules.may_follow(&state, e, free)) {
                let after = rules.after(&state, e);
                let number = *numbers.entry(after.clone()).or_insert(states.len());
                if number == states.len() {
                    states.push(after);
                }
                steps.push((e, number));
            }
            nodes.push(Node { happened: state.happened, steps, future: state.happened });
        }
        for n in (0..nodes.len()).rev() {
            let steps = std::mem::take(&mut nodes[n].steps);
            nodes[n].future |= steps.iter().fold(0, |set, &(_, to)| set | nodes[to].future);
            nodes[n].steps = steps;
        }
        Graph { nodes }
    }

    fn shows(&self, rules: &Rules, claim: &Claim) -> bool {
        match *claim {
            Claim::Race { first, second } => self.stops(rules, &[first, second]),
            Claim::Deadlock { ref blocked } => self.stops(rules, blocked),
            Claim::Atomicity { first, remote, second, .. } => {
                self.orders(Some(first), remote, Some(second))
            }
            Claim::Read { read, writer, challenger, form } => match form {
                BeforeWriter => writer.is_some() && self.orders(challenger, read, writer),
                Overwritten => challenger.is_some_and(|c| self.orders(writer, c, Some(read))),
                WithoutWriter => writer.is_some_and(|w| self.misses(challenger, read, w)),
            },
            Claim::LostWakeup { wait } => self.loses(rules.trace, &Lost::new(rules.trace, wait)),
            Claim::FinalRead { writer, challenger } => {
                let all = set((0..rules.trace.len() as u32).map(EventId));
                let mut behind = self.steps(challenger).filter(|&(before, _)| has(before, writer));
                behind.any(|(_, to)| self.reaches(to, all))
            }
            _ => unreachable!("a claim of another kind"),
        }
    }

    /// Whether all of some events can have happened at a node or behind it.
    fn reaches(&self, from: usize, events: Set) -> bool {
        let mut is_seen = vec![false; self.nodes.len()];
        let mut stack = vec![from];
        while let Some(n) = stack.pop() {
            if self.nodes[n].happened & events == events {
                return true;
            }
            if !std::mem::replace(&mut is_seen[n], true) {
                stack.extend(self.nodes[n].steps.iter().map(|step| step.1));
            }
        }
        false
    }

    fn stops(&self, rules: &Rules, stopped: &[EventId]) -> bool {
        self.nodes.iter().any(|node| stops_at(rules.trace, node.happened, stopped))
    }

    /// All places where an event happens: what has happened before, and the node behind.
    fn steps(&self, e: EventId) -> impl Iterator<Item = (Set, usize)> + '_ {
        let at = move |node: &Node| {
            let to = node.steps.iter().find(|step| step.0 == e)?.1;
            Some((node.happened, to))
        };
        self.nodes.iter().filter_map(at)
    }

    /// Whether three events can happen in this order; the first may be the initial value.
    fn orders(&self, first: Option<EventId>, middle: EventId, last: Option<EventId>) -> bool {
        let (first, last) = (set(first), set(last));
        self.steps(middle).any(|(before, behind)| {
            first & !before == 0 && last & before == 0 && last & !self.nodes[behind].future == 0
        })
    }

    /// Whether `last` can happen after `first` and without `absent`.
    fn misses(&self, first: Option<EventId>, last: EventId, absent: EventId) -> bool {
        self.steps(last).any(|(before, _)| set(first) & !before == 0 && !has(before, absent))
    }

    fn loses(&self, trace: &Trace, lost: &Lost) -> bool {
        let early = self.steps(lost.wait).filter(|&(before, _)| has(before, lost.notify));
        let mut stack: Vec<usize> = early.map(|(_, behind)| behind).collect();
        let mut is_seen = vec![false; self.nodes.len()];
        while let Some(n) = stack.pop() {
            let Node { happened, steps, .. } = &self.nodes[n];
            if std::mem::replace(&mut is_seen[n], true) {
                continue;
            }
            if set(lost.notifies.iter().copied()) & !happened == 0 {
                return true;
            }
            let harmless = |e: EventId| {
                e != lost.wake
                    && (!lost.notifies.contains(&e) || lost.is_for_another(trace, *happened, e))
            };
            stack.extend(steps.iter().filter(|step| harmless(step.0)).map(|step| step.1));
        }
        false
    }
}
