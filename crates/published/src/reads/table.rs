//! The table: one row of Table A1.

use super::verdict::PaperVerdict;

/// Counts of witnesses; the numbers in brackets are the columns of the paper.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct ReadTable {
    /// Possible witnesses (2).
    pub n_possible: u64,
    /// Witnesses whose witness order graph has a cycle (3).
    pub n_cyclic: u64,
    /// Witnesses without cycle and without choices, feasible (4).
    pub n_without_choices: u64,
    /// Witnesses without cycle and with choices (5).
    pub n_with_choices: u64,
    /// Choices of these witnesses, d′, in total.
    pub n_choices: u64,
    /// The logarithm to the base 2 of the number of their possible choice graphs in total.
    pub log2_possible_graphs: f64,
    /// Choice graphs that were looked at.
    pub n_explored: u64,
    /// Feasible witnesses (9).
    pub n_feasible: u64,
    /// Infeasible witnesses (10).
    pub n_infeasible: u64,
    /// Witnesses for which [`super::MAX_GRAPHS`] was not enough; in neither of the last two.
    pub n_capped: u64,
    /// False if the count was stopped.
    pub is_complete: bool,
}

impl ReadTable {
    pub(super) fn count(&mut self, verdict: &PaperVerdict) {
        self.n_possible += 1;
        match verdict.feasible {
            Some(true) => self.n_feasible += 1,
            Some(false) => self.n_infeasible += 1,
            None => self.n_capped += 1,
        }
        if verdict.is_cyclic {
            self.n_cyclic += 1;
        } else if verdict.n_choices == 0 {
            self.n_without_choices += 1;
        } else {
            let log2 = verdict.n_choices as f64;
            self.log2_possible_graphs = match self.n_with_choices {
                0 => log2,
                _ => log2_sum(self.log2_possible_graphs, log2),
            };
            self.n_with_choices += 1;
            self.n_choices += verdict.n_choices as u64;
            self.n_explored += verdict.n_explored;
        }
    }

    /// Possible choice graphs per witness with choices (6), as a logarithm to the base 2: the number
    /// itself can be beyond any float.
    pub fn log2_possible_graphs_per_witness(&self) -> Option<f64> {
        let n = (self.n_with_choices > 0).then_some(self.n_with_choices as f64)?;
        Some(self.log2_possible_graphs - n.log2())
    }

    /// Choice graphs looked at per witness with choices (7).
    pub fn explored_per_witness(&self) -> Option<f64> {
        let n = (self.n_with_choices > 0).then_some(self.n_with_choices as f64)?;
        Some(self.n_explored as f64 / n)
    }

    /// Graphs looked at per possible witness (11): one witness order graph for each without choices,
    /// the choice graphs for the others.
    pub fn graphs_per_witness(&self) -> Option<f64> {
        let n = (self.n_possible > 0).then_some(self.n_possible as f64)?;
        Some((self.n_cyclic + self.n_without_choices + self.n_explored) as f64 / n)
    }
}

/// The logarithm of the sum of two numbers given as logarithms.
fn log2_sum(a: f64, b: f64) -> f64 {
    let (small, large) = (a.min(b), a.max(b));
    large + (1.0 + (small - large).exp2()).log2()
}
