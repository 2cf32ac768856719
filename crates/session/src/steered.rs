//! What a program did when it was steered, as if a search had found it: simple, run again, told.
//!
//! In: a prediction, and a run that was steered along its witness. Out: a [`Catch`].

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use raddle_explore::{Engine, Found, Observe, Run, ShrinkBudget, Trouble, shrink};
use raddle_finding::{Finding, Property, Schedule};

use crate::error::Error;
use crate::hunt::Catch;
use crate::merge::{lines, lines_of};
use crate::subject::Gathered;

/// What a run along a prediction has to be looked at for.
pub(crate) fn observe(foreseen: &Finding) -> Observe {
    Observe { races: foreseen.property == Property::Race, ..Observe::default() }
}

/// What a run by a schedule shows of what was foreseen, as a search would have found it.
pub(crate) fn found<E: Engine>(
    engine: &E,
    run: &Run,
    foreseen: &Finding,
    schedule: &Schedule,
) -> Option<Found> {
    let is_same = |trouble: &Trouble| lines(trouble) == lines_of(foreseen);
    let trouble = match foreseen.property {
        Property::Race => run.races.iter().map(|race| engine.race(race)).find(is_same),
        Property::Deadlock | Property::LostWakeup => {
            run.outcome.trouble().filter(|trouble| trouble.kind == "deadlock").cloned()
        }
        _ => None,
    };
    Some(Found {
        trouble: trouble?,
        outcome: Some(run.outcome.clone()),
        schedule: schedule.clone(),
        preemptions: run.n_preemptions(),
        bound: None,
        execution: 0,
        promoted: 0,
        times: 1,
    })
}

/// Makes it as simple as there is time for, and tells it; none if there is no time for that.
pub(crate) fn catch<E: Engine>(
    engine: &mut E,
    found: Found,
    stop: &Arc<AtomicBool>,
    gather: impl FnOnce(&mut E, &Schedule, &Trouble) -> Result<Gathered, Error>,
) -> Result<Option<Catch>, Error> {
    let Found { schedule, trouble, .. } = &found;
    let budget = ShrinkBudget::default();
    let shrunk = shrink(engine, schedule, trouble, &budget, stop).ok().flatten();
    let is_simplified = shrunk.is_some() && !stop.load(Ordering::Relaxed);
    let simplest = shrunk.as_ref().map_or(schedule, |shrunk| &shrunk.schedule);
    // Without a story of its own, that of the witness has to do.
    let evidence = match gather(engine, simplest, trouble)? {
        Gathered::Told(evidence) => evidence,
        other => {
            log::debug!("steered, but not reported: {other:?}");
            return Ok(None);
        }
    };
    let schedule = Some(evidence.schedule.clone());
    let evidence = Some(evidence);
    Ok(Some(Catch { found, shrunk, is_simplified, schedule, evidence, is_steered: true }))
}
