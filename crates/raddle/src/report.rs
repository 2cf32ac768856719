//! Reports: what was covered, what was found, and how that is said.
//!
//! What was found is rendered as in all reports (`raddle-report`), and is the same document; lines
//! of the source are read when something is shown.

mod claim;
mod lazy;
mod publish;

use std::fmt::{self, Write};
use std::sync::Arc;
use std::time::Duration;

use raddle_explore::{Ending, Maxima, Report as Searched};
use raddle_report::text::{self, Styles};

use crate::ladder::BEYOND;
pub(crate) use lazy::{LazyFinding, replay_command};

/// The result of a check.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Report {
    /// How many executions were started.
    pub executions: u64,
    /// Whether every execution was covered, up to the order of independent steps.
    pub exhausted: bool,
    /// The largest number of preemptions up to which every execution was covered.
    pub complete_to: Option<u32>,
    /// How many executions there were at each bound.
    pub bounds: Vec<(Stage, u64)>,
    /// What was found.
    pub findings: Vec<Finding>,
    /// The largest number of threads in an execution.
    pub threads: u32,
    /// The largest number of points in an execution.
    pub points: u64,
    /// How many executions could not be followed to the end.
    pub lost: u64,
    /// How many free switches away from spinning threads there were.
    pub spins: u64,
    /// The places of loops that were assumed to be endless, each with the number of operations after which it was.
    pub endless: Vec<(String, u64)>,
    /// Where pointers were handed out, so that accesses through them could not be seen.
    pub pointers: Vec<String>,
    /// Why the search ended.
    pub ending: &'static str,
    /// How long it took.
    pub time: Duration,
    pub(crate) test: Arc<str>,
    pub(crate) maxima: Maxima,
    /// How executions were chosen.
    pub(crate) strategy: &'static str,
    /// Whether threads waited in a way that could end spuriously, which was not tried.
    pub(crate) lacks_spurious: bool,
}

/// A part of a search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Stage {
    /// Executions with any number of preemptions: sampled, or enumerated without a bound.
    Any,
    /// Executions with this many preemptions; with reduction, up to this many.
    Bound(u32),
}

/// A finding.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Finding {
    /// What kind: `panic`, `deadlock`, `livelock`, `race`, `leak`.
    pub kind: String,
    /// The message for people.
    pub message: String,
    /// Where it is.
    pub places: Vec<String>,
    /// The number of preemptions of its execution.
    pub preemptions: u32,
    /// Whether no execution shows it with fewer.
    pub is_minimal: bool,
    /// The bound at which it was found, if it was not sampled.
    pub bound: Option<u32>,
    /// The number of the execution that showed it, from 0.
    pub execution: u64,
    /// The schedule that replays it.
    pub schedule: String,
    /// The same as reports have it.
    pub(crate) document: LazyFinding,
}

impl Report {
    pub(crate) fn new(
        (test, strategy): (&Arc<str>, &'static str),
        searched: &Searched,
        threads: u32,
    ) -> Report {
        let stage = |bound: Option<u32>| match bound {
            None | Some(BEYOND) => Stage::Any,
            Some(bound) => Stage::Bound(bound),
        };
        let bounds = searched.bounds.iter().map(|row| (stage(row.bound), row.executions));
        let ended = if searched.findings.is_empty() { searched.ending } else { Ending::Findings };
        // What is bounded is complete before anything beyond is tried.
        let proper = searched.bounds.iter().filter(|row| row.bound.is_some_and(|b| b != BEYOND));
        Report {
            executions: searched.executions,
            exhausted: searched.exhausted,
            complete_to: proper.take_while(|row| row.complete).filter_map(|row| row.bound).last(),
            bounds: bounds.collect(),
            findings: Vec::new(),
            threads,
            points: searched.maxima.steps.into(),
            lost: searched.n_lost,
            spins: searched.spins,
            endless: endless(searched),
            pointers: Vec::new(),
            ending: ended.name(),
            time: Duration::ZERO,
            test: test.clone(),
            maxima: searched.maxima,
            strategy,
            lacks_spurious: false,
        }
    }

    pub(crate) fn of_replay(test: &Arc<str>, points: usize, threads: u32) -> Report {
        Report {
            executions: 1,
            exhausted: false,
            complete_to: None,
            bounds: Vec::new(),
            findings: Vec::new(),
            threads,
            points: points as u64,
            lost: 0,
            spins: 0,
            endless: Vec::new(),
            pointers: Vec::new(),
            ending: "replayed",
            time: Duration::ZERO,
            test: test.clone(),
            maxima: Maxima { threads, steps: points as u32, ..Maxima::default() },
            strategy: "replay",
            lacks_spurious: false,
        }
    }

    /// What was covered, with its conditions: one line.
    pub fn summary(&self) -> String {
        let mut text = claim::headline(self);
        if !self.exhausted && self.ending != "done" && self.ending != "replayed" {
            let _ = write!(text, " (ended by {})", self.ending);
        }
        let _ = write!(text, "; {}", claim::size(self));
        for condition in claim::conditions(self) {
            let _ = write!(text, "; {condition}");
        }
        text
    }
}

fn endless(searched: &Searched) -> Vec<(String, u64)> {
    let mut all: Vec<_> =
        searched.endless.iter().map(|it| (it.place.clone(), it.operations)).collect();
    all.sort();
    all
}

impl Finding {
    /// Every step of the simplest execution that shows it, one column per thread.
    pub fn story(&self) -> String {
        let story = self.document.get().story.as_ref();
        story.map_or_else(String::new, |story| text::story(story, &Styles::plain()))
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let report = publish::alone(self);
        f.write_str(text::finding(&report, self.document.get(), &Styles::plain()).trim_end())
    }
}
