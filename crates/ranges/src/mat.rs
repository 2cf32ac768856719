//! Mutually atomic transactions (MATs) of two paths through threads.
//!
//! In: two paths and which of their positions can be reached together. Out: pairs of transactions of
//! which only the last steps are in conflict: interleaving them in between gives nothing new. A
//! switch goes from the end of one to the beginning of the other.
//!
//! GenMAT follows Ganai & Kundu (SPIN 2009) as Ganai & Wang give it in their appendix; the second
//! thread has priority. Readings and corrections:
//! - M1: pairs of steps that are in conflict count only if the positions behind them can be reached
//!   together.
//! - M2: the last steps of both are always in conflict: the paper's trailing dummy access.
//! - M3: GenMAT′ as printed loses schedules. Here it takes GenMAT's MAT; if one of its two orders is
//!   ruled out by locks, it takes the smallest larger one with both orders feasible inside of which
//!   every interleaving is one of the two; if there is none, GenMAT's MAT stays.

use rustc_hash::FxHashSet;

use crate::ctp::{Ctp, StateId};
use crate::together::{Path, Together};

/// Two transactions, by the positions where they begin and end.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Mat {
    /// Where both begin.
    pub begin: (usize, usize),
    /// Where both end.
    pub end: (usize, usize),
}

/// Which MATs to look for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Selection {
    /// GenMAT's.
    Plain,
    /// Those of the corrected GenMAT′ (M3).
    Reduced,
}

/// How many cells M3 looks at for one MAT, and for all of two paths, before it stays with GenMAT's.
const N_CELLS_MAX: usize = 1 << 16;
const N_CELLS_MAX_ALL: usize = 1 << 25;

/// The steps of two paths that are in conflict.
#[derive(Debug)]
pub struct Conflicts {
    /// For each step of the second, the steps of the first that are in conflict with it.
    columns: Vec<Vec<usize>>,
}

impl Conflicts {
    /// Those of two paths, with the trailing dummy access (M2).
    pub fn new(ctp: &Ctp, paths: [&Path; 2]) -> Conflicts {
        let [m, n] = paths.map(Path::n_steps);
        let actions: Vec<_> = (0..m).map(|p| paths[0].action(ctp, p)).collect();
        let column = |q: usize| {
            let action = paths[1].action(ctp, q);
            let hit = |&p: &usize| action.conflicts(actions[p]) || (p + 1, q + 1) == (m, n);
            (0..m).filter(hit).collect()
        };
        Conflicts { columns: (0..n).map(column).collect() }
    }

    fn between(&self, q: usize, rows: std::ops::Range<usize>) -> &[usize] {
        let column = &self.columns[q];
        let first = column.partition_point(|&p| p < rows.start);
        let last = column.partition_point(|&p| p < rows.end);
        &column[first..last.max(first)]
    }
}

/// All MATs of two paths, in the order in which they are found.
pub fn generate(
    conflicts: &Conflicts,
    together: &Together,
    [m, n]: [usize; 2],
    selection: Selection,
) -> Vec<Mat> {
    let mut seen = FxHashSet::default();
    let mut queue = std::collections::VecDeque::from([(0, 0)]);
    let mut mats = Vec::new();
    let maker = Maker { conflicts, together, m, n };
    let mut n_cells_left = N_CELLS_MAX_ALL;
    while let Some(begin) = queue.pop_front() {
        if !seen.insert(begin) || begin.0 == m || begin.1 == n {
            continue;
        }
        let Some(mut mat) = maker.plain(begin) else { continue };
        if selection == Selection::Reduced && !maker.is_feasible(mat) {
            mat = maker.enlarged(mat, &mut n_cells_left).unwrap_or(mat);
        }
        mats.push(mat);
        let (end, corners) = (mat.end, [(mat.end.0, begin.1), (begin.0, mat.end.1), mat.end]);
        let inside = |&(p, q): &(usize, usize)| p < m && q < n && together.is_reachable(p, q);
        debug_assert!(end.0 > begin.0 && end.1 > begin.1);
        queue.extend(corners.into_iter().filter(inside));
    }
    mats
}

