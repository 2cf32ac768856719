//! Saturation: adds every ordering that locks and reads make unavoidable.
//!
//! In: events that must happen, what has happened before them (the base), and the orders that a
//! query asks for. Out: for each of the events what must come before it, or the cycle that rules
//! the query out.
//!
//! Follows Kahlon & Wang (CAV 2010), Sec. 3, with the corrections listed in `docs/src/theory.md`, and
//! adds the rules for reads. All rules are monotone, so a worklist of changed events reaches the
//! same fixpoint as rounds over all of them.
//!
//! - R (mutual exclusion): if scope j begins before the end of scope i, as far as that must happen,
//!   then j ends before i begins.
//! - I: R, but j does not end: there is no such reordering. If j can end, its end must happen.
//! - F: a scope in which its thread stops comes behind all others of its lock. The query knows where
//!   threads stop; F arrives among the orders that it asks for.
//! - V1 (views): a write that comes before a read, and is not the one read, comes before that one.
//! - V2 (views): a write that comes behind a write comes behind the reads of that, too.
//! - W (wake-ups): a wait comes before the notify that ends it, if the wake-up must happen.
//!
//! Semaphores and failed tries are left to the search.

mod window;

use raddle_trace::{CellId, EventId, Kind, LockId, Op, Scope, ScopeId, ThreadId, Trace, VarId};

use crate::chains::{Chains, excludes};
use crate::cut::Cut;
use crate::held::Held;
use crate::implied::Implied;
use crate::order::Order;
pub use window::Clocks;
use window::{Window, is_behind_a_free_read};

/// What is to be saturated.
#[derive(Clone, Copy, Debug)]
pub struct Problem<'a> {
    /// The trace.
    pub trace: &'a Trace,
    /// What holds in every reordering.
    pub order: &'a Order,
    /// Scopes and writes by thread.
    pub chains: &'a Chains,
    /// What the rules say of all reorderings, if that is known.
    pub implied: Option<&'a Implied>,
    /// Which scopes are open where.
    pub held: &'a Held,
    /// What must happen, the base included.
    pub must: &'a Cut,
    /// What comes before all that is asked about.
    pub base: &'a Cut,
    /// True if the base has happened first; else only that no order is known to lead into it.
    pub base_is_past: bool,
    /// Per thread, how many events can happen.
    pub bounds: &'a [u32],
    /// Reads that may see any write.
    pub free: &'a [EventId],
    /// Orders that are asked for.
    pub asked: &'a [Edge],
}

/// One event before another.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Edge {
    /// The one that comes first.
    pub before: EventId,
    /// The other.
    pub after: EventId,
    /// Why.
    pub cause: Cause,
}

/// Why an event comes before another.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Cause {
    /// The query says so, by itself or by where its threads stop.
    Asked,
    /// It does in every reordering.
    Order,
    /// Scopes of this lock exclude each other.
    Lock(LockId),
    /// A read of this cell keeps its writer.
    View(CellId),
    /// A wait comes before the notify that ends it.
    Match,
}

/// What comes out.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// The rules allow it.
    Closed(Clocks),
    /// These orders make a cycle, or the last one cannot be.
    Cycle(Vec<Edge>),
    /// This event must happen, too.
    More(EventId),
    /// Something must come before this event of the base.
    Before(EventId),
}

/// Saturates.
pub fn saturate(problem: &Problem) -> Outcome {
    let mut saturation = Saturation { problem: *problem, window: Window::new(problem) };
    match saturation.run() {
        Ok(()) => Outcome::Closed(saturation.window.into_clocks()),
        Err(outcome) => outcome,
    }
}

/// The orders that saturation adds to those of the trace, as far as they lie in the window; none if there is no
/// such reordering.
pub fn orders(problem: &Problem) -> Vec<Edge> {
    let mut saturation = Saturation { problem: *problem, window: Window::new(problem) };
    match saturation.run() {
        Ok(()) => saturation.window.into_added(),
        Err(_) => Vec::new(),
    }
}

struct Saturation<'a> {
    problem: Problem<'a>,
    window: Window<'a>,
}

type Step = Result<(), Outcome>;

