//! Cells: memory cut into the pieces that no access touches only in part.
//!
//! In: the variables of a trace, some with the range of memory they stand for.
//! Out: for each variable the cells it covers. Variables without a range, and those that no
//! other variable overlaps, are one cell of their own; where nothing overlaps, cell n *is*
//! variable n and nothing is stored. The cells of a variable are consecutive.

use crate::id::{CellId, VarId};
use crate::tables::{Range, Tables};

/// Which cells each variable covers.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Cells {
    n_cells: usize,
    /// `starts[v]..starts[v + 1]` are the cells of variable v in `cells`; empty for the identity.
    starts: Vec<u32>,
    cells: Vec<CellId>,
}

impl Cells {
    pub(crate) fn new(tables: &Tables) -> Cells {
        let n_variables = tables.variables.len();
        let mut ranged: Vec<(Range, VarId)> = tables
            .ranges()
            .filter(|(v, r)| v.index() < n_variables && r.size > 0)
            .map(|(v, r)| (r, v))
            .collect();
        ranged.sort_unstable();
        if !ranged.windows(2).any(|w| overlap(&w[0].0, &w[1].0)) {
            return Cells { n_cells: n_variables, ..Cells::default() };
        }
        Cells::cut(n_variables, &ranged)
    }

    /// Cuts each maximal run of overlapping ranges at all of their ends.
    fn cut(n_variables: usize, ranged: &[(Range, VarId)]) -> Cells {
        let mut of_variable: Vec<Vec<CellId>> = vec![Vec::new(); n_variables];
        let mut n_cells = 0u32;
        let mut rest = ranged;
        while !rest.is_empty() {
            let (run, after) = rest.split_at(run_length(rest));
            rest = after;
            let mut cuts: Vec<u64> = run.iter().flat_map(|(r, _)| [r.offset, end(r)]).collect();
            cuts.sort_unstable();
            cuts.dedup();
            for (range, var) in run {
                let first = cuts.partition_point(|&c| c < range.offset) as u32;
                let last = cuts.partition_point(|&c| c < end(range)) as u32;
                of_variable[var.index()] = (first..last).map(|c| CellId(n_cells + c)).collect();
            }
            n_cells += cuts.len() as u32 - 1;
        }
        let mut cells = Cells { starts: vec![0], ..Cells::default() };
        for of_one in of_variable {
            if of_one.is_empty() {
                cells.cells.push(CellId(n_cells));
                n_cells += 1;
            }
            cells.cells.extend(of_one);
            cells.starts.push(cells.cells.len() as u32);
        }
        cells.n_cells = n_cells as usize;
        cells
    }

    pub(crate) fn len(&self) -> usize {
        self.n_cells
    }

    /// True where cell n is variable n.
    pub(crate) fn is_identity(&self) -> bool {
        self.starts.is_empty()
    }

    /// The cells of a variable; at least one.
    #[inline]
    pub(crate) fn of(&self, var: VarId) -> CellsOf<'_> {
        if self.is_identity() {
            return CellsOf::One(Some(CellId(var.0)));
        }
        let (from, to) = (self.starts[var.index()], self.starts[var.index() + 1]);
        CellsOf::Many(self.cells[from as usize..to as usize].iter())
    }

    pub(crate) fn memory(&self) -> usize {
        4 * (self.starts.capacity() + self.cells.capacity())
    }
}

/// The cells of one variable.
#[derive(Clone, Debug)]
pub enum CellsOf<'a> {
    /// The variable is a cell.
    One(Option<CellId>),
    /// The variable overlaps others.
    Many(std::slice::Iter<'a, CellId>),
}

impl Iterator for CellsOf<'_> {
    type Item = CellId;

    #[inline]
    fn next(&mut self) -> Option<CellId> {
        match self {
            CellsOf::One(cell) => cell.take(),
            CellsOf::Many(cells) => cells.next().copied(),
        }
    }
}

/// How many ranges at the front are connected by overlaps.
fn run_length(ranged: &[(Range, VarId)]) -> usize {
    let mut reach = end(&ranged[0].0);
    let connected = ranged[1..].iter().take_while(|(range, _)| {
        let connected = range.region == ranged[0].0.region && range.offset < reach;
        reach = reach.max(end(range));
        connected
    });
    1 + connected.count()
}

fn overlap(a: &Range, b: &Range) -> bool {
    a.region == b.region && b.offset < end(a)
}

fn end(range: &Range) -> u64 {
    range.offset.saturating_add(u64::from(range.size))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(ranges: &[(u32, u64, u32)], expected: &[&[u32]]) {
        let mut tables = Tables::default();
        for (v, &(region, offset, size)) in ranges.iter().enumerate() {
            tables.variables.intern(format!("v{v}").as_bytes()).unwrap();
            tables.set_range(VarId(v as u32), Range { region, offset, size });
        }
        let cells = Cells::new(&tables);
        let found: Vec<Vec<u32>> =
            (0..ranges.len()).map(|v| cells.of(VarId(v as u32)).map(|c| c.0).collect()).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn disjoint_variables_are_their_own_cells() {
        check(&[(0, 0, 4), (0, 4, 4), (1, 0, 8)], &[&[0], &[1], &[2]]);
    }

    #[test]
    fn a_word_covers_the_cells_of_its_halves() {
        check(&[(0, 0, 8), (0, 0, 4), (0, 4, 4), (1, 4, 4)], &[&[0, 1], &[0], &[1], &[2]]);
    }

    #[test]
    fn a_partial_overlap_makes_three_cells() {
        check(&[(0, 0, 4), (0, 2, 4)], &[&[0, 1], &[1, 2]]);
    }

    #[test]
    fn the_same_range_under_two_names_is_one_cell() {
        check(&[(0, 0, 4), (0, 0, 4)], &[&[0], &[0]]);
    }

    #[test]
    fn a_range_that_ends_at_the_top_of_memory_does_not_overflow() {
        check(&[(0, u64::MAX - 1, 8), (0, u64::MAX - 1, 4)], &[&[0], &[0]]);
    }
}
