//! Whether anything leads out of a state in which every thread spins (rule P4 of `spin`).
//!
//! In: the state of the machine at a point. Out: whether, however threads take turns and whatever the answers to their
//! questions are, they stay within a finite set of states, in none of which the program ends, fails or is deadlocked.
//! That is a property of the state: it does not depend on what runs were made before, so caches lose nothing of it.
//! Threads that only a spurious wake-up lets go on count as blocked.
//!
//! Where something leads out, but a run does not take it, the run may go on for ever: a thread that would leave its loop
//! with another input gives way to others again and again. It ends where it comes to a state in which it was.

use raddle_finding::Choice;
use rustc_hash::FxHashSet;

use super::VmEngine;
use super::round::{Alone, answers, can_go_on, snapshot};
use crate::machine::Machine;
use crate::question::Question;

/// The most states that are looked at. Where there are more, a livelock shows by a state that comes again.
const N_STATES_MAX: usize = 1_024;

/// How many states are remembered.
const N_REMEMBERED: usize = 1 << 16;

/// From how many points behind its prefix on a run is looked at.
const N_POINTS: usize = 128;

/// Whether a run comes back to where it was (Brent's way to find a cycle).
#[derive(Default)]
pub(super) struct Circuit {
    mark: Option<(u128, u64, u32)>,
    next: usize,
}

impl Circuit {
    /// Whether it does, where a thread is switched to after so many points.
    pub(super) fn is_closed(&mut self, engine: &VmEngine, thread: u32, n_points: usize) -> bool {
        if n_points < N_POINTS {
            return false;
        }
        // Time is no part of it unless the clock was read on the way.
        let n_clock = engine.machine.state.counters.n_clock;
        let key = (engine.machine.fingerprint(), engine.spins.history() ^ n_clock, thread);
        let is_closed = self.mark == Some(key);
        if n_points >= self.next {
            (self.mark, self.next) = (Some(key), 2 * n_points);
        }
        is_closed
    }
}

impl VmEngine {
    /// Whether nothing leads out of the state of the machine.
    pub(super) fn is_hopeless_here(&mut self) -> bool {
        self.is_hopeless(self.machine.fingerprint())
    }

    /// The same; the state has this fingerprint.
    pub(super) fn is_hopeless(&mut self, state: u128) -> bool {
        if let Some(&known) = self.hopeless.get(&state) {
            return known;
        }
        let threads = able(&self.machine);
        let is_hopeless = !threads.is_empty()
            && threads.iter().all(|&thread| matches!(self.alone(thread), Alone::Cycles { .. }))
            && self.is_closed();
        if self.hopeless.len() >= N_REMEMBERED {
            self.hopeless.clear();
        }
        self.hopeless.insert(state, is_hopeless);
        is_hopeless
    }

    /// Whether threads stay within some states, whoever goes on.
    fn is_closed(&mut self) -> bool {
        let mut machine = self.second();
        machine.state.clone_from(&self.machine.state);
        let mut reached = FxHashSet::from_iter([machine.fingerprint()]);
        let mut open = vec![snapshot(&machine)];
        let mut is_closed = true;
        while let Some(saved) = open.pop()
            && is_closed
        {
            machine.restore(&saved);
            for choice in choices(&machine) {
                machine.restore(&saved);
                machine.take(choice, &mut ());
                is_closed &= !choices(&machine).is_empty() && reached.len() < N_STATES_MAX;
                if is_closed && reached.insert(machine.fingerprint()) {
                    open.push(snapshot(&machine));
                }
            }
        }
        self.second = Some(machine);
        is_closed
    }
}

/// The threads that can go on by themselves.
fn able(machine: &Machine) -> Vec<u32> {
    let Some(Question::Thread(threads)) = machine.question() else { return Vec::new() };
    threads.iter().copied().filter(|&thread| can_go_on(machine, thread)).collect()
}

/// What can come next; nothing if that is the end.
fn choices(machine: &Machine) -> Vec<Choice> {
    match machine.question() {
        Some(Question::Thread(_)) => able(machine).into_iter().map(Choice::Thread).collect(),
        _ => answers(machine, machine.current()),
    }
}
