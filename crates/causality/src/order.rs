//! The order that holds in every reordering, as vector clocks.
//!
//! In: a trace and which relations count. Out: for any event the least cut that contains it and is
//! closed under program order, the edges of [`crate::edges`] and, if asked for, rule R; and so,
//! whether one event must happen before another.
//!
//! - R (mutual exclusion): if a scope of a lock must begin before some event inside a scope of
//!   another thread that excludes it, then it must end before that event, too.
//!
//! This is the part of saturation that depends on no query; it is done once and shared by all of
//! them. Everything points forward in the trace, so one pass is enough. A clock is stored only
//! where it differs from its predecessor's in more than the thread's own component: at the targets
//! of edges that say something new. On most traces that is a small part of the events.

use raddle_trace::{EventId, Kind, ScopeId, ThreadId, Trace};

use crate::chains::{Chains, excludes};
use crate::cut::Cut;
use crate::edges::{Relations, for_each_source};

/// What must happen before what.
#[derive(Clone, Debug)]
pub struct Order {
    n_threads: usize,
    chains: Vec<Chain>,
}

/// The clocks of one thread.
#[derive(Clone, Debug, Default)]
struct Chain {
    /// Positions of the events whose clock is stored, ascending.
    positions: Vec<u32>,
    /// As many clocks of `n_threads` components. The thread's own component is not kept up to
    /// date; it is the position.
    clocks: Vec<u32>,
}

impl Order {
    /// Computes the order of a trace, closed under its edges.
    pub fn new(trace: &Trace, relations: Relations) -> Order {
        Order::build(trace, relations, None)
    }

    /// Computes the order of a trace, closed under its edges and rule R.
    pub fn saturated(trace: &Trace, relations: Relations, chains: &Chains) -> Order {
        Order::build(trace, relations, Some(chains))
    }

    fn build(trace: &Trace, relations: Relations, chains: Option<&Chains>) -> Order {
        let n_threads = trace.n_threads();
        let mut order = Order { n_threads, chains: vec![Chain::default(); n_threads] };
        let mut now = vec![Cut::empty(n_threads); n_threads];
        let mut open: Vec<Vec<ScopeId>> = vec![Vec::new(); n_threads];
        for event in (0..trace.len() as u32).map(EventId) {
            let thread = trace.thread(event);
            let clock = &mut now[thread.index()];
            let mut more = false;
            for_each_source(trace, relations, event, |source| {
                let known = trace.position(source) < clock.len(trace.thread(source));
                if !known {
                    more = true;
                    order.take_in(trace, source, clock);
                }
            });
            if let Some(chains) = chains {
                let begins = begin_or_end(trace, event, &mut open[thread.index()]);
                if more || begins {
                    more |= order.exclude(trace, chains, &open[thread.index()], clock);
                }
            }
            if more {
                order.chains[thread.index()].push(trace.position(event), clock.as_slice());
            }
        }
        order
    }

    /// Rule R for a thread inside some scopes; true if that says something new.
    fn exclude(&self, trace: &Trace, chains: &Chains, open: &[ScopeId], clock: &mut Cut) -> bool {
        let mut any = false;
        loop {
            let mut more = false;
            for scope in open.iter().map(|s| &trace.scopes()[s.index()]) {
                for chain in chains.scopes(scope.lock) {
                    // Scopes before the last one have ended before it.
                    let other = chain.last_before(clock.len(chain.thread));
                    let other = other.map(|s| &trace.scopes()[s.index()]);
                    let other = other.filter(|other| excludes(scope, other));
                    let release = other.and_then(|other| other.release());
                    let release = release.filter(|&release| !clock.contains(trace, release));
                    if let Some(release) = release {
                        self.take_in(trace, release, clock);
                        more = true;
                    }
                }
            }
            any |= more;
            if !more {
                return any;
            }
        }
    }

    /// True if `before` must happen before `after`, or is it.
    #[inline]
    pub fn reaches(&self, trace: &Trace, before: EventId, after: EventId) -> bool {
        let (thread, position) = (trace.thread(before), trace.position(before));
        if thread == trace.thread(after) {
            return position <= trace.position(after);
        }
        let clock = self.clock(trace.thread(after), trace.position(after));
        clock.is_some_and(|clock| position < clock[thread.index()])
    }

    /// How many events of a thread must happen before an event, or are it.
    #[inline]
    pub fn n_before(&self, trace: &Trace, event: EventId, thread: ThreadId) -> u32 {
        if trace.thread(event) == thread {
            return trace.position(event) + 1;
        }
        let clock = self.clock(trace.thread(event), trace.position(event));
        clock.map_or(0, |clock| clock[thread.index()])
    }

    /// True if more must happen before an event than before the one before it in its thread.
    pub(crate) fn is_new(&self, trace: &Trace, event: EventId) -> bool {
        let positions = &self.chains[trace.thread(event).index()].positions;
        positions.binary_search(&trace.position(event)).is_ok()
    }

    /// Adds to a cut an event and all that must happen before it.
    pub fn take_in(&self, trace: &Trace, event: EventId, cut: &mut Cut) {
        let (thread, position) = (trace.thread(event), trace.position(event));
        if let Some(clock) = self.clock(thread, position) {
            cut.join(clock);
        }
        cut.extend(thread, position + 1);
    }

    /// The least cut that contains an event.
    pub fn cut(&self, trace: &Trace, event: EventId) -> Cut {
        let mut cut = Cut::empty(self.n_threads);
        self.take_in(trace, event, &mut cut);
        cut
    }

    /// Per thread, how many events must happen before the event at a position of a thread; the
    /// thread's own component says nothing.
    #[inline]
    pub(crate) fn clock(&self, thread: ThreadId, position: u32) -> Option<&[u32]> {
        let chain = &self.chains[thread.index()];
        let at = chain.positions.partition_point(|&p| p <= position).checked_sub(1)?;
        Some(&chain.clocks[at * self.n_threads..(at + 1) * self.n_threads])
    }
}

impl Chain {
    fn push(&mut self, position: u32, clock: &[u32]) {
        self.positions.push(position);
        self.clocks.extend_from_slice(clock);
    }
}

/// Keeps the open scopes of a thread up to date; true if one begins.
pub(crate) fn begin_or_end(trace: &Trace, event: EventId, open: &mut Vec<ScopeId>) -> bool {
    let Some(scope) = trace.scope_of(event) else { return false };
    let begins = trace.code(event).kind() == Kind::Acquire;
    if begins {
        open.push(scope);
    } else {
        open.retain(|&o| o != scope);
    }
    begins
}
