//! Atomicity violations: an access of another thread between two of a transaction.
//!
//! In: a trace and what is meant to be atomic. Out: for each triple of source locations that can be
//! violated three accesses with a witness. A candidate is a triple `c`, `r`, `c'` with `c` and `c'`
//! in one transaction, in this order, and `r` of another thread, which conflicts with both: the five
//! patterns that no serial execution shows (R-W-R, R-W-W, W-R-W, W-W-R, W-W-W).

use raddle_referee::{Claim, Transaction};
use raddle_trace::{CellId, EventId, LocationId, Sequence, Trace, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::causes::Causes;
use crate::engine::{Engine, Tally};
use crate::jobs::{self, Job, Knowledge};
use crate::query::{Answer, Query, Reason};
use crate::refused::{Refused, confirm};

/// Where transactions come from.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum TransactionSource {
    /// The trace marks them.
    #[default]
    Marked,
    /// Lock scopes without a wait inside are meant to be atomic.
    LockScopes,
}

/// The analysis that looks for atomicity violations.
pub(crate) struct Atomicity;

/// An access of another thread between two of a transaction.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Violation {
    /// The first access of the transaction, the remote one, the second one of the transaction.
    pub events: [EventId; 3],
    /// A reordering in which they happen in this order; the referee has accepted it.
    pub witness: Sequence,
}

/// What was found, and how.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Violations {
    /// One violation for each triple of locations, or all of them.
    pub violations: Vec<Violation>,
    /// Candidates whose budget ran out.
    pub unknown: Vec<[EventId; 3]>,
    /// Transactions.
    pub n_transactions: usize,
    /// Candidates.
    pub n_candidates: u64,
    /// Candidates that were asked about: the order does not rule them out.
    pub n_asked: u64,
    /// Of these, candidates that locks and order together do not rule out.
    pub n_consistent: u64,
    /// How queries were answered.
    pub tally: Tally,
    /// False if the search was stopped.
    pub is_complete: bool,
}

/// The transactions of a trace: outermost ones, so that no candidate counts twice for nesting.
pub fn transactions(trace: &Trace, source: TransactionSource) -> Vec<Transaction> {
    let last = |e: EventId| trace.thread_events(trace.thread(e)).last().copied().unwrap_or(e);
    let block = |from, to: Option<EventId>| Transaction { from, to: to.unwrap_or(last(from)) };
    let mut blocks: Vec<Transaction> = match source {
        TransactionSource::Marked => {
            trace.transactions().iter().map(|t| block(t.begin, t.end)).collect()
        }
        TransactionSource::LockScopes => {
            let waits: FxHashSet<EventId> = trace.waits().iter().map(|wait| wait.wait).collect();
            let scopes = trace.scopes().iter().map(|s| block(s.acquire, s.release()));
            scopes.filter(|block| !waits_inside(trace, &waits, block)).collect()
        }
    };
    blocks.sort_by_key(|block| (trace.thread(block.from), block.from));
    let mut outermost: Vec<Transaction> = Vec::new();
    for block in blocks {
        let inside = |outer: &Transaction| {
            trace.thread(outer.from) == trace.thread(block.from) && block.to <= outer.to
        };
        if !outermost.last().is_some_and(inside) {
            outermost.push(block);
        }
    }
    outermost.sort_by_key(|block| block.from);
    outermost
}

/// True if a thread waits inside a block.
fn waits_inside(trace: &Trace, waits: &FxHashSet<EventId>, block: &Transaction) -> bool {
    let own = trace.thread_events(trace.thread(block.from));
    let inside = trace.position(block.from) as usize..=trace.position(block.to) as usize;
    !waits.is_empty() && own[inside].iter().any(|e| waits.contains(e))
}

/// The queries whether three accesses can happen in this order: one for each read that may be free
/// in one of the patterns; any will do.
pub fn atomicity_queries(trace: &Trace, [first, remote, second]: [EventId; 3]) -> Vec<Query> {
    let [c, r, d] = [first, remote, second].map(|e| trace.code(e));
    let last_is_free = r.writes() && d.reads();
    let remote_is_free = c.writes() && r.reads() && d.writes();
    let query = |free: Vec<EventId>| Query {
        needed: vec![first, remote, second],
        orders: vec![(first, remote), (remote, second)],
        free,
        ..Query::default()
    };
    match (last_is_free, remote_is_free) {
        (true, true) => vec![query(vec![second]), query(vec![remote])],
        (true, false) => vec![query(vec![second])],
        (false, true) => vec![query(vec![remote])],
        (false, false) => vec![query(Vec::new())],
    }
}

/// Finds the atomicity violations of some transactions: one for each triple of locations, or all.
pub fn violations(
    causes: &Causes,
    transactions: &[Transaction],
    all: bool,
    mut job: Job,
) -> Result<Violations, Refused> {
    let found = Violations { n_transactions: transactions.len(), ..Violations::default() };
    let known = FxHashSet::default();
    let mut finder = Finder { causes, all, transactions, known, found };
    let (tally, is_complete) = jobs::run(causes, &mut finder, transactions.len(), &mut job)?;
    let mut found = finder.found;
    found.violations.sort_by_key(|violation| violation.events);
    found.violations.dedup_by_key(|violation| violation.events);
    Ok(Violations { tally, is_complete, ..found })
}

struct Finder<'a> {
    causes: &'a Causes<'a>,
    all: bool,
    transactions: &'a [Transaction],
    /// Triples of locations that are known to be violated.
    known: FxHashSet<Places>,
    found: Violations,
}

type Places = [Option<LocationId>; 3];

