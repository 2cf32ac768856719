//! Range propagation (RPT): intervals of all variables along the transactions of a graph.
//!
//! In: a CTP, one of its graphs, and a look-ahead B. Out: for each step that assigns a variable the
//! interval of its value, and for each node those of all variables. Follows Ganai & Wang, Sec. 4.2.
//!
//! - P1: round i holds, per node, what is known after i·B transactions; a transaction comes after
//!   at most one switch. No execution has more transactions than the graph, so ⌈|TE|/B⌉ rounds are
//!   enough. Rounds are not accumulated: that would mix what cannot meet.
//! - P2: within the B transactions of one round, a thread goes on where it was left.
//! - P3: a guard narrows locals, or ends the path.
//!
//! A round looks only at what the round before has changed, and takes variables that a transaction
//! does not touch from joins that nodes share: the cost of a round is at most |CE| small transfers.

use std::ops::ControlFlow;

use crate::ctp::{Ctp, GlobalId, StateId};
use crate::eval::{Evaluator, Plans};
use crate::graph::Graph;
use crate::interval::Interval;
use crate::slots::Slots;
use edges::Edge;

mod ahead;
mod edges;

/// What is known about each variable, and where.
#[derive(Clone, Debug)]
pub struct Ranges {
    /// For each state, the interval of the local that the step into it reads.
    pub read: Vec<Option<Interval>>,
    /// For each state, the interval of the global that the step into it writes.
    pub written: Vec<Option<Interval>>,
    /// For each state that is a node, the intervals of all places, as [`Slots`] has them.
    pub nodes: Vec<Option<Box<[Interval]>>>,
    /// For each state, whether the step into it can happen as far as intervals can tell.
    pub reached: Vec<bool>,
    /// For each state, whether an operator of the step into it may have wrapped around.
    pub wraps: Vec<bool>,
    /// How many rounds there were.
    pub n_rounds: usize,
}

impl Ranges {
    /// All values that a global can have, at any time.
    pub fn hull(&self, ctp: &Ctp, global: GlobalId) -> Interval {
        let known = &ctp.globals[global.0 as usize];
        let Some(initial) = known.initial else { return Interval::of(known.kind) };
        let writes = |id: &StateId| {
            ctp.step(*id).action.written().is_some_and(|(written, _)| written == global)
        };
        let written = ctp.state_ids().filter(writes).filter_map(|id| self.written[id.0 as usize]);
        written.fold(Interval::one(initial as i64), Interval::join)
    }
}

/// Propagation took more work than it may.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("more than {limit} interval updates")]
pub struct Exhausted {
    /// How many updates there may be.
    pub limit: u64,
}

/// The intervals of a CTP, propagated along a graph; `limit` is how many updates there may be.
pub fn propagate(
    ctp: &Ctp,
    graph: &Graph,
    lookahead: usize,
    limit: u64,
) -> Result<Ranges, Exhausted> {
    let slots = Slots::new(ctp);
    let plans = Plans::new(ctp);
    let mut run = Run::new(ctp, graph, &slots, &plans, limit);
    let n_rounds = graph.transactions.len().div_ceil(lookahead.max(1));
    let ended =
        if lookahead <= 1 { run.rounds(n_rounds) } else { run.look_ahead(n_rounds, lookahead) };
    match ended {
        ControlFlow::Continue(()) => {
            let mut found = run.found;
            found.n_rounds = n_rounds;
            Ok(found)
        }
        ControlFlow::Break(()) => Err(Exhausted { limit }),
    }
}

/// The intervals that hold before the first step.
fn initial(ctp: &Ctp, slots: &Slots) -> Vec<Interval> {
    let mut state = vec![Interval::one(0); slots.width()];
    for (place, global) in state.iter_mut().zip(&ctp.globals) {
        *place = match global.initial {
            Some(value) => Interval::one(value as i64),
            None => Interval::ALL,
        };
    }
    state
}

struct Run<'a> {
    ctp: &'a Ctp,
    slots: &'a Slots,
    plans: &'a Plans,
    evaluator: Evaluator<'a>,
    states: Vec<StateId>,
    roots: Vec<usize>,
    edges: Vec<Edge>,
    sets: Vec<Vec<usize>>,
    found: Ranges,
    n_updates: u64,
    limit: u64,
}

/// What is known per node in one round.
#[derive(Clone)]
struct Round {
    width: usize,
    known: Vec<bool>,
    changed: Vec<bool>,
    values: Vec<Interval>,
}

