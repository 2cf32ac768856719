//! Pairs of elements whose order is no choice, and everything that follows from them.

/// Edges without a circle, and what they reach.
#[derive(Clone, Debug)]
pub struct Forced {
    /// Direct successors.
    successors: Vec<Vec<u32>>,
    /// For each element a row of bits: those behind it.
    behind: Vec<u64>,
    n_words: usize,
}

impl Forced {
    /// The closure of edges `before, after`; none if they have a circle.
    pub fn new(n_elements: usize, edges: &[(u32, u32)]) -> Option<Forced> {
        let mut successors = vec![Vec::new(); n_elements];
        for &(before, after) in edges {
            successors[before as usize].push(after);
        }
        for after in &mut successors {
            after.sort_unstable();
            after.dedup();
        }
        let n_words = n_elements.div_ceil(64);
        let mut forced = Forced { successors, behind: vec![0; n_elements * n_words], n_words };
        let sequence = forced.topological()?;
        for &element in sequence.iter().rev() {
            forced.close(element as usize);
        }
        Some(forced)
    }

    /// How many elements there are.
    pub fn n_elements(&self) -> usize {
        self.successors.len()
    }

    /// Whether one element always comes before another.
    pub fn is_before(&self, a: u32, b: u32) -> bool {
        self.behind[a as usize * self.n_words + b as usize / 64] >> (b % 64) & 1 == 1
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

    /// Sets the row of an element whose successors have theirs.
    fn close(&mut self, element: usize) {
        let mut row = vec![0; self.n_words];
        for &after in &self.successors[element] {
            row[after as usize / 64] |= 1 << (after % 64);
            let theirs = &self.behind[after as usize * self.n_words..][..self.n_words];
            row.iter_mut().zip(theirs).for_each(|(word, more)| *word |= more);
        }
        self.behind[element * self.n_words..][..self.n_words].copy_from_slice(&row);
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
    fn circles_are_refused() {
        assert!(Forced::new(3, &[(0, 1), (1, 2), (2, 0)]).is_none());
        assert!(Forced::new(1, &[(0, 0)]).is_none());
    }
}
