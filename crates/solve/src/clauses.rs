//! Variables, clauses and gates.

use std::ops::Not;
use std::time::Instant;

use rustc_hash::FxHashMap;
use rustsat::solvers::{
    ControlSignal, LimitConflicts, PhaseLit, Solve, SolveIncremental, SolverResult, Terminate,
};
use rustsat::types::{Cl, TernaryVal};
use rustsat_cadical::CaDiCaL;
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

    fn outside(self) -> rustsat::types::Lit {
        rustsat::types::Lit::new(self.0 >> 1, self.0 & 1 == 1)
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

/// A growing set of clauses.
pub struct Clauses {
    solver: CaDiCaL<'static, 'static>,
    gates: FxHashMap<Gate, Lit>,
    n_variables: u32,
    n_clauses: usize,
    /// Whether the solver took all clauses.
    whole: bool,
    /// When searches give up.
    deadline: Option<Instant>,
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
            solver: CaDiCaL::default(),
            gates: FxHashMap::default(),
            n_variables: 1,
            n_clauses: 0,
            whole: true,
            deadline: None,
        };
        clauses.send(&[Lit::TRUE]);
        clauses
    }

    /// From this time on every search gives up, one that is under way too.
    pub fn end_at(&mut self, deadline: Instant) {
        self.deadline = Some(deadline);
        self.solver.attach_terminator(move || match Instant::now() < deadline {
            true => ControlSignal::Continue,
            false => ControlSignal::Terminate,
        });
    }

    /// A new variable.
    pub fn fresh(&mut self) -> Lit {
        self.n_variables += 1;
        Lit((self.n_variables - 1) << 1)
    }

    /// A literal that the search tries first as it is; no answer depends on it.
    pub fn prefer(&mut self, lit: Lit) {
        // A solver that does not take hints finds the same answers.
        let _ = self.solver.phase_lit(lit.outside());
    }

    /// How many variables there are.
    pub fn n_variables(&self) -> u32 {
        self.n_variables
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
        if self.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            return Answer::Unknown;
        }
        let assumptions: Vec<_> = assumptions.iter().map(|lit| lit.outside()).collect();
        let limited = self.solver.limit_conflicts(n_conflicts_max).is_ok();
        match self.solver.solve_assumps(&assumptions) {
            Ok(SolverResult::Sat) if self.whole => Answer::Yes,
            Ok(SolverResult::Unsat) if limited || n_conflicts_max.is_none() => Answer::No,
            _ => Answer::Unknown,
        }
    }

    /// Assumptions of the last [`Clauses::solve`] that cannot all hold; empty if the clauses alone
    /// cannot. Only after [`Answer::No`].
    pub fn core(&mut self, assumptions: &[Lit]) -> Vec<Lit> {
        // Without a core all assumptions are one.
        let Ok(core) = self.solver.core() else { return assumptions.to_vec() };
        let refuted = |lit: &&Lit| core.contains(&!lit.outside());
        assumptions.iter().filter(refuted).copied().collect()
    }

    /// The value of a literal in the assignment that was found last.
    pub fn value(&self, lit: Lit) -> bool {
        match lit {
            Lit::TRUE => true,
            Lit::FALSE => false,
            _ => matches!(self.solver.lit_val(lit.outside()), Ok(TernaryVal::True)),
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
        let clause: SmallVec<[_; 8]> = lits.iter().map(|lit| lit.outside()).collect();
        self.whole &= self.solver.add_clause_ref(Cl::new(&clause)).is_ok();
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
}
