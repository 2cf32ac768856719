//! Orders of elements: literals that say who comes before whom.
//!
//! In: elements, pairs that are forced, pairs that clauses speak of. Out: literals that are
//! consistent with one total order. Two ways:
//! - *lazy*: a literal per pair that is asked for, and nothing else; where an assignment has a
//!   circle, a clause rules it out and the solver goes on.
//! - *positions*: every element has a number, and a literal compares two of them.

use rustc_hash::FxHashMap;

use crate::clauses::{Answer, Clauses, Lit};
use crate::word::{self, Word};

/// How orders are told to the solver.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Encoding {
    /// Circles are ruled out when they come up.
    #[default]
    Lazy,
    /// Elements have numbers.
    Positions,
}

/// How many circles are ruled out before the solver goes on.
const N_CIRCLES: usize = 256;

/// A total order of elements.
pub struct Order {
    n_elements: usize,
    /// Direct successors that are forced.
    forced: Vec<Vec<u32>>,
    pairs: FxHashMap<(u32, u32), Lit>,
    /// The pairs in the order in which they were asked for.
    asked: Vec<(u32, u32)>,
    positions: Option<Vec<Word>>,
}

impl Order {
    /// An order of so many elements.
    pub fn new(clauses: &mut Clauses, n_elements: usize, encoding: Encoding) -> Order {
        let n_bits = usize::BITS as usize - n_elements.leading_zeros() as usize;
        let positions = (encoding == Encoding::Positions)
            .then(|| (0..n_elements).map(|_| Word::fresh(clauses, n_bits, false)).collect());
        Order {
            n_elements,
            forced: vec![Vec::new(); n_elements],
            pairs: FxHashMap::default(),
            asked: Vec::new(),
            positions,
        }
    }

    /// One element comes before another, always.
    pub fn force(&mut self, clauses: &mut Clauses, before: u32, after: u32) {
        self.forced[before as usize].push(after);
        let known = self.pairs.get(&(before.min(after), before.max(after))).copied();
        if let Some(known) = known {
            clauses.clause(&[if before < after { known } else { !known }]);
        }
        if let Some(positions) = &self.positions {
            let (a, b) = (&positions[before as usize], &positions[after as usize]);
            let less = word::less(clauses, a, b, false);
            clauses.clause(&[less]);
        }
        let key = (before.min(after), before.max(after));
        self.pairs.insert(key, Lit::known(before < after));
    }

    /// Whether one element comes before another.
    pub fn before(&mut self, clauses: &mut Clauses, a: u32, b: u32) -> Lit {
        if a == b {
            return Lit::FALSE;
        }
        let key = (a.min(b), a.max(b));
        let lit = match self.pairs.get(&key) {
            Some(&known) => known,
            None => {
                let lit = match &self.positions {
                    Some(positions) => {
                        let [x, y] = [key.0, key.1].map(|n| positions[n as usize].clone());
                        let (there, back) = (
                            word::less(clauses, &x, &y, false),
                            word::less(clauses, &y, &x, false),
                        );
                        clauses.clause(&[there, back]);
                        there
                    }
                    None => {
                        // Most of an order can be that of the numbers, which has no circle.
                        let lit = clauses.fresh();
                        clauses.prefer(lit);
                        lit
                    }
                };
                self.pairs.insert(key, lit);
                self.asked.push(key);
                lit
            }
        };
        if a < b { lit } else { !lit }
    }

    /// Solves, and goes on until there is no circle; how often the solver was called comes along.
    pub fn solve(
        &self,
        clauses: &mut Clauses,
        assumptions: &[Lit],
        n_conflicts_max: Option<u32>,
    ) -> (Answer, usize) {
        for n_calls in 1.. {
            let answer = clauses.solve(assumptions, n_conflicts_max);
            if answer != Answer::Yes || self.positions.is_some() {
                return (answer, n_calls);
            }
            let circles = self.circles(clauses);
            if circles.is_empty() {
                return (Answer::Yes, n_calls);
            }
            circles.iter().for_each(|circle| clauses.clause(circle));
        }
        unreachable!("there are finitely many circles")
    }

