//! The funnel: how many candidates each analysis leaves (Table 1).
//!
//! In: a trace; for atomicity violations also its transactions. Out: for races and for three-access
//! atomicity violations the columns of Kahlon and Wang (CAV 2010), Table 1: all candidates (`total`),
//! those that locks alone do not rule out (`lsa`), those that fork, join, wait, notify and barriers
//! alone do not rule out (`mhb`), and those that both together do not rule out (`ucg`). The columns
//! are independent of each other: `mhb` does not start from what `lsa` left.
//!
//! - C1 (race): two accesses of different threads to a common cell, at least one of them writes, not
//!   both atomic.
//! - C2 (atomicity): accesses c and c′ of one transaction, c first, and r of another thread, such that
//!   c and r conflict and r and c′ conflict: a common cell, and one of the two writes. Transactions
//!   are looked at one by one; what lies in two of them counts twice.
//!
//! Graphs are the corrected ones of [`super::universal`]. Accesses of a variable between two
//! synchronisation events of a thread share all answers, so the work is one comparison for each pair
//! (or triple) of such groups, and one graph for each pair of segments that neither a common lock
//! nor the order alone decides. A graph reaches back to the last barrier, mostly a few lock
//! operations. In the worst case (everything under locks, no barrier) it is the trace.

mod groups;

use raddle_trace::{EventId, ThreadId, Trace, VarId};
use rustc_hash::FxHashMap;

use super::universal::{Algorithm, Constraints, Property, Universal};
use groups::{Group, Groups};

/// Candidates, and what is left of them.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Funnel {
    /// All candidates.
    pub total: u64,
    /// Not ruled out by locks alone.
    pub lsa: u64,
    /// Not ruled out by synchronisation other than locks alone.
    pub mhb: u64,
    /// Not ruled out by both together.
    pub ucg: u64,
    /// False if the count was stopped.
    pub is_complete: bool,
}

impl Funnel {
    fn add(&mut self, n: u64, verdict: Verdict) {
        self.total += n;
        self.lsa += n * u64::from(verdict.lsa);
        self.mhb += n * u64::from(verdict.mhb);
        self.ucg += n * u64::from(verdict.ucg);
    }
}

/// Counts the candidates for races. `progress` receives the number of candidates that are done and stops the
/// count by answering false.
pub fn races(trace: &Trace, progress: &mut dyn FnMut(u64) -> bool) -> Funnel {
    let (groups, mut judge) = (Groups::new(trace), Judge::new(trace));
    let mut funnel = Funnel::default();
    for var in (0..trace.tables.variables.len() as u32).map(VarId) {
        for other in groups.overlapping(trace, var).into_iter().filter(|&other| other >= var) {
            for (n, a) in groups.of(var).iter().enumerate() {
                let skipped = if var == other { n + 1 } else { 0 };
                for b in &groups.of(other)[skipped..] {
                    let n_pairs = if a.thread == b.thread { 0 } else { a.races(b) };
                    if n_pairs > 0 {
                        funnel.add(n_pairs, judge.race(a, b));
                    }
                }
                if !progress(funnel.total) {
                    return funnel;
                }
            }
        }
    }
    funnel.is_complete = true;
    funnel
}

/// Counts the candidates for atomicity violations of transactions, each given by its first and last
/// event, both of one thread. `progress` as for [`races`].
pub fn atomicity(
    trace: &Trace,
    transactions: &[(EventId, EventId)],
    progress: &mut dyn FnMut(u64) -> bool,
) -> Funnel {
    let (groups, mut judge) = (Groups::new(trace), Judge::new(trace));
    let mut funnel = Funnel::default();
    for &transaction in transactions {
        for (remote, local) in local_groups(trace, &groups, transaction) {
            for (n, first) in local.iter().enumerate() {
                for second in &local[n..] {
                    for r in groups.of(remote).iter().filter(|r| r.thread != first.thread) {
                        let n_triples = first.violations(r, second);
                        if n_triples > 0 {
                            funnel.add(n_triples, judge.violation(first, r, second));
                        }
                    }
                }
                if !progress(funnel.total) {
                    return funnel;
                }
            }
        }
    }
    funnel.is_complete = true;
    funnel
}

