//! Outcomes: how a run ended, and what there is to report.

use serde::{Deserialize, Serialize};

/// How a run ended.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub enum Outcome {
    /// As it should.
    #[default]
    Passed,
    /// Threads are left and none can go on.
    Deadlock(Trouble),
    /// The program did what it must not.
    Failure(Trouble),
    /// Threads go on for ever without getting anywhere.
    Livelock(Trouble),
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
    /// Somebody stopped it: it is as if it had never begun.
    Stopped,
    /// It needs something that the engine cannot do.
    Unsupported(Trouble),
}

/// What went wrong, and where.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct Trouble {
    /// What kind of trouble: a word.
    pub kind: String,
    /// Where it is, in order: findings of one kind at the same places are one finding.
    pub places: Vec<String>,
    /// What to tell people.
    pub message: String,
}

/// Something that a run did that it must not, and went on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Misuse {
    /// The point whose choice led to it.
    pub point: u32,
    /// What it is, and where.
    pub trouble: Trouble,
}

impl Outcome {
    /// What there is to report.
    pub fn trouble(&self) -> Option<&Trouble> {
        match self {
            Outcome::Deadlock(trouble) | Outcome::Failure(trouble) => Some(trouble),
            Outcome::Livelock(trouble) => Some(trouble),
            _ => None,
        }
    }

    /// The same, taken out.
    pub(crate) fn into_trouble(self) -> Option<Trouble> {
        match self {
            Outcome::Deadlock(trouble) | Outcome::Failure(trouble) => Some(trouble),
            Outcome::Livelock(trouble) => Some(trouble),
            _ => None,
        }
    }

    /// Its name, stable in JSON; that of trouble is its kind.
    pub fn name(&self) -> &str {
        match self {
            Outcome::Passed => "passed",
            Outcome::Deadlock(trouble) | Outcome::Failure(trouble) => &trouble.kind,
            Outcome::Livelock(trouble) | Outcome::Unsupported(trouble) => &trouble.kind,
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
