//! Orders of elements: literals that say who comes before whom.
//!
//! In: elements, pairs that are forced, pairs that clauses speak of. Out: literals that are
//! consistent with one total order. Three encodings:
//! - *lazy*: a literal per pair that is asked for, and nothing else; where an assignment has a
//!   cycle, a clause rules it out and the solver goes on.
//! - *chains*: the same, and clauses that rule out all cycles between two chains beforehand.
//! - *positions*: every element has a number, and a literal compares two of them.
//!
//! What follows from forced pairs is no literal in any of them.

mod chains;
mod cycles;
mod forced;

use rustc_hash::FxHashMap;

use self::chains::Chains;
use self::cycles::{Successors, cycles};
pub use self::forced::{Closure, Forced};
use crate::clauses::{Answer, Clauses, Lit};
use crate::word::{self, Word};

/// How orders are encoded as clauses.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Encoding {
    /// Cycles are ruled out when they come up.
    Lazy,
    /// Cycles between two chains are ruled out from the start, others when they come up.
    #[default]
    Chains,
    /// Elements have numbers.
    Positions,
}

/// A total order of elements.
pub struct Order {
    forced: Forced,
    chains: Option<Chains>,
    pairs: FxHashMap<(u32, u32), Lit>,
    /// The pairs in the order in which they were asked for, with their literals.
    asked: Vec<(u32, u32, Lit)>,
    positions: Option<Vec<Word>>,
}

impl Order {
    /// An order of elements of which some pairs are forced.
    pub fn new(clauses: &mut Clauses, forced: Forced, encoding: Encoding) -> Order {
        let n_elements = forced.n_elements();
        let n_bits = usize::BITS as usize - n_elements.leading_zeros() as usize;
        let positions = (encoding == Encoding::Positions).then(|| {
            let all: Vec<_> =
                (0..n_elements).map(|_| Word::fresh(clauses, n_bits, false)).collect();
            for (before, word) in all.iter().enumerate() {
                for &after in forced.after(before) {
                    let less = word::less(clauses, word, &all[after as usize], false);
                    clauses.clause(&[less]);
                }
            }
            all
        });
        let chains = (encoding == Encoding::Chains).then(|| Chains::new(&forced));
        Order { forced, chains, pairs: FxHashMap::default(), asked: Vec::new(), positions }
    }

    /// What is forced.
    pub fn forced(&self) -> &Forced {
        &self.forced
    }

    /// Whether one element comes before another.
    pub fn before(&mut self, clauses: &mut Clauses, a: u32, b: u32) -> Lit {
        if a == b || self.forced.is_before(b, a) {
            return Lit::FALSE;
        }
        if self.forced.is_before(a, b) {
            return Lit::TRUE;
        }
        let key = (a.min(b), a.max(b));
        let lit = match self.pairs.get(&key) {
            Some(&known) => known,
            None => self.ask(clauses, key),
        };
        if a < b { lit } else { !lit }
    }

    /// A literal for a pair that was not asked for yet.
    fn ask(&mut self, clauses: &mut Clauses, key: (u32, u32)) -> Lit {
        let lit = match &self.positions {
            Some(positions) => {
                let [x, y] = [key.0, key.1].map(|n| &positions[n as usize]);
                let (there, back) =
                    (word::less(clauses, x, y, false), word::less(clauses, y, x, false));
                clauses.clause(&[there, back]);
                there
            }
            None => {
                // Most of an order can be that of the numbers, which has no cycle.
                clauses.fresh_supposed()
            }
        };
        if let Some(chains) = &mut self.chains {
            chains.add(key.0, key.1, lit);
        }
        self.pairs.insert(key, lit);
        self.asked.push((key.0, key.1, lit));
        lit
    }

    /// Solves, and goes on until there is no cycle; how often the solver was called comes along.
    pub fn solve(
        &mut self,
        clauses: &mut Clauses,
        assumptions: &[Lit],
        n_conflicts_max: Option<u32>,
    ) -> (Answer, usize) {
        if let Some(chains) = &mut self.chains {
            chains.add_clauses(clauses);
        }
        for n_calls in 1.. {
            let answer = clauses.solve(assumptions, n_conflicts_max);
            if answer != Answer::Yes || self.positions.is_some() {
                return (answer, n_calls);
            }
            let cycles = cycles(&self.successors(clauses));
            if cycles.is_empty() {
                return (Answer::Yes, n_calls);
            }
            cycles.iter().for_each(|cycle| clauses.clause(cycle));
        }
        unreachable!("there are finitely many cycles")
    }

