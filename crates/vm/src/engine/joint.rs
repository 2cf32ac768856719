//! Whether anything leads out of a state in which every thread spins (rule P4 of `spin`).
//!
//! In: the state of the machine at a point. Out: whether, however threads take turns and whatever the answers to their
//! questions are, they stay within a finite set of states, in none of which the program ends, fails or is deadlocked.
//! That is a property of the state: it does not depend on what runs were made before, so caches lose nothing of it.
//! Threads that only a spurious wake-up lets go on count as blocked.
//!
//! Where something leads out, but a run does not take it, the run may go on for ever: a thread that would leave its loop
//! with another input gives way to others again and again. It ends where it comes to a state in which it was.

use raddle_explore::{Outcome as End, Run};
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

/// From how many points on a run is looked at.
pub(super) const N_POINTS: usize = 128;

/// Of how many questions in a row states are compared.
const N_ASKED_MIN: usize = 8;
const N_ASKED_MAX: usize = 256;

/// Whether a run comes back to where it was (Brent's way to find a cycle).
#[derive(Debug, Default)]
pub(super) struct Circuit {
    /// States to compare with, each at least twice as far in the run as the one before.
    marks: Vec<Mark>,
    /// A state in which the current thread was asked something.
    asked: Option<u128>,
}

/// A state in which a thread was switched to.
#[derive(Clone, Copy, Debug)]
struct Mark {
    point: usize,
    key: (u128, u64, u32),
}

impl Circuit {
    /// Another run begins, which has the first points of the last one.
    pub(super) fn rewind(&mut self, n_points: usize) {
        self.marks.retain(|mark| mark.point < n_points);
        self.asked = None;
    }

    /// A thread is switched to at a point: whether the run has been there before.
    pub(super) fn is_closed(&mut self, engine: &VmEngine, thread: u32, point: usize) -> bool {
        // Time is no part of it unless the clock was read on the way.
        let n_clock = engine.machine.state.counters.n_clock;
        let key = (engine.machine.fingerprint(), engine.spins.history() ^ n_clock, thread);
        let is_closed = self.marks.last().is_some_and(|mark| mark.key == key);
        if self.is_due(point) {
            self.marks.push(Mark { point, key });
        }
        is_closed
    }

    /// Whether the next mark is due.
    pub(super) fn is_due(&self, point: usize) -> bool {
        point >= self.marks.last().map_or(N_POINTS, |mark| 2 * mark.point)
    }

    /// Whether the current thread is asked something in a state in which it was asked before, and no other thread
    /// continued since.
    pub(super) fn has_same_question(&mut self, engine: &VmEngine, run: &Run) -> bool {
        let at = run.points().len();
        // Time is part of what repeats, once the clock was read.
        if engine.machine.state.counters.n_clock > 0 {
            return false;
        }
        if let Some(&state) = run.fingerprints.get(at) {
            let from = engine.spins.stretch.start.max(at.saturating_sub(N_ASKED_MAX));
            return run.fingerprints[from..at].contains(&state);
        }
        // Where it comes to points among threads on the way, that is noticed there.
        let is_answer = |&point: &usize| !matches!(run.taken(point), Choice::Thread(_));
        let n = (0..at).rev().take_while(is_answer).take(N_ASKED_MAX).count();
        if n < N_ASKED_MIN {
            return false;
        }
        let state = engine.machine.fingerprint();
        let is_same = n > N_ASKED_MIN && self.asked == Some(state);
        if n.is_power_of_two() {
            self.asked = Some(state);
        }
        is_same
    }
}

impl VmEngine {
    /// How a run ends that is asked the same again in the same state: what follows from there follows from the first
    /// time, with other answers, too. If no answer lets the thread leave, it spins; that shows at its next point among
    /// threads, if there is one.
    pub(super) fn repeat_by_answers(&mut self, run: &mut Run) -> Option<End> {
        match self.asked_alone() {
            (Alone::Cycles { .. }, true) => return None,
            (Alone::Cycles { .. }, false) => {}
            _ => return Some(End::Repeats),
        }
        let (current, machine) = (self.machine.current(), &self.machine);
        let can_go_on = |&thread: &u32| {
            machine.can_run_out(thread) || machine.can_go(thread) && machine.is_gate_open(thread)
        };
        if !(0..machine.n_threads()).filter(|&thread| thread != current).any(|t| can_go_on(&t)) {
            return Some(self.livelock("no input lets it leave its loop"));
        }
        run.endless.push(self.endless_here(current));
        Some(End::Repeats)
    }

    /// Whether nothing leads out of the state of the machine, which has this fingerprint.
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

    /// Whether threads stay within some states, whichever goes on.
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
