//! Held scopes: which critical sections a thread is in after each of its events.
//!
//! The scopes held at one time share their tails with those held before, as a tree of nodes; an
//! event knows its node. Taking a lock and releasing the innermost one is a step in the tree,
//! other releases rebuild the few nodes above the one released.

use raddle_trace::{EventId, Kind, ScopeId, ThreadId, Trace};

const NONE: u32 = u32::MAX;

/// The scopes that are open after each event.
#[derive(Clone, Debug)]
pub struct Held {
    /// Per event, the innermost node.
    at: Vec<u32>,
    /// A scope, and the node around it.
    nodes: Vec<(ScopeId, u32)>,
}

impl Held {
    /// Computes what is held in a trace.
    pub fn new(trace: &Trace) -> Held {
        let mut held = Held { at: Vec::with_capacity(trace.len()), nodes: Vec::new() };
        let mut now = vec![NONE; trace.n_threads()];
        for event in (0..trace.len() as u32).map(EventId) {
            let node = &mut now[trace.thread(event).index()];
            if let Some(scope) = trace.scope_of(event) {
                *node = match trace.code(event).kind() {
                    Kind::Acquire => held.push(scope, *node),
                    _ => held.remove(scope, *node),
                };
            }
            held.at.push(*node);
        }
        held
    }

    /// A number for what is open after an event; events with equal numbers have the same scopes.
    #[inline]
    pub fn node(&self, event: EventId) -> Option<u32> {
        Some(self.at[event.index()]).filter(|&node| node != NONE)
    }

    /// The scopes that are open after an event, innermost first.
    pub fn after(&self, event: EventId) -> impl Iterator<Item = ScopeId> + '_ {
        let node = |&n: &u32| (n != NONE).then_some(n);
        let first = node(&self.at[event.index()]);
        let nodes = std::iter::successors(first, move |&n| node(&self.nodes[n as usize].1));
        nodes.map(|n| self.nodes[n as usize].0)
    }

    /// The scopes that are open after the first `n` events of a thread, innermost first.
    pub fn inside<'a>(
        &'a self,
        trace: &Trace,
        thread: ThreadId,
        n: u32,
    ) -> impl Iterator<Item = ScopeId> + 'a {
        let last = n.checked_sub(1).map(|at| trace.thread_events(thread)[at as usize]);
        last.into_iter().flat_map(|last| self.after(last))
    }

    fn push(&mut self, scope: ScopeId, outer: u32) -> u32 {
        self.nodes.push((scope, outer));
        self.nodes.len() as u32 - 1
    }

    fn remove(&mut self, scope: ScopeId, node: u32) -> u32 {
        if node == NONE {
            return NONE;
        }
        let (inner, outer) = self.nodes[node as usize];
        if inner == scope {
            return outer;
        }
        let outer = self.remove(scope, outer);
        self.push(inner, outer)
    }
}
