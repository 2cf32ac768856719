//! Variables, clauses and gates.

use std::cell::Cell;
use std::ops::Not;
use std::time::Instant;

use batsat::callbacks::Callbacks;
use batsat::clause::Kind;
use batsat::{Solver, SolverInterface, lbool};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// A variable or its negation.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Lit(u32);

impl Lit {
    /// What is always true.
    pub const TRUE: Lit = Lit(0);
    /// What is never true.
    pub const FALSE: Lit = Lit(1);

    /// The literal that is always this.
    pub const fn known(value: bool) -> Lit {
        if value { Lit::TRUE } else { Lit::FALSE }
    }

    /// Whether it is always true, or never.
    pub const fn is_known(self) -> bool {
        self.0 < 2
    }

    fn outside(self) -> batsat::Lit {
        batsat::Lit::new(batsat::Var::unsafe_from_idx(self.0 >> 1), self.0 & 1 == 0)
    }
}

impl Not for Lit {
    type Output = Lit;

    fn not(self) -> Lit {
        Lit(self.0 ^ 1)
    }
}

/// What the solver says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Answer {
    /// There is an assignment; literals have values now.
    Yes,
    /// There is none.
    No,
    /// The budget ran out.
    Unknown,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Gate {
    And(Lit, Lit),
    Xor(Lit, Lit),
    Choose(Lit, Lit, Lit),
}

/// What a search may cost; the solver asks before every decision.
#[derive(Default)]
struct Budget {
    /// When searches give up.
    deadline: Option<Instant>,
    /// How many more conflicts the search under way may have.
    n_conflicts_left: Option<u32>,
    n_asked: Cell<u32>,
    /// Whether the deadline was seen to be over.
    late: Cell<bool>,
}

impl Budget {
    fn is_late(&self) -> bool {
        self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }
}

impl Callbacks for Budget {
    fn on_new_clause(&mut self, _: &[batsat::Lit], kind: Kind) {
        if kind == Kind::Learnt {
            self.n_conflicts_left = self.n_conflicts_left.map(|left| left.saturating_sub(1));
        }
    }

    fn stop(&self) -> bool {
        self.n_asked.set(self.n_asked.get().wrapping_add(1));
        // Reading the clock costs more than a decision.
        if self.n_asked.get().is_multiple_of(256) {
            self.late.set(self.is_late());
        }
        self.n_conflicts_left == Some(0) || self.late.get()
    }
}

/// A growing set of clauses.
pub struct Clauses {
    solver: Solver<Budget>,
    gates: FxHashMap<Gate, Lit>,
    n_clauses: usize,
    /// The clause that is handed to the solver; kept for its memory.
    clause: Vec<batsat::Lit>,
}

impl Default for Clauses {
    fn default() -> Clauses {
        Clauses::new()
    }
}

impl Clauses {
    /// No clauses but the one that says what is true.
    pub fn new() -> Clauses {
        let mut clauses = Clauses {
            solver: Solver::default(),
            gates: FxHashMap::default(),
            n_clauses: 0,
            clause: Vec::new(),
        };
        clauses.fresh();
        clauses.send(&[Lit::TRUE]);
        clauses
    }

    /// From this time on every search gives up, one that is under way too.
    pub fn end_at(&mut self, deadline: Instant) {
        let budget = self.solver.cb_mut();
        (budget.deadline, budget.late) = (Some(deadline), Cell::new(false));
    }

    /// A new variable.
    pub fn fresh(&mut self) -> Lit {
        self.variable(lbool::UNDEF)
    }

    /// A new variable that the search supposes to be true; no answer depends on it.
    pub fn fresh_supposed(&mut self) -> Lit {
        self.variable(lbool::TRUE)
    }

    fn variable(&mut self, first: lbool) -> Lit {
        Lit(self.solver.new_var(first, true).idx() << 1)
    }

    /// How many variables there are.
    pub fn n_variables(&self) -> u32 {
        self.solver.num_vars()
    }

    /// How many clauses there are.
    pub fn n_clauses(&self) -> usize {
        self.n_clauses
    }

    /// At least one of these holds.
    pub fn clause(&mut self, lits: &[Lit]) {
        if lits.contains(&Lit::TRUE) {
            return;
        }
        let mut left: SmallVec<[Lit; 8]> =
            lits.iter().copied().filter(|&lit| lit != Lit::FALSE).collect();
        left.sort_unstable();
        left.dedup();
        if !left.windows(2).any(|two| two[0] == !two[1]) {
            self.send(&left);
        }
    }

