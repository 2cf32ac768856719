//! What may be asked, and the literals that ask for it.

use raddle_solve::{Lit, Word};

use super::Solver;
use super::accesses::last_write;
use super::operators::{binary, is_zero};
use crate::condition::Condition;
use crate::ctp::{GlobalId, Otherwise, StateId};

/// What may be asked. A step is named by the state that it leads to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Query {
    /// A thread takes this step.
    Reaches(StateId),
    /// A thread comes to this step and the guard with this number does not hold.
    Fails(StateId, usize),
    /// The same, and the thread cannot take any other step there either: it goes where no trace
    /// does. Paths that end in a failed assertion, or that do not count, are none.
    Leaves(StateId, usize),
    /// Right behind this step the condition does not hold. If the condition is about more than what
    /// the step writes, the graph must be a CCFG: transactions keep values, not moments.
    Breaks(StateId, Condition),
    /// Threads stand right before these steps, which could all be next.
    Meet(Vec<StateId>),
    /// A read reads from this write of its global, or from the start.
    ReadsFrom(StateId, Option<StateId>),
    /// Steps happen or do not, and some in a given order.
    Events(Pattern),
}

/// Which steps happen, and in which order. Transactions keep the order of steps that are in
/// conflict; for others the graph must be a CCFG.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Pattern {
    /// These happen.
    pub present: Vec<StateId>,
    /// These do not.
    pub absent: Vec<StateId>,
    /// Of each pair, both happen and the first does before the second.
    pub before: Vec<(StateId, StateId)>,
}

impl Pattern {
    /// Whether an execution fits.
    pub fn fits(&self, steps: &[StateId]) -> bool {
        let at = |step: StateId| steps.iter().position(|&other| other == step);
        self.present.iter().all(|&step| at(step).is_some())
            && self.absent.iter().all(|&step| at(step).is_none())
            && self.before.iter().all(|&(a, b)| at(a).is_some() && at(a) < at(b))
    }
}

impl Query {
    /// The steps behind which nothing matters; none if what is asked for is about the end.
    pub(super) fn steps(&self) -> Vec<StateId> {
        match self {
            Query::Reaches(step) | Query::Breaks(step, _) | Query::ReadsFrom(step, _) => {
                vec![*step]
            }
            Query::Events(pattern) => {
                let pairs = pattern.before.iter().flat_map(|&(a, b)| [a, b]);
                pattern.present.iter().copied().chain(pairs).collect()
            }
            Query::Fails(..) | Query::Leaves(..) | Query::Meet(_) => Vec::new(),
        }
    }
}

