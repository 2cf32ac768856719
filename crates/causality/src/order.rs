//! The order that holds in every reordering, as vector clocks.
//!
//! In: a trace and which relations count. Out: for any event the least cut that contains it and is
//! closed under program order and the edges of [`crate::edges`]; and so, whether one event must
//! happen before another.
//!
//! Every edge points forward in the trace, so one pass is enough. A clock is stored only where it
//! differs from its predecessor's in more than the thread's own component: at the targets of edges
//! that say something new. On most traces that is a small part of the events.

use raddle_trace::{EventId, Trace};

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
    /// Computes the order of a trace.
    pub fn new(trace: &Trace, relations: Relations) -> Order {
        let n_threads = trace.n_threads();
        let mut order = Order { n_threads, chains: vec![Chain::default(); n_threads] };
        let mut now = vec![Cut::empty(n_threads); n_threads];
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
            if more {
                order.chains[thread.index()].push(trace.position(event), clock.as_slice());
            }
        }
        order
    }

    /// True if `before` must happen before `after`, or is it.
    #[inline]
    pub fn reaches(&self, trace: &Trace, before: EventId, after: EventId) -> bool {
        let (thread, position) = (trace.thread(before), trace.position(before));
        if thread == trace.thread(after) {
            return position <= trace.position(after);
        }
        let chain = &self.chains[trace.thread(after).index()];
        let clock = chain.clock(trace.position(after), self.n_threads);
        clock.is_some_and(|clock| position < clock[thread.index()])
    }

    /// Adds to a cut an event and all that must happen before it.
    pub fn take_in(&self, trace: &Trace, event: EventId, cut: &mut Cut) {
        let (thread, position) = (trace.thread(event), trace.position(event));
        if let Some(clock) = self.chains[thread.index()].clock(position, self.n_threads) {
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
}

impl Chain {
    fn push(&mut self, position: u32, clock: &[u32]) {
        self.positions.push(position);
        self.clocks.extend_from_slice(clock);
    }

    /// The clock in force at a position.
    #[inline]
    fn clock(&self, position: u32, n_threads: usize) -> Option<&[u32]> {
        let at = self.positions.partition_point(|&p| p <= position).checked_sub(1)?;
        Some(&self.clocks[at * n_threads..(at + 1) * n_threads])
    }
}
