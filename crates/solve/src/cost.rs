//! Minimum-cost SAT: assignments in which as few charged literals as possible hold.
//!
//! In: clauses, and literals that cost 1 each where they hold. Both may grow between calls. Out: the
//! least cost, with an assignment, or the assumptions that rule every assignment out. The search is
//! core-guided (OLL: Andres et al., ICLP 2012; Morgado, Dodaro and Marques-Silva, CP 2014), which
//! suits optima that are small beside the number of literals.
//!
//! - O1: all charged literals are assumed not to hold. If that works, the cost is what was counted.
//! - O2: otherwise a core says that one of some assumptions fails in every assignment: the cost is
//!   one more, and in their place stands the assumption that no second one of them fails.
//! - O3: so an assignment costs what was counted plus one for each assumption that fails, and what
//!   satisfies all assumptions is exactly what is optimal. Ties are broken among these.

use rustc_hash::FxHashMap;

use crate::clauses::{Answer, Clauses, Lit};

/// Cores of at most so many assumptions are made smaller, one assumption after the other.
const SHRINK: usize = 48;

/// What came out.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Optimum {
    /// The least cost; literals have the values of an assignment that has it.
    Cost(u32),
    /// No assignment satisfies all clauses and these assumptions.
    None(Vec<Lit>),
    /// The budget ran out.
    Unknown,
}

/// Clauses with literals that cost something.
#[derive(Default)]
pub struct MinCost {
    clauses: Clauses,
    /// What is assumed to hold (O1, O2).
    assumed: Vec<Lit>,
    /// The sum and the bound that an assumption belongs to.
    sums: FxHashMap<Lit, (usize, usize)>,
    /// Per sum, what holds if at least 1, 2, … of its literals do.
    outputs: Vec<Vec<Lit>>,
    counted: u32,
}

impl MinCost {
    /// No clauses, nothing charged.
    pub fn new() -> MinCost {
        MinCost::default()
    }

    /// The clauses.
    pub fn clauses(&mut self) -> &mut Clauses {
        &mut self.clauses
    }

    /// A literal costs 1 where it holds; to be said once of each.
    pub fn charge(&mut self, lit: Lit) {
        self.assumed.push(!lit);
    }

    /// The value of a literal in the assignment that was found last.
    pub fn value(&self, lit: Lit) -> bool {
        self.clauses.value(lit)
    }

    /// The least cost under assumptions, which later calls must repeat: costs are counted on.
    pub fn minimise(&mut self, assumptions: &[Lit], n_conflicts_max: Option<u32>) -> Optimum {
        loop {
            match self.ask(assumptions, n_conflicts_max) {
                (Answer::Yes, _) => return Optimum::Cost(self.counted),
                (Answer::Unknown, _) => return Optimum::Unknown,
                (Answer::No, core) => {
                    let own = |lit: &Lit| self.assumed.contains(lit);
                    let (costs, given): (Vec<_>, Vec<_>) = core.into_iter().partition(own);
                    if costs.is_empty() {
                        return Optimum::None(given);
                    }
                    let costs = self.shrunk(costs, assumptions, n_conflicts_max);
                    self.count(&costs);
                }
            }
        }
    }

    /// Whether an optimal assignment satisfies these, too; to be asked after
    /// [`MinCost::minimise`], with its assumptions among them.
    pub fn admits(&mut self, assumptions: &[Lit], n_conflicts_max: Option<u32>) -> Answer {
        self.ask(assumptions, n_conflicts_max).0
    }

    fn ask(&mut self, given: &[Lit], n_conflicts_max: Option<u32>) -> (Answer, Vec<Lit>) {
        let all: Vec<_> = given.iter().chain(&self.assumed).copied().collect();
        let answer = self.clauses.solve(&all, n_conflicts_max);
        let core = if answer == Answer::No { self.clauses.core(&all) } else { Vec::new() };
        (answer, core)
    }

    /// A core without some of what it does not need.
    fn shrunk(&mut self, core: Vec<Lit>, given: &[Lit], n_conflicts_max: Option<u32>) -> Vec<Lit> {
        if core.len() > SHRINK {
            return core;
        }
        let mut kept = core;
        let mut at = 0;
        while at < kept.len() && kept.len() > 1 {
            let without = kept.iter().enumerate().filter(|(n, _)| *n != at).map(|(_, &lit)| lit);
            let all: Vec<_> = given.iter().copied().chain(without).collect();
            match self.clauses.solve(&all, n_conflicts_max) {
                Answer::No => drop(kept.remove(at)),
                _ => at += 1,
            }
        }
        kept
    }

