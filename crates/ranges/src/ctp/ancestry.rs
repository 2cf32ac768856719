//! Which states a thread comes through before which.

use super::{Ctp, StateId};

/// For any two states of a CTP whether a thread comes through the one before the other.
#[derive(Clone, Debug)]
pub struct Ancestry {
    /// The states by paths, each with everything behind it in a row: its place there, and how long
    /// the row is.
    rows: Vec<(u32, u32)>,
}

impl Ancestry {
    /// That of a CTP.
    pub fn new(ctp: &Ctp) -> Ancestry {
        let parent = |index: usize| ctp.states[index].parent.map(|parent| parent.0 as usize);
        let mut lengths = vec![1; ctp.states.len()];
        for index in (0..lengths.len()).rev() {
            if let Some(parent) = parent(index) {
                lengths[parent] += lengths[index];
            }
        }
        let mut rows = Vec::with_capacity(lengths.len());
        // Where the next row begins that is behind each state, and behind none.
        let mut next = vec![0; lengths.len()];
        let mut free = 0;
        for (index, &length) in lengths.iter().enumerate() {
            let start = parent(index).map_or(&mut free, |parent| &mut next[parent]);
            let place = *start;
            *start += length;
            next[index] = place + 1;
            rows.push((place, length));
        }
        Ancestry { rows }
    }

    /// Whether a thread comes through the first state before the second; false for equal ones.
    pub fn is_before(&self, a: StateId, b: StateId) -> bool {
        let ((start, length), (place, _)) = (self.rows[a.0 as usize], self.rows[b.0 as usize]);
        start < place && place < start + length
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ctp::Step;

    #[test]
    fn what_is_on_the_way_is_what_paths_have() {
        let mut ctp = Ctp::default();
        let first = ctp.add_thread("first", 1);
        let other = ctp.add_thread("other", 2);
        let [root, alone] = [first, other].map(|thread| ctp.threads[thread.0 as usize].root);
        let fork = ctp.add_step(root, Step::default());
        let left = ctp.add_step(fork, Step::default());
        ctp.add_step(alone, Step::default());
        ctp.add_step(fork, Step::default());
        ctp.add_step(left, Step::default());
        let ancestry = Ancestry::new(&ctp);
        for a in ctp.state_ids() {
            for b in ctp.state_ids() {
                let expected = a != b && ctp.path_to(b).contains(&a);
                assert_eq!(ancestry.is_before(a, b), expected, "{a:?} {b:?}");
            }
        }
    }
}
