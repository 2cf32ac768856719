//! What is open at a point, what leaving the current thread means there, and what is taken.
//!
//! Rules E1 to E4 are applied here; the choices that are open are noted in the run.

use raddle_cfront::ir::{Op, Primitive};
use raddle_explore::{Chooser, Defect, Observe, Run, Scene};
use raddle_finding::Choice;

use super::VmEngine;
use crate::question::Question;
use crate::site::Site;
use crate::thread::Stage;

/// The most values that a program can be given at one point.
const N_VALUES_MAX: i128 = 1 << 16;

/// What a point is like before something is chosen.
pub(super) struct Situation {
    pub(super) current: u32,
    pub(super) preemptible: bool,
    pub(super) spinning: bool,
}

impl VmEngine {
    /// Notes what is open; false if that is too much.
    pub(super) fn describe(&self, observe: Observe, run: &mut Run) -> bool {
        match self.machine.question() {
            None => {}
            Some(Question::Thread(threads)) => {
                if self.machine.is_stuck() {
                    run.open(Choice::Spurious(false));
                }
                // If there is nothing else to do, those go on that may only compute.
                let all = self.spins.are_aside(threads);
                let offered = |thread: &&u32| match all {
                    true => self.spins.computes(**thread),
                    false => !self.spins.is_aside(**thread),
                };
                for &thread in threads.iter().filter(offered) {
                    run.open(Choice::Thread(thread));
                    if observe.operations {
                        self.note(thread, run);
                    }
                }
            }
            Some(Question::Waiter(waiters)) => {
                waiters.iter().for_each(|&waiter| run.open(Choice::Waiter(waiter)));
            }
            Some(Question::Timeout) => {
                run.open(Choice::Timeout(false));
                run.open(Choice::Timeout(true));
            }
            Some(Question::Spurious) => {
                run.open(Choice::Spurious(false));
                run.open(Choice::Spurious(true));
            }
            Some(Question::Value { low, high }) => {
                if i128::from(high) - i128::from(low) >= N_VALUES_MAX {
                    return false;
                }
                // The default comes first: others cost something.
                let first = 0.clamp(low, high);
                run.open(Choice::Value(first));
                let others = (low..=high).filter(|&value| value != first);
                others.for_each(|value| run.open(Choice::Value(value)));
            }
            Some(Question::Input(values)) => {
                let n = if Defect::FirstInput.is_there() { 1 } else { values.len() };
                values[..n].iter().for_each(|&value| run.open(Choice::Value(value)));
            }
        }
        true
    }

    /// Offers what a plan wants although E4 holds it back: a schedule may come from other points.
    pub(super) fn admit(&self, planned: Option<Choice>, observe: Observe, run: &mut Run) {
        let Some(choice @ Choice::Thread(thread)) = planned else { return };
        let Some(Question::Thread(threads)) = self.machine.question() else { return };
        if threads.contains(&thread) && !run.opened().contains(&choice) {
            run.open(choice);
            if observe.operations {
                self.note(thread, run);
            }
        }
    }

    /// What leaving the current thread means; `is_free` if it is known that it spins.
    pub(super) fn situation(&self, is_free: bool) -> Situation {
        let current = self.machine.current();
        let free = Situation { current, preemptible: false, spinning: false };
        let Some(Question::Thread(threads)) = self.machine.question() else { return free };
        let among = threads.len() > 1 && threads.contains(&current);
        if !among || !self.machine.is_gate_open(current) {
            return free;
        }
        let yields = self.yields(current);
        let spins = is_free || self.spins.is_aside(current);
        Situation { current, preemptible: !yields && !spins, spinning: !yields && spins }
    }

    /// Whether a thread stopped before a yield or a sleep.
    pub(super) fn yields(&self, thread: u32) -> bool {
        let at = &self.machine.state.threads[thread as usize];
        let Site { function, op } = at.site();
        let op = self.machine.image.function(function).code[op as usize];
        at.core.stage == Stage::Start
            && matches!(op, Op::Primitive { call: Primitive::Yield | Primitive::Sleep, .. })
    }

    /// Which of the open choices is taken.
    pub(super) fn choose(
        &self,
        run: &Run,
        situation: &Situation,
        planned: Option<Choice>,
        chooser: &mut Chooser,
    ) -> Option<usize> {
        let open = run.opened();
        if let Some(choice) = planned {
            return open.iter().position(|&other| other == choice);
        }
        let goes_on = situation.preemptible.then_some(Choice::Thread(situation.current));
        let default = match open {
            [_] => 0,
            _ => {
                let choice = goes_on.or_else(|| self.machine.default_choice());
                // The policy knows nothing of E4: if its thread is not offered, the next one is.
                let next = Choice::Thread(situation.current);
                let index = open.iter().position(|&other| Some(other) == choice);
                index.or_else(|| open.iter().position(|&other| other > next)).unwrap_or(0)
            }
        };
        let scene = Scene {
            alternatives: open,
            operations: run.pendings(),
            current: situation.current,
            preemptible: situation.preemptible,
            default,
        };
        chooser.choose(&scene)
    }
}
