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

#[cfg(test)]
#[cfg(feature = "vm")]
mod tests {
    use std::path::Path;

    use raddle_cfront::compile::compile;
    use raddle_cfront::preprocess::Options;
    use raddle_explore::Plan;
    use raddle_finding::{Site, Verdict};
    use raddle_vm::{Machine, Settings, VmEngine};

    use super::*;

    /// A run whose accesses race, and that ends well or not.
    fn racing_run() -> (VmEngine, Run) {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/c/bank_race.c");
        let program = Arc::new(compile(&[path], &Options::default()).unwrap().program);
        let machine = Machine::new(program, &Settings::default()).unwrap();
        let (mut engine, mut run) = (VmEngine::new(machine), Run::new());
        let observe = Observe { races: true, ..Observe::default() };
        engine.run(&Plan { observe, ..Plan::default() }, &(), &mut run).unwrap();
        assert!(!run.races.is_empty());
        (engine, run)
    }

    fn predicted(property: Property, places: &[raddle_finding::Location]) -> Finding {
        let sites = places.iter().map(|place| Site::new("", place.clone())).collect();
        Finding::new(property, Verdict::Witnessed, "", sites, Vec::new())
    }

    #[test]
    fn a_predicted_race_is_found_at_its_lines_alone() {
        let (engine, run) = racing_run();
        let schedule = Schedule::new("9f3ac2".parse().unwrap());
        for race in &run.races {
            let failure = engine.race(race);
            let of = |property, places: &[_]| {
                found(&engine, &run, &predicted(property, places), &schedule)
            };
            let shown = of(Property::Race, &failure.places).expect("it is there");
            assert_eq!(lines(&shown.failure), lines(&failure));
            assert_eq!((shown.schedule, shown.times), (schedule.clone(), 1));
            let elsewhere = ["other.c:1".into(), failure.places[0].clone()];
            assert!(of(Property::Race, &elsewhere).is_none());
            assert!(of(Property::Atomicity, &failure.places).is_none());
            assert!(of(Property::Deadlock, &failure.places).is_none(), "it ends well");
        }
    }

    #[test]
    fn a_predicted_deadlock_is_found_where_the_run_ends_with_one() {
        let (engine, mut run) = racing_run();
        let schedule = Schedule::new("9f3ac2".parse().unwrap());
        let mut is_found = |kind: FailureKind, property: Property| {
            let failure = Failure::new(kind, ["a.c:1".into()], "");
            run.outcome = raddle_explore::Outcome::Failed(failure);
            found(&engine, &run, &predicted(property, &[]), &schedule).is_some()
        };
        assert!(is_found(FailureKind::Deadlock, Property::Deadlock));
        assert!(is_found(FailureKind::Deadlock, Property::LostWakeup));
        assert!(!is_found(FailureKind::Crash, Property::Deadlock));
        assert!(!is_found(FailureKind::Deadlock, Property::Atomicity));
    }

    #[test]
    fn runs_are_looked_at_for_races_if_one_was_predicted() {
        assert!(observe(&predicted(Property::Race, &[])).races);
        assert!(!observe(&predicted(Property::Deadlock, &[])).races);
    }
}