/// The switches that MATs ask for: from the state behind one transaction to that before the other.
pub fn switches(mats: &[Mat], paths: [&Path; 2]) -> Vec<(StateId, StateId)> {
    let both = |mat: &Mat| {
        let there = (paths[0].states[mat.end.0], paths[1].states[mat.begin.1]);
        let back = (paths[1].states[mat.end.1], paths[0].states[mat.begin.0]);
        [there, back]
    };
    mats.iter().flat_map(both).collect()
}

struct Maker<'a> {
    conflicts: &'a Conflicts,
    together: &'a Together,
    m: usize,
    n: usize,
}

impl Maker<'_> {
    /// M1.
    fn counts(&self, p: usize, q: usize) -> bool {
        self.together.is_reachable(p + 1, q + 1)
    }

    /// The MAT with the shortest transaction of the second, then of the first.
    fn plain(&self, begin: (usize, usize)) -> Option<Mat> {
        (begin.1..self.n).find_map(|q| {
            let column = self.conflicts.between(q, begin.0..self.m);
            let p = column.iter().find(|&&p| self.counts(p, q))?;
            Some(Mat { begin, end: (p + 1, q + 1) })
        })
    }

    /// Whether either can go first.
    fn is_feasible(&self, Mat { begin: (p, q), end: (r, s) }: Mat) -> bool {
        let run = |side, p, q| self.together.run(side, p, q);
        let first = run(0, p, q) >= r - p && run(1, r, q) >= s - q;
        first && run(1, p, q) >= s - q && run(0, p, s) >= r - p
    }

    /// M3: by the sum of both lengths, then by the length of the second.
    fn enlarged(&self, mat: Mat, n_cells_left: &mut usize) -> Option<Mat> {
        let ((p, q), (r, s)) = (mat.begin, mat.end);
        let n_cells_max = N_CELLS_MAX.min(*n_cells_left);
        let mut n_cells = 0;
        for sum in r + s + 1..=self.m + self.n {
            for last in s.max(sum.saturating_sub(self.m))..=self.n.min(sum - r) {
                let end = (sum - last, last);
                let candidate = Mat { begin: mat.begin, end };
                n_cells += 1;
                let row = end.0 - 1;
                let is_one = !self.conflicts.between(end.1 - 1, row..row + 1).is_empty()
                    && self.counts(row, end.1 - 1)
                    && self.is_feasible(candidate);
                if !is_one {
                    continue;
                }
                n_cells += (end.0 - p + 1) * (end.1 - q + 1);
                if self.is_serial(candidate) {
                    *n_cells_left = n_cells_left.saturating_sub(n_cells);
                    return Some(candidate);
                }
            }
            if n_cells > n_cells_max {
                break;
            }
        }
        *n_cells_left = n_cells_left.saturating_sub(n_cells);
        None
    }

    /// Whether each interleaving inside has all conflicts in the order of one of the two serial
    /// ones, and none gets stuck.
    fn is_serial(&self, Mat { begin: (p, q), end: (r, s) }: Mat) -> bool {
        const FIRST: u8 = 1;
        const SECOND: u8 = 2;
        let width = s - q + 1;
        // For each cell, the sets of orders with which it is reached, as bits.
        let mut cells = vec![0u8; (r - p + 1) * width];
        cells[0] = 1;
        for i in p..=r {
            for j in q..=s {
                let at = (i - p) * width + j - q;
                let reached = cells[at];
                if reached == 0 {
                    continue;
                }
                let down = i < r && self.together.run(0, i, j) > 0;
                let right = j < s && self.together.run(1, i, j) > 0;
                if !down && !right && (i, j) != (r, s) {
                    return false;
                }
                for orders in 0..4u8 {
                    if reached & (1 << orders) == 0 {
                        continue;
                    }
                    if orders == FIRST | SECOND {
                        return false;
                    }
                    if down {
                        let ahead = (j..s).any(|b| self.meets(i, b));
                        let behind = (q..j).any(|b| self.meets(i, b));
                        let more = (u8::from(ahead) * FIRST) | (u8::from(behind) * SECOND);
                        cells[at + width] |= 1 << (orders | more);
                    }
                    if right {
                        cells[at + 1] |= 1 << orders;
                    }
                }
            }
        }
        cells[cells.len() - 1] & (1 << (FIRST | SECOND)) == 0
    }

    fn meets(&self, p: usize, q: usize) -> bool {
        !self.conflicts.between(q, p..p + 1).is_empty()
    }
}
