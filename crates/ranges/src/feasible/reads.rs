//! Reads and the writes that they read from (E5).

use std::rc::Rc;

use raddle_solve::{Lit, Word};

use super::Solver;
use crate::ctp::{GlobalId, StateId, ThreadId};

/// The writes of one global.
pub(super) struct Writes {
    /// By thread, in the order of their states.
    of: Vec<(ThreadId, Vec<StateId>)>,
}

impl Solver<'_> {
    /// The reads whose values matter so far: those of guards and of what was asked for, and those that
    /// the writes which they may read from are computed from.
    pub(super) fn add_reads(&mut self) {
        if self.writes.is_empty() {
            let globals = (0..self.ctp.globals.len() as u32).map(GlobalId);
            self.writes = globals.map(|global| Rc::new(self.writes(global))).collect();
        }
        while let Some(local) = self.values.asked.pop() {
            let Some(id) = self.read_of[local.0 as usize] else { continue };
            let Some((global, _)) = self.ctp.step(id).action.read() else { continue };
            let word = self.values.local(local).clone();
            let sources = self.add_read(id, global, &word);
            self.sources.extend(sources.into_iter().map(|(from, lit)| ((id, from), lit)));
            self.add_count(id, global, local);
        }
    }

    /// The value of a global right behind a step, if it happens. Each step must be a transaction of
    /// its own, unless it accesses the global itself.
    pub(super) fn observe(&mut self, id: StateId, global: GlobalId) -> Word {
        let action = self.ctp.step(id).action;
        if let Some((_, value)) = action.written().filter(|(written, _)| *written == global) {
            return self.value(value);
        }
        if let Some((_, to)) = action.read().filter(|(read, _)| *read == global) {
            self.values.ask(to);
            return self.values.local(to).clone();
        }
        let word = self.values.of_global(&mut self.clauses, global);
        self.add_read(id, global, &word);
        word
    }

    fn writes(&self, global: GlobalId) -> Writes {
        let mut of: Vec<(ThreadId, Vec<StateId>)> = Vec::new();
        for id in self.ctp.state_ids() {
            if self.ctp.step(id).action.written().is_some_and(|(g, _)| g == global) {
                let thread = self.ctp.state(id).thread;
                match of.iter_mut().find(|(known, _)| *known == thread) {
                    Some((_, states)) => states.push(id),
                    None => of.push((thread, vec![id])),
                }
            }
        }
        Writes { of }
    }

    /// A step sees a value of a global: the writes that it may be from, with literals that say so.
    fn add_read(
        &mut self,
        id: StateId,
        global: GlobalId,
        word: &Word,
    ) -> Vec<(Option<StateId>, Lit)> {
        let all = self.writes[global.0 as usize].clone();
        let thread = self.ctp.state(id).thread;
        let path = self.ctp.path_to(id);
        let writes = |state: &&StateId| {
            self.ctp.step(**state).action.written().is_some_and(|(g, _)| g == global)
        };
        let own = path[..path.len() - 1].iter().rev().find(writes).copied();
        let mut sources = Vec::new();
        let others = || all.of.iter().filter(|(other, _)| *other != thread);
        let before = path[path.len() - 2];
        // From its own thread, or from the start.
        let source = self.clauses.fresh();
        sources.push((own, source));
        for &other in others().flat_map(|(_, states)| states) {
            let happens = self.happens(other);
            let behind = self.before(id, other);
            let before = own.map_or(Lit::FALSE, |own| self.before(other, own));
            self.clauses.clause(&[!source, !happens, before, behind]);
        }
        let value = match own.and_then(|own| self.ctp.step(own).action.written()) {
            Some((_, value)) => Some(self.value(value)),
            None => self.ctp.globals[global.0 as usize].initial.map(Word::constant),
        };
        self.carry(source, word, value);
        // Within one transaction nobody comes in between.
        let inside =
            own.is_some_and(|own| self.element[own.0 as usize] == self.element[id.0 as usize]);
        for (writer, states) in others().filter(|_| !inside) {
            for &write in states {
                let next: Vec<_> =
                    states.iter().copied().filter(|&next| self.follows(write, next)).collect();
                let lost = matches!(next[..], [next] if self.is_past(before, next));
                if self.pairs.can_be_past(before, write) && !lost {
                    let source = self.add_source(id, own, write, *writer, &all, thread);
                    let value = self.ctp.step(write).action.written().map(|(_, value)| value);
                    let value = value.map(|value| self.value(value));
                    self.carry(source, word, value);
                    sources.push((Some(write), source));
                }
            }
        }
        let happens = self.happens(id);
        let any: Vec<_> = sources.iter().map(|&(_, lit)| lit).chain([!happens]).collect();
        self.clauses.clause(&any);
        sources
    }

    /// A literal that says that a read reads from a write of another thread.
    fn add_source(
        &mut self,
        read: StateId,
        own: Option<StateId>,
        write: StateId,
        writer: ThreadId,
        all: &Writes,
        reader: ThreadId,
    ) -> Lit {
        let source = self.clauses.fresh();
        let (happens, before) = (self.happens(write), self.before(write, read));
        self.clauses.clause(&[!source, happens]);
        self.clauses.clause(&[!source, before]);
        if let Some(own) = own {
            let later = self.before(own, write);
            self.clauses.clause(&[!source, later]);
        }
        for (thread, states) in &all.of {
            if *thread == reader {
                continue;
            }
            // Of the writer's own writes, only the next ones matter.
            let matters = |&&state: &&StateId| *thread != writer || self.follows(write, state);
            let next: Vec<_> = states.iter().filter(matters).copied().collect();
            for other in next {
                let happens = self.happens(other);
                let behind = self.before(read, other);
                let earlier =
                    if *thread == writer { Lit::FALSE } else { self.before(other, write) };
                self.clauses.clause(&[!source, !happens, earlier, behind]);
            }
        }
        source
    }

    /// Whether the thread of a write has always made it when another one is at a state. Where ways
    /// part it may have gone another one.
    fn is_past(&self, at: StateId, write: StateId) -> bool {
        let before = self.ctp.state(write).parent;
        !self.has_branches && before.is_some_and(|before| !self.pairs.can_be_up_to(at, before))
    }

    /// Whether the second write is the next one of its thread behind the first to the same global.
    fn follows(&self, first: StateId, second: StateId) -> bool {
        let global = self.ctp.step(first).action.written().map(|(global, _)| global);
        let mut at = self.ctp.state(second).parent;
        while let Some(state) = at {
            if state == first {
                return true;
            }
            if self.ctp.step(state).action.written().map(|(global, _)| global) == global {
                return false;
            }
            at = self.ctp.state(state).parent;
        }
        false
    }

    /// If the source is used, the word has the value; nothing is known of no value.
    pub(super) fn carry(&mut self, source: Lit, word: &Word, value: Option<Word>) {
        let Some(value) = value else { return };
        let n_bits = word.width().max(value.width());
        for (&a, &b) in word.bits().iter().zip(value.bits()).take(n_bits) {
            self.clauses.clause(&[!source, !a, b]);
            self.clauses.clause(&[!source, a, !b]);
        }
    }
}
