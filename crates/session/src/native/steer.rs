//! A run along steps as one of the search: by choices at points.
//!
//! In: what a program did when it was steered, as numbers of events that threads do in turn. Out: the same run by
//! choices, with a point before every access, which can be simplified and described like any other.
//!
//! - A1: there is one choice for each event, but for what no choice comes before. So the steps are tried as
//!   choices, and a turn that turned out too long or too short is made as much shorter or longer.
//! - A2: the last turn may go on: what decides is where the others stand.

use raddle_explore::{EngineError, Observe, Outcome, Plan, Policy, Run};
use raddle_finding::Choice;
use raddle_native::explore::NativeEngine;
use raddle_wire::{Step, StepKind};

/// How often the choices are corrected, for each turn.
const TRIES: usize = 3;

/// The run; none if no choices lead there.
pub(super) fn along(
    engine: &mut NativeEngine,
    steps: &[Step],
    observe: Observe,
) -> Result<Option<Run>, EngineError> {
    let mut turns: Vec<i64> = steps.iter().map(|step| step.times as i64).collect();
    for _ in 0..TRIES * steps.len().max(1) {
        let plan = Plan {
            prefix: prefix(steps, &turns),
            policy: Policy::Continue,
            observe,
            ..Plan::default()
        };
        let mut run = Run::new();
        let taken = engine.run_alone(&plan, &mut run)?.taken;
        if run.outcome == Outcome::Stopped {
            return Ok(None);
        }
        let difference = first_difference(steps, &taken);
        log::debug!("{turns:?} along {steps:?}: {taken:?}, {:?}, {difference:?}", run.outcome);
        match difference {
            None => return Ok(Some(run)),
            Some((turn, by)) if turns[turn].saturating_add(by) > 0 => turns[turn] += by,
            Some(_) => return Ok(None),
        }
    }
    Ok(None)
}

/// Choices that let threads do so many events in turn.
fn prefix(steps: &[Step], turns: &[i64]) -> Vec<Choice> {
    let choices = steps.iter().zip(turns).flat_map(|(step, &times)| {
        let choice = match step.kind() {
            Some(StepKind::Waiter) => Choice::Waiter(step.value),
            _ => Choice::Thread(step.value),
        };
        std::iter::repeat_n(choice, times as usize)
    });
    choices.collect()
}

/// The first turn that is not as long as it should be, and by how much; by more than it has if it is another
/// thread's.
fn first_difference(steps: &[Step], taken: &[Step]) -> Option<(usize, i64)> {
    let last = steps.len().checked_sub(1)?;
    let difference = |(turn, step): (usize, &Step)| {
        let Some(did) =
            taken.get(turn).filter(|did| (did.kind, did.value) == (step.kind, step.value))
        else {
            return Some((turn, i64::MIN));
        };
        let by = step.times as i64 - did.times as i64;
        let is_enough = by == 0 || turn == last && by < 0; // A2
        (!is_enough).then_some((turn, by))
    };
    steps.iter().enumerate().find_map(difference)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(taken: &[Step], expected: Option<(usize, i64)>) {
        let steps = [Step::thread(0, 3), Step::waiter(1), Step::thread(1, 2)];
        assert_eq!(first_difference(&steps, taken), expected);
    }

    #[test]
    fn a_turn_is_corrected_by_what_it_is_too_long() {
        check(&[Step::thread(0, 3), Step::waiter(1), Step::thread(1, 2)], None);
        check(&[Step::thread(0, 3), Step::waiter(1), Step::thread(1, 9)], None);
        check(&[Step::thread(0, 4), Step::waiter(1), Step::thread(1, 2)], Some((0, -1)));
        check(&[Step::thread(0, 3), Step::waiter(1), Step::thread(1, 1)], Some((2, 1)));
    }

    #[test]
    fn a_turn_of_somebody_else_cannot_be_corrected() {
        check(&[Step::thread(0, 3), Step::waiter(2)], Some((1, i64::MIN)));
        check(&[Step::thread(0, 3)], Some((1, i64::MIN)));
    }

    #[test]
    fn there_is_one_choice_for_each_event() {
        let steps = [Step::thread(0, 2), Step::waiter(1)];
        let expected = [Choice::Thread(0), Choice::Thread(0), Choice::Waiter(1)];
        assert_eq!(prefix(&steps, &[2, 1]), expected);
    }
}
