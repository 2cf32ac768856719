//! What a program did when it was steered, as if a search had found it: simplified, and run again.
//!
//! In: a prediction, and a run that was steered along its witness. Out: an [`Entry`].

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use raddle_explore::{Engine, Found, Observe, Run, ShrinkBudget, shrink};
use raddle_finding::{Failure, FailureKind, Finding, Property, Schedule};

use crate::error::Error;
use crate::exploration::Entry;
use crate::merge::{lines, lines_of};
use crate::subject::Gathered;

/// What a run along a prediction has to be looked at for.
pub(crate) fn observe(predicted: &Finding) -> Observe {
    Observe { races: predicted.property == Property::Race, ..Observe::default() }
}

/// What a run by a schedule shows of what was predicted, as a search would have found it.
pub(crate) fn found<E: Engine>(
    engine: &E,
    run: &Run,
    predicted: &Finding,
    schedule: &Schedule,
) -> Option<Found> {
    let is_same = |failure: &Failure| lines(failure) == lines_of(predicted);
    let failure = match predicted.property {
        // A race by all release sequences rather than one by those of C++20 only.
        Property::Race => {
            let races = run.races.iter().map(|race| engine.race(race)).filter(is_same);
            races.min_by_key(|race| race.ordered_by_c11)
        }
        Property::Deadlock | Property::LostWakeup => {
            run.outcome.failure().filter(|failure| failure.kind == FailureKind::Deadlock).cloned()
        }
        _ => None,
    };
    Some(Found {
        failure: failure?,
        outcome: Some(run.outcome.clone()),
        schedule: schedule.clone(),
        preemptions: run.n_preemptions(),
        bound: None,
        execution: 0,
        promoted: 0,
        race: None,
        times: 1,
    })
}

/// Makes it as simple as there is time for, and describes it; none if there is no time for that.
pub(crate) fn entry<E: Engine>(
    engine: &mut E,
    found: Found,
    stop: &Arc<AtomicBool>,
    gather: impl FnOnce(&mut E, &Schedule, &Failure) -> Result<Gathered, Error>,
) -> Result<Option<Entry>, Error> {
    let budget = ShrinkBudget::default();
    let shrunk = shrink(engine, &found.schedule, &found.failure, &budget, stop).ok().flatten();
    let schedule = found.schedule.clone();
    let mut entry = Entry { is_steered: true, ..Entry::new(found, schedule) };
    if let Some(shrunk) = shrunk {
        entry.simplify(shrunk, !stop.load(Ordering::Relaxed));
    }
    // Without a story of its own, that of the witness is shown.
    match gather(engine, &entry.found.schedule, &entry.found.failure)? {
        Gathered::Shown(shown) => {
            shown.schedule.iter().for_each(|schedule| entry.schedule.clone_from(schedule));
            entry.shown = Some(shown);
            Ok(Some(entry))
        }
        other => {
            log::debug!("steered, but not reported: {other:?}");
            Ok(None)
        }
    }
}
