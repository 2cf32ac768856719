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
//! does not touch from joins that transactions share, each made once: the cost of a round is at most
//! |CE| small transfers, and |V| for each transaction and each join. Sources that a guard stops are left
//! out of joins.

use std::ops::ControlFlow;
use std::time::Instant;

use crate::ctp::{Ctp, GlobalId, StateId};
use crate::eval::{Evaluator, Plans};
use crate::graph::Graph;
use crate::interval::Interval;
use crate::slots::Slots;
use edges::{Edge, Joins};
use round::Round;

mod ahead;
mod edges;
mod round;
mod rounds;
mod transfer;

/// After how many updates the time is looked at.
const N_UPDATES_BETWEEN_LOOKS: u64 = 100_000;

/// What is known about each variable, and where.
#[derive(Clone, Debug)]
pub struct Ranges {
    /// For each state, the interval of the local that the step into it reads.
    pub read: Vec<Option<Interval>>,
    /// For each state, the interval of the global that the step into it writes.
    pub written: Vec<Option<Interval>>,
    /// For each state that is a node, the intervals of all places, as [`Slots`] has them.
    pub nodes: Vec<Option<Box<[Interval]>>>,
    /// For each state, whether the step into it can happen according to the intervals.
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

/// What propagation may take.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limit {
    /// How many interval updates.
    pub n_updates: u64,
    /// Until when.
    pub deadline: Option<Instant>,
}

impl From<u64> for Limit {
    fn from(n_updates: u64) -> Limit {
        Limit { n_updates, deadline: None }
    }
}

/// Propagation took more than it may.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("the intervals need more than {} updates, or more time than allowed", limit.n_updates)]
pub struct Exhausted {
    /// What it may take.
    pub limit: Limit,
}

/// The intervals of a CTP, propagated along a graph, as far as the limit lets it.
pub fn propagate(
    ctp: &Ctp,
    graph: &Graph,
    lookahead: usize,
    limit: impl Into<Limit>,
) -> Result<Ranges, Exhausted> {
    let limit = limit.into();
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
    joins: Joins,
    found: Ranges,
    n_updates: u64,
    limit: Limit,
    /// The number of updates at which the time is looked at next.
    next_look: u64,
}

impl<'a> Run<'a> {
    fn new(
        ctp: &'a Ctp,
        graph: &Graph,
        slots: &'a Slots,
        plans: &'a Plans,
        limit: Limit,
    ) -> Run<'a> {
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
            joins: Joins::default(),
            found,
            n_updates: 0,
            limit,
            next_look: 0,
        };
        run.add_edges(graph);
        run
    }

    /// Whether there is something left of what it may take.
    fn goes_on(&mut self) -> ControlFlow<()> {
        let Limit { n_updates, deadline } = self.limit;
        if self.n_updates > n_updates {
            return ControlFlow::Break(());
        }
        if self.n_updates >= self.next_look {
            self.next_look = self.n_updates + N_UPDATES_BETWEEN_LOOKS;
            if deadline.is_some_and(|deadline| Instant::now() >= deadline) {
                return ControlFlow::Break(());
            }
        }
        ControlFlow::Continue(())
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
}
