//! Schedules of real binaries: steps of the runtime as a [`Schedule`], and back.
//!
//! A thread's run of events is as many choices of that thread. Other choices than of threads and of
//! which thread to wake do not exist for a binary.

use raddle_finding::{Choice, ProgramId, Schedule};
use raddle_wire::{Step, StepKind};
use thiserror::Error;

/// Steps and a schedule cannot be turned into each other.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ScheduleError {
    /// A choice that is none of a binary's.
    #[error(
        "`{choice}` (item {index} of the schedule) is not a choice of a binary; this schedule is \
         for a C program"
    )]
    Choice {
        /// The choice.
        choice: Choice,
        /// Which item of the schedule, from 0.
        index: usize,
    },
    /// More wake-ups in a row than there can be threads.
    #[error("`{choice}` (item {index} of the schedule) is repeated {times} times")]
    Repeated {
        /// The choice.
        choice: Choice,
        /// Which item of the schedule, from 0.
        index: usize,
        /// How often.
        times: u64,
    },
    /// A step of an unknown kind.
    #[error("step {index} has kind {kind}, which is unknown")]
    Kind {
        /// Which step, from 0.
        index: usize,
        /// What it says that it is.
        kind: u32,
    },
}

/// The most wake-ups in a row; between two of them a thread has to notify.
const MAX_WAITERS: u64 = 1 << 16;

/// The schedule that steps are.
pub fn to_schedule(program: ProgramId, steps: &[Step]) -> Result<Schedule, ScheduleError> {
    let mut schedule = Schedule::new(program);
    for (index, step) in steps.iter().enumerate() {
        let choice = match step.kind() {
            Some(StepKind::Thread) => Choice::Thread(step.value),
            Some(StepKind::Waiter) => Choice::Waiter(step.value),
            None => return Err(ScheduleError::Kind { index, kind: step.kind }),
        };
        let mut rest = step.times;
        while rest > 0 {
            let times = u32::try_from(rest).unwrap_or(u32::MAX);
            schedule.push_run(choice, times);
            rest -= u64::from(times);
        }
    }
    Ok(schedule)
}

/// The steps that a schedule is.
pub fn to_steps(schedule: &Schedule) -> Result<Vec<Step>, ScheduleError> {
    let mut steps = Vec::with_capacity(schedule.runs().len());
    for (index, &(choice, times)) in schedule.runs().iter().enumerate() {
        match choice {
            Choice::Thread(thread) => steps.push(Step::thread(thread, times)),
            Choice::Waiter(_) if times > MAX_WAITERS => {
                return Err(ScheduleError::Repeated { choice, index, times });
            }
            // Each wakes one.
            Choice::Waiter(thread) => {
                steps.extend((0..times).map(|_| Step::waiter(thread)));
            }
            choice => return Err(ScheduleError::Choice { choice, index }),
        }
    }
    Ok(steps)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn program() -> ProgramId {
        "9f3ac2".parse().unwrap()
    }

    #[test]
    fn steps_have_the_text_of_their_choices() {
        let steps = [Step::thread(0, 3), Step::waiter(2), Step::waiter(2), Step::thread(1, 1)];
        let schedule = to_schedule(program(), &steps).unwrap();
        assert_eq!(schedule.to_string(), "rs1:9f3ac2:0r3,w2r2,1");
        assert_eq!(to_steps(&schedule).unwrap(), steps);
    }

    #[test]
    fn runs_may_be_longer_than_32_bits() {
        let steps = [Step::thread(4, u64::from(u32::MAX) * 2 + 5)];
        assert_eq!(to_steps(&to_schedule(program(), &steps).unwrap()).unwrap(), steps);
    }

    #[test]
    fn other_choices_are_refused() {
        let schedule: Schedule = "rs1:9f3ac2:0,t+".parse().unwrap();
        let refused = to_steps(&schedule).unwrap_err();
        assert_eq!(refused, ScheduleError::Choice { choice: Choice::Timeout(true), index: 1 });
        let hostile: Schedule = "rs1:9f3ac2:w1r4000000000".parse().unwrap();
        assert!(matches!(to_steps(&hostile), Err(ScheduleError::Repeated { .. })));
        let strange = Step { kind: 7, value: 0, times: 1 };
        let refused = to_schedule(program(), &[strange]).unwrap_err();
        assert_eq!(refused, ScheduleError::Kind { index: 0, kind: 7 });
    }

    proptest! {
        #[test]
        fn schedules_are_read_back(runs in prop::collection::vec((any::<bool>(), 0u32..5, 1u32..50), 0..20)) {
            let mut schedule = Schedule::new(program());
            for (waiter, thread, times) in runs {
                let choice = if waiter { Choice::Waiter(thread) } else { Choice::Thread(thread) };
                schedule.push_run(choice, times);
            }
            let steps = to_steps(&schedule).unwrap();
            prop_assert_eq!(to_schedule(program(), &steps).unwrap(), schedule);
        }
    }
}
