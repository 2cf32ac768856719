//! Rounds with a look-ahead of several transactions (P2).

use std::ops::ControlFlow;

use rustc_hash::FxHashMap;

use super::{Round, Run};
use crate::ctp::ThreadId;
use crate::interval::Interval;

/// A path within one round.
#[derive(Clone)]
struct Path {
    node: usize,
    state: Vec<Interval>,
    /// Where threads that have moved within the path are.
    at: FxHashMap<ThreadId, usize>,
}

impl Run<'_> {
    /// P1 with B > 1.
    pub(super) fn look_ahead(&mut self, n_rounds: usize, lookahead: usize) -> ControlFlow<()> {
        let mut last = self.start();
        for _ in 0..n_rounds {
            let mut next = Round::new(self.states.len(), self.slots.width());
            for node in (0..self.states.len()).filter(|&node| last.known[node]) {
                let at = FxHashMap::from_iter([(self.thread(node), node)]);
                let path = Path { node, state: last.at(node).to_vec(), at };
                self.extend(path, lookahead, &mut next)?;
            }
            last = next;
        }
        ControlFlow::Continue(())
    }

    fn extend(&mut self, path: Path, left: usize, next: &mut Round) -> ControlFlow<()> {
        if left == 0 {
            next.add(path.node, &path.state);
            return ControlFlow::Continue(());
        }
        for edge in 0..self.edges.len() {
            let from = self.edges[edge].from;
            let stays = from == path.node;
            if !stays && !self.edges[edge].sources[1..].contains(&path.node) {
                continue;
            }
            // P2.
            if path.at.get(&self.thread(from)).is_some_and(|&node| node != from) {
                continue;
            }
            self.n_updates += self.slots.width() as u64;
            self.goes_on()?;
            let mut longer = path.clone();
            if !stays {
                self.arrive(from, &path.state);
            }
            let through = self.edges[edge].through.clone();
            if self.transfer(&through, &mut longer.state) {
                longer.node = self.edges[edge].to;
                longer.at.insert(self.thread(longer.node), longer.node);
                self.arrive(longer.node, &longer.state);
                self.extend(longer, left - 1, next)?;
            }
        }
        ControlFlow::Continue(())
    }
}