impl Round {
    fn new(n_nodes: usize, width: usize) -> Round {
        let values = vec![Interval::ALL; n_nodes * width];
        Round { width, known: vec![false; n_nodes], changed: vec![false; n_nodes], values }
    }

    fn at(&self, node: usize) -> &[Interval] {
        &self.values[node * self.width..][..self.width]
    }

    fn at_mut(&mut self, node: usize) -> &mut [Interval] {
        &mut self.values[node * self.width..][..self.width]
    }
}

fn join_all(into: &mut [Interval], from: &[Interval]) {
    into.iter_mut().zip(from).for_each(|(a, &b)| *a = a.join(b));
}

impl<'a> Run<'a> {
    fn new(ctp: &'a Ctp, graph: &Graph, slots: &'a Slots, plans: &'a Plans, limit: u64) -> Run<'a> {
        let n_states = ctp.states.len();
        let found = Ranges {
            read: vec![None; n_states],
            written: vec![None; n_states],
            nodes: vec![None; n_states],
            reached: vec![false; n_states],
            wraps: vec![false; n_states],
            n_rounds: 0,
        };
        let node = |state: &StateId| graph.nodes.binary_search(state).ok();
        let forked: Vec<_> = ctp.states.iter().flat_map(|s| &s.step.forks).collect();
        let starts = ctp.thread_ids().filter(|thread| !forked.contains(&thread));
        let roots = starts.filter_map(|t| node(&ctp.threads[t.0 as usize].root)).collect();
        let mut run = Run {
            ctp,
            slots,
            plans,
            evaluator: Evaluator::new(ctp, slots),
            states: graph.nodes.clone(),
            roots,
            edges: Vec::new(),
            sets: Vec::new(),
            found,
            n_updates: 0,
            limit,
        };
        run.add_edges(graph);
        run
    }

    fn thread(&self, node: usize) -> crate::ctp::ThreadId {
        self.ctp.state(self.states[node]).thread
    }

    fn start(&mut self) -> Round {
        let width = self.slots.width();
        let mut round = Round::new(self.states.len(), width);
        let state = initial(self.ctp, self.slots);
        for root in self.roots.clone() {
            round.known[root] = true;
            round.changed[root] = true;
            round.at_mut(root).copy_from_slice(&state);
            self.arrive(root, &state);
        }
        round
    }

    /// P1 with B = 1.
    fn rounds(&mut self, n_rounds: usize) -> ControlFlow<()> {
        let mut last = self.start();
        let mut joins = Round::new(self.sets.len(), self.slots.width());
        for _ in 0..n_rounds {
            self.refresh(&mut joins, &last);
            let mut next = last.clone();
            next.changed.fill(false);
            // Only the ends of transactions are known behind a round.
            self.roots.iter().for_each(|&root| next.known[root] = false);
            for edge in 0..self.edges.len() {
                if self.edges[edge].sources.iter().any(|&c| last.changed[c]) {
                    self.advance(edge, &last, &joins, &mut next)?;
                }
            }
            for &root in &self.roots {
                next.changed[root] = last.known[root];
            }
            if !next.changed.contains(&true) {
                break;
            }
            last = next;
        }
        ControlFlow::Continue(())
    }

    /// The joins of all sets with a member that has changed.
    fn refresh(&mut self, joins: &mut Round, last: &Round) {
        for (set, members) in self.sets.iter().enumerate() {
            joins.changed[set] = members.iter().any(|&c| last.changed[c]);
            if !joins.changed[set] {
                continue;
            }
            let mut known = members.iter().filter(|&&c| last.known[c]);
            joins.known[set] = false;
            if let Some(&first) = known.next() {
                joins.known[set] = true;
                joins.at_mut(set).copy_from_slice(last.at(first));
                known.for_each(|&c| join_all(joins.at_mut(set), last.at(c)));
            }
        }
    }

    /// One transaction, from wherever it can come.
    fn advance(
        &mut self,
        edge: usize,
        last: &Round,
        joins: &Round,
        next: &mut Round,
    ) -> ControlFlow<()> {
        let Edge { from, to, .. } = self.edges[edge];
        let sources = std::mem::take(&mut self.edges[edge].sources);
        let touched = std::mem::take(&mut self.edges[edge].touched);
        let through = std::mem::take(&mut self.edges[edge].through);
        let mut scratch = vec![Interval::ALL; self.slots.width()];
        let mut result: Option<Vec<Interval>> = None;
        let (mut passed, mut stopped) = (Vec::new(), false);
        for &source in sources.iter().filter(|&&c| last.known[c]) {
            touched.iter().for_each(|&place| scratch[place] = last.at(source)[place]);
            if !self.transfer(&through, &mut scratch) {
                stopped = true;
                continue;
            }
            passed.push(source);
            match &mut result {
                Some(all) => touched.iter().for_each(|&v| all[v] = all[v].join(scratch[v])),
                None => result = Some(scratch.clone()),
            }
        }
        self.n_updates += (sources.len() * touched.len() + last.width) as u64;
        if sources.len() > 1 {
            // What came by a switch was there before the transaction.
            let sets = std::mem::take(&mut self.edges[edge].sets);
            for &set in sets.iter().filter(|&&set| joins.known[set]) {
                self.arrive(from, joins.at(set));
            }
            self.edges[edge].sets = sets;
        }
        let known = result.is_some();
        if let Some(mut all) = result {
            let mut rest: Option<Vec<Interval>> = None;
            let mut add = |values: &[Interval]| match &mut rest {
                Some(rest) => join_all(rest, values),
                None => rest = Some(values.to_vec()),
            };
            if stopped {
                passed.iter().for_each(|&source| add(last.at(source)));
                self.n_updates += (passed.len() * last.width) as u64;
            } else {
                if last.known[from] {
                    add(last.at(from));
                }
                let sets = &self.edges[edge].sets;
                sets.iter().filter(|&&s| joins.known[s]).for_each(|&s| add(joins.at(s)));
                self.n_updates += (sets.len() * last.width) as u64;
            }
            let mut rest = rest.unwrap_or_default();
            touched.iter().for_each(|&place| rest[place] = all[place]);
            std::mem::swap(&mut all, &mut rest);
            next.changed[to] = !last.known[to] || last.at(to) != all;
            next.at_mut(to).copy_from_slice(&all);
            self.arrive(to, &all);
        } else {
            next.changed[to] = last.known[to];
        }
        next.known[to] = known;
        let edge = &mut self.edges[edge];
        (edge.sources, edge.touched, edge.through) = (sources, touched, through);
        if self.n_updates > self.limit { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    /// The steps of a transaction; false if a guard cannot hold.
    fn transfer(&mut self, through: &[StateId], state: &mut [Interval]) -> bool {
        for &id in through {
            let step = self.ctp.step(id);
            if let Some((global, to)) = step.action.read().filter(|_| step.guards.is_empty()) {
                state[self.slots.of(to)] = state[global.0 as usize];
            }
            self.evaluator.wraps = false;
            let plan = self.plans.of(id);
            self.evaluator.run(plan, state);
            for guard in &step.guards {
                if !self.evaluator.assume(guard.condition, true, state) {
                    return false;
                }
            }
            if !step.guards.is_empty() {
                if let Some((global, to)) = step.action.read() {
                    state[self.slots.of(to)] = state[global.0 as usize];
                }
                self.evaluator.run(plan, state);
            }
            self.note(id, state);
        }
        true
    }

    /// Takes down what a step assigns; guards have been passed.
    fn note(&mut self, id: StateId, state: &mut [Interval]) {
        let at = id.0 as usize;
        let merge = |known: &mut Option<Interval>, values: Interval| {
            *known = Some(known.map_or(values, |known| known.join(values)));
        };
        let action = self.ctp.step(id).action;
        if let Some((global, to)) = action.read() {
            let values = state[global.0 as usize];
            state[self.slots.of(to)] = values;
            merge(&mut self.found.read[at], values);
        }
        if let Some((global, value)) = action.written() {
            let kind = self.ctp.globals[global.0 as usize].kind;
            let values = self.evaluator.get(value);
            // What is stored is cut to the size of the memory.
            let values = crate::interval::convert(kind, kind, values).values;
            state[global.0 as usize] = values;
            merge(&mut self.found.written[at], values);
        }
        self.found.reached[at] = true;
        self.found.wraps[at] |= self.evaluator.wraps;
    }

    /// Joins a state into what is known of a node.
    fn arrive(&mut self, node: usize, state: &[Interval]) {
        match &mut self.found.nodes[self.states[node].0 as usize] {
            Some(known) => join_all(known, state),
            none => *none = Some(state.into()),
        }
    }
}
