//! What a program did of what was predicted of it.

use std::collections::{BTreeMap, BTreeSet};

use raddle_finding::{Finding, Schedule, Verdict};
use raddle_predict::Prediction;
use raddle_trace::{EventId, Trace};

use super::find;

/// What the program did of what was predicted.
#[derive(Default)]
pub struct Confirmed {
    shown: BTreeMap<(&'static str, Vec<EventId>), Shown>,
    /// Predictions that values rule out, in every interleaving of the run.
    ruled_out: BTreeSet<(&'static str, Vec<EventId>)>,
    /// How many predictions were tried.
    pub n_tried: usize,
}

/// How the program did what was predicted.
pub struct Shown {
    /// How the run ended, in a word.
    pub outcome: &'static str,
    /// The schedule that shows it again.
    pub schedule: Schedule,
}

impl Confirmed {
    /// The program did what was predicted.
    pub fn add(&mut self, prediction: &dyn Prediction, trace: &Trace, shown: Shown) {
        self.shown.insert(key(prediction, trace), shown);
    }

    /// How the program did it, if it did.
    pub fn get(&self, prediction: &dyn Prediction, trace: &Trace) -> Option<&Shown> {
        self.shown.get(&key(prediction, trace))
    }

    /// Values rule a prediction out.
    pub fn rule_out(&mut self, prediction: &dyn Prediction, trace: &Trace) {
        self.ruled_out.insert(key(prediction, trace));
    }

    /// Whether values rule a prediction out.
    pub fn is_ruled_out(&self, prediction: &dyn Prediction, trace: &Trace) -> bool {
        self.ruled_out.contains(&key(prediction, trace))
    }

    /// How many predictions values rule out.
    pub fn n_ruled_out(&self) -> usize {
        self.ruled_out.len()
    }

    /// How many predictions the program did.
    pub fn n_shown(&self) -> usize {
        self.shown.len()
    }
}

impl Shown {
    /// Marks a finding as done by the program.
    pub fn mark(&self, finding: &mut Finding) {
        finding.verdict = Verdict::Replayed;
        finding.schedule = Some(self.schedule.clone());
        finding.outcome = Some(self.outcome.to_owned());
    }
}

fn key(prediction: &dyn Prediction, trace: &Trace) -> (&'static str, Vec<EventId>) {
    (find::key(prediction.property()), prediction.decisive(trace))
}
