//! Saturation: what a query makes unavoidable, whatever the values are.
//!
//! In: what is forced in every execution, and the steps and orders that a query names. Out: steps
//! that happen, steps that do not, and an order of transactions, closed under U1–U4; or that there
//! is none, which answers the query. Follows Kahlon & Wang (CAV 2010), Sec. 3 and 5, but only where
//! data cannot matter: a read may read from another write than in the run, so nothing follows from
//! the sources that were observed, only from one that the query names.
//!
//! - U1 (threads): a step needs the one before it, its thread's fork, and the ends of threads that it
//!   joins. Behind a step that does not happen nothing does.
//! - U2 (locks): of two sections that happen, one ends before the other begins. If something of the
//!   one comes before something of the other, or the other does not end, it is that one: its end
//!   happens, before the other begins.
//! - U3 (waits): a wait that was ended needs a notify in between; if only one can be it, it is.
//! - U4 (sources): no write falls between the write that the query names and its read.
//!
//! Where paths of merged runs leave several candidates for a fork, an end or a notify, nothing is
//! concluded.

mod rules;

use raddle_solve::Closure;

pub(super) use self::rules::Rules;
use super::query::Query;
use super::section::Section;
use crate::ctp::{Ctp, StateId, ThreadId};

/// What a query makes unavoidable.
#[derive(Clone, Debug)]
pub struct Unavoidable {
    happens: Vec<bool>,
    never: Vec<bool>,
    order: Closure,
    element: Vec<u32>,
    /// What the rules about locks and waits have added: ends and notifies, and pairs of steps.
    pub(super) added: Vec<StateId>,
    pub(super) ordered: Vec<(StateId, StateId)>,
}

impl Unavoidable {
    /// Whether the step into a state happens in every execution that fits.
    pub fn happens(&self, state: StateId) -> bool {
        self.happens[state.0 as usize]
    }

    /// Whether the step into a state happens in no execution that fits.
    pub fn is_absent(&self, state: StateId) -> bool {
        self.never[state.0 as usize]
    }

    /// Whether one step comes before another one of another thread in every execution that fits, if
    /// both happen.
    pub fn is_before(&self, a: StateId, b: StateId) -> bool {
        let [a, b] = [a, b].map(|state| self.element[state.0 as usize]);
        a != u32::MAX && b != u32::MAX && self.order.is_before(a, b)
    }
}

/// The closure of what a query asks for; none if it contradicts itself.
pub(super) fn saturate(
    ctp: &Ctp,
    rules: &Rules,
    element: &[u32],
    forced: &Closure,
    query: &Query,
) -> Option<Unavoidable> {
    let n_states = ctp.states.len();
    let known = Unavoidable {
        happens: vec![false; n_states],
        never: vec![false; n_states],
        order: forced.clone(),
        element: element.to_vec(),
        added: Vec::new(),
        ordered: Vec::new(),
    };
    let mut work = Work { ctp, rules, known, changed: true };
    work.begin(query)?;
    while std::mem::take(&mut work.changed) {
        work.locks()?;
        work.waits()?;
        work.source(query)?;
    }
    Some(work.known)
}

struct Work<'a> {
    ctp: &'a Ctp,
    rules: &'a Rules,
    known: Unavoidable,
    changed: bool,
}

