//! Costs: what an enumeration counts.

use raddle_finding::Choice;
use serde::{Deserialize, Serialize};

use crate::run::Run;

/// What a choice costs.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Cost {
    /// A preemption costs 1, an input other than the first one too, everything else nothing.
    Preemptions,
    /// Passing over a thread in the order of a round-robin scheduler costs 1 (Emmi, Qadeer and
    /// Rakamarić, POPL 2011).
    Delays,
    /// Nothing costs anything: depth-first search.
    Nothing,
}

impl Cost {
    /// What it costs to take an alternative at a point instead of what the engine's default took.
    pub(crate) fn of(self, run: &Run, point: usize, index: usize) -> u32 {
        let alternatives = run.alternatives(point);
        let choice = alternatives[index];
        match (self, choice) {
            (Cost::Preemptions, choice) => run.cost(point, choice),
            (Cost::Delays, Choice::Thread(_)) => {
                let (n, taken) = (alternatives.len(), run.points()[point].taken as usize);
                ((index + n - taken) % n) as u32
            }
            (Cost::Delays, _) | (Cost::Nothing, _) => 0,
        }
    }
}
