//! Where threads may stop (E1).
//!
//! Whether a step happens is a choice only where something can keep it from happening. Every other
//! step happens if all do that it needs: the one before it, the fork of its thread, the ends of threads
//! that it joins. If one literal says so, that is its own, too; mostly it is `true`.
//!
//! - K1: guards keep a step from happening, unless intervals decide them, and so do tries that fail,
//!   what happens only once, and whatever waits for more than a lock. So does another path where paths part.
//! - K2: a lock keeps a step from happening if a thread can stop while it has it: if a section has
//!   no end, or a step that is kept from happening.
//!
//! This is exact. Take an execution that answers a query, and let threads go on at its very end while
//! they come to steps that nothing keeps from happening. Locks are no obstacle: a thread that has one goes
//! on, too, until it is given back, by induction over K2. Nothing that happened before can notice. What
//! a query says about values, sources and orders of steps that happen still holds, so only a query that
//! wants such a step *not* to happen needs a literal for it.

use raddle_solve::{Clauses, Lit};

use super::query::Query;
use super::saturate::Rules;
use super::values::Values;
use crate::ctp::{Action, Ctp, StateId};

/// Which steps have a literal of their own.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Stops {
    /// Those that something can keep from happening.
    WhereKept,
    /// All.
    Anywhere,
}

/// For each state whether something can keep the step into it from happening.
pub(super) struct Kept(Vec<bool>);

impl Kept {
    pub(super) fn new(ctp: &Ctp, rules: &Rules, values: &Values) -> Kept {
        // Until K2 shows that it does not, every lock keeps steps from happening.
        let mut free = vec![false; ctp.locks.len()];
        loop {
            let kept =
                Kept(ctp.state_ids().map(|id| is_kept(ctp, rules, values, &free, id)).collect());
            let more = kept.free_locks(ctp, rules);
            if more == free {
                return kept;
            }
            free = more;
        }
    }

    /// K2.
    fn free_locks(&self, ctp: &Ctp, rules: &Rules) -> Vec<bool> {
        let mut free = vec![true; ctp.locks.len()];
        ctp.onces.iter().for_each(|lock| free[lock.0 as usize] = false);
        for section in &rules.sections {
            let [end] = section.ends[..] else {
                free[section.lock.0 as usize] = false;
                continue;
            };
            let inside = std::iter::successors(Some(end), |id| ctp.state(*id).parent);
            let mut inside = inside.take_while(|id| *id != section.taken);
            free[section.lock.0 as usize] &= !inside.any(|id| self.0[id.0 as usize]);
        }
        free
    }

    /// Which literals a query needs.
    pub(super) fn stops(&self, query: &Query) -> Stops {
        let absent = match query {
            Query::Meet(states) => states,
            Query::Events(pattern) => &pattern.absent,
            _ => return Stops::WhereKept,
        };
        match absent.iter().all(|state| self.0[state.0 as usize]) {
            true => Stops::WhereKept,
            false => Stops::Anywhere,
        }
    }

    /// Whether the step into each state happens; that of a first state is always true.
    pub(super) fn literals(
        &self,
        stops: Stops,
        ctp: &Ctp,
        rules: &Rules,
        clauses: &mut Clauses,
    ) -> Vec<Lit> {
        let mut happens: Vec<Option<Lit>> = vec![None; ctp.states.len()];
        let mut open: Vec<_> = ctp.state_ids().collect();
        // What a step needs may have a higher number; threads that wait for each other need literals.
        while let Some(&first) = open.first() {
            let n_open = open.len();
            open.retain(|&id| {
                let is_own = stops == Stops::Anywhere || self.0[id.0 as usize];
                let lit = match ctp.state(id).parent {
                    None => Some(Lit::TRUE),
                    Some(_) if is_own => Some(new(clauses)),
                    Some(_) => shared(ctp, rules, &happens, id)
                        .map(|lit| lit.unwrap_or_else(|| new(clauses))),
                };
                happens[id.0 as usize] = lit;
                lit.is_none()
            });
            if open.len() == n_open {
                happens[first.0 as usize] = Some(new(clauses));
                open.remove(0);
            }
        }
        happens.into_iter().map(|lit| lit.expect("all have one")).collect()
    }
}

/// A literal for whether a step happens.
fn new(clauses: &mut Clauses) -> Lit {
    // The run that was observed is a good place to start from.
    clauses.fresh_supposed()
}

/// K1, and K2 as far as it is known.
fn is_kept(ctp: &Ctp, rules: &Rules, values: &Values, free: &[bool], id: StateId) -> bool {
    let step = ctp.step(id);
    let waits = match step.action {
        Action::Acquire { lock, woken: None, .. } => !free[lock.0 as usize],
        action => action.waits(),
    };
    let alone = |before: StateId| rules.children[before.0 as usize].len() == 1;
    waits
        || !step.guards.iter().all(|guard| values.always_holds(guard.condition))
        || !ctp.state(id).parent.is_none_or(alone)
}

/// The one literal that says that all has happened that a step needs, if there is one; none as long as
/// the literals of others are not known.
fn shared(ctp: &Ctp, rules: &Rules, happens: &[Option<Lit>], id: StateId) -> Option<Option<Lit>> {
    let state = ctp.state(id);
    let before = state.parent.expect("a first state needs nothing");
    let mut needed = vec![before];
    if ctp.state(before).parent.is_none() {
        match rules.forks[state.thread.0 as usize][..] {
            [] => {}
            [fork] => needed.push(fork),
            _ => return Some(None),
        }
    }
    for thread in &state.step.joins {
        let [end] = rules.ends[thread.0 as usize][..] else { return Some(None) };
        needed.push(end);
    }
    let mut one = Lit::TRUE;
    for needed in needed {
        match happens[needed.0 as usize]? {
            Lit::TRUE => {}
            lit if one == Lit::TRUE || one == lit => one = lit,
            _ => return Some(None),
        }
    }
    Some(Some(one))
}