impl Solver<'_> {
    /// What must hold for a query; none if it cannot.
    pub(super) fn assumptions(&mut self, query: &Query) -> Option<Vec<Lit>> {
        Some(match query {
            Query::Reaches(state) => vec![self.happens(*state)],
            Query::Fails(state, guard) => self.failing(*state, *guard),
            Query::Leaves(state, guard) => {
                let mut wanted = self.failing(*state, *guard);
                let parent = self.ctp.state(*state).parent?;
                let rules = self.rules.clone();
                for &other in rules.children[parent.0 as usize].iter().filter(|s| *s != state) {
                    wanted.push(self.leaves(other));
                }
                wanted
            }
            Query::Breaks(state, condition) => {
                let word = self.condition(*state, condition);
                vec![self.happens(*state), is_zero(&mut self.clauses, &word)]
            }
            Query::Meet(states) => {
                let mut wanted = Vec::new();
                for &state in states {
                    wanted.extend([self.comes_to(state), !self.happens(state)]);
                    let guards = &self.ctp.step(state).guards;
                    wanted.extend(guards.iter().map(|guard| self.holds(guard.condition)));
                }
                wanted
            }
            Query::ReadsFrom(read, from) => {
                let (global, _) = self.ctp.step(*read).action.read()?;
                if !self.is_candidate(*read, global, *from) {
                    return None;
                }
                vec![self.happens(*read), self.source(*read, global, *from)]
            }
            Query::Events(pattern) => {
                let mut wanted: Vec<_> = pattern.present.iter().map(|&s| self.happens(s)).collect();
                wanted.extend(pattern.absent.iter().map(|&state| !self.happens(state)));
                for &(a, b) in &pattern.before {
                    wanted.extend([self.happens(a), self.happens(b), self.before(a, b)]);
                }
                wanted
            }
        })
    }

    /// A thread comes to a step, and this guard is the first that does not hold.
    fn failing(&mut self, state: StateId, guard: usize) -> Vec<Lit> {
        let guards = &self.ctp.step(state).guards;
        let mut wanted = vec![self.comes_to(state)];
        for earlier in &guards[..guard] {
            wanted.push(self.holds(earlier.condition));
        }
        wanted.push(!self.holds(guards[guard].condition));
        wanted
    }

    /// Whether a thread leaves the traces before a step: the first guard that does not hold leads
    /// elsewhere.
    fn leaves(&mut self, state: StateId) -> Lit {
        let guards = &self.ctp.step(state).guards;
        let (mut so_far, mut all) = (Lit::TRUE, Vec::new());
        for guard in guards {
            let holds = self.holds(guard.condition);
            if guard.leaves() {
                let here = self.clauses.and(so_far, !holds);
                all.push(here);
            }
            so_far = self.clauses.and(so_far, holds);
        }
        self.clauses.any(&all)
    }

    /// Whether a step of another thread does not end the program before what is asked for: it comes later,
    /// or the assertions right behind it hold.
    pub(super) fn harmless(&mut self, query: &Query, step: StateId) -> Lit {
        let asked = match query {
            Query::Fails(state, _) | Query::Leaves(state, _) => {
                self.ctp.state(*state).parent.into_iter().collect()
            }
            _ => query.steps(),
        };
        let mut later = vec![!self.happens(step)];
        for asked in asked {
            let is_first = self.ctp.state(asked).parent.is_none();
            later.push(if is_first { Lit::FALSE } else { self.before(asked, step) });
        }
        let rules = self.rules.clone();
        let asserts = rules.children[step.0 as usize].iter().flat_map(|&next| {
            let guards = &self.ctp.step(next).guards;
            guards.iter().filter(|guard| guard.otherwise == Otherwise::Fails)
        });
        let asserts: Vec<_> = asserts.map(|guard| guard.condition).collect();
        if !asserts.is_empty() {
            let hold: Vec<_> = asserts.into_iter().map(|id| self.holds(id)).collect();
            later.push(self.clauses.all(&hold));
        }
        self.clauses.any(&later)
    }

    /// Whether a read of a global could have a source: a write of another thread, or the last one of
    /// its own.
    fn is_candidate(&self, read: StateId, global: GlobalId, from: Option<StateId>) -> bool {
        let is_foreign = |write: StateId| {
            let writes = self.ctp.step(write).action.written().is_some_and(|(g, _)| g == global);
            writes && self.ctp.state(write).thread != self.ctp.state(read).thread
        };
        from == last_write(self.ctp, read, global) || from.is_some_and(is_foreign)
    }

    /// The value of a condition right behind a step.
    fn condition(&mut self, state: StateId, condition: &Condition) -> Word {
        match condition {
            Condition::Number(number) => Word::constant(*number),
            Condition::Global(global) => self.seen(state, *global),
            Condition::Binary(op, kind, left, right) => {
                let (left, right) = (self.condition(state, left), self.condition(state, right));
                let n_bits = 8 * kind.size() as usize;
                binary(&mut self.clauses, *op, *kind, &left, &right, n_bits)
            }
        }
    }

    /// The value of a global right behind a step, made once.
    fn seen(&mut self, state: StateId, global: GlobalId) -> Word {
        if let Some(known) = self.observed.get(&(state, global)) {
            return known.clone();
        }
        let word = self.observe(state, global);
        self.observed.insert((state, global), word.clone());
        word
    }
}
