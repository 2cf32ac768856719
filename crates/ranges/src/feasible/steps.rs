//! Steps, locks, threads and waits (E1, E3, E4).

use raddle_solve::Lit;

use super::Solver;
use super::order::needs;
use crate::ctp::{Action, CondId, LockId, StateId};

/// A section of a lock: where it is taken, and where it may be given back.
struct Section {
    lock: LockId,
    shared: bool,
    taken: StateId,
    ends: Vec<StateId>,
}

impl Solver<'_> {
    pub(super) fn add_steps(&mut self) {
        self.add_threads();
        self.add_locks();
        for id in self.ctp.state_ids() {
            if let Action::Acquire { woken: Some(cond), .. } = self.ctp.step(id).action {
                self.add_wait(id, cond);
            }
        }
    }

    /// E1 and E4.
    fn add_threads(&mut self) {
        for id in self.ctp.state_ids() {
            let Some(parent) = self.ctp.state(id).parent else { continue };
            let (here, before) = (self.happens(id), self.happens(parent));
            self.clauses.clause(&[!here, before]);
            for guard in &self.ctp.step(id).guards {
                let holds = self.holds(guard.condition);
                self.clauses.clause(&[!here, holds]);
            }
        }
        for siblings in self.ctp.children().iter().filter(|siblings| siblings.len() > 1) {
            for (n, &one) in siblings.iter().enumerate() {
                for &other in &siblings[..n] {
                    let (a, b) = (self.happens(one), self.happens(other));
                    self.clauses.clause(&[!a, !b]);
                }
            }
        }
        for need in needs(self.ctp) {
            let mut lits: Vec<_> = need.before.iter().map(|&state| self.happens(state)).collect();
            let here = self.happens(need.after);
            lits.push(!here);
            self.clauses.clause(&lits);
            let others =
                need.before.iter().filter(|&&state| self.ctp.state(state).parent.is_some());
            for &state in others.collect::<Vec<_>>() {
                let (there, order) = (self.happens(state), self.before(state, need.after));
                self.clauses.clause(&[!here, !there, order]);
            }
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

    /// Whether the step into one state comes before that into another one.
    pub(super) fn before(&mut self, a: StateId, b: StateId) -> Lit {
        if self.ctp.state(a).thread == self.ctp.state(b).thread {
            return Lit::known(a != b && self.ctp.path_to(b).contains(&a));
        }
        let [a, b] = [a, b].map(|id| self.element[id.0 as usize]);
        self.order.before(&mut self.clauses, a, b)
    }
}
