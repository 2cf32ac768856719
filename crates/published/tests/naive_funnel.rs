//! On small random traces the funnel equals a count one by one, and for two threads an enumeration
//! of all interleavings.

use std::collections::HashSet;

use raddle_published::funnel::{Funnel, atomicity, races};
use raddle_published::universal::{Algorithm, Constraints, Property, Universal};
use raddle_trace::{EventId, LockMode, Op, Order, ThreadId, Trace};

use crate::random::small_trace;

/// An interleaving so far: positions, waits that were notified in time, and which of the events of
/// an atomicity violation have happened in the right order.
#[derive(Clone, PartialEq, Eq, Hash)]
struct State {
    positions: Vec<usize>,
    notified: u64,
    n_seen: usize,
}

struct Oracle<'a> {
    trace: &'a Trace,
    by: Constraints,
    property: Property,
}

impl Oracle<'_> {
    fn next(&self, state: &State, thread: usize) -> Option<EventId> {
        let events = self.trace.thread_events(ThreadId(thread as u32));
        events.get(state.positions[thread]).copied()
    }

    fn happened(&self, state: &State, e: EventId) -> bool {
        (self.trace.position(e) as usize) < state.positions[self.trace.thread(e).index()]
    }

    fn is_free(&self, state: &State, lock: raddle_trace::LockId, mode: LockMode) -> bool {
        self.trace.scopes().iter().all(|s| {
            let open = self.happened(state, s.acquire)
                && s.release().is_none_or(|r| !self.happened(state, r));
            s.lock != lock || !open || (mode == LockMode::Shared && s.mode == LockMode::Shared)
        })
    }

    fn is_enabled(&self, state: &State, e: EventId) -> bool {
        let trace = self.trace;
        let fork = trace.fork_of(trace.thread(e)).filter(|_| self.by.synchronisation);
        if trace.position(e) == 0 && fork.is_some_and(|f| !self.happened(state, f)) {
            return false;
        }
        match trace.op(e) {
            Op::Acquire { lock, mode, .. } if self.by.locks => self.is_free(state, lock, mode),
            Op::Join { child } if self.by.synchronisation => {
                state.positions[child.index()] == trace.thread_events(child).len()
            }
            Op::Wake { .. } if self.by.synchronisation => {
                let wait = trace.partner(e).unwrap();
                trace.waits()[wait].notify.is_none() || state.notified >> wait & 1 == 1
            }
            _ => true,
        }
    }

    fn step(&self, state: &State, e: EventId) -> State {
        let mut next = state.clone();
        next.positions[self.trace.thread(e).index()] += 1;
        for (n, wait) in self.trace.waits().iter().enumerate() {
            if wait.notify == Some(e) && self.happened(state, wait.wait) {
                next.notified |= 1 << n;
            }
        }
        if let Property::Atomicity { first, remote, second } = self.property {
            let at = [first, remote, second].iter().position(|&p| p == e);
            next.n_seen += usize::from(at == Some(state.n_seen));
        }
        next
    }

    fn is_end(&self, state: &State) -> bool {
        let Property::Race { first, second } = self.property else { return state.n_seen == 3 };
        [first, second].iter().all(|&e| {
            let thread = self.trace.thread(e).index();
            let fork = self.trace.fork_of(ThreadId(thread as u32));
            let forked = fork.is_none_or(|f| self.happened(state, f));
            self.next(state, thread) == Some(e) && (forked || !self.by.synchronisation)
        })
    }

    fn allows(&self) -> bool {
        let n_threads = self.trace.n_threads();
        let start = State { positions: vec![0; n_threads], notified: 0, n_seen: 0 };
        let (mut seen, mut todo) = (HashSet::from([start.clone()]), vec![start]);
        while let Some(state) = todo.pop() {
            if self.is_end(&state) {
                return true;
            }
            for e in (0..n_threads).filter_map(|t| self.next(&state, t)) {
                if self.is_enabled(&state, e) {
                    let next = self.step(&state, e);
                    if seen.insert(next.clone()) {
                        todo.push(next);
                    }
                }
            }
        }
        false
    }
}

