//! Reports: what came out of a search.

use raddle_finding::Schedule;
use serde::{Deserialize, Serialize};

use crate::coverage::{BoundCoverage, Maxima, theorem_1};
use crate::growth::Growth;
use crate::run::{Endless, Failure, Outcome, Race};
use crate::shrink::Shrunk;

/// What came out of a search.
#[derive(Clone, PartialEq, Debug)]
pub struct Report {
    /// Why it ended.
    pub ending: Ending,
    /// Whether every execution of the program was seen.
    pub exhausted: bool,
    /// What was seen, bound by bound; what is beside all bounds comes first.
    pub bounds: Vec<BoundCoverage>,
    /// What was found, one of each kind and place, in the order in which it was found.
    pub findings: Vec<Found>,
    /// How the distinct states grew, execution by execution, if they were counted.
    pub growth: Vec<Growth>,
    /// The largest numbers of all runs.
    pub maxima: Maxima,
    /// How many executions were started.
    pub executions: u64,
    /// How many of them did not count, since an assumption was false.
    pub assumptions: u64,
    /// How many of them the engine could not follow to an end.
    pub n_lost: u64,
    /// How the first one of these ended.
    pub lost: Option<Outcome>,
    /// How many free switches away from spinning threads there were in all of them.
    pub spins: u64,
    /// Loops that were taken for endless: conditions of what is covered. One for each place.
    pub endless: Vec<Endless>,
    /// The races whose accesses became points, in order.
    pub promoted: Vec<Race>,
    /// Accesses that something unseen may order, and that never were about to happen at once.
    pub doubts: Vec<Doubt>,
    /// How many times it began again with more points.
    pub restarts: u32,
    /// How many bytes the search needed at the end, without the engines.
    pub memory: usize,
}

/// A race that may be none.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Doubt {
    /// The accesses.
    pub race: Race,
    /// What it would be if nothing orders them.
    pub failure: Failure,
}

/// Why a search ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Ending {
    /// The strategy was done.
    Done,
    /// As many runs as it may have.
    Runs,
    /// As long as it may take.
    Time,
    /// As much memory as it may have.
    Memory,
    /// As many findings as were wanted.
    Findings,
    /// A request stopped it.
    Stopped,
    /// The program did something else under the same plan.
    Diverged,
}

impl Ending {
    /// Its name, stable in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Ending::Done => "done",
            Ending::Runs => "runs",
            Ending::Time => "time",
            Ending::Memory => "memory",
            Ending::Findings => "findings",
            Ending::Stopped => "stopped",
            Ending::Diverged => "diverged",
        }
    }
}

/// Something that was found. The first execution that shows it is the one that is kept.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Found {
    /// What was found, and where.
    pub failure: Failure,
    /// How that execution ended, if not with this.
    pub outcome: Option<Outcome>,
    /// What repeats it.
    pub schedule: Schedule,
    /// How many preemptions it has.
    pub preemptions: u32,
    /// The bound at which it was found.
    pub bound: Option<u32>,
    /// Its number, from 0.
    pub execution: u64,
    /// How many of the report's promoted races were points in that execution: its schedule belongs
    /// to them.
    pub promoted: usize,
    /// The race, if it is one.
    pub race: Option<Race>,
    /// How many executions show the same.
    pub times: u64,
}

impl Found {
    /// Becomes its simplest run.
    pub fn simplify(&mut self, shrunk: Shrunk) {
        let Shrunk { schedule, outcome, preemptions, .. } = shrunk;
        let shown = outcome.failure().filter(|failure| failure.is_same(&self.failure));
        match shown {
            // Other values may lead there.
            Some(failure) => self.failure.message.clone_from(&failure.message),
            None => self.outcome = Some(outcome),
        }
        (self.schedule, self.preemptions) = (schedule, preemptions);
    }

    /// How that execution ended, in a word ([`Outcome::name`]).
    pub fn ended(&self) -> &'static str {
        self.outcome.as_ref().map_or(self.failure.kind.name(), Outcome::name)
    }
}

impl Report {
    /// The highest bound up to which everything was seen.
    pub fn complete_to(&self) -> Option<u32> {
        let bounded = self.bounds.iter().filter(|row| row.bound.is_some());
        bounded.take_while(|row| row.complete).filter_map(|row| row.bound).last()
    }

    /// Theorem 1's bound on the executions with so many preemptions, from the numbers measured.
    /// The end of a thread counts as a step that blocks: others go on after it for free, and
    /// without it the theorem would allow threads that never block only one order.
    pub fn theorem_1(&self, preemptions: u32) -> Option<u128> {
        let Maxima { threads, thread_steps, thread_blocking, .. } = self.maxima;
        theorem_1(threads, thread_steps, thread_blocking + 1, preemptions)
    }
}