    /// O2.
    fn count(&mut self, core: &[Lit]) {
        self.counted += 1;
        self.assumed.retain(|lit| !core.contains(lit));
        for lit in core {
            if let Some((sum, bound)) = self.sums.remove(lit) {
                self.assume(sum, bound + 1);
            }
        }
        if core.len() > 1 {
            let inputs: Vec<_> = core.iter().map(|&lit| !lit).collect();
            let outputs = self.total(&inputs);
            self.outputs.push(outputs);
            self.assume(self.outputs.len() - 1, 2);
        }
    }

    /// From now on fewer than `bound` literals of a sum are assumed to hold.
    fn assume(&mut self, sum: usize, bound: usize) {
        if let Some(&output) = self.outputs[sum].get(bound - 1) {
            self.assumed.push(!output);
            self.sums.insert(!output, (sum, bound));
        }
    }

    /// Literals that hold if at least 1, 2, … of the inputs do (a totalizer: Bailleux and Boufkhad,
    /// CP 2003; one direction is enough, since outputs are only ever assumed not to hold).
    fn total(&mut self, inputs: &[Lit]) -> Vec<Lit> {
        if let [only] = inputs {
            return vec![*only];
        }
        let (left, right) = inputs.split_at(inputs.len() / 2);
        let (left, right) = (self.total(left), self.total(right));
        let outputs: Vec<_> = inputs.iter().map(|_| self.clauses.fresh()).collect();
        for i in 0..=left.len() {
            for j in 0..=right.len() {
                let Some(sum) = (i + j).checked_sub(1) else { continue };
                let mut clause = vec![outputs[sum]];
                clause.extend(i.checked_sub(1).map(|i| !left[i]));
                clause.extend(j.checked_sub(1).map(|j| !right[j]));
                self.clauses.clause(&clause);
            }
        }
        outputs
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The least number of variables that hold, by trying all.
    fn brute(n: usize, clauses: &[Vec<(usize, bool)>]) -> Option<u32> {
        let holds = |bits: u32| {
            clauses.iter().all(|c| c.iter().any(|&(v, sign)| (bits >> v & 1 == 1) == sign))
        };
        (0..1u32 << n).filter(|&bits| holds(bits)).map(u32::count_ones).min()
    }

    #[test]
    fn the_optimum_is_that_of_brute_force_also_when_clauses_come_later() {
        let mut random = fastrand::Rng::with_seed(7);
        for _ in 0..300 {
            let n = random.usize(3..9);
            let mut problem = MinCost::new();
            let lits: Vec<_> = (0..n).map(|_| problem.clauses().fresh()).collect();
            lits.iter().for_each(|&lit| problem.charge(lit));
            let mut clauses = Vec::new();
            for _ in 0..4 {
                for _ in 0..random.usize(1..5) {
                    let width = random.usize(1..4);
                    let pick = |_| (random.usize(..n), random.usize(..4) > 0);
                    clauses.push((0..width).map(pick).collect::<Vec<_>>());
                    let last = clauses.last().into_iter().flatten();
                    let clause: Vec<_> =
                        last.map(|&(v, sign)| if sign { lits[v] } else { !lits[v] }).collect();
                    problem.clauses().clause(&clause);
                }
                let found = match problem.minimise(&[], None) {
                    Optimum::Cost(cost) => {
                        let held = lits.iter().filter(|&&lit| problem.value(lit)).count();
                        assert_eq!(held as u32, cost);
                        Some(cost)
                    }
                    Optimum::None(_) => None,
                    Optimum::Unknown => unreachable!("there is no limit"),
                };
                assert_eq!(found, brute(n, &clauses), "{clauses:?}");
            }
        }
    }

    #[test]
    fn assumptions_that_cannot_hold_are_named() {
        let mut problem = MinCost::new();
        let [a, b, c, x] = [(); 4].map(|()| problem.clauses().fresh());
        problem.charge(x);
        problem.clauses().clause(&[!a, !b]);
        problem.clauses().clause(&[x, c]);
        let Optimum::None(mut core) = problem.minimise(&[a, b, !c], None) else { panic!() };
        core.sort_unstable();
        assert_eq!(core, [a, b]);
    }

    #[test]
    fn ties_are_broken_among_what_is_optimal() {
        let mut problem = MinCost::new();
        let [x, y, z] = [(); 3].map(|()| problem.clauses().fresh());
        [x, y, z].into_iter().for_each(|lit| problem.charge(lit));
        problem.clauses().clause(&[x, y]);
        assert_eq!(problem.minimise(&[], None), Optimum::Cost(1));
        assert_eq!(problem.admits(&[y], None), Answer::Yes);
        assert!(problem.value(y) && !problem.value(x));
        assert_eq!(problem.admits(&[z], None), Answer::No);
    }
}
