//! Steps, locks, threads and waits (E1, E3, E4).

use raddle_solve::Lit;
use rustc_hash::FxHashMap;

use super::Solver;
use super::order::needs;
use super::section::Section;
use crate::ctp::{Action, StateId};

impl Solver<'_> {
    pub(super) fn add_steps(&mut self) {
        self.add_threads();
        self.add_locks();
        self.add_waits();
    }

    /// E1 and E4.
    fn add_threads(&mut self) {
        for id in self.ctp.state_ids() {
            let Some(parent) = self.ctp.state(id).parent else { continue };
            let (here, before) = (self.happens(id), self.happens(parent));
            if here == before {
                continue;
            }
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

    /// E3. Sections that are within transactions are ordered whole with these, if none stops inside.
    fn add_locks(&mut self) {
        let rules = self.rules.clone();
        let is_whole: Vec<_> =
            rules.sections.iter().map(|section| self.is_whole(section)).collect();
        for &(n, m) in rules.rivals.iter().filter(|&&(n, m)| !(is_whole[n] && is_whole[m])) {
            let (one, other) = (&rules.sections[n], &rules.sections[m]);
            let (there, back) = (self.precedes(one, other), self.precedes(other, one));
            let (a, b) = (self.happens(one.taken), self.happens(other.taken));
            self.clauses.clause(&[!a, !b, there, back]);
        }
    }

    /// Whether a section is part of one transaction, and ends if it begins.
    fn is_whole(&self, section: &Section) -> bool {
        let element = |state: StateId| self.element[state.0 as usize];
        matches!(section.ends[..], [end] if element(end) == element(section.taken)
            && self.happens(end) == self.happens(section.taken))
    }

    /// Whether a section that happens ends before another one begins.
    fn precedes(&mut self, one: &Section, other: &Section) -> Lit {
        let taken = self.happens(one.taken);
        let mut lits = Vec::new();
        for &end in &one.ends {
            let (done, before) = (self.happens(end), self.before(end, other.taken));
            lits.push(if done == taken { before } else { self.clauses.and(done, before) });
        }
        self.clauses.any(&lits)
    }

    /// E4: some notify comes between a wait and its end, and one that ends only one wait ends no other.
    fn add_waits(&mut self) {
        let rules = self.rules.clone();
        let mut ended: FxHashMap<StateId, Vec<Lit>> = FxHashMap::default();
        for wait in &rules.waits {
            let mut lits = vec![!self.happens(wait.woken)];
            for &notify in &wait.notifies {
                let after = wait.start.map_or(Lit::TRUE, |start| self.before(start, notify));
                let before = self.before(notify, wait.woken);
                let done = self.happens(notify);
                let possible = self.clauses.all(&[after, before, done]);
                if matches!(self.ctp.step(notify).action, Action::Notify { all: true, .. }) {
                    lits.push(possible);
                    continue;
                }
                let ends = self.clauses.fresh();
                self.clauses.clause(&[!ends, possible]);
                let others = ended.entry(notify).or_default();
                others.iter().for_each(|&other| self.clauses.clause(&[!ends, !other]));
                others.push(ends);
                lits.push(ends);
            }
            self.clauses.clause(&lits);
        }
    }

    /// Whether the step into one state comes before that into another one.
    pub(super) fn before(&mut self, a: StateId, b: StateId) -> Lit {
        if self.ctp.state(a).thread == self.ctp.state(b).thread {
            return Lit::known(self.rules.ancestry.is_before(a, b));
        }
        let [a, b] = [a, b].map(|id| self.element[id.0 as usize]);
        self.order.before(&mut self.clauses, a, b)
    }
}
