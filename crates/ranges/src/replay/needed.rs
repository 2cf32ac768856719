//! The part of an execution that a thread needs to come before a step.
//!
//! In: steps in an order. Out: those of them, in the same order, without which the thread could not be
//! there with the values that it has. What others do besides may end the program before: an assertion of
//! theirs may fail.
//!
//! - N1: a step needs the one before it in its thread, the fork of its thread, and the ends of those
//!   that it joins.
//! - N2: a read needs the write that it reads from, which is the last one before it. The rest cannot
//!   come in between.
//! - N3: a thread that takes a lock needs those that are in a section before it to leave it.
//! - N4: what needs more than that of others, as waits and semaphores do, needs all that came before.

use std::collections::BTreeMap;

use crate::ctp::{Action, Ctp, StateId, ThreadId};

/// The steps before a state that it depends on.
pub(super) fn needed(ctp: &Ctp, steps: &[StateId], state: StateId) -> Vec<StateId> {
    let mut slice = Slice { ctp, steps, kept: vec![false; steps.len()], open: Vec::new() };
    slice.precede(steps.len(), state);
    loop {
        while let Some(at) = slice.open.pop() {
            slice.follow(at);
        }
        slice.leave_sections();
        if slice.open.is_empty() {
            break;
        }
    }
    let kept = steps.iter().zip(&slice.kept).filter(|(_, kept)| **kept);
    kept.map(|(step, _)| *step).collect()
}

struct Slice<'a> {
    ctp: &'a Ctp,
    steps: &'a [StateId],
    kept: Vec<bool>,
    /// Places of steps that were kept and not followed yet.
    open: Vec<usize>,
}

impl Slice<'_> {
    fn keep(&mut self, at: usize) {
        if !std::mem::replace(&mut self.kept[at], true) {
            self.open.push(at);
        }
    }

    fn keep_those(&mut self, until: usize, is_needed: impl Fn(StateId) -> bool) {
        for at in (0..until).filter(|&at| is_needed(self.steps[at])) {
            self.keep(at);
        }
    }

    /// N1.
    fn precede(&mut self, at: usize, step: StateId) {
        let (ctp, thread) = (self.ctp, self.ctp.state(step).thread);
        let joined = &ctp.step(step).joins;
        self.keep_those(at, |other| {
            let whose = ctp.state(other).thread;
            whose == thread || joined.contains(&whose) || ctp.step(other).forks.contains(&thread)
        });
    }

    /// N1, N2, N4.
    fn follow(&mut self, at: usize) {
        let (ctp, step) = (self.ctp, self.steps[at]);
        self.precede(at, step);
        let action = ctp.step(step).action;
        if let Some((global, _)) = action.read() {
            let writes = |&at: &usize| {
                let written = ctp.step(self.steps[at]).action.written();
                written.is_some_and(|(written, _)| written == global)
            };
            let source = (0..at).rev().find(writes);
            source.into_iter().for_each(|at| self.keep(at));
        }
        let is_simple = match action {
            Action::Acquire { woken, .. } => woken.is_none(),
            Action::Release { waits, .. } => waits.is_none(),
            Action::Nothing
            | Action::Read { .. }
            | Action::Write { .. }
            | Action::Update { .. } => true,
            _ => false,
        };
        if !is_simple {
            self.keep_those(at, |_| true);
        }
    }

    /// N3: of a lock that is taken again later, sections that were begun are ended.
    fn leave_sections(&mut self) {
        let mut inside: BTreeMap<_, Vec<ThreadId>> = BTreeMap::new();
        for at in 0..self.steps.len() {
            let step = self.steps[at];
            let thread = self.ctp.state(step).thread;
            match self.ctp.step(step).action {
                Action::Acquire { lock, .. } if self.kept[at] => {
                    let others = inside.entry(lock).or_default();
                    others.push(thread);
                    for &other in others.iter().filter(|other| **other != thread) {
                        let leaves = |&at: &usize| {
                            let step = self.steps[at];
                            self.ctp.state(step).thread == other
                                && matches!(self.ctp.step(step).action,
                                    Action::Release { lock: left, .. } if left == lock)
                        };
                        let end = (0..at).rev().find(leaves);
                        end.into_iter().for_each(|at| self.keep(at));
                    }
                }
                Action::Release { lock, .. } if self.kept[at] => {
                    inside.entry(lock).or_default().retain(|other| *other != thread);
                }
                _ => {}
            }
        }
    }
}
