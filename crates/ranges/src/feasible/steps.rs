//! Steps, locks, threads and waits (E1–E4, E6).

use raddle_solve::Lit;

use super::Solver;
use crate::ctp::{Action, CondId, LockId, StateId, ThreadId};
use crate::graph::Graph;
use crate::pairs::Pairs;

/// A section of a lock: where it is taken, and where it may be given back.
struct Section {
    lock: LockId,
    shared: bool,
    taken: StateId,
    ends: Vec<StateId>,
}

impl Solver<'_> {
    pub(super) fn add_steps(&mut self, graph: &Graph, pairs: &Pairs) {
        self.add_threads();
        self.add_program_order(graph, pairs);
        self.add_locks();
        for id in self.ctp.state_ids() {
            if let Action::Acquire { woken: Some(cond), .. } = self.ctp.step(id).action {
                self.add_wait(id, cond);
            }
        }
    }

    /// E1 and E4.
    fn add_threads(&mut self) {
        let children = self.ctp.children();
        for id in self.ctp.state_ids() {
            let Some(parent) = self.ctp.state(id).parent else { continue };
            let (here, before) = (self.happens(id), self.happens(parent));
            self.clauses.clause(&[!here, before]);
            for guard in &self.ctp.step(id).guards {
                let holds = self.holds(guard.condition);
                self.clauses.clause(&[!here, holds]);
            }
            let ended = self.joined(id);
            self.clauses.clause(&[!here, ended]);
            for joined in self.ctp.step(id).joins.clone() {
                for path in self.ctp.paths(joined) {
                    let last = path[path.len() - 1];
                    self.force_before(last, id);
                }
            }
        }
        for siblings in children.iter().filter(|siblings| siblings.len() > 1) {
            for (n, &one) in siblings.iter().enumerate() {
                for &other in &siblings[..n] {
                    let (a, b) = (self.happens(one), self.happens(other));
                    self.clauses.clause(&[!a, !b]);
                }
            }
        }
        for thread in self.ctp.thread_ids() {
            self.add_fork(thread, &children);
        }
    }

    fn add_fork(&mut self, thread: ThreadId, children: &[Vec<StateId>]) {
        let forks = |id: &StateId| self.ctp.step(*id).forks.contains(&thread);
        let forks: Vec<_> = self.ctp.state_ids().filter(forks).collect();
        if forks.is_empty() {
            return;
        }
        let root = self.ctp.threads[thread.0 as usize].root;
        for &first in &children[root.0 as usize] {
            let mut lits: Vec<_> = forks.iter().map(|&fork| self.happens(fork)).collect();
            lits.push(!self.happens(first));
            self.clauses.clause(&lits);
            forks.iter().for_each(|&fork| self.force_before(fork, first));
        }
    }

    /// Whether all threads that a step joins have ended.
    pub(super) fn joined(&mut self, id: StateId) -> Lit {
        let mut all = Vec::new();
        for &thread in &self.ctp.step(id).joins {
            let ends: Vec<_> = self
                .ctp
                .paths(thread)
                .iter()
                .map(|path| self.happens(path[path.len() - 1]))
                .collect();
            all.push(self.clauses.any(&ends));
        }
        self.clauses.all(&all)
    }

    fn force_before(&mut self, before: StateId, after: StateId) {
        let [a, b] = [before, after].map(|id| self.element[id.0 as usize]);
        if a != u32::MAX && b != u32::MAX && a != b {
            self.order.force(&mut self.clauses, a, b);
        }
    }

    /// E2 and E6.
    fn add_program_order(&mut self, graph: &Graph, pairs: &Pairs) {
        for (number, transaction) in (0..).zip(&graph.transactions) {
            let before = self.element[transaction.from.0 as usize];
            if before != u32::MAX {
                self.order.force(&mut self.clauses, before, number);
            }
        }
        // What is forced is so in the run that a chain comes from, so it has no circle; states of
        // different runs may rule each other out altogether.
        if self.ctp.children().iter().any(|next| next.len() > 1) {
            return;
        }
        let chains: Vec<_> = self.ctp.thread_ids().map(|t| self.ctp.paths(t).remove(0)).collect();
        for (number, transaction) in (0..).zip(&graph.transactions) {
            let thread = self.ctp.state(transaction.from).thread;
            for chain in chains.iter().filter(|chain| self.ctp.state(chain[0]).thread != thread) {
                let first = |at: StateId| chain.iter().position(|&s| pairs.are_reachable(at, s));
                let (before, after) = (first(transaction.from), first(transaction.to()));
                // What the transaction before is forced to is said there.
                if let Some(least) = after.filter(|&least| least > 0 && before != Some(least)) {
                    let passed = self.element[chain[least].0 as usize];
                    self.order.force(&mut self.clauses, passed, number);
                }
            }
        }
    }

    /// E3.
    fn add_locks(&mut self) {
        let sections = self.sections();
        for (n, one) in sections.iter().enumerate() {
            for other in &sections[..n] {
                let threads = [one, other].map(|s| self.ctp.state(s.taken).thread);
                if one.lock == other.lock
                    && threads[0] != threads[1]
                    && !(one.shared && other.shared)
                {
                    let (there, back) = (self.precedes(one, other), self.precedes(other, one));
                    let (a, b) = (self.happens(one.taken), self.happens(other.taken));
                    self.clauses.clause(&[!a, !b, there, back]);
                }
            }
        }
    }

    fn precedes(&mut self, one: &Section, other: &Section) -> Lit {
        let mut lits = Vec::new();
        for &end in &one.ends {
            let (done, before) = (self.happens(end), self.before(end, other.taken));
            lits.push(self.clauses.and(done, before));
        }
        self.clauses.any(&lits)
    }

    fn sections(&self) -> Vec<Section> {
        let mut sections: Vec<Section> = Vec::new();
        for id in self.ctp.state_ids() {
            match self.ctp.step(id).action {
                Action::Acquire { lock, shared, .. } => {
                    sections.push(Section { lock, shared, taken: id, ends: Vec::new() });
                }
                Action::Release { lock, shared, .. } => {
                    let mut depth = 0;
                    let path = self.ctp.path_to(id);
                    let taken = path[..path.len() - 1].iter().rev().find(|&&state| {
                        match self.ctp.step(state).action {
                            Action::Release { lock: l, shared: s, .. }
                                if (l, s) == (lock, shared) =>
                            {
                                depth += 1;
                                false
                            }
                            Action::Acquire { lock: l, shared: s, .. }
                                if (l, s) == (lock, shared) =>
                            {
                                depth -= 1;
                                depth < 0
                            }
                            _ => false,
                        }
                    });
                    let found = taken.and_then(|t| sections.iter_mut().find(|s| s.taken == *t));
                    if let Some(section) = found {
                        section.ends.push(id);
                    }
                }
                _ => {}
            }
        }
        sections
    }

    /// E4: some notify comes between the wait and its end.
    fn add_wait(&mut self, id: StateId, cond: CondId) {
        let starts = |state: &StateId| {
            matches!(self.ctp.step(*state).action,
                Action::Release { waits: Some(on), .. } if on == cond)
        };
        let path = self.ctp.path_to(id);
        let wait = path.iter().rev().copied().find(starts);
        let thread = self.ctp.state(id).thread;
        let mut lits = vec![!self.happens(id)];
        for notify in self.ctp.state_ids() {
            let same = self.ctp.step(notify).action == Action::Notify { cond };
            if !same || self.ctp.state(notify).thread == thread {
                continue;
            }
            let after = wait.map_or(Lit::TRUE, |wait| self.before(wait, notify));
            let before = self.before(notify, id);
            let done = self.happens(notify);
            lits.push(self.clauses.all(&[after, before, done]));
        }
        self.clauses.clause(&lits);
    }

    /// Whether the step into one state comes before that into a state of another thread.
    pub(super) fn before(&mut self, a: StateId, b: StateId) -> Lit {
        let [a, b] = [a, b].map(|id| self.element[id.0 as usize]);
        self.order.before(&mut self.clauses, a, b)
    }
}