    /// The elements in an order that fits the assignment found last.
    pub fn sequence(&self, clauses: &Clauses) -> Vec<u32> {
        let successors = self.successors(clauses);
        let mut n_before = vec![0u32; self.n_elements];
        successors.iter().flatten().for_each(|&(after, _)| n_before[after as usize] += 1);
        let mut ready: std::collections::BTreeSet<u32> =
            (0..self.n_elements as u32).filter(|&n| n_before[n as usize] == 0).collect();
        let mut sequence = Vec::with_capacity(self.n_elements);
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

    /// For each element those right behind it, with the literal that says so.
    fn successors(&self, clauses: &Clauses) -> Vec<Vec<(u32, Lit)>> {
        let mut successors: Vec<Vec<(u32, Lit)>> = vec![Vec::new(); self.n_elements];
        for (before, after) in self.forced.iter().enumerate() {
            successors[before].extend(after.iter().map(|&after| (after, Lit::TRUE)));
        }
        for &(a, b) in &self.asked {
            let lit = self.pairs[&(a, b)];
            let (before, after, lit) = if clauses.value(lit) { (a, b, lit) } else { (b, a, !lit) };
            successors[before as usize].push((after, lit));
        }
        successors
    }

    /// Clauses that rule out short circles of the assignment.
    fn circles(&self, clauses: &Clauses) -> Vec<Vec<Lit>> {
        let successors = self.successors(clauses);
        let component = components(&successors);
        let mut found: Vec<Vec<Lit>> = Vec::new();
        for start in 0..self.n_elements as u32 {
            let inside = |n: u32| component[n as usize] == component[start as usize];
            let loops = successors[start as usize].iter().any(|&(after, _)| inside(after));
            if !loops {
                continue;
            }
            if let Some(circle) = shortest(&successors, start, &inside) {
                let mut clause: Vec<_> =
                    circle.into_iter().filter(|&lit| lit != Lit::TRUE).map(|lit| !lit).collect();
                clause.sort_unstable();
                clause.dedup();
                if !found.contains(&clause) {
                    found.push(clause);
                }
            }
            if found.len() >= N_CIRCLES {
                break;
            }
        }
        found
    }
}

/// The literals of a shortest circle through an element.
fn shortest(
    successors: &[Vec<(u32, Lit)>],
    start: u32,
    inside: &impl Fn(u32) -> bool,
) -> Option<Vec<Lit>> {
    let mut came: FxHashMap<u32, (u32, Lit)> = FxHashMap::default();
    let mut open = std::collections::VecDeque::from([start]);
    while let Some(at) = open.pop_front() {
        for &(next, lit) in &successors[at as usize] {
            if !inside(next) || came.contains_key(&next) {
                continue;
            }
            came.insert(next, (at, lit));
            if next == start {
                let mut lits = Vec::new();
                let mut back = start;
                loop {
                    let (before, lit) = came[&back];
                    lits.push(lit);
                    back = before;
                    if back == start {
                        return Some(lits);
                    }
                }
            }
            open.push_back(next);
        }
    }
    None
}

/// The strongly connected component of each element; those on no circle are alone.
fn components(successors: &[Vec<(u32, Lit)>]) -> Vec<u32> {
    const NEW: u32 = u32::MAX;
    let n = successors.len();
    let (mut number, mut low, mut component) = (vec![NEW; n], vec![0; n], vec![NEW; n]);
    let (mut stack, mut next) = (Vec::new(), 0);
    for root in 0..n as u32 {
        if number[root as usize] != NEW {
            continue;
        }
        let mut calls = vec![(root, 0)];
        while let Some((at, edge)) = calls.pop() {
            let v = at as usize;
            if edge == 0 {
                (number[v], low[v]) = (next, next);
                next += 1;
                stack.push(at);
            }
            let mut again = false;
            for (index, &(to, _)) in successors[v].iter().enumerate().skip(edge) {
                let w = to as usize;
                if number[w] == NEW {
                    calls.push((at, index + 1));
                    calls.push((to, 0));
                    again = true;
                    break;
                }
                if component[w] == NEW {
                    low[v] = low[v].min(number[w]);
                }
            }
            if again {
                continue;
            }
            if low[v] == number[v] {
                while let Some(member) = stack.pop() {
                    component[member as usize] = at;
                    if member == at {
                        break;
                    }
                }
            }
            if let Some(&(parent, _)) = calls.last() {
                low[parent as usize] = low[parent as usize].min(low[v]);
            }
        }
    }
    component
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
        #![proptest_config(ProptestConfig::with_cases(300))]
        #[test]
        fn both_encodings_agree_with_all_orders(
            pairs in prop::collection::vec(prop::collection::vec((0u32..5, 0u32..5), 1..3), 1..9),
            forced in (0u32..4),
        ) {
            let real = |pair: &&(u32, u32)| pair.0 != pair.1;
            let mut wanted: Vec<Vec<_>> =
                pairs.iter().map(|p| p.iter().filter(real).copied().collect()).collect();
            wanted.push(vec![(forced, 4)]);
            let expected = brute(5, &wanted);
            for encoding in [Encoding::Lazy, Encoding::Positions] {
                let mut clauses = Clauses::new();
                let mut order = Order::new(&mut clauses, 5, encoding);
                order.force(&mut clauses, forced, 4);
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