    /// Both hold.
    pub fn and(&mut self, a: Lit, b: Lit) -> Lit {
        let (a, b) = (a.min(b), a.max(b));
        match (a, b) {
            (Lit::TRUE, other) => other,
            (Lit::FALSE, _) => Lit::FALSE,
            _ if a == b => a,
            _ if a == !b => Lit::FALSE,
            _ => self.gate(Gate::And(a, b), |clauses, out| {
                clauses.clause(&[!out, a]);
                clauses.clause(&[!out, b]);
                clauses.clause(&[out, !a, !b]);
            }),
        }
    }

    /// At least one of two holds.
    pub fn or(&mut self, a: Lit, b: Lit) -> Lit {
        !self.and(!a, !b)
    }

    /// At least one of these holds, as a literal.
    pub fn any(&mut self, lits: &[Lit]) -> Lit {
        lits.iter().fold(Lit::FALSE, |all, &lit| self.or(all, lit))
    }

    /// All of these hold, as a literal.
    pub fn all(&mut self, lits: &[Lit]) -> Lit {
        lits.iter().fold(Lit::TRUE, |all, &lit| self.and(all, lit))
    }

    /// Exactly one of two holds.
    pub fn xor(&mut self, a: Lit, b: Lit) -> Lit {
        // Signs are moved outside, so that there is one gate for four cases.
        let flip = Lit::known((a.0 ^ b.0) & 1 == 0);
        let (x, y) = (Lit(a.0 & !1), Lit(b.0 & !1));
        let (x, y) = (x.min(y), x.max(y));
        let out = match (x, y) {
            (Lit::TRUE, other) => !other,
            _ if x == y => Lit::FALSE,
            _ => self.gate(Gate::Xor(x, y), |clauses, out| {
                clauses.clause(&[!out, x, y]);
                clauses.clause(&[!out, !x, !y]);
                clauses.clause(&[out, !x, y]);
                clauses.clause(&[out, x, !y]);
            }),
        };
        if flip == Lit::TRUE { out } else { !out }
    }

    /// Both hold or none does.
    pub fn equal(&mut self, a: Lit, b: Lit) -> Lit {
        !self.xor(a, b)
    }

    /// The second if the first holds, else the third.
    pub fn choose(&mut self, condition: Lit, yes: Lit, no: Lit) -> Lit {
        match (condition, yes, no) {
            (Lit::TRUE, ..) => yes,
            (Lit::FALSE, ..) => no,
            _ if yes == no => yes,
            (_, Lit::TRUE, _) => self.or(condition, no),
            (_, Lit::FALSE, _) => self.and(!condition, no),
            (_, _, Lit::TRUE) => self.or(!condition, yes),
            (_, _, Lit::FALSE) => self.and(condition, yes),
            _ => self.gate(Gate::Choose(condition, yes, no), |clauses, out| {
                clauses.clause(&[!condition, !yes, out]);
                clauses.clause(&[!condition, yes, !out]);
                clauses.clause(&[condition, !no, out]);
                clauses.clause(&[condition, no, !out]);
            }),
        }
    }

    /// Whether all clauses can hold together with the assumptions; `n_conflicts_max` bounds the
    /// search.
    pub fn solve(&mut self, assumptions: &[Lit], n_conflicts_max: Option<u32>) -> Answer {
        let budget = self.solver.cb_mut();
        if budget.is_late() {
            return Answer::Unknown;
        }
        budget.n_conflicts_left = n_conflicts_max;
        let assumptions: Vec<_> = assumptions.iter().map(|lit| lit.outside()).collect();
        let found = self.solver.solve_limited(&assumptions);
        match () {
            () if found == lbool::TRUE => Answer::Yes,
            () if found == lbool::FALSE => Answer::No,
            () => Answer::Unknown,
        }
    }

    /// Assumptions of the last [`Clauses::solve`] that cannot all hold; empty if the clauses alone
    /// cannot. Only after [`Answer::No`].
    pub fn core(&mut self, assumptions: &[Lit]) -> Vec<Lit> {
        // The solver keeps the clause that it learnt: what it refutes stands there negated.
        let refuted = |lit: &&Lit| self.solver.unsat_core_contains_lit(!lit.outside());
        assumptions.iter().filter(refuted).copied().collect()
    }

    /// The value of a literal in the assignment that was found last.
    pub fn value(&self, lit: Lit) -> bool {
        match lit {
            Lit::TRUE => true,
            Lit::FALSE => false,
            _ => self.solver.value_lit(lit.outside()) == lbool::TRUE,
        }
    }

    fn gate(&mut self, gate: Gate, define: impl FnOnce(&mut Clauses, Lit)) -> Lit {
        if let Some(&known) = self.gates.get(&gate) {
            return known;
        }
        let out = self.fresh();
        define(self, out);
        self.gates.insert(gate, out);
        out
    }

