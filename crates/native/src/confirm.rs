//! Confirming: whether a program does what was predicted of it.
//!
//! In: a recording, a [`Witness`] made of its events, and a run that was steered along it. Out:
//! whether that run shows it. A run counts if it kept to the witness to its end and did at the
//! decisive events what was recorded there: the same operations at the same places. A deadlock
//! counts if the run ended in one.
//!
//! A recording of threads at once does not say everything that a run under control does
//! ([`Passes`]). Each run shows more of that, and the next one is steered by it.

use std::cell::RefCell;

use raddle_trace::{EventId, Events};
use raddle_wire::{Code, OutcomeKind, Record, Step, Threading};

use crate::launch::Answer;
use crate::recording::{Guide, Passes, Recording};

/// So many runs are made at most along one witness.
const N_RUNS: usize = 8;

/// An order of recorded events, and what is claimed of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Witness {
    /// The events, in their new order.
    order: Vec<EventId>,
    /// Events that are about to happen at its end and never do.
    blocked: Vec<EventId>,
    /// The events of the claim that are part of the order.
    decisive: Vec<EventId>,
}

impl Witness {
    /// Threads wait for each other for ever right before the events that are `blocked`.
    pub fn deadlock(order: Vec<EventId>, blocked: Vec<EventId>) -> Witness {
        Witness { order, blocked, decisive: Vec::new() }
    }

    /// The events in `next` follow on the order; what counts are the `decisive` ones. Those that
    /// the order leaves out need not happen.
    pub fn new(mut order: Vec<EventId>, next: &[EventId], mut decisive: Vec<EventId>) -> Witness {
        order.extend(next);
        decisive.retain(|event| order.contains(event));
        Witness { order, blocked: Vec::new(), decisive }
    }
}

/// A recording with what it takes to go along its events in another order.
pub struct Confirmer<'a> {
    recording: &'a Recording,
    events: &'a Events,
    guide: &'a Guide,
    /// What runs have shown that the recording does not say.
    passes: RefCell<Passes>,
}

/// A run that was steered along a witness.
#[derive(Clone, Debug)]
pub struct Attempt {
    /// The beginning of its schedule.
    pub plan: Vec<Step>,
    /// What it came to.
    pub answer: Answer,
    /// Whether that is what was predicted.
    pub has_shown: bool,
}

impl<'a> Confirmer<'a> {
    /// One for what was observed: a recording, its events, and where they are in it.
    pub fn new(recording: &'a Recording, events: &'a Events, guide: &'a Guide) -> Confirmer<'a> {
        Confirmer { recording, events, guide, passes: RefCell::default() }
    }

    /// Steers the program along a witness. `run` runs it along a plan; there may be no recording of
    /// that.
    pub fn attempt<E>(
        &self,
        witness: &Witness,
        mut run: impl FnMut(&[Step]) -> Result<(Answer, Option<Recording>), E>,
    ) -> Result<Attempt, E> {
        let is_parallel = self.recording.threading() == Some(Threading::Parallel);
        let mut n_runs = 0;
        loop {
            let mut passes = self.passes.borrow_mut();
            let plan = self.guide.steer(self.events, &witness.order, &witness.blocked, &passes);
            let (answer, recorded) = run(&plan)?;
            let recorded = recorded.as_ref();
            let has_shown =
                recorded.is_some_and(|run| self.has_shown(witness, &plan, &answer, run, &passes));
            n_runs += 1;
            let goes_on = is_parallel && !has_shown && n_runs < N_RUNS;
            if !goes_on || !recorded.is_some_and(|run| passes.learn(run)) {
                return Ok(Attempt { plan, answer, has_shown });
            }
        }
    }

    /// Whether a run along a plan shows what the plan was made for; `run` is its recording.
    fn has_shown(
        &self,
        witness: &Witness,
        plan: &[Step],
        answer: &Answer,
        run: &Recording,
        passes: &Passes,
    ) -> bool {
        let shows = match witness.blocked.is_empty() {
            true => self.is_same(&witness.decisive, run, passes),
            false => answer.outcome == OutcomeKind::Deadlock,
        };
        shows && follows(&answer.taken, plan)
    }

    /// Whether a run did at some events what was recorded there.
    fn is_same(&self, decisive: &[EventId], run: &Recording, passes: &Passes) -> bool {
        let positions: Vec<_> =
            decisive.iter().map(|&event| self.guide.position(self.events, event)).collect();
        let then = positions.iter().map(|&(thread, at)| (thread, passes.position(thread, at)));
        let then: Vec<_> = then.collect();
        let same = |pair: (&Option<Record>, &Option<Record>)| match pair {
            (Some(one), Some(other)) => operation(one) == operation(other),
            _ => false,
        };
        let (observed, now) = (self.recording.events_at(&positions), run.events_at(&then));
        observed.iter().zip(&now).all(same)
    }
}

/// What is done, and where. Whether `pthread_once` runs its function is what it finds, not what it is.
fn operation(record: &Record) -> (Option<Code>, u64) {
    let code =
        record.code().map(|code| if code == Code::OncePass { Code::OnceEnter } else { code });
    (code, record.pc())
}

/// Whether a run began as planned.
fn follows(taken: &[Step], plan: &[Step]) -> bool {
    let Some((last, first)) = plan.split_last() else { return true };
    let Some((end, beginning)) = taken.get(..plan.len()).and_then(|taken| taken.split_last())
    else {
        return false;
    };
    beginning == first
        && end.kind == last.kind
        && end.value == last.value
        && end.times >= last.times
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_follows_a_plan_that_it_goes_beyond() {
        let plan = [Step::thread(0, 3), Step::thread(1, 2)];
        assert!(follows(&[Step::thread(0, 3), Step::thread(1, 5), Step::thread(0, 1)], &plan));
        assert!(!follows(&[Step::thread(0, 3), Step::thread(1, 1)], &plan));
        assert!(!follows(&[Step::thread(0, 4), Step::thread(1, 2)], &plan));
        assert!(!follows(&[Step::thread(0, 3)], &plan));
    }

    #[test]
    fn operations_are_the_same_by_what_they_are_and_where() {
        let record = |code, pc| Record::new(code, 64, 0, pc, 0);
        let enter = record(Code::OnceEnter, 7);
        assert_eq!(operation(&enter), operation(&record(Code::OncePass, 7)));
        assert_ne!(operation(&enter), operation(&record(Code::OncePass, 8)));
        assert_ne!(operation(&record(Code::Read, 7)), operation(&record(Code::Write, 7)));
    }

    #[test]
    fn what_a_witness_leaves_out_need_not_happen() {
        let [first, second, third] = [0, 1, 2].map(EventId);
        let witness = Witness::new(vec![first], &[second], vec![first, second, third]);
        assert_eq!(witness.order, [first, second]);
        assert_eq!(witness.decisive, [first, second]);
    }
}