/// For each variable that overlaps one of a transaction, the transaction's accesses to it.
fn local_groups(
    trace: &Trace,
    groups: &Groups,
    (from, to): (EventId, EventId),
) -> Vec<(VarId, Vec<Group>)> {
    let events = trace.thread_events(trace.thread(from));
    let events = &events[trace.position(from) as usize..=trace.position(to) as usize];
    let mut by_remote: FxHashMap<VarId, Vec<EventId>> = FxHashMap::default();
    for &e in events.iter().filter(|&&e| trace.code(e).is_access()) {
        let (_, var) = trace.op(e).encode();
        for remote in groups.overlapping(trace, VarId(var)) {
            by_remote.entry(remote).or_default().push(e);
        }
    }
    let mut found: Vec<_> = by_remote
        .into_iter()
        .map(|(remote, accesses)| (remote, groups.grouped(trace, &accesses)))
        .collect();
    found.sort_unstable_by_key(|&(remote, _)| remote);
    found
}

#[derive(Clone, Copy)]
struct Verdict {
    lsa: bool,
    mhb: bool,
    ucg: bool,
}

type Segment = (ThreadId, u32);

/// Judges pairs and triples of groups, each combination of segments once.
struct Judge<'a> {
    trace: &'a Trace,
    universal: Universal<'a>,
    races: FxHashMap<(Segment, Segment), Verdict>,
    violations: FxHashMap<(Segment, Segment, u32), Verdict>,
}

impl<'a> Judge<'a> {
    fn new(trace: &'a Trace) -> Judge<'a> {
        let universal = Universal::new(trace);
        Judge { trace, universal, races: FxHashMap::default(), violations: FxHashMap::default() }
    }

    fn race(&mut self, a: &Group, b: &Group) -> Verdict {
        let key = ((a.thread, a.segment), (b.thread, b.segment));
        let key = (key.0.min(key.1), key.0.max(key.1));
        if let Some(&verdict) = self.races.get(&key) {
            return verdict;
        }
        let property = Property::Race { first: a.first, second: b.first };
        let apart = self.is_apart(a.first, a.first, b.first);
        let mhb = self.allows(property, Constraints::SYNCHRONISATION);
        let verdict = self.verdict(property, !apart, mhb);
        self.races.insert(key, verdict);
        verdict
    }

    fn violation(&mut self, a: &Group, remote: &Group, b: &Group) -> Verdict {
        let key = ((a.thread, a.segment), (remote.thread, remote.segment), b.segment);
        if let Some(&verdict) = self.violations.get(&key) {
            return verdict;
        }
        let (first, remote, second) = (a.first, remote.first, b.last);
        let property = Property::Atomicity { first, remote, second };
        let apart = self.is_apart(first, second, remote);
        let order = self.universal.order();
        let is_ordered =
            order.reaches(self.trace, remote, first) || order.reaches(self.trace, second, remote);
        let mhb = !is_ordered
            && (!self.universal.has_notified_waits()
                || self.allows(property, Constraints::SYNCHRONISATION));
        let verdict = self.verdict(property, !apart, mhb);
        self.violations.insert(key, verdict);
        verdict
    }

    fn verdict(&self, property: Property, may_lsa: bool, mhb: bool) -> Verdict {
        let lsa = may_lsa && self.allows(property, Constraints::LOCKS);
        let ucg = lsa && mhb && self.allows(property, Constraints::BOTH);
        Verdict { lsa, mhb, ucg }
    }

    fn allows(&self, property: Property, by: Constraints) -> bool {
        self.universal.allows(property, by, Algorithm::Corrected)
    }

    /// True if a lock that one thread holds from `from` to `to` keeps `other` out.
    fn is_apart(&self, from: EventId, to: EventId, other: EventId) -> bool {
        let (trace, sections) = (self.trace, self.universal.sections());
        let open = |e: EventId| sections.open(trace, trace.thread(e), trace.position(e));
        let mut kept = open(from).filter(|section| section.release > trace.position(to));
        kept.any(|a| open(other).any(|b| a.lock == b.lock && a.excludes(&b)))
    }
}
