//! Graphs that intervals are propagated on: nodes, transactions between them, and switches.
//!
//! In: a CTP. Out: one of three graphs.
//! - CCFG: every control state is a node, every step a transaction. Sound by construction.
//! - TSG, TSG′: the transaction sequence graphs of Ganai & Wang, Sec. 4.1, from the MATs of GenMAT
//!   and of the corrected GenMAT′, over all pairs of threads and of paths through them.
//!
//! Where the pairwise construction is enough (two threads, nothing that can stop one of them) its
//! switches are taken as they are. Otherwise they are not adequate, and:
//! - G1: transactions are cut where they are not reducible (`reduce`);
//! - G2: every pair of nodes of different threads that can be reached together has a switch, unless
//!   it leads to a thread with a smaller number whose transaction is independent of the one before:
//!   then the other order has the same values.

use std::sync::Arc;

use rustc_hash::FxHashSet;

use crate::ctp::{Ctp, StateId, ThreadId};
use crate::mat::{self, Conflicts, Selection};
use crate::pairs::Pairs;
use crate::reduce;
use crate::together::{Lineage, Path, Together};

/// Which graph.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum GraphKind {
    /// Concurrent control flow graph.
    Ccfg,
    /// Transaction sequence graph.
    Tsg,
    /// Transaction sequence graph of the reduced set of MATs.
    TsgReduced,
}

/// A transaction: the steps from one node to the next of the same thread.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Transaction {
    /// Where it begins.
    pub from: StateId,
    /// The states it goes through; the last one is where it ends.
    pub through: Vec<StateId>,
}

impl Transaction {
    /// Where it ends.
    pub fn to(&self) -> StateId {
        self.through[self.through.len() - 1]
    }
}

/// A graph over the control states of a CTP.
#[derive(Clone, Debug)]
pub struct Graph {
    /// Which one it is.
    pub kind: GraphKind,
    /// Its nodes, ascending.
    pub nodes: Vec<StateId>,
    /// Transactions, by the number of their begin.
    pub transactions: Vec<Transaction>,
    /// Switches between nodes of different threads, ascending.
    pub switches: Vec<(StateId, StateId)>,
    /// How many MATs there are.
    pub n_mats: usize,
    /// How many different switches the MATs alone ask for, feasible or not.
    pub n_mat_switches: usize,
    /// Whether G1 and G2 were applied.
    pub corrected: bool,
    /// Which states can be reached together.
    pub pairs: Arc<Pairs>,
}

impl Graph {
    /// The graph of a CTP.
    pub fn new(ctp: &Ctp, kind: GraphKind) -> Graph {
        Graph::with(ctp, kind, needs_correction(ctp))
    }

    /// A CCFG for exact questions, which need no switches: every step is a transaction.
    pub fn stepwise(ctp: &Ctp) -> Graph {
        Graph::of_steps(ctp, Arc::new(Pairs::of(ctp)))
    }

    fn of_steps(ctp: &Ctp, pairs: Arc<Pairs>) -> Graph {
        let nodes: Vec<_> = ctp.state_ids().collect();
        let transactions = transactions(ctp, &nodes);
        Graph {
            kind: GraphKind::Ccfg,
            nodes,
            transactions,
            switches: Vec::new(),
            n_mats: 0,
            n_mat_switches: 0,
            corrected: false,
            pairs,
        }
    }

    /// The graph of a CTP, with or without the correction; without it, it is the published one.
    pub fn with(ctp: &Ctp, kind: GraphKind, corrected: bool) -> Graph {
        let lineage = Lineage::new(ctp);
        let paths: Vec<Vec<Path>> = ctp.thread_ids().map(|thread| paths(ctp, thread)).collect();
        let pairs = Arc::new(Pairs::new(ctp, &lineage, &paths));
        match kind {
            GraphKind::Ccfg => ccfg(ctp, pairs),
            GraphKind::Tsg => tsg(ctp, kind, &lineage, &paths, pairs, corrected),
            GraphKind::TsgReduced => tsg(ctp, kind, &lineage, &paths, pairs, corrected),
        }
    }
}

/// Whether the pairwise switches of MATs may miss something: with more than two threads, or if a
/// thread can be stopped by a guard or by locks.
pub fn needs_correction(ctp: &Ctp) -> bool {
    let guarded = ctp.states.iter().any(|state| !state.step.guards.is_empty());
    ctp.threads.len() > 2 || guarded || can_get_stuck(ctp)
}

fn paths(ctp: &Ctp, thread: ThreadId) -> Vec<Path> {
    ctp.paths(thread).into_iter().map(|states| Path::new(ctp, states)).collect()
}

fn can_get_stuck(ctp: &Ctp) -> bool {
    let lineage = Lineage::new(ctp);
    let waits = |state: &crate::ctp::State| state.step.action.waits();
    let paths: Vec<Path> = ctp.thread_ids().flat_map(|thread| paths(ctp, thread)).collect();
    let [first, second] = &paths[..] else { return paths.len() > 2 };
    let together = Together::new(ctp, &lineage, [first, second]);
    let (m, n) = (first.n_steps(), second.n_steps());
    let stuck = |p: usize, q: usize| {
        together.is_reachable(p, q) && together.run(0, p, q) + together.run(1, p, q) == 0
    };
    ctp.states.iter().any(waits)
        || (0..=m).any(|p| (0..=n).any(|q| (p, q) != (m, n) && stuck(p, q)))
}

