//! Observers: the progress of a session, its notices, and what ends it early.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use raddle_explore::{Checkpoint, Ending};

use crate::error::Error;
use crate::subject::Unrepeated;

/// Hears how far a session is. Nothing that it does changes the result.
pub trait Observer {
    /// How far it is; reported some times a second.
    fn status(&mut self, status: &Status) {
        let _ = status;
    }

    /// A notice for the user, passed on at once.
    fn notice(&mut self, notice: Notice<'_>) {
        let _ = notice;
    }

    /// The search between two runs, for those who save it now and then: only what is asked for is made.
    fn remember(&mut self, search: &dyn Fn() -> Checkpoint) {
        let _ = search;
    }

    /// The search is over, and where it stands now.
    fn ended(&mut self, ending: Ending, search: &dyn Fn() -> Checkpoint) {
        let _ = (ending, search);
    }
}

/// Observes nothing.
impl Observer for () {}

/// How far a session is.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub enum Status {
    /// It searches.
    Searching(Searching),
    /// It makes findings simpler, and runs them again.
    Simplifying {
        /// How many are done.
        done: usize,
        /// Of so many.
        of: usize,
    },
    /// It looks into a recorded run.
    Predicting {
        /// What it looks for.
        analysis: &'static str,
        /// How many tasks are done.
        done: usize,
        /// Of so many.
        of: usize,
        /// What the analyses before have found.
        found: usize,
    },
    /// It runs the program along what was predicted.
    Steering {
        /// How many predictions are done.
        done: usize,
        /// Of so many.
        of: usize,
    },
}

/// How far a search is.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub struct Searching {
    /// How many executions there were.
    pub executions: u64,
    /// The bound that it is at, if it has any.
    pub bound: Option<u32>,
    /// How many distinct states there were, if they are counted.
    pub states: u64,
    /// How many findings there are.
    pub findings: usize,
    /// How long it has searched.
    pub spent: Duration,
    /// What is left of its time, if that is limited.
    pub left: Option<Duration>,
}

/// Something that people should know while a session goes on.
#[derive(Debug)]
#[non_exhaustive]
pub enum Notice<'a> {
    /// A finding does not show again.
    Unrepeated {
        /// Which, and what happened instead.
        what: &'a Unrepeated,
        /// Whether nothing but the schedule decides what the program does.
        is_defect: bool,
    },
    /// The search ended here; what it has found until then counts.
    Broken(&'a Error),
    /// A recording is not all that it might be.
    Recording(String),
}

/// Ends a session early, with what is known until then. Clones are the same.
#[derive(Clone, Debug, Default)]
pub struct Stop {
    /// Set: nothing new is begun, and findings are described shortly.
    pub asked: Arc<AtomicBool>,
    /// Set: findings are not even described.
    pub urged: Arc<AtomicBool>,
}

impl Stop {
    /// Whether it was asked for.
    pub fn is_asked(&self) -> bool {
        self.asked.load(Ordering::Relaxed)
    }
}
