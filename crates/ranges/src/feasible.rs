//! Exact feasibility with data: can the trace program come to this, in any interleaving?
//!
//! In: a CTP, the graph that says where switches can be, and queries. Out: the steps of an execution
//! that answers a query, in order, or that there is none. All queries share one set of clauses.
//!
//! - E1: each step happens or does not; it does only behind the one before it, with its guards. Where
//!   nothing can keep it from happening, that is no choice (`going`).
//! - E2: transactions of the graph are ordered, and each happens in one piece. The graph is the one
//!   with the correction, so any execution has the same values as one of these (`reduce`).
//! - E3: sections of one lock are ordered, unless both share it; one that is not ended is the last.
//!   Of sections that are within transactions, and end, E2 has said it.
//! - E4: a fork comes before the steps of its thread, a join behind them; a wait that was ended
//!   needs a notify in between, and a signal ends one wait only.
//! - E5: each read has one write that it reads from, with no other write in between, and has its
//!   value, bit by bit. Reads that no guard and no query depends on, through whatever writes, have any
//!   source, so nothing is said about them; nor is about what intervals decide (`values`).
//! - E6: what the pairs of states that can be reached together force (`pairs`) is no choice.
//! - E7: a global that is only counted up and down, in one piece, is the sum of the changes before a
//!   read. That says all that E5 would.
//!
//! - E8: a semaphore is never below zero: it is above when it is lowered, and zero when that fails.
//! - E9: arrivals at a barrier form groups; a thread goes on when its group is complete.
//! - E10: a try fails while the lock is held; what happens once does not happen twice.
//!
//! Bits, parts of expressions and sources that intervals rule out are left out. That is exact, by
//! induction along the execution that an assignment describes: up to a read it is one of the trace
//! program, for which intervals hold, so what is read has the bits that are there, and those that are
//! left out are what they always are.
//!
//! What trace programs leave out, with a notice, allows more executions, so "infeasible" holds
//! nevertheless; that "feasible" does is what replaying the execution is for.

mod accesses;
mod cone;
mod count;
mod counters;
mod execution;
mod going;
mod operators;
mod order;
mod query;
mod reads;
mod saturate;
mod section;
mod steps;
mod sync;
mod values;

use std::rc::Rc;
use std::sync::Arc;
use std::time::Instant;

use raddle_solve::{Answer, Clauses, Encoding, Lit, Order, Word};
use rustc_hash::FxHashMap;

pub use self::query::{Pattern, Query};
pub use self::saturate::Unavoidable;

use self::accesses::Writes;
use self::counters::Counter;
use self::going::{Kept, Stops};
use crate::ctp::{Ctp, GlobalId, StateId};
use crate::expr::ExprId;
use crate::graph::Graph;
use crate::pairs::Pairs;
use crate::propagate::Ranges;

/// What comes out.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Feasibility {
    /// These steps, by the states that they lead to, in this order.
    Feasible(Vec<StateId>),
    /// No execution of the trace program does it.
    Infeasible,
    /// The budget ran out.
    Unknown,
}

/// How questions are put to the solver.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Options {
    /// How orders are encoded.
    pub encoding: Encoding,
    /// How many conflicts a query may take.
    pub n_conflicts_max: Option<u32>,
    /// Whether what a query makes unavoidable is added for the solver.
    pub saturates: bool,
    /// When queries are given up.
    pub deadline: Option<Instant>,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            encoding: Encoding::default(),
            n_conflicts_max: None,
            saturates: true,
            deadline: None,
        }
    }
}

/// How large the problem is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Size {
    /// Variables.
    pub n_variables: u32,
    /// Clauses.
    pub n_clauses: usize,
    /// How often the solver was called.
    pub n_calls: usize,
    /// Steps and orders that saturation has added.
    pub n_unavoidable: usize,
    /// Queries that saturation has answered.
    pub n_saturated: usize,
}

/// Answers queries about one CTP.
pub struct Solver<'a> {
    ctp: &'a Ctp,
    clauses: Clauses,
    order: Order,
    options: Options,
    /// The transaction that the step into each state belongs to.
    element: Vec<u32>,
    /// Whether the step into each state happens, as the first query and those since need it.
    happens: Vec<Lit>,
    stops: Option<Stops>,
    kept: Kept,
    values: values::Values,
    pairs: Arc<Pairs>,
    rules: Rc<saturate::Rules>,
    /// Whether runs were merged that part somewhere.
    has_branches: bool,
    writes: Rc<Vec<Writes>>,
    counters: Vec<Option<Rc<Counter>>>,
    /// The step that reads each local.
    read_of: Vec<Option<StateId>>,
    /// For a step and a global that it sees, and a write, or none for the start, whether that is the source.
    sources: FxHashMap<(StateId, GlobalId, Option<StateId>), Lit>,
    /// What conditions have asked for already.
    observed: FxHashMap<(StateId, GlobalId), Word>,
    /// Expressions whose orders have literals.
    in_cone: Vec<bool>,
    size: Size,
}