fn accesses(trace: &Trace) -> Vec<EventId> {
    (0..trace.len() as u32).map(EventId).filter(|&e| trace.code(e).is_access()).collect()
}

fn conflict(trace: &Trace, a: EventId, b: EventId) -> bool {
    trace.thread(a) != trace.thread(b)
        && trace.op(a).encode().1 == trace.op(b).encode().1
        && (trace.code(a).writes() || trace.code(b).writes())
}

/// Adds a candidate; for two threads the answers must be exact, for more they must not miss any.
fn count(trace: &Trace, universal: &Universal, property: Property, funnel: &mut Funnel) {
    let by = [Constraints::LOCKS, Constraints::SYNCHRONISATION, Constraints::BOTH];
    let [lsa, mhb, ucg] = by.map(|by| {
        let found = universal.allows(property, by, Algorithm::Corrected);
        let exact = Oracle { trace, by, property }.allows();
        let is_right = if trace.n_threads() == 2 { found == exact } else { found || !exact };
        assert!(is_right, "{property:?} by {by:?}: {found}, but {exact}");
        u64::from(found)
    });
    funnel.total += 1;
    funnel.lsa += lsa;
    funnel.mhb += mhb;
    funnel.ucg += ucg;
}

fn check_races(trace: &Trace) -> Funnel {
    let universal = Universal::new(trace);
    let mut expected = Funnel { is_complete: true, ..Funnel::default() };
    let accesses = accesses(trace);
    for (n, &first) in accesses.iter().enumerate() {
        for &second in &accesses[n + 1..] {
            let is_plain = |e| trace.code(e).order() == Order::Plain;
            if conflict(trace, first, second) && (is_plain(first) || is_plain(second)) {
                count(trace, &universal, Property::Race { first, second }, &mut expected);
            }
        }
    }
    assert_eq!(races(trace, &mut |_| true), expected);
    expected
}

/// Takes each thread for one transaction.
fn check_atomicity(trace: &Trace) -> Funnel {
    let universal = Universal::new(trace);
    let mut expected = Funnel { is_complete: true, ..Funnel::default() };
    let accesses = accesses(trace);
    for (n, &first) in accesses.iter().enumerate() {
        for &second in accesses[n + 1..].iter() {
            for &remote in &accesses {
                let is_local = trace.thread(first) == trace.thread(second);
                if is_local && conflict(trace, first, remote) && conflict(trace, remote, second) {
                    let property = Property::Atomicity { first, remote, second };
                    count(trace, &universal, property, &mut expected);
                }
            }
        }
    }
    let threads = (0..trace.n_threads() as u32).map(|t| trace.thread_events(ThreadId(t)));
    let transactions: Vec<_> =
        threads.filter_map(|events| Some((*events.first()?, *events.last()?))).collect();
    assert_eq!(atomicity(trace, &transactions, &mut |_| true), expected);
    expected
}

/// Both analyses must have something to do that neither does alone.
fn check(n_seeds: u64, check: fn(&Trace) -> Funnel) {
    let mut sum = Funnel::default();
    for seed in 0..n_seeds {
        let (threads, events) = (2 + (seed % 5 == 1) as u32, 14 + (seed % 9) as usize);
        let funnel = check(&small_trace(seed, threads, events));
        sum.total += funnel.total;
        sum.lsa += funnel.lsa;
        sum.mhb += funnel.mhb;
        sum.ucg += funnel.ucg;
    }
    assert!(sum.ucg > 0 && sum.ucg < sum.lsa.min(sum.mhb) && sum.mhb < sum.total, "{sum:?}");
}

#[test]
fn the_funnel_of_races_equals_enumeration() {
    check(400, check_races);
}

#[test]
fn the_funnel_of_atomicity_violations_equals_enumeration() {
    check(120, check_atomicity);
}

#[test]
fn a_funnel_that_was_stopped_says_so() {
    assert!(!races(&small_trace(1, 2, 30), &mut |_| false).is_complete);
}