    fn send(&mut self, lits: &[Lit]) {
        self.clause.clear();
        self.clause.extend(lits.iter().map(|lit| lit.outside()));
        // Clauses that contradict each other are an answer, which `solve` gives.
        self.solver.add_clause_reuse(&mut self.clause);
        self.n_clauses += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gates_are_their_truth_tables() {
        let mut clauses = Clauses::new();
        let inputs = [clauses.fresh(), clauses.fresh(), clauses.fresh()];
        let [a, b, c] = inputs;
        let outputs =
            [clauses.and(a, !b), clauses.or(!a, b), clauses.xor(a, !b), clauses.choose(a, b, !c)];
        for bits in 0..8u32 {
            let truth = |n: usize| bits >> n & 1 == 1;
            let assumptions: Vec<_> =
                (0..3).map(|n| if truth(n) { inputs[n] } else { !inputs[n] }).collect();
            assert_eq!(clauses.solve(&assumptions, None), Answer::Yes);
            let (x, y, z) = (truth(0), truth(1), truth(2));
            let expected = [x && !y, !x || y, x == y, if x { y } else { !z }];
            assert_eq!(outputs.map(|out| clauses.value(out)), expected);
        }
    }

    #[test]
    fn constants_make_no_gates() {
        let mut clauses = Clauses::new();
        let a = clauses.fresh();
        let before = clauses.n_clauses();
        assert_eq!(clauses.and(a, Lit::TRUE), a);
        assert_eq!(clauses.and(a, !a), Lit::FALSE);
        assert_eq!(clauses.xor(a, Lit::TRUE), !a);
        assert_eq!(clauses.xor(a, a), Lit::FALSE);
        assert_eq!(clauses.choose(a, Lit::TRUE, Lit::FALSE), a);
        assert_eq!(clauses.n_clauses(), before);
    }

    #[test]
    fn what_cannot_hold_is_said_and_forgotten() {
        let mut clauses = Clauses::new();
        let (a, b) = (clauses.fresh(), clauses.fresh());
        clauses.clause(&[a, b]);
        assert_eq!(clauses.solve(&[!a, !b], None), Answer::No);
        assert_eq!(clauses.solve(&[!a], None), Answer::Yes);
        assert!(clauses.value(b));
    }

    #[test]
    fn cores_have_the_assumptions_that_clash_and_no_others() {
        let mut clauses = Clauses::new();
        let [a, b, c] = [(); 3].map(|()| clauses.fresh());
        clauses.clause(&[a, b]);
        assert_eq!(clauses.solve(&[c, !a, !c, !b], None), Answer::No);
        assert_eq!(clauses.core(&[c, !a, !c, !b]), [c, !c]);
        assert_eq!(clauses.solve(&[c, !a, !b], None), Answer::No);
        assert_eq!(clauses.core(&[c, !a, !b]), [!a, !b]);
        clauses.clause(&[!a]);
        assert_eq!(clauses.solve(&[!b, c], None), Answer::No);
        assert_eq!(clauses.core(&[!b, c]), [!b]);
        clauses.clause(&[!b]);
        assert_eq!(clauses.solve(&[c], None), Answer::No);
        assert_eq!(clauses.core(&[c]), []);
    }

    /// So many pigeons do not fit into one hole fewer.
    fn pigeons(n: usize) -> Clauses {
        let mut clauses = Clauses::new();
        let sits: Vec<Vec<Lit>> =
            (0..n).map(|_| (1..n).map(|_| clauses.fresh()).collect()).collect();
        sits.iter().for_each(|holes| clauses.clause(holes));
        for (one, another) in (0..n).flat_map(|one| (0..one).map(move |another| (one, another))) {
            for (&a, &b) in sits[one].iter().zip(&sits[another]) {
                clauses.clause(&[!a, !b]);
            }
        }
        clauses
    }

    #[test]
    fn a_search_that_costs_too_much_is_unknown_and_can_go_on() {
        let mut clauses = pigeons(6);
        assert_eq!(clauses.solve(&[], Some(3)), Answer::Unknown);
        assert_eq!(clauses.solve(&[], Some(3)), Answer::Unknown);
        assert_eq!(clauses.solve(&[], None), Answer::No);
    }

    #[test]
    fn no_search_goes_on_behind_its_deadline() {
        let mut clauses = pigeons(20);
        clauses.end_at(Instant::now() + std::time::Duration::from_millis(50));
        assert_eq!(clauses.solve(&[], None), Answer::Unknown);
        assert_eq!(clauses.solve(&[], None), Answer::Unknown);
    }
}