impl Saturation<'_> {
    fn run(&mut self) -> Step {
        self.window.link_observed()?;
        if let Some(implied) = self.problem.implied {
            self.take_over(implied)?;
        }
        for &edge in self.problem.asked {
            self.window.add(edge)?;
        }
        if self.problem.base_is_past {
            self.locks_of_base()?;
        }
        for at in 0..self.window.len() {
            self.first_look(self.window.event(at))?;
        }
        while let Some(event) = self.window.changed() {
            self.apply_rules(event)?;
        }
        Ok(())
    }

    /// Adds what the rules say if no read is free; behind free reads they are applied anew.
    fn take_over(&mut self, implied: &Implied) -> Step {
        for &(because, edge) in implied.within(self.window.since(), self.window.until()) {
            let holds = [because, edge.before, edge.after].iter().all(|&e| self.must(e));
            let is_free = because == edge.after && self.problem.free.contains(&edge.before);
            if holds && !is_free && !is_behind_a_free_read(&self.problem, because) {
                self.window.add(edge)?;
            }
        }
        self.window.settle();
        Ok(())
    }

    /// What is said once: W, and reads of what the base has written.
    fn first_look(&mut self, event: EventId) -> Step {
        let trace = self.problem.trace;
        if trace.code(event).kind() == Kind::Wake {
            let wait = trace.partner(event).map(|wait| trace.waits()[wait]);
            if let Some((wait, notify)) = wait.and_then(|w| Some((w.wait, w.notify?))) {
                self.window.add(Edge { before: wait, after: notify, cause: Cause::Match })?;
            }
        }
        if self.problem.base_is_past && self.keeps_its_writers(event) {
            for_each_view(trace, event, |cell, writer| {
                let past = writer.is_none_or(|w| self.problem.base.contains(trace, w));
                if past { self.reads_the_base(event, cell) } else { Ok(()) }
            })?;
        }
        Ok(())
    }

    /// A read of what the base has written comes before all writes to come.
    fn reads_the_base(&mut self, read: EventId, cell: CellId) -> Step {
        let Problem { chains, base, .. } = self.problem;
        for chain in chains.writes(cell) {
            let later = chain.from(base.len(chain.thread));
            let next = later.iter().copied().find(|&w| w != read);
            if let Some(after) = next.filter(|&w| self.must(w)) {
                self.window.add(Edge { before: read, after, cause: Cause::View(cell) })?;
            }
        }
        Ok(())
    }

    /// A scope that is open in the base ends before others of its lock begin.
    fn locks_of_base(&mut self) -> Step {
        let Problem { trace, chains, held, base, .. } = self.problem;
        for thread in (0..trace.n_threads() as u32).map(ThreadId) {
            for scope in held.inside(trace, thread, base.len(thread)) {
                let scope = &trace.scopes()[scope.index()];
                for chain in chains.scopes(scope.lock) {
                    let later = chain.from(base.len(chain.thread)).iter();
                    let mut later = later.map(|s| &trace.scopes()[s.index()]);
                    let next = later.find(|s| excludes(scope, s)).map(|s| s.acquire);
                    if let Some(next) = next.filter(|&a| self.must(a)) {
                        self.base_scope_ends(scope, next)?;
                    }
                }
            }
        }
        Ok(())
    }

    fn base_scope_ends(&mut self, scope: &Scope, next: EventId) -> Step {
        let edge = |before| Edge { before, after: next, cause: Cause::Lock(scope.lock) };
        match scope.release().filter(|&release| self.may(release)) {
            Some(release) if self.must(release) => self.window.add(edge(release)),
            Some(release) => Err(Outcome::More(release)),
            None => Err(Outcome::Cycle(vec![edge(scope.acquire)])),
        }
    }

    fn apply_rules(&mut self, event: EventId) -> Step {
        let Problem { trace, held, must, .. } = self.problem;
        if trace.code(event).kind() == Kind::Release
            && let Some(scope) = trace.scope_of(event)
        {
            self.rule_r(event, scope)?;
        }
        if trace.position(event) + 1 == must.len(trace.thread(event)) {
            held.after(event).try_for_each(|scope| self.rule_r(event, scope))?;
        }
        if self.keeps_its_writers(event) {
            for_each_view(trace, event, |cell, writer| self.rule_v1(event, cell, writer))?;
        }
        if let Op::Write { var, .. } | Op::ReadModifyWrite { var, .. } = trace.op(event) {
            trace.cells(var).try_for_each(|cell| self.rule_v2(event, cell))?;
        }
        Ok(())
    }

    /// R and I, where `end` is the last event inside a scope that must happen, or its release.
    fn rule_r(&mut self, end: EventId, scope: ScopeId) -> Step {
        let Problem { trace, chains, .. } = self.problem;
        let scope = &trace.scopes()[scope.index()];
        for chain in chains.scopes(scope.lock) {
            let n = self.window.n_before(end, chain.thread);
            if let Some(other) = chain.last_excluding(trace, n, scope) {
                self.ends_before(other, scope, end)?;
            }
        }
        Ok(())
    }

    fn ends_before(&mut self, other: &Scope, scope: &Scope, end: EventId) -> Step {
        let cause = Cause::Lock(scope.lock);
        match other.release().filter(|&release| self.may(release)) {
            None => Err(Outcome::Cycle(vec![Edge { before: other.acquire, after: end, cause }])),
            Some(release) if !self.must(release) => Err(Outcome::More(release)),
            Some(before) => self.window.add(Edge { before, after: scope.acquire, cause }),
        }
    }

    fn rule_v1(&mut self, read: EventId, cell: CellId, writer: Option<EventId>) -> Step {
        let Problem { chains, .. } = self.problem;
        for chain in chains.writes(cell) {
            let n = self.window.n_before(read, chain.thread);
            let Some(before) = chain.last_before(n).filter(|&w| Some(w) != writer) else {
                continue;
            };
            let cause = Cause::View(cell);
            match writer {
                Some(after) => self.window.add(Edge { before, after, cause })?,
                None => return Err(Outcome::Cycle(vec![Edge { before, after: read, cause }])),
            }
        }
        Ok(())
    }

    fn rule_v2(&mut self, write: EventId, cell: CellId) -> Step {
        let Problem { chains, .. } = self.problem;
        for chain in chains.writes(cell) {
            match chain.last_before(self.window.n_before(write, chain.thread)) {
                Some(earlier) => self.behind_reads_of(Some(earlier), write, cell)?,
                None if chain.items[0] == write => self.behind_reads_of(None, write, cell)?,
                None => {}
            }
        }
        Ok(())
    }

    /// Puts a write behind the reads of an earlier one, which follow that in the observed order.
    fn behind_reads_of(&mut self, earlier: Option<EventId>, write: EventId, cell: CellId) -> Step {
        let trace = self.problem.trace;
        let accesses = trace.accesses(cell);
        let since = self.window.since().max(earlier.map_or(EventId(0), |w| EventId(w.0 + 1)));
        let from = accesses.partition_point(|&e| e < since);
        for &read in &accesses[from..] {
            let code = trace.code(read);
            if code.reads() && writer_of(trace, read, cell) != earlier {
                break;
            }
            if read != write && self.keeps_its_writers(read) && self.must(read) {
                self.window.add(Edge { before: read, after: write, cause: Cause::View(cell) })?;
            }
            if code.writes() {
                break;
            }
        }
        Ok(())
    }

    fn keeps_its_writers(&self, event: EventId) -> bool {
        self.problem.trace.code(event).reads() && !self.problem.free.contains(&event)
    }

    fn must(&self, event: EventId) -> bool {
        self.problem.must.contains(self.problem.trace, event)
    }

    fn may(&self, event: EventId) -> bool {
        let trace = self.problem.trace;
        trace.position(event) < self.problem.bounds[trace.thread(event).index()]
    }
}

/// The write that a read saw in one of its cells.
pub(crate) fn writer_of(trace: &Trace, read: EventId, cell: CellId) -> Option<EventId> {
    if !trace.has_wide_reads() {
        return trace.writer(read);
    }
    trace.writers(read).into_iter().find(|&(c, _)| c == cell).and_then(|(_, writer)| writer)
}

/// Calls `found` for each cell of a read with the write that it saw there.
fn for_each_view(
    trace: &Trace,
    read: EventId,
    mut found: impl FnMut(CellId, Option<EventId>) -> Step,
) -> Step {
    if trace.has_wide_reads() {
        return trace.writers(read).into_iter().try_for_each(|(cell, w)| found(cell, w));
    }
    let (_, var) = trace.op(read).encode();
    trace.cells(VarId(var)).try_for_each(|cell| found(cell, trace.writer(read)))
}
