//! Confirms findings on the program: it is steered along each witness.
//!
//! In: findings of a recording, and the program that was recorded. Out: which of them the program
//! did, with a schedule that does each again.

use raddle_native::confirm::{Attempt, Confirmer, Witness};
use raddle_native::launch::Answer;
use raddle_native::recording::{Guide, Recording};
use raddle_predict::{Goal, Prediction};
use raddle_trace::Trace;
use raddle_wire::{Flags, Step};
use tempfile::NamedTempFile;

use super::ending::outcome_name;
use super::launch::Launch;
use crate::error::Error;
use crate::forecast::Allowance;
use crate::observer::{Observer, Status};
use crate::predict::{Confirmed, Found, Shown};

/// Runs the program along every witness, as long as that is allowed.
pub fn confirm(
    recording: &Recording,
    (trace, guide): (&Trace, &Guide),
    found: &Found,
    launch: &Launch,
    allowance: &Allowance,
    observer: &mut dyn Observer,
) -> Result<Confirmed, Error> {
    let confirmer = Confirmer::new(recording, trace, guide);
    let steering = Steering { confirmer, trace, launch, allowance };
    let mut confirmed = Confirmed::default();
    for prediction in found.predictions() {
        if allowance.is_over() {
            break;
        }
        observer.status(&Status::Steering { done: confirmed.n_tried, of: found.n_predictions() });
        confirmed.n_tried += 1;
        if let Some(shown) = steering.attempt(prediction)? {
            confirmed.add(prediction, trace, shown);
        }
    }
    Ok(confirmed)
}

struct Steering<'a> {
    confirmer: Confirmer<'a>,
    trace: &'a Trace,
    launch: &'a Launch,
    allowance: &'a Allowance,
}

impl Steering<'_> {
    fn attempt(&self, prediction: &dyn Prediction) -> Result<Option<Shown>, Error> {
        let (order, decisive) =
            (prediction.witness().iter().collect(), prediction.decisive(self.trace));
        let witness = match prediction.goal() {
            Goal::Block(_) => Witness::deadlock(order, decisive),
            _ => Witness::new(order, &prediction.next(), decisive),
        };
        let attempt = self.confirmer.attempt(&witness, |plan| self.run(plan))?;
        let Attempt { plan, answer, has_shown } = attempt;
        log::debug!(
            "{:?} along {:?}: {:?} ({}), {has_shown}",
            prediction.decisive(self.trace),
            self.launch.schedule(&plan)?.to_string(),
            answer.outcome,
            answer.message
        );
        if !has_shown {
            return Ok(None);
        }
        let outcome = outcome_name(answer.outcome);
        Ok(Some(Shown { outcome, schedule: self.launch.schedule(&plan)? }))
    }

    /// Runs the program along a plan, with a recording of that.
    fn run(&self, plan: &[Step]) -> Result<(Answer, Option<Recording>), Error> {
        let file = NamedTempFile::new().map_err(Error::Temporary)?;
        let mut request = self.launch.request(plan);
        request.recording = Some(file.path().to_owned());
        request.flags |= Flags::RECORD;
        let answer = self.launch.run(&request, &self.allowance.stop.asked)?;
        Ok((answer, Recording::open(file.path()).ok()))
    }
}
