//! What a plain run of a C program predicts: it is recorded, analysed, and steered along each witness.
//!
//! In: a program. Out: the predictions that the machine did. One that it did not do is no finding here:
//! values rule it out, or it is not known; the search goes on where the prediction ends. Reads that may see
//! another write are none either: most programs have such reads on purpose.
//!
//! - F1: a race was done if both threads stand before their accesses at once.
//! - F2: a deadlock was done if the run ends in one; so was a wake-up that is lost, since a wait whose
//!   notify comes too early is no mistake while another notify follows.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use raddle_explore::{Engine, Plan as Choices, Policy, Run};
use raddle_finding::{Finding, Property};
use raddle_predict::{Causes, Prediction, Scope, Settings as Limits};
use raddle_trace::Trace;
use raddle_vm::{Machine, Settings, VmEngine, fine};

use super::Source;
use super::evidence::gather;
use super::steer::{Effort, Observed, observe};
use crate::error::Error;
use crate::exploration::Entry;
use crate::forecast::{Allowance, Forecast};
use crate::observer::Observer;
use crate::predict::{Confirmed, Plan, check_threads, find, story};
use crate::steered;

/// How many transitions the plain run may take: one that spins takes all of them.
const STEPS_MAX: u64 = 100_000;

/// How much work values may be.
const EFFORT: Effort = Effort { n_updates_max: 20_000_000, n_conflicts_max: 20_000 };

/// Records a plain run and predicts from it; none if there is nothing to interleave.
pub(super) fn forecast(
    source: &Source,
    allowance: &Allowance,
    observer: &mut dyn Observer,
) -> Result<Option<Forecast>, Error> {
    let mut settings = fine(&source.settings);
    settings.n_steps_max = settings.n_steps_max.min(STEPS_MAX);
    let (trace, observed) = observe(&source.program, &settings)?;
    if trace.n_threads() < 2 || check_threads(&trace).is_err() {
        return Ok(None);
    }
    let properties =
        vec![Property::Race, Property::Atomicity, Property::Deadlock, Property::LostWakeup];
    let plan = Plan { properties, scope: Scope::default(), allowance: allowance.clone() };
    let found = find(&Causes::with(&trace, Limits::default()), &plan, observer)?;
    let confirmed = observed.confirm(&trace, &found, EFFORT, allowance, observer)?;
    let all = found.predictions().filter_map(|it| done(it, &trace, &observed, &confirmed));
    Ok(Some(Forecast {
        all: all.collect(),
        n_events: trace.len(),
        n_predicted: found.n_predictions(),
        n_ruled_out: confirmed.n_ruled_out(),
        is_complete: found.is_decided() && confirmed.n_tried == found.n_predictions(),
    }))
}

/// A finding, if the machine did it.
fn done(
    prediction: &dyn Prediction,
    trace: &Trace,
    observed: &Observed,
    confirmed: &Confirmed,
) -> Option<Finding> {
    let shown = confirmed.get(prediction, trace)?;
    let is_lost_wakeup = prediction.property() == Property::LostWakeup;
    if is_lost_wakeup && !observed.deadlocks(&shown.schedule) {
        return None; // F2
    }
    let mut finding = prediction.finding(trace);
    shown.mark(&mut finding);
    finding.story = Some(story(trace, prediction));
    Some(finding)
}

/// Makes a finding like those of a search of one that the machine did.
pub(super) fn adopt(
    source: &Source,
    predicted: &Finding,
    stop: &Arc<AtomicBool>,
) -> Result<Option<Entry>, Error> {
    let Some(schedule) = &predicted.schedule else { return Ok(None) };
    let settings = fine(&source.settings);
    let mut engine = engine(source, &settings, stop)?;
    let plan = Choices {
        prefix: schedule.choices().collect(),
        policy: Policy::Continue,
        observe: steered::observe(predicted),
        ..Choices::default()
    };
    let mut run = Run::new();
    engine.run(&plan, &(), &mut run).map_err(|error| Error::Unrepeatable {
        schedule: schedule.clone(),
        cause: Some(error.into()),
    })?;
    let Some(found) = steered::found(&engine, &run, predicted, schedule) else { return Ok(None) };
    steered::entry(&mut engine, found, stop, |_, schedule, failure| {
        gather(&source.program, &settings, schedule, failure, stop)
    })
}

fn engine(source: &Source, settings: &Settings, stop: &Arc<AtomicBool>) -> Result<VmEngine, Error> {
    let machine = Machine::new(source.program.clone(), settings);
    let mut engine = VmEngine::new(machine.map_err(|error| Error::Program(error.into()))?);
    engine.stop_when(stop.clone());
    Ok(engine)
}
