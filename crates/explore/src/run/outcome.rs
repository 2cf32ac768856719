//! Outcomes: how a run ended.

use raddle_finding::{Failure, FailureKind};
use serde::{Deserialize, Serialize};

/// How a run ended.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub enum Outcome {
    /// As it should.
    #[default]
    Passed,
    /// Something went wrong.
    Failed(Failure),
    /// An assumption of the program was false: the run does not count.
    Assumption,
    /// It took as many steps as it may.
    Steps,
    /// It had as many points as the plan allows.
    Cut,
    /// It came to where an earlier run has been.
    Known,
    /// It came back to where it was itself, by answers to questions of a thread that another answer lets leave.
    Repeats,
    /// It was stopped from outside: it is as if it had never begun.
    Stopped,
    /// It needs something that the engine cannot do.
    Unsupported(Failure),
}

/// Something that a run did that it must not, and went on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Misuse {
    /// The point whose choice led to it.
    pub point: u32,
    /// What it is, and where.
    pub failure: Failure,
}

impl Outcome {
    /// What there is to report.
    pub fn failure(&self) -> Option<&Failure> {
        match self {
            Outcome::Failed(failure) => Some(failure),
            _ => None,
        }
    }

    /// The same, taken out.
    pub(crate) fn into_failure(self) -> Option<Failure> {
        match self {
            Outcome::Failed(failure) => Some(failure),
            _ => None,
        }
    }

    /// Whether it failed in this way.
    pub fn is_failure(&self, kind: FailureKind) -> bool {
        self.failure().is_some_and(|failure| failure.kind == kind)
    }

    /// Its name, stable in JSON; that of a failure is its kind.
    pub fn name(&self) -> &'static str {
        match self {
            Outcome::Passed => "passed",
            Outcome::Failed(failure) | Outcome::Unsupported(failure) => failure.kind.name(),
            Outcome::Assumption => "assumption",
            Outcome::Steps => "steps",
            Outcome::Cut => "cut",
            Outcome::Known => "known",
            Outcome::Repeats => "repeats",
            Outcome::Stopped => "stopped",
        }
    }

    /// Whether the engine could not follow the run any further.
    pub fn is_lost(&self) -> bool {
        matches!(self, Outcome::Steps | Outcome::Unsupported(_))
    }

    /// Whether the run came to where it, or an earlier one, has been.
    pub fn is_known(&self) -> bool {
        matches!(self, Outcome::Known | Outcome::Repeats)
    }

    /// Whether the run went to an end of the program, good or bad.
    pub fn is_whole(&self) -> bool {
        !self.is_known() && !matches!(self, Outcome::Cut | Outcome::Stopped) && !self.is_lost()
    }
}
