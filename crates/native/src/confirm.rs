//! Confirming: whether a program does what was predicted of it.
//!
//! In: a recording, a [`Witness`] made of its events, and a run that was steered along it. Out:
//! whether that run shows it. A run counts if it kept to the witness to its end and did at the
//! decisive events what was recorded there: the same operations at the same places. A deadlock
//! counts if the run ended in one.

use raddle_trace::{EventId, Events};
use raddle_wire::{Code, OutcomeKind, Record, Step};

use crate::launch::Answer;
use crate::recording::{Guide, Recording};

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
    /// What was observed.
    pub recording: &'a Recording,
    /// Its events.
    pub events: &'a Events,
    /// Where they are in the recording.
    pub guide: &'a Guide,
}

impl Confirmer<'_> {
    /// The beginning of a schedule that leads along a witness.
    pub fn plan(&self, witness: &Witness) -> Vec<Step> {
        self.guide.steer(self.events, &witness.order, &witness.blocked)
    }

    /// Whether a run along a plan shows what the plan was made for; `run` is its recording.
    pub fn has_shown(
        &self,
        witness: &Witness,
        plan: &[Step],
        answer: &Answer,
        run: &Recording,
    ) -> bool {
        let shows = match witness.blocked.is_empty() {
            true => self.is_same(&witness.decisive, run),
            false => answer.outcome == OutcomeKind::Deadlock,
        };
        shows && follows(&answer.taken, plan)
    }

    /// Whether a run did at some events what was recorded there.
    fn is_same(&self, decisive: &[EventId], run: &Recording) -> bool {
        let positions: Vec<_> =
            decisive.iter().map(|&event| self.guide.position(self.events, event)).collect();
        let same = |pair: (&Option<Record>, &Option<Record>)| match pair {
            (Some(one), Some(other)) => operation(one) == operation(other),
            _ => false,
        };
        let (observed, now) = (self.recording.events_at(&positions), run.events_at(&positions));
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