impl Knowledge for Finder<'_> {
    type Result = Violations;
    type Error = Refused;

    fn work(&self, engine: &mut Engine, task: usize) -> Result<Violations, Refused> {
        let transaction = self.transactions[task];
        let (known, found) = (FxHashSet::default(), Violations::default());
        let mut block = Block { finder: self, engine, transaction, known, found };
        block.run()?;
        Ok(block.found)
    }

    fn learn(&mut self, result: Violations) {
        for violation in result.violations {
            let new = self.known.insert(places(self.causes.trace, violation.events));
            if new || self.all {
                self.found.violations.push(violation);
            }
        }
        self.found.unknown.extend(result.unknown);
        self.found.n_candidates += result.n_candidates;
        self.found.n_asked += result.n_asked;
        self.found.n_consistent += result.n_consistent;
    }
}

/// One transaction.
struct Block<'a, 'b> {
    finder: &'a Finder<'a>,
    engine: &'a mut Engine<'b>,
    transaction: Transaction,
    known: FxHashSet<Places>,
    found: Violations,
}

impl Block<'_, '_> {
    fn run(&mut self) -> Result<(), Refused> {
        let trace = self.finder.causes.trace;
        let own = trace.thread_events(trace.thread(self.transaction.from));
        let positions = trace.position(self.transaction.from)..=trace.position(self.transaction.to);
        let inside = &own[*positions.start() as usize..=*positions.end() as usize];
        let mut by_cell: FxHashMap<CellId, Vec<EventId>> = FxHashMap::default();
        for &access in inside.iter().filter(|&&e| trace.code(e).is_access()) {
            let (_, var) = trace.op(access).encode();
            for cell in trace.cells(VarId(var)) {
                by_cell.entry(cell).or_default().push(access);
            }
        }
        let mut cells: Vec<_> = by_cell.into_iter().filter(|(_, own)| own.len() > 1).collect();
        cells.sort_by_key(|&(cell, _)| cell);
        cells.iter().try_for_each(|(cell, own)| self.cell(*cell, own))
    }

    /// All pairs of accesses of the transaction to a cell.
    fn cell(&mut self, cell: CellId, own: &[EventId]) -> Result<(), Refused> {
        self.count(cell, own);
        for (at, &first) in own.iter().enumerate() {
            for &second in &own[at + 1..] {
                self.pair(cell, first, second)?;
            }
        }
        Ok(())
    }

    /// Counts candidates: a remote write conflicts with any pair, a remote read with two writes.
    fn count(&mut self, cell: CellId, own: &[EventId]) {
        let Causes { trace, chains, .. } = self.finder.causes;
        let (n, writes) = (own.len() as u64, own.iter().filter(|&&e| trace.code(e).writes()));
        let n_writes = writes.count() as u64;
        let thread = trace.thread(self.transaction.from);
        let remote = |chain: &mut dyn Iterator<Item = (raddle_trace::ThreadId, usize)>| {
            chain.filter(|&(t, _)| t != thread).map(|(_, n)| n as u64).sum::<u64>()
        };
        let n_remote = remote(&mut chains.accesses(cell).map(|c| (c.thread, c.items.len())));
        let n_remote_writes = remote(&mut chains.writes(cell).map(|c| (c.thread, c.items.len())));
        let n_pairs = |n: u64| n * n.saturating_sub(1) / 2;
        self.found.n_candidates +=
            n_pairs(n) * n_remote_writes + n_pairs(n_writes) * (n_remote - n_remote_writes);
    }

    /// All remote accesses that no order keeps from coming between two accesses.
    fn pair(&mut self, cell: CellId, first: EventId, second: EventId) -> Result<(), Refused> {
        let causes = self.finder.causes;
        let Causes { trace, order, chains, .. } = causes;
        let both_write = trace.code(first).writes() && trace.code(second).writes();
        for chain in chains.accesses(cell).filter(|c| c.thread != trace.thread(first)) {
            let possible = chain.from(causes.n_before(first, chain.thread)).iter();
            let behind = |e| causes.before(e).is_some_and(|b| order.reaches(trace, second, b));
            for &remote in possible.take_while(|&&e| !behind(e)) {
                if both_write || trace.code(remote).writes() {
                    self.triple([first, remote, second])?;
                }
            }
        }
        Ok(())
    }

    fn triple(&mut self, events: [EventId; 3]) -> Result<(), Refused> {
        let trace = self.finder.causes.trace;
        let places = places(trace, events);
        let known = self.known.contains(&places) || self.finder.known.contains(&places);
        if known && !self.finder.all {
            return Ok(());
        }
        self.found.n_asked += 1;
        let mut is_unknown = false;
        let mut is_consistent = false;
        for query in atomicity_queries(trace, events) {
            match self.engine.answer(&query) {
                Answer::Witnessed(witness) => {
                    let [first, remote, second] = events;
                    let transaction = self.transaction;
                    let claim = Claim::Atomicity { first, remote, second, transaction };
                    confirm(trace, claim, &witness)?;
                    self.known.insert(places);
                    self.found.n_consistent += 1;
                    self.found.violations.push(Violation { events, witness });
                    return Ok(());
                }
                Answer::Infeasible(reason) => is_consistent |= reason == Reason::Exhausted,
                Answer::Unknown => is_unknown = true,
            }
        }
        self.found.n_consistent += u64::from(is_unknown || is_consistent);
        self.found.unknown.extend(is_unknown.then_some(events));
        Ok(())
    }
}

fn places(trace: &Trace, events: [EventId; 3]) -> Places {
    events.map(|e| trace.location(e))
}