    /// The elements in an order that fits the assignment found last.
    pub fn sequence(&self, clauses: &Clauses) -> Vec<u32> {
        let successors = self.successors(clauses);
        let mut n_before = vec![0u32; self.forced.n_elements()];
        successors.iter().flatten().for_each(|&(after, _)| n_before[after as usize] += 1);
        let mut ready: std::collections::BTreeSet<u32> =
            (0..self.forced.n_elements() as u32).filter(|&n| n_before[n as usize] == 0).collect();
        let mut sequence = Vec::with_capacity(self.forced.n_elements());
        while let Some(next) = ready.pop_first() {
            sequence.push(next);
            for &(after, _) in &successors[next as usize] {
                n_before[after as usize] -= 1;
                if n_before[after as usize] == 0 {
                    ready.insert(after);
                }
            }
        }
        sequence
    }

    fn successors(&self, clauses: &Clauses) -> Successors {
        let n_elements = self.forced.n_elements();
        let forced = |&after: &u32| (after, Lit::TRUE);
        let mut successors: Successors =
            (0..n_elements).map(|n| self.forced.after(n).iter().map(forced).collect()).collect();
        for &(a, b, lit) in &self.asked {
            let (before, after, lit) = if clauses.value(lit) { (a, b, lit) } else { (b, a, !lit) };
            successors[before as usize].push((after, lit));
        }
        successors
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Whether some order of the elements has one pair of each clause, by trying all.
    fn brute(n: usize, clauses: &[Vec<(u32, u32)>]) -> bool {
        fn go(n: usize, taken: &mut Vec<u32>, clauses: &[Vec<(u32, u32)>]) -> bool {
            if taken.len() == n {
                let at = |x: u32| taken.iter().position(|&y| y == x);
                return clauses.iter().all(|clause| clause.iter().any(|&(a, b)| at(a) < at(b)));
            }
            (0..n as u32).any(|next| {
                if taken.contains(&next) {
                    return false;
                }
                taken.push(next);
                let found = go(n, taken, clauses);
                taken.pop();
                found
            })
        }
        go(n, &mut Vec::new(), clauses)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(150))]
        #[test]
        fn both_encodings_agree_with_all_orders(
            pairs in prop::collection::vec(prop::collection::vec((0u32..7, 0u32..7), 1..3), 1..9),
            forced in (0u32..4),
        ) {
            let real = |pair: &&(u32, u32)| pair.0 != pair.1;
            let mut wanted: Vec<Vec<_>> =
                pairs.iter().map(|p| p.iter().filter(real).copied().collect()).collect();
            wanted.push(vec![(forced, 4)]);
            wanted.extend([vec![(4, 5)], vec![(6, 0)]]);
            let expected = brute(7, &wanted);
            for encoding in [Encoding::Lazy, Encoding::Chains, Encoding::Positions] {
                let mut clauses = Clauses::new();
                let known = Forced::new(7, &[(forced, 4), (4, 5), (6, 0)]).unwrap();
                let mut order = Order::new(&mut clauses, known, encoding);
                for clause in &wanted {
                    let lits: Vec<_> =
                        clause.iter().map(|&(a, b)| order.before(&mut clauses, a, b)).collect();
                    clauses.clause(&lits);
                }
                let (answer, _) = order.solve(&mut clauses, &[], None);
                prop_assert_eq!(answer == Answer::Yes, expected, "{:?}", encoding);
                if expected {
                    let sequence = order.sequence(&clauses);
                    let at = |x: u32| sequence.iter().position(|&y| y == x).unwrap();
                    let holds = |clause: &Vec<(u32, u32)>| clause.iter().any(|&(a, b)| at(a) < at(b));
                    prop_assert!(wanted.iter().all(holds));
                }
            }
        }
    }
}
