//! Conflicts of transactions: a serial order, or cycles that rule one out.
//!
//! In: a trace and the events that count (all, or the relevant ones). Out: an order of transactions
//! that keeps the order of all conflicting events, or some short cycles, never all of them.
//!
//! - K1: two events conflict if they are on the same global, one of them writes, and their
//!   transactions lie apart (S1, Definitions 3 and 4). The conflict is between the two siblings in
//!   the tree of transactions that they belong to.
//! - K2: of a chain of conflicts on one global only neighbours are edges: from a write to the reads
//!   behind it and the next write, and from these reads to that write. All others follow from them,
//!   so there is a cycle among these edges exactly if there is one among all.
//! - K3: pieces of one thread stay in order: locals connect them.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use rustc_hash::FxHashMap;

use crate::slice::Events;
use crate::trace::{EventId, Trace, TransactionId, VariableId};

/// How many cycles are returned at once.
const N_CYCLES_MAX: usize = 32;

/// Two events whose order matters.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Conflict {
    /// The earlier one.
    pub before: EventId,
    /// The later one.
    pub after: EventId,
    /// What they are about.
    pub variable: VariableId,
}

/// A cycle of transactions; each conflict leads from one to the next. Where two pieces of one thread
/// follow each other there is none.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Cycle(pub Vec<Conflict>);

impl Cycle {
    /// The events on it, in order.
    pub fn events(&self) -> Vec<EventId> {
        let mut events: Vec<_> = self.0.iter().flat_map(|c| [c.before, c.after]).collect();
        events.sort_unstable();
        events.dedup();
        events
    }
}

/// What came out.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Serial {
    /// Transactions in an order in which siblings can be executed one after the other.
    Order(Vec<TransactionId>),
    /// Cycles; at least one.
    Cycles(Vec<Cycle>),
}

/// Looks for a serial order of what the events that count do.
pub fn serialise(trace: &Trace, counts: &Events) -> Serial {
    let graph = Graph::new(trace, counts, &[]);
    match graph.order(trace) {
        Some(order) => Serial::Order(order),
        None => Serial::Cycles(graph.cycles()),
    }
}

/// What conflicts there are between all events of a trace, relevant or not, those about data of a
/// library aside: whether there are any, and whether they allow a serial order.
pub fn survey(trace: &Trace) -> (bool, bool) {
    let all = Events::of(trace.len(), trace.events());
    let graph = Graph::new(trace, &all, &trace.hidden);
    let any = graph.edges.iter().flatten().any(|(_, cause)| cause.is_some());
    (any, graph.order(trace).is_some())
}

/// The conflict that an edge stands for; none where a thread goes on.
type Cause = Option<Conflict>;

struct Graph {
    /// Per transaction, the ones that have to come behind it; ascending.
    edges: Vec<Vec<(u32, Cause)>>,
}

/// The accesses to a global since its last write.
#[derive(Clone, Default)]
struct Chain {
    write: Option<EventId>,
    /// The last read of each transaction since then.
    reads: Vec<EventId>,
}

impl Graph {
    fn new(trace: &Trace, counts: &Events, hidden: &[VariableId]) -> Graph {
        let mut is_hidden = vec![false; trace.focus.len()];
        hidden.iter().for_each(|variable| is_hidden[variable.0 as usize] = true);
        let seen = |variable: &VariableId| !is_hidden[variable.0 as usize];
        let mut found: FxHashMap<(u32, u32), Cause> =
            trace.order.iter().map(|&(a, b)| ((a.0, b.0), None)).collect();
        let mut chains = vec![Chain::default(); trace.focus.len()];
        let depths = depths(trace);
        let mut join = |before: EventId, after: EventId, variable: VariableId| {
            let (a, b) = (trace.transaction(before), trace.transaction(after));
            if let Some(edge) = siblings(trace, &depths, a, b) {
                found.entry(edge).or_insert(Some(Conflict { before, after, variable }));
            }
        };
        for event in trace.events().filter(|&event| counts.has(event)) {
            for variable in trace.reads(event).filter(seen) {
                let chain = &mut chains[variable.0 as usize];
                chain.write.into_iter().for_each(|write| join(write, event, variable));
                let own = trace.transaction(event);
                match chain.reads.iter_mut().find(|read| trace.transaction(**read) == own) {
                    Some(read) => *read = event,
                    None => chain.reads.push(event),
                }
            }
            for variable in trace.writes(event).filter(seen) {
                let chain = &mut chains[variable.0 as usize];
                chain.write.into_iter().for_each(|write| join(write, event, variable));
                chain.reads.drain(..).for_each(|read| join(read, event, variable));
                chain.write = Some(event);
            }
        }
        let mut edges = vec![Vec::new(); trace.transactions.len()];
        for ((a, b), cause) in found {
            edges[a as usize].push((b, cause));
        }
        edges.iter_mut().for_each(|row| row.sort_unstable_by_key(|&(to, _)| to));
        Graph { edges }
    }