fn ccfg(ctp: &Ctp, pairs: Arc<Pairs>) -> Graph {
    let mut graph = Graph::of_steps(ctp, pairs.clone());
    for &from in &graph.nodes {
        for &to in &graph.nodes {
            if ctp.state(from).thread != ctp.state(to).thread && pairs.can_switch(ctp, from, to) {
                graph.switches.push((from, to));
            }
        }
    }
    graph
}

fn tsg(
    ctp: &Ctp,
    kind: GraphKind,
    lineage: &Lineage,
    paths: &[Vec<Path>],
    pairs: Arc<Pairs>,
    corrected: bool,
) -> Graph {
    let selection = if kind == GraphKind::Tsg { Selection::Plain } else { Selection::Reduced };
    let mut boundary = vec![false; ctp.states.len()];
    let mut asked = FxHashSet::default();
    let mut n_mats = 0;
    for (i, first) in paths.iter().enumerate() {
        for second in &paths[i + 1..] {
            for (a, b) in first.iter().flat_map(|a| second.iter().map(move |b| (a, b))) {
                let mats = mats(ctp, lineage, [a, b], selection);
                n_mats += mats.len();
                for mat in &mats {
                    boundary[a.states[mat.begin.0].0 as usize] = true;
                    boundary[b.states[mat.begin.1].0 as usize] = true;
                }
                asked.extend(mat::switches(&mats, [a, b]));
            }
        }
    }
    let n_mat_switches = asked.len();
    mark_ends(ctp, &mut boundary);
    if corrected {
        reduce::cut(ctp, paths, &pairs, &mut boundary);
    } else {
        asked.iter().for_each(|&(from, _)| boundary[from.0 as usize] = true);
    }
    let nodes: Vec<_> = ctp.state_ids().filter(|id| boundary[id.0 as usize]).collect();
    let transactions = transactions(ctp, &nodes);
    let mut switches: Vec<_> = match corrected {
        true => all_switches(ctp, &pairs, &nodes, &transactions),
        false => asked.into_iter().filter(|&(c, d)| pairs.can_switch(ctp, c, d)).collect(),
    };
    switches.sort_unstable();
    Graph { kind, nodes, transactions, switches, n_mats, n_mat_switches, corrected, pairs }
}

/// The MATs of two paths.
pub fn mats(
    ctp: &Ctp,
    lineage: &Lineage,
    paths: [&Path; 2],
    selection: Selection,
) -> Vec<mat::Mat> {
    let conflicts = Conflicts::new(ctp, paths);
    let together = Together::new(ctp, lineage, paths);
    mat::generate(&conflicts, &together, paths.map(Path::n_steps), selection)
}

/// First and last states, and those where paths part, are always nodes.
fn mark_ends(ctp: &Ctp, boundary: &mut [bool]) {
    for (id, children) in ctp.state_ids().zip(ctp.children()) {
        if ctp.state(id).parent.is_none() || children.len() != 1 {
            boundary[id.0 as usize] = true;
        }
    }
}

fn transactions(ctp: &Ctp, nodes: &[StateId]) -> Vec<Transaction> {
    let is_node = |id: StateId| nodes.binary_search(&id).is_ok();
    let ends = nodes.iter().filter(|&&id| ctp.state(id).parent.is_some());
    let transaction = |&to: &StateId| {
        let mut through = vec![to];
        let mut at = to;
        while let Some(before) = ctp.state(at).parent {
            if is_node(before) {
                through.reverse();
                return Some(Transaction { from: before, through });
            }
            through.push(before);
            at = before;
        }
        None
    };
    let mut found: Vec<_> = ends.filter_map(transaction).collect();
    found.sort_by_key(|t| (t.from, t.to()));
    found
}

/// G2.
fn all_switches(
    ctp: &Ctp,
    pairs: &Pairs,
    nodes: &[StateId],
    transactions: &[Transaction],
) -> Vec<(StateId, StateId)> {
    let into = |node: StateId| transactions.iter().filter(move |t| t.to() == node);
    let touched = |t: &Transaction| -> FxHashSet<(crate::ctp::Object, bool)> {
        t.through.iter().flat_map(|&s| ctp.step(s).action.accesses()).collect()
    };
    let before: Vec<FxHashSet<_>> =
        nodes.iter().map(|&n| into(n).flat_map(touched).collect()).collect();
    let from = |node: StateId| transactions.iter().filter(move |t| t.from == node);
    let after: Vec<FxHashSet<_>> =
        nodes.iter().map(|&n| from(n).flat_map(touched).collect()).collect();
    let free = |node: usize| {
        // Forks, joins and guards have orders of their own.
        let plain = |s: &StateId| {
            let step = ctp.step(*s);
            step.forks.is_empty() && step.joins.is_empty()
        };
        into(nodes[node]).chain(from(nodes[node])).flat_map(|t| &t.through).all(plain)
    };
    let is_free: Vec<bool> = (0..nodes.len()).map(free).collect();
    let mut switches = Vec::new();
    for (i, &c) in nodes.iter().enumerate() {
        for (j, &d) in nodes.iter().enumerate() {
            let (one, other) = (ctp.state(c).thread, ctp.state(d).thread);
            if one == other || !pairs.can_switch(ctp, c, d) {
                continue;
            }
            let needed = one < other
                || !(is_free[i] && is_free[j])
                || before[i].iter().any(|&(object, writes)| {
                    after[j].contains(&(object, true))
                        || (writes && after[j].contains(&(object, false)))
                });
            if needed {
                switches.push((c, d));
            }
        }
    }
    switches
}