impl<'a> Solver<'a> {
    /// A solver for a CTP; with ranges, values have as many bits as those allow, else as many as
    /// their types.
    ///
    /// The graph must be one with the correction, or a CCFG.
    pub fn new(
        ctp: &'a Ctp,
        graph: &Graph,
        ranges: Option<&Ranges>,
        options: Options,
    ) -> Solver<'a> {
        let mut element = vec![u32::MAX; ctp.states.len()];
        for (number, transaction) in (0..).zip(&graph.transactions) {
            transaction.through.iter().for_each(|state| element[state.0 as usize] = number);
        }
        let pairs = graph.pairs.clone();
        let forced = order::forced(ctp, graph, &pairs, &element);
        let mut clauses = Clauses::new();
        let order = Order::new(&mut clauses, forced, options.encoding);
        let counters = counters::counters(ctp, &element);
        let counted = |read: StateId| {
            let (global, _) = ctp.step(read).action.read()?;
            counters[global.0 as usize].as_ref()?.bounds(ctp, &pairs, read)
        };
        let values = values::Values::new(ctp, ranges, &counted, &pairs);
        let rules = Rc::new(saturate::Rules::new(ctp));
        let kept = Kept::new(ctp, &rules, &values);
        Solver {
            ctp,
            clauses,
            order,
            options,
            element,
            happens: Vec::new(),
            stops: None,
            values,
            pairs,
            rules,
            kept,
            has_branches: ctp.has_branches(),
            writes: Rc::new(accesses::writes(ctp)),
            counters,
            read_of: accesses::reads(ctp),
            sources: FxHashMap::default(),
            observed: FxHashMap::default(),
            in_cone: vec![false; ctp.exprs.len()],
            size: Size::default(),
        }
    }

    /// Answers a query.
    pub fn ask(&mut self, query: &Query) -> Feasibility {
        self.ask_without(query, &[])
    }

    /// Answers a query without executions in which one of these steps comes before and an assertion
    /// right behind it fails, which ends the program.
    pub fn ask_without(&mut self, query: &Query, fatal: &[StateId]) -> Feasibility {
        if self.is_ruled_out(query) {
            return Feasibility::Infeasible;
        }
        self.begin(self.kept.stops(query));
        let Some(mut assumptions) = self.assumptions(query) else {
            return Feasibility::Infeasible;
        };
        assumptions.extend(fatal.iter().map(|&step| self.harmless(query, step)));
        self.add_reads();
        if self.options.saturates {
            let Some(known) = self.unavoidable(query) else {
                self.size.n_saturated += 1;
                return Feasibility::Infeasible;
            };
            assumptions.extend(self.assumed(&known));
        }
        let limit = self.options.n_conflicts_max;
        let (answer, n_calls) = self.order.solve(&mut self.clauses, &assumptions, limit);
        self.size.n_calls += n_calls;
        match answer {
            Answer::Yes => Feasibility::Feasible(self.steps(query)),
            Answer::No => Feasibility::Infeasible,
            Answer::Unknown => Feasibility::Unknown,
        }
    }

    /// Whether intervals answer a query.
    fn is_ruled_out(&self, query: &Query) -> bool {
        match query {
            Query::Fails(state, guard) | Query::Leaves(state, guard) => {
                let guards = &self.ctp.step(*state).guards;
                self.values.always_holds(guards[*guard].condition)
            }
            _ => false,
        }
    }

    /// Steps become clauses when the first query comes, and once more if a later one is the
    /// first that needs a literal for each.
    fn begin(&mut self, stops: Stops) {
        if self.stops >= Some(stops) {
            return;
        }
        if self.stops.is_some() {
            self.clauses = Clauses::new();
            let forced = self.order.forced().clone();
            self.order = Order::new(&mut self.clauses, forced, self.options.encoding);
            self.values.clear();
            self.sources.clear();
            self.observed.clear();
            self.in_cone.fill(false);
        }
        if let Some(deadline) = self.options.deadline {
            self.clauses.end_at(deadline);
        }
        self.happens = self.kept.literals(stops, self.ctp, &self.rules, &mut self.clauses);
        self.stops = Some(stops);
        let guards = self.ctp.states.iter().flat_map(|state| &state.step.guards);
        self.order_cone(guards.map(|guard| guard.condition).collect());
        self.add_steps();
        self.add_syncs();
    }

    /// What a query makes unavoidable whatever the values are; none if that is a contradiction.
    pub fn unavoidable(&self, query: &Query) -> Option<Unavoidable> {
        let forced = self.order.forced().closure();
        saturate::saturate(self.ctp, &self.rules, &self.element, forced, query)
    }

    /// What is assumed because it is unavoidable. All that follows from it is left to the clauses, which
    /// is cheaper than to say it.
    fn assumed(&mut self, known: &Unavoidable) -> Vec<Lit> {
        let mut lits: Vec<_> = known.added.iter().map(|&state| self.happens(state)).collect();
        lits.extend(known.ordered.iter().map(|&(a, b)| self.before(a, b)));
        self.size.n_unavoidable += lits.len();
        lits
    }

    /// How large the problem has become.
    pub fn size(&self) -> Size {
        let (n_variables, n_clauses) = (self.clauses.n_variables(), self.clauses.n_clauses());
        Size { n_variables, n_clauses, ..self.size }
    }

    fn happens(&self, state: StateId) -> Lit {
        self.happens[state.0 as usize]
    }

    /// Whether a thread is right before a step, with those ended that it joins. What happens to be
    /// joined is behind everything else.
    fn comes_to(&mut self, state: StateId) -> Lit {
        let before = self.ctp.state(state).parent.map_or(Lit::TRUE, |p| self.happens(p));
        let ended = self.joined(state);
        self.clauses.and(before, ended)
    }

    fn value(&mut self, id: ExprId) -> Word {
        self.values.make_all(self.ctp, &mut self.clauses, id);
        self.values.get(id).clone()
    }

    fn holds(&mut self, id: ExprId) -> Lit {
        let word = self.value(id);
        !operators::is_zero(&mut self.clauses, &word)
    }
}
