//! What a plain run of a C program foretells: it is recorded, looked into, and steered along each witness.
//!
//! In: a program. Out: the predictions that the machine did. One that it did not do is no finding here:
//! values rule it out, or nobody knows; the search goes on where the prediction ends. Reads that may see
//! another write are none either: most programs have them and mean to.
//!
//! - F1: a race was done if both threads stand before their accesses at once.
//! - F2: a deadlock was done if the run ends in one; so was a wake-up that is lost, since a wait whose
//!   notify comes too early is no mistake while another notify follows.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use raddle_explore::{
    Engine, Found, Observe, Plan as Choices, Policy, Run, ShrinkBudget, Trouble, shrink,
};
use raddle_finding::{Finding, Property, Schedule};
use raddle_predict::{Causes, Settings as Limits, TransactionSource};
use raddle_trace::Trace;
use raddle_vm::{Machine, Settings, VmEngine, fine};

use super::Source;
use super::evidence::gather;
use super::steer::{Effort, Observed, observe};
use crate::error::Error;
use crate::forecast::{Allowance, Forecast};
use crate::hunt::Catch;
use crate::merge::{lines, lines_of};
use crate::observer::Observer;
use crate::predict::{Confirmed, Item, Plan, check_threads, find, story};
use crate::subject::Gathered;

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
    let plan = Plan {
        properties,
        transactions: TransactionSource::Marked,
        all: false,
        allowance: allowance.clone(),
    };
    let found = find(&Causes::with(&trace, Limits::default()), &plan, observer)?;
    let confirmed = observed.confirm(&trace, &found, EFFORT, allowance, observer)?;
    let all = found.items().filter_map(|item| done(item, &trace, &observed, &confirmed));
    Ok(Some(Forecast {
        all: all.collect(),
        n_events: trace.len(),
        n_predicted: found.n_findings(),
        n_ruled_out: confirmed.n_ruled_out(),
        is_complete: found.is_decided() && confirmed.n_tried == found.n_findings(),
    }))
}

/// A finding, if the machine did it.
fn done(
    item: Item<'_>,
    trace: &Trace,
    observed: &Observed,
    confirmed: &Confirmed,
) -> Option<Finding> {
    let shown = confirmed.get(item, trace)?;
    let is_lost_wakeup = matches!(item, Item::LostWakeup(_));
    if is_lost_wakeup && !observed.deadlocks(&shown.schedule) {
        return None; // F2
    }
    let mut finding = item.finding(trace);
    shown.mark(&mut finding);
    finding.story = Some(story(trace, item));
    Some(finding)
}

/// Makes a finding like those of a search of one that the machine did.
pub(super) fn catch(
    source: &Source,
    foreseen: &Finding,
    stop: &Arc<AtomicBool>,
) -> Result<Option<Catch>, Error> {
    let Some(schedule) = &foreseen.schedule else { return Ok(None) };
    let settings = fine(&source.settings);
    let Some(found) = find_again(source, &settings, foreseen, schedule, stop)? else {
        return Ok(None);
    };
    let mut engine = engine(source, &settings, stop)?;
    let budget = ShrinkBudget::default();
    let shrunk = shrink(&mut engine, schedule, &found.trouble, &budget, stop).ok().flatten();
    let is_simplified = shrunk.is_some() && !stop.load(Ordering::Relaxed);
    let simplest = shrunk.as_ref().map_or(schedule, |shrunk| &shrunk.schedule);
    let gathered = gather(&source.program, &settings, simplest, &found.trouble, stop)?;
    // Without a story of its own, that of the witness has to do.
    let Gathered::Told(evidence) = gathered else { return Ok(None) };
    let schedule = Some(evidence.schedule.clone());
    let evidence = Some(*evidence);
    Ok(Some(Catch { found, shrunk, is_simplified, schedule, evidence, is_steered: true }))
}

/// What the run by a schedule shows of what was foreseen, as a search would have found it.
fn find_again(
    source: &Source,
    settings: &Settings,
    foreseen: &Finding,
    schedule: &Schedule,
    stop: &Arc<AtomicBool>,
) -> Result<Option<Found>, Error> {
    let mut engine = engine(source, settings, stop)?;
    let plan = Choices {
        prefix: schedule.choices().collect(),
        policy: Policy::Continue,
        observe: Observe { races: foreseen.property == Property::Race, ..Observe::default() },
        ..Choices::default()
    };
    let mut run = Run::new();
    engine.run(&plan, &(), &mut run).map_err(|error| Error::Unrepeatable {
        schedule: schedule.clone(),
        cause: Some(error.into()),
    })?;
    let is_same = |trouble: &Trouble| lines(trouble) == lines_of(foreseen);
    let trouble = match foreseen.property {
        Property::Race => run.races.iter().map(|race| engine.race(race)).find(is_same),
        Property::Deadlock | Property::LostWakeup => {
            run.outcome.trouble().filter(|trouble| trouble.kind == "deadlock").cloned()
        }
        _ => None,
    };
    Ok(trouble.map(|trouble| Found {
        trouble,
        outcome: run.outcome.clone(),
        schedule: schedule.clone(),
        preemptions: run.n_preemptions(),
        bound: None,
        execution: 0,
        promoted: 0,
        times: 1,
    }))
}

fn engine(source: &Source, settings: &Settings, stop: &Arc<AtomicBool>) -> Result<VmEngine, Error> {
    let machine = Machine::new(source.program.clone(), settings);
    let mut engine = VmEngine::new(machine.map_err(|error| Error::Program(error.into()))?);
    engine.stop_when(stop.clone());
    Ok(engine)
}
