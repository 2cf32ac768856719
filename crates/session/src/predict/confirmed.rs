//! What a program did of what was predicted of it.

use std::collections::{BTreeMap, BTreeSet};

use raddle_finding::{Finding, Schedule, Verdict};
use raddle_trace::{EventId, Trace};

use super::find;
use super::item::Item;

/// What the program did of what was predicted.
#[derive(Default)]
pub struct Confirmed {
    shown: BTreeMap<(&'static str, Vec<EventId>), Shown>,
    /// Findings that values rule out, in every interleaving of the run.
    ruled_out: BTreeSet<(&'static str, Vec<EventId>)>,
    /// How many findings were tried.
    pub n_tried: usize,
}

/// A finding that the program did.
pub struct Shown {
    /// How the run ended, in a word.
    pub outcome: &'static str,
    /// Does it again.
    pub schedule: Schedule,
}

impl Confirmed {
    /// The program did a finding.
    pub fn add(&mut self, item: Item<'_>, trace: &Trace, shown: Shown) {
        self.shown.insert(key(item, trace), shown);
    }

    /// How the program did it, if it did.
    pub fn get(&self, item: Item<'_>, trace: &Trace) -> Option<&Shown> {
        self.shown.get(&key(item, trace))
    }

    /// Values rule a finding out.
    pub fn rule_out(&mut self, item: Item<'_>, trace: &Trace) {
        self.ruled_out.insert(key(item, trace));
    }

    /// Whether values rule a finding out.
    pub fn is_ruled_out(&self, item: Item<'_>, trace: &Trace) -> bool {
        self.ruled_out.contains(&key(item, trace))
    }

    /// How many findings values rule out.
    pub fn n_ruled_out(&self) -> usize {
        self.ruled_out.len()
    }

    /// How many findings the program did.
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

fn key(item: Item<'_>, trace: &Trace) -> (&'static str, Vec<EventId>) {
    (find::key(item.property()), item.decisive(trace))
}
