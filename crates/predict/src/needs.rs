//! Needs: what must happen in every reordering that answers a query.
//!
//! In: a query. Out: the least cut (`must`) that every answer contains, the bounds that no answer
//! exceeds, and the orders that every answer obeys.
//!
//! - N1 (closure): with an event come all that the order of causality puts before it.
//! - N2 (rule F): a thread that stops inside a scope keeps the lock. Every scope of that lock that it
//!   excludes and that must happen is over before the scope begins: its release must happen, too.
//! - N3 (infeasible): two threads cannot both stop inside scopes that exclude each other.

use raddle_causality::{Cause, Cut, Edge};
use raddle_trace::{EventId, Op, Scope, ScopeId, ThreadId, Trace};

use crate::causes::Causes;
use crate::query::{Query, Reason};

#[derive(Clone)]
pub(crate) struct Needs {
    /// What must happen.
    pub must: Cut,
    /// Per thread, how many events can happen.
    pub bounds: Vec<u32>,
    /// Orders that were asked for, and those of N2.
    pub orders: Vec<Edge>,
    /// Reads that may see any write.
    pub free: Vec<EventId>,
    /// A wait that no notify may end.
    pub lost: Option<usize>,
    n_asked: usize,
}

impl Needs {
    pub(crate) fn new(causes: &Causes, query: &Query) -> Result<Needs, Reason> {
        let trace = causes.trace;
        let threads = (0..trace.n_threads() as u32).map(ThreadId);
        let mut needs = Needs {
            must: Cut::empty(trace.n_threads()),
            bounds: threads.map(|t| trace.thread_events(t).len() as u32).collect(),
            orders: Vec::new(),
            free: query.free.clone(),
            lost: query.lost,
            n_asked: 0,
        };
        for &(thread, n) in &query.stops {
            needs.bounds[thread.index()] = n.min(needs.bounds[thread.index()]);
            let last = n.checked_sub(1).map(|at| trace.thread_events(thread)[at as usize]);
            let last = last.or_else(|| trace.fork_of(thread));
            last.into_iter().for_each(|last| needs.take_in(causes, last));
        }
        query.needed.iter().for_each(|&event| needs.take_in(causes, event));
        query.absent.iter().for_each(|&event| needs.forbid(trace, event));
        let asked = query.orders.iter();
        needs.orders.extend(asked.map(|&(before, after)| Edge {
            before,
            after,
            cause: Cause::Asked,
        }));
        if let Some(wait) = query.lost {
            needs.lose(causes, wait);
        }
        needs.n_asked = needs.orders.len();
        needs.close(causes)?;
        Ok(needs)
    }

    /// Demands one more event.
    pub(crate) fn require(&mut self, causes: &Causes, event: EventId) -> Result<(), Reason> {
        self.take_in(causes, event);
        self.close(causes)
    }

    /// Demands an order between two events, and so that they happen.
    pub(crate) fn decide(&mut self, causes: &Causes, order: Edge) -> Result<(), Reason> {
        self.take_in(causes, order.before);
        self.take_in(causes, order.after);
        self.orders.insert(self.n_asked, order);
        self.n_asked += 1;
        self.close(causes)
    }

    /// True if the thread of a scope stops inside of it.
    pub(crate) fn is_final(&self, trace: &Trace, scope: &Scope) -> bool {
        let bound = self.bounds[scope.thread.index()];
        scope.release().is_none_or(|release| trace.position(release) >= bound)
    }

    fn take_in(&mut self, causes: &Causes, event: EventId) {
        causes.take_in(event, &self.free, &mut self.must);
    }

    fn forbid(&mut self, trace: &Trace, event: EventId) {
        let bound = &mut self.bounds[trace.thread(event).index()];
        *bound = trace.position(event).min(*bound);
    }

    /// A lost wake-up: all notifies of other threads happen, the one that ended the wait before it,
    /// and the others, too, unless they may end another wait.
    fn lose(&mut self, causes: &Causes, wait: usize) {
        let trace = causes.trace;
        let lost = trace.waits()[wait];
        self.take_in(causes, lost.wait);
        lost.wake.into_iter().for_each(|wake| self.forbid(trace, wake));
        for notify in notifies(trace, wait) {
            self.take_in(causes, notify);
            if Some(notify) == lost.notify || other_wait(causes, notify, wait).is_none() {
                self.orders.push(Edge { before: notify, after: lost.wait, cause: Cause::Asked });
            }
        }
    }

    /// N2 and N3, until nothing changes.
    fn close(&mut self, causes: &Causes) -> Result<(), Reason> {
        let trace = causes.trace;
        loop {
            self.check_bounds(trace)?;
            self.orders.truncate(self.n_asked);
            let mut more = false;
            for thread in (0..trace.n_threads() as u32).map(ThreadId) {
                let open = causes.held.inside(trace, thread, self.must.len(thread));
                let open: Vec<ScopeId> = open.collect();
                for scope in open.iter().map(|s| &trace.scopes()[s.index()]) {
                    if self.is_final(trace, scope) {
                        more |= self.keep(causes, scope)?;
                    }
                }
            }
            if !more {
                return self.check_orders(causes);
            }
        }
    }

    /// N2 for one scope that is kept; true if more must happen.
    fn keep(&mut self, causes: &Causes, kept: &Scope) -> Result<bool, Reason> {
        let trace = causes.trace;
        let mut more = false;
        for chain in causes.chains.scopes(kept.lock) {
            let begun = chain.last_excluding(trace, self.must.len(chain.thread), kept);
            let Some(other) = begun else { continue };
            let Some(before) = other.release().filter(|_| !self.is_final(trace, other)) else {
                return Err(Reason::Locked { acquires: (kept.acquire, other.acquire) });
            };
            if !self.must.contains(trace, before) {
                self.take_in(causes, before);
                more = true;
            }
            let cause = Cause::Lock(kept.lock);
            self.orders.push(Edge { before, after: kept.acquire, cause });
        }
        Ok(more)
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

    /// No order may go against one that always holds.
    fn check_orders(&self, causes: &Causes) -> Result<(), Reason> {
        let trace = causes.trace;
        for &edge in &self.orders {
            let always = causes.order.reaches(trace, edge.after, edge.before);
            let free = |&read: &EventId| causes.order.reaches(trace, read, edge.before);
            if always && !self.free.iter().any(free) {
                let (before, after) = (edge.after, edge.before);
                let observed = Edge { before, after, cause: Cause::Order };
                return Err(Reason::Cycle(vec![observed, edge]));
            }
        }
        Ok(())
    }
}

/// The notifies of a wait's condition by other threads, in the observed order.
fn notifies(trace: &Trace, wait: usize) -> impl Iterator<Item = EventId> {
    let lost = trace.waits()[wait];
    let events = trace.condition_events(lost.cond).iter().copied();
    events.filter(move |&e| {
        let notifies = matches!(trace.op(e), Op::Notify { .. } | Op::NotifyAll { .. });
        notifies && trace.thread(e) != trace.thread(lost.wait)
    })
}

/// The wait that a notify of a single thread ended, if it is another one than `lost`.
pub(crate) fn other_wait(causes: &Causes, notify: EventId, lost: usize) -> Option<EventId> {
    let trace = causes.trace;
    let single = matches!(trace.op(notify), Op::Notify { .. });
    let other = causes.ended_by(notify).iter().copied().find(|&wait| wait != lost);
    other.filter(|_| single).map(|wait| trace.waits()[wait].wait)
}
