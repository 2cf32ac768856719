//! How a run of a binary ended, in a word.

use raddle_wire::OutcomeKind;

/// The name of an outcome, stable in JSON.
pub fn outcome_name(outcome: OutcomeKind) -> &'static str {
    match outcome {
        OutcomeKind::None => "killed",
        OutcomeKind::Exited => "exited",
        OutcomeKind::Deadlock => "deadlock",
        OutcomeKind::Livelock => "livelock",
        OutcomeKind::Assertion => "assertion",
        OutcomeKind::Abort => "abort",
        OutcomeKind::Crash => "crash",
        OutcomeKind::UseAfterFree => "use-after-free",
        OutcomeKind::BadFree => "invalid-free",
        OutcomeKind::Misuse => "misuse",
        OutcomeKind::Diverged => "diverged",
        OutcomeKind::Limit => "limit",
        OutcomeKind::Unsupported => "unsupported",
        OutcomeKind::Replaced => "replaced",
        OutcomeKind::Internal => "internal",
        OutcomeKind::Hang => "hang",
        OutcomeKind::Known => "known",
        OutcomeKind::Cut => "cut",
        OutcomeKind::Stopped => "stopped",
        OutcomeKind::Misfit => "misfit",
        OutcomeKind::Again => "again",
    }
}
