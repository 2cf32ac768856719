//! Needs: what must happen in every reordering that answers a query, and what is best added.
//!
//! In: a query. Out: the least cut (`must`) that every answer contains, the bounds that no answer
//! exceeds, orders between lock scopes that every answer obeys, and a cut (`plan`) with the
//! releases that an answer will probably need.
//!
//! - N1 (closure): with an event come all that the order of causality puts before it.
//! - N2 (rule F): a thread that stops inside a scope keeps the lock. Every conflicting scope of that
//!   lock that must happen is over before the scope begins: its release must happen, too.
//! - N3 (infeasible): two threads cannot both stop inside conflicting scopes of one lock.

use raddle_causality::Cut;
use raddle_trace::{EventId, LockMode, Scope, ScopeId, ThreadId, Trace};

use crate::causes::Causes;
use crate::query::{Query, Reason};

pub(crate) struct Needs {
    /// What must happen.
    pub must: Cut,
    /// What is best added to it.
    pub plan: Cut,
    /// Per thread, how many events can happen.
    pub bounds: Vec<u32>,
    /// Acquires that no release follows, each with the releases that come before it (N2).
    pub last: Vec<(EventId, Vec<EventId>)>,
}

impl Needs {
    pub(crate) fn new(causes: &Causes, query: &Query) -> Result<Needs, Reason> {
        let Causes { trace, order, .. } = causes;
        let n_threads = trace.n_threads();
        let mut bounds: Vec<u32> =
            (0..n_threads as u32).map(|t| trace.thread_events(ThreadId(t)).len() as u32).collect();
        let mut must = Cut::empty(n_threads);
        for &(thread, n) in &query.stops {
            bounds[thread.index()] = n;
            let last = n.checked_sub(1).map(|at| trace.thread_events(thread)[at as usize]);
            let last = last.or_else(|| trace.fork_of(thread));
            last.into_iter().for_each(|last| order.take_in(trace, last, &mut must));
        }
        let mut needs = Needs { plan: must.clone(), must, bounds, last: Vec::new() };
        needs.close(causes)?;
        needs.settle(causes);
        Ok(needs)
    }

    /// N2 and N3, until nothing changes.
    fn close(&mut self, causes: &Causes) -> Result<(), Reason> {
        let Causes { trace, order, .. } = causes;
        loop {
            self.check_bounds(trace)?;
            let mut open = Needs::open_scopes(causes, &self.must);
            open.retain(|&scope| self.is_final(trace, scope));
            let mut more = false;
            for kept in open {
                for &other in trace.lock_scopes(trace.scopes()[kept.index()].lock) {
                    let (a, b) = (&trace.scopes()[kept.index()], &trace.scopes()[other.index()]);
                    if !conflict(a, b) || !self.must.contains(trace, b.acquire) {
                        continue;
                    }
                    match b.release().filter(|_| !self.is_final(trace, other)) {
                        None => return Err(Reason::Locked { acquires: (a.acquire, b.acquire) }),
                        Some(release) if self.must.contains(trace, release) => {}
                        Some(release) => {
                            order.take_in(trace, release, &mut self.must);
                            more = true;
                        }
                    }
                }
            }
            if !more {
                return Ok(());
            }
        }
    }

    fn check_bounds(&self, trace: &Trace) -> Result<(), Reason> {
        for (t, &bound) in self.bounds.iter().enumerate() {
            let thread = ThreadId(t as u32);
            if self.must.len(thread) > bound {
                let event = trace.thread_events(thread)[bound as usize];
                return Err(Reason::Ordered { event });
            }
        }
        Ok(())
    }

    /// Notes the orders of N2, and plans releases where several scopes of a lock stay open.
    fn settle(&mut self, causes: &Causes) {
        let Causes { trace, order, .. } = causes;
        for kept in Needs::open_scopes(causes, &self.must) {
            if !self.is_final(trace, kept) {
                continue;
            }
            let a = &trace.scopes()[kept.index()];
            let others = trace.lock_scopes(a.lock).iter().map(|s| &trace.scopes()[s.index()]);
            let needed = others.filter(|b| conflict(a, b) && self.must.contains(trace, b.acquire));
            self.last.push((a.acquire, needed.filter_map(|b| b.release()).collect()));
        }
        self.plan = self.must.clone();
        loop {
            let mut more = false;
            for scope in Needs::open_scopes(causes, &self.plan) {
                let release = trace.scopes()[scope.index()].release();
                if let Some(release) = release.filter(|_| !self.is_final(trace, scope)) {
                    let mut longer = self.plan.clone();
                    order.take_in(trace, release, &mut longer);
                    if longer.events_within(&self.bounds) && longer != self.plan {
                        self.plan = longer;
                        more = true;
                    }
                }
            }
            if !more {
                return;
            }
        }
    }

    /// True if the thread of a scope stops inside of it.
    fn is_final(&self, trace: &Trace, scope: ScopeId) -> bool {
        let scope = &trace.scopes()[scope.index()];
        let bound = self.bounds[scope.thread.index()];
        scope.release().is_none_or(|release| trace.position(release) >= bound)
    }

    /// The scopes that begin and do not end inside a cut.
    fn open_scopes(causes: &Causes, cut: &Cut) -> Vec<ScopeId> {
        let threads = (0..causes.trace.n_threads() as u32).map(ThreadId);
        threads.flat_map(|t| causes.held.inside(causes.trace, t, cut.len(t))).collect()
    }
}

/// True for scopes of different threads that cannot both be open.
fn conflict(a: &Scope, b: &Scope) -> bool {
    a.thread != b.thread && (a.mode == LockMode::Exclusive || b.mode == LockMode::Exclusive)
}