impl Work<'_> {
    /// What the query names.
    fn begin(&mut self, query: &Query) -> Option<()> {
        match query {
            Query::Reaches(state) | Query::Breaks(state, _) => self.happens(*state),
            Query::Fails(state, _) | Query::Leaves(state, _) => self.comes_to(*state),
            Query::Meet(states) => states.iter().try_for_each(|&state| {
                self.comes_to(state)?;
                self.never(state)
            }),
            Query::ReadsFrom(read, from) => {
                self.happens(*read)?;
                from.map_or(Some(()), |write| self.happens(write))
            }
            Query::Events(pattern) => {
                pattern.present.iter().try_for_each(|&state| self.happens(state))?;
                pattern.absent.iter().try_for_each(|&state| self.never(state))?;
                pattern.before.iter().try_for_each(|&(a, b)| {
                    self.happens(a)?;
                    self.happens(b)?;
                    self.before(a, b)
                })
            }
        }
    }

    fn comes_to(&mut self, state: StateId) -> Option<()> {
        if let Some(parent) = self.ctp.state(state).parent {
            self.happens(parent)?;
        }
        let ctp = self.ctp;
        ctp.step(state).joins.iter().try_for_each(|&thread| self.ended(thread))
    }

    fn ended(&mut self, thread: ThreadId) -> Option<()> {
        match self.rules.ends[thread.0 as usize][..] {
            [end] => self.happens(end),
            _ => Some(()),
        }
    }

    /// U1: a step happens, and what it needs.
    fn happens(&mut self, state: StateId) -> Option<()> {
        let mut open = vec![state];
        while let Some(state) = open.pop() {
            if self.known.never[state.0 as usize] {
                return None;
            }
            if std::mem::replace(&mut self.known.happens[state.0 as usize], true) {
                continue;
            }
            self.changed = true;
            open.extend(self.ctp.state(state).parent);
            let one = |states: &[StateId]| match states {
                [only] => Some(*only),
                _ => None,
            };
            if self.ctp.state(state).parent.is_none() {
                open.extend(one(&self.rules.forks[self.ctp.state(state).thread.0 as usize]));
            }
            let joins = self.ctp.step(state).joins.iter();
            open.extend(joins.filter_map(|thread| one(&self.rules.ends[thread.0 as usize])));
        }
        Some(())
    }

    /// U1: a step does not happen, and nothing behind it.
    fn never(&mut self, state: StateId) -> Option<()> {
        let mut open = vec![state];
        while let Some(state) = open.pop() {
            if self.known.happens[state.0 as usize] {
                return None;
            }
            if !std::mem::replace(&mut self.known.never[state.0 as usize], true) {
                self.changed = true;
                open.extend(&self.rules.children[state.0 as usize]);
            }
        }
        Some(())
    }

    /// Both happen, one before the other.
    fn before(&mut self, a: StateId, b: StateId) -> Option<()> {
        let [x, y] = [a, b].map(|state| self.known.element[state.0 as usize]);
        if self.ctp.state(a).thread == self.ctp.state(b).thread || x == u32::MAX || y == u32::MAX {
            return Some(());
        }
        if !self.known.order.is_before(x, y) {
            self.changed = true;
            self.known.ordered.push((a, b));
        }
        self.known.order.add(x, y).then_some(())
    }

    /// A step happens that the query does not name.
    fn add(&mut self, state: StateId) -> Option<()> {
        if !self.known.happens(state) {
            self.known.added.push(state);
        }
        self.happens(state)
    }

    /// U2.
    fn locks(&mut self) -> Option<()> {
        let rules = self.rules;
        rules.rivals.iter().try_for_each(|&(n, m)| {
            let (one, other) = (&rules.sections[n], &rules.sections[m]);
            if !(self.known.happens(one.taken) && self.known.happens(other.taken)) {
                return Some(());
            }
            match (self.can_precede(one, other), self.can_precede(other, one)) {
                (true, true) => Some(()),
                (true, false) => self.precedes(one, other),
                (false, true) => self.precedes(other, one),
                (false, false) => None,
            }
        })
    }

    fn can_precede(&self, one: &Section, other: &Section) -> bool {
        let can =
            |&end: &StateId| !self.known.is_absent(end) && !self.known.is_before(other.taken, end);
        one.ends.iter().any(can)
    }

    fn precedes(&mut self, one: &Section, other: &Section) -> Option<()> {
        let [end] = one.ends[..] else { return Some(()) };
        self.add(end)?;
        self.before(end, other.taken)
    }

    /// U3.
    fn waits(&mut self) -> Option<()> {
        let rules = self.rules;
        rules.waits.iter().try_for_each(|wait| {
            if !self.known.happens(wait.woken) {
                return Some(());
            }
            let can = |&&notify: &&StateId| {
                !self.known.is_absent(notify)
                    && !self.known.is_before(wait.woken, notify)
                    && !wait.start.is_some_and(|start| self.known.is_before(notify, start))
            };
            let mut left = wait.notifies.iter().filter(can);
            match (left.next().copied(), left.next()) {
                (None, _) => None,
                (Some(notify), None) => {
                    self.add(notify)?;
                    wait.start.map_or(Some(()), |start| self.before(start, notify))?;
                    self.before(notify, wait.woken)
                }
                _ => Some(()),
            }
        })
    }

    /// U4.
    fn source(&mut self, query: &Query) -> Option<()> {
        let Query::ReadsFrom(read, Some(write)) = *query else { return Some(()) };
        let Some((global, _)) = self.ctp.step(read).action.read() else { return Some(()) };
        self.before(write, read)?;
        let writes = |id: &StateId| {
            let written = self.ctp.step(*id).action.written().is_some_and(|(g, _)| g == global);
            written && *id != write && *id != read && self.known.happens(*id)
        };
        for other in self.ctp.state_ids().filter(writes).collect::<Vec<_>>() {
            if self.is_behind(write, other) {
                self.before(read, other)?;
            }
            if self.is_behind(other, read) {
                self.before(other, write)?;
            }
        }
        Some(())
    }

    /// Whether the second step comes behind the first, in its thread or by what is known.
    fn is_behind(&self, first: StateId, second: StateId) -> bool {
        match self.ctp.state(first).thread == self.ctp.state(second).thread {
            true => self.rules.ancestry.is_before(first, second),
            false => self.known.is_before(first, second),
        }
    }
}
