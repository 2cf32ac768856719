//! Pairs of elements whose order is no choice, and everything that follows from them.

/// What follows from pairs: who comes before whom.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Closure {
    n_elements: usize,
    /// For each element a row of bits: those behind it.
    behind: Vec<u64>,
    n_words: usize,
}

impl Closure {
    fn new(n_elements: usize) -> Closure {
        let n_words = n_elements.div_ceil(64);
        Closure { n_elements, behind: vec![0; n_elements * n_words], n_words }
    }

    /// Whether one element always comes before another.
    pub fn is_before(&self, a: u32, b: u32) -> bool {
        self.behind[a as usize * self.n_words + b as usize / 64] >> (b % 64) & 1 == 1
    }

    /// Adds a pair and what follows from it; false, and nothing is added, if that is a cycle.
    pub fn add(&mut self, before: u32, after: u32) -> bool {
        if before == after || self.is_before(after, before) {
            return false;
        }
        if self.is_before(before, after) {
            return true;
        }
        let row = self.with_itself(after);
        for element in 0..self.n_elements as u32 {
            if element == before || self.is_before(element, before) {
                self.join(element, &row);
            }
        }
        true
    }

    /// An element and those behind it.
    fn with_itself(&self, element: u32) -> Vec<u64> {
        let mut row = self.behind[element as usize * self.n_words..][..self.n_words].to_vec();
        row[element as usize / 64] |= 1 << (element % 64);
        row
    }

    fn join(&mut self, element: u32, row: &[u64]) {
        let own = &mut self.behind[element as usize * self.n_words..][..self.n_words];
        own.iter_mut().zip(row).for_each(|(word, more)| *word |= more);
    }
}

/// Edges without a cycle, and what they reach.
#[derive(Clone, Debug)]
pub struct Forced {
    /// Direct successors.
    successors: Vec<Vec<u32>>,
    closure: Closure,
}

impl Forced {
    /// The closure of edges `before, after`; none if they have a cycle.
    pub fn new(n_elements: usize, edges: &[(u32, u32)]) -> Option<Forced> {
        let mut successors = vec![Vec::new(); n_elements];
        for &(before, after) in edges {
            successors[before as usize].push(after);
        }
        for after in &mut successors {
            after.sort_unstable();
            after.dedup();
        }
        let mut forced = Forced { successors, closure: Closure::new(n_elements) };
        // Those behind an element come first.
        for &element in forced.topological()?.iter().rev() {
            for index in 0..forced.successors[element as usize].len() {
                let row = forced.closure.with_itself(forced.successors[element as usize][index]);
                forced.closure.join(element, &row);
            }
        }
        Some(forced)
    }

    /// How many elements there are.
    pub fn n_elements(&self) -> usize {
        self.successors.len()
    }

    /// Whether one element always comes before another.
    pub fn is_before(&self, a: u32, b: u32) -> bool {
        self.closure.is_before(a, b)
    }

    /// All that follows.
    pub fn closure(&self) -> &Closure {
        &self.closure
    }

    /// Those that were said to come behind an element.
    pub(super) fn after(&self, element: usize) -> &[u32] {
        &self.successors[element]
    }

    fn topological(&self) -> Option<Vec<u32>> {
        let mut n_before = vec![0u32; self.n_elements()];
        self.successors.iter().flatten().for_each(|&after| n_before[after as usize] += 1);
        let mut sequence: Vec<u32> =
            (0..self.n_elements() as u32).filter(|&n| n_before[n as usize] == 0).collect();
        let mut next = 0;
        while let Some(&element) = sequence.get(next) {
            next += 1;
            for &after in &self.successors[element as usize] {
                n_before[after as usize] -= 1;
                if n_before[after as usize] == 0 {
                    sequence.push(after);
                }
            }
        }
        (sequence.len() == self.n_elements()).then_some(sequence)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_follows_is_known() {
        let forced = Forced::new(4, &[(2, 1), (1, 0)]).unwrap();
        assert!(forced.is_before(2, 0) && forced.is_before(1, 0));
        assert!(!forced.is_before(0, 2) && !forced.is_before(2, 3) && !forced.is_before(3, 2));
    }

    #[test]
    fn cycles_are_refused() {
        assert!(Forced::new(3, &[(0, 1), (1, 2), (2, 0)]).is_none());
        assert!(Forced::new(1, &[(0, 0)]).is_none());
    }

    #[test]
    fn pairs_that_come_later_are_closed_too() {
        let mut closure = Forced::new(5, &[(0, 1), (2, 3)]).unwrap().closure().clone();
        assert!(closure.add(1, 2));
        assert!(closure.is_before(0, 3) && !closure.is_before(3, 0) && !closure.is_before(0, 4));
        let known = closure.clone();
        assert!(!closure.add(3, 0) && !closure.add(4, 4));
        assert_eq!(closure, known);
    }
}