    /// A serial order in which a transaction that began earlier comes first where it can.
    fn order(&self, trace: &Trace) -> Option<Vec<TransactionId>> {
        let mut begins = vec![u32::MAX; self.edges.len()];
        for event in trace.events().rev() {
            begins[trace.transaction(event).0 as usize] = event.0;
        }
        let mut n_before = vec![0; self.edges.len()];
        self.edges.iter().flatten().for_each(|&(to, _)| n_before[to as usize] += 1);
        let first = (0..self.edges.len()).filter(|&t| n_before[t] == 0);
        let mut ready: BinaryHeap<_> = first.map(|t| Reverse((begins[t], t as u32))).collect();
        let mut order = Vec::new();
        while let Some(Reverse((_, transaction))) = ready.pop() {
            order.push(TransactionId(transaction));
            for &(to, _) in &self.edges[transaction as usize] {
                n_before[to as usize] -= 1;
                if n_before[to as usize] == 0 {
                    ready.push(Reverse((begins[to as usize], to)));
                }
            }
        }
        (order.len() == self.edges.len()).then_some(order)
    }

    /// A shortest cycle through each transaction that is on one, no cycle twice.
    fn cycles(&self) -> Vec<Cycle> {
        let mut found: Vec<Cycle> = Vec::new();
        for start in 0..self.edges.len() as u32 {
            if found.len() >= N_CYCLES_MAX {
                break;
            }
            let cycle = self.cycle_through(start);
            found.extend(cycle.filter(|cycle| !found.contains(cycle)));
        }
        found
    }

    fn cycle_through(&self, start: u32) -> Option<Cycle> {
        let mut from: FxHashMap<u32, (u32, Cause)> = FxHashMap::default();
        let mut open = std::collections::VecDeque::from([start]);
        while let Some(at) = open.pop_front() {
            for &(to, cause) in &self.edges[at as usize] {
                if to == start {
                    let mut causes = vec![cause];
                    let mut at = at;
                    while at != start {
                        let (before, cause) = from[&at];
                        causes.push(cause);
                        at = before;
                    }
                    let mut conflicts: Vec<_> = causes.into_iter().rev().flatten().collect();
                    // The same cycle from another start is the same cycle.
                    let least = (0..conflicts.len()).min_by_key(|&n| conflicts[n]).unwrap_or(0);
                    conflicts.rotate_left(least);
                    return Some(Cycle(conflicts));
                }
                from.entry(to).or_insert_with(|| {
                    open.push_back(to);
                    (at, cause)
                });
            }
        }
        None
    }
}

fn depths(trace: &Trace) -> Vec<u32> {
    let mut depths: Vec<u32> = Vec::with_capacity(trace.transactions.len());
    for transaction in &trace.transactions {
        depths.push(transaction.parent.map_or(0, |parent| depths[parent.0 as usize] + 1));
    }
    depths
}

/// The siblings that two transactions belong to; none if one has the other.
fn siblings(
    trace: &Trace,
    depths: &[u32],
    mut a: TransactionId,
    mut b: TransactionId,
) -> Option<(u32, u32)> {
    let parent = |t: TransactionId| trace.transactions[t.0 as usize].parent;
    let depth = |t: TransactionId| depths[t.0 as usize];
    while depth(a) > depth(b) {
        a = parent(a)?;
    }
    while depth(b) > depth(a) {
        b = parent(b)?;
    }
    if a == b {
        return None;
    }
    while parent(a) != parent(b) {
        (a, b) = (parent(a)?, parent(b)?);
    }
    Some((a.0, b.0))
}
