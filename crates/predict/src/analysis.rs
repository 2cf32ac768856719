//! What all properties that can be predicted have in common.
//!
//! ```text
//! Analysis (one for each property) ─ run ─► Results ─ predictions ─► Prediction
//! ```
//!
//! In: what is known of a trace, and what to look for in it. Out: predictions with witnesses, and counts. Each property
//! implements the three traits in a file of its own and stands in [`ANALYSES`]; whatever runs analyses, shows
//! predictions, or steers a program along their witnesses goes through these traits and lists no properties.

use raddle_finding::{Finding, Property};
use raddle_trace::{EventId, LocationId, Sequence, Trace};
use serde_json::Value;

use crate::atomicity::{Atomicity, TransactionSource};
use crate::causes::Causes;
use crate::deadlock::LockCycles;
use crate::jobs::Job;
use crate::lost_wakeup::LostNotifies;
use crate::query::Query;
use crate::race::{DataRaces, RuledOut};
use crate::read::NondeterministicReads;
use crate::refused::Refused;

/// Every property that can be predicted, in the order of reports.
pub const ANALYSES: [&dyn Analysis; 5] =
    [&DataRaces, &Atomicity, &LockCycles, &LostNotifies, &NondeterministicReads];

/// What analyses are asked for besides their property.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Scope {
    /// Where transactions come from.
    pub transactions: TransactionSource,
    /// Every pair, triple, cycle and triplet of events; otherwise one for each of their places.
    pub all: bool,
}

/// The search for one property.
pub trait Analysis: Sync {
    /// The property.
    fn property(&self) -> Property;

    /// What the trace lacks for an answer.
    fn unsupported(&self, trace: &Trace, scope: Scope) -> Option<&'static str>;

    /// Looks for it.
    fn run(&self, causes: &Causes, scope: Scope, job: Job) -> Result<Box<dyn Results>, Refused>;
}

/// What an analysis found.
pub trait Results: Send {
    /// The predictions, in the order of their events.
    fn predictions(&self) -> Box<dyn Iterator<Item = &dyn Prediction> + '_>;

    /// How many predictions there are.
    fn n_predictions(&self) -> usize;

    /// How many questions have no answer within their budget.
    fn n_unknown(&self) -> u64;

    /// False if the search was stopped.
    fn is_complete(&self) -> bool;

    /// What each step of the analysis left, for reports. `candidates`, `asked`, `witnessed`, `unknown` and `complete`
    /// mean the same for all properties.
    fn counts(&self, trace: &Trace, scope: Scope) -> Value;

    /// Candidates that are ruled out by several orders together, and which orders these are.
    fn ruled_out(&self) -> &[RuledOut] {
        &[]
    }

    /// True if the search ended and left nothing unknown.
    fn is_decided(&self) -> bool {
        self.is_complete() && self.n_unknown() == 0
    }
}

/// One prediction of any property.
pub trait Prediction {
    /// Its property.
    fn property(&self) -> Property;

    /// The prediction as a finding, with positions of the input.
    fn finding(&self, trace: &Trace) -> Finding;

    /// The interleaving that shows it; the referee has accepted it.
    fn witness(&self) -> &Sequence;

    /// What a run of the program along the witness has to show.
    fn goal(&self) -> Goal;

    /// The events of the claim; those that are not about to happen are in the witness, if at all.
    fn decisive(&self, trace: &Trace) -> Vec<EventId>;

    /// The question that the witness answers, where one is enough.
    fn query(&self, _trace: &Trace) -> Option<Query> {
        None
    }

    /// What explains it besides its interleaving, a line each.
    fn why(&self, _trace: &Trace) -> Vec<String> {
        Vec::new()
    }

    /// Of predictions with the same likeness, one says what people want to know. Without one it is like no other.
    fn likeness(&self, _trace: &Trace) -> Option<Likeness> {
        None
    }

    /// The events that are about to happen at the end of the witness.
    fn next(&self) -> Vec<EventId> {
        match self.goal() {
            Goal::Meet(events) | Goal::Block(events) => events,
            Goal::InOrder(_) | Goal::Sees { .. } | Goal::NeverEnds(_) => Vec::new(),
        }
    }
}

/// The places of two events, as far as there are such events.
pub type Likeness = [Option<Option<LocationId>>; 2];

/// What a run of the program along a witness has to show.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Goal {
    /// All of these events are next.
    Meet(Vec<EventId>),
    /// Threads stand before these events and wait for each other.
    Block(Vec<EventId>),
    /// These events happen in this order.
    InOrder([EventId; 3]),
    /// A read sees a write. Without a read it is the last value, without a write the initial one.
    Sees {
        /// The read.
        read: Option<EventId>,
        /// The write that it sees.
        write: Option<EventId>,
    },
    /// Nothing ends this wait.
    NeverEnds(EventId),
}
