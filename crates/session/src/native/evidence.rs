//! Evidence: a finding of a search, run again in a process of its own and recorded.
//!
//! In: a schedule of the search and the failure that it shows. Out: the steps of that process as a
//! schedule that `raddle replay` takes, and the story of a recorded replay of them.
//!
//! - E1: the choices are taken again in a fresh process. If that does not show the same failure,
//!   the finding says where the two runs differ first.
//! - E2: the steps of that process are replayed and recorded. If that ends differently or in another place, the
//!   finding says how. Its hash is that of `raddle replay`; that of the fresh process is another one, since
//!   threads that are made in advance move what is on the heap.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use raddle_explore::{Engine, EngineError, Failure, FailureKind, Observe, Outcome, Plan, Run};
use raddle_finding::{Choice, Schedule};
use raddle_native::explore::NativeEngine;
use raddle_native::launch::Answer;
use raddle_native::recording::{Native, Recording};
use raddle_native::symbol::Symbols;
use raddle_report::quantity::count;
use raddle_wire::{Flags, OutcomeKind, RecordingState};
use tempfile::NamedTempFile;

use super::chronicle::Chronicle;
use super::ending::outcome_name;
use super::recording::read_ended;
use super::{Binary, diverged, sites};
use crate::decisive;
use crate::ending::{after, deadlocked};
use crate::error::Error;
use crate::subject::{Evidence, Gathered};

/// A recording that is longer has no story.
const RECORDING_MAX: u64 = 1 << 30;

/// How long a replay is watched that waits for something outside: it does so for ever.
const WAITING: Duration = Duration::from_secs(2);

/// Runs a schedule of a search again.
pub(super) fn gather(
    binary: &Binary,
    engine: &mut NativeEngine,
    schedule: &Schedule,
    failure: &Failure,
    stop: &Arc<AtomicBool>,
) -> Result<Gathered, Error> {
    let is_stopped = || stop.load(Ordering::Relaxed);
    if is_stopped() {
        return Ok(Gathered::Late);
    }
    let observe = Observe { races: failure.kind == FailureKind::Race, ..Observe::default() };
    let plan = Plan { prefix: schedule.choices().collect(), observe, ..Plan::default() };
    let mut run = Run::new();
    let answer = match engine.run_alone(&plan, &mut run) {
        _ if is_stopped() => return Ok(Gathered::Late),
        Ok(answer) => answer,
        Err(error) => return Ok(Gathered::Lost(format!("in a fresh process: {error}"))),
    };
    // E1
    if !shows(engine, &run, failure) {
        return Ok(Gathered::Lost(difference(engine, &plan, &run, &answer)));
    }
    let schedule = binary.launch.schedule(&answer.taken)?;
    let file = NamedTempFile::new().map_err(Error::Temporary)?;
    let mut request = binary.launch.request(&answer.taken);
    let waits = answer.outcome == OutcomeKind::Hang;
    request.timeout = Some(if waits { WAITING } else { binary.setup.timeout });
    request.max_events = binary.setup.max_events;
    request.recording = Some(file.path().to_owned());
    request.max_recording = RECORDING_MAX;
    request.stacks = true;
    request.flags |= Flags::RECORD | Flags::VALUES;
    request.flags |= if engine.is_strict() { Flags::STRICT_LOCKS } else { 0 };
    let replayed = binary.launch.run(&request, stop)?;
    if is_stopped() {
        return Ok(Gathered::Scheduled(schedule));
    }
    // E2
    if answer.outcome == OutcomeKind::Livelock && is_own_end(replayed.outcome) {
        // Threads take turns for ever in the search; behind the steps of a replay they take other turns, and leave.
        return Ok(Gathered::Passes);
    }
    if !is_same_end(&answer, &replayed) {
        return Ok(Gathered::Lost(otherwise(&answer, &replayed)));
    }
    // A run that was ended from outside has no ending of its own.
    let ended = if waits { &answer } else { &replayed };
    let mut evidence = Evidence {
        schedule,
        is_replayed: true,
        hash: Some(ended.event_hash),
        message: None,
        after: run.misuses.first().map(|misuse| after(&misuse.failure)),
        story: Default::default(),
        preemptions: None,
        locations: failure.sites(),
        background: Vec::new(),
        objects: Vec::new(),
    };
    let mut symbols = Symbols::new();
    let native = Recording::open(file.path()).ok();
    let native = native.and_then(|recording| read_ended(&recording, ended, &mut symbols));
    if let Some(native) = native
        && replayed.recording == RecordingState::Whole
    {
        describe(&mut evidence, &native, &run, ended, (engine, failure), &mut symbols);
    }
    Ok(Gathered::Shown(Box::new(evidence.finding(failure.kind.property(), failure))))
}

/// Adds what a recording says.
fn describe(
    evidence: &mut Evidence,
    native: &Native,
    run: &Run,
    answer: &Answer,
    (engine, failure): (&NativeEngine, &Failure),
    symbols: &mut Symbols,
) {
    let race = run.races.iter().find(|race| engine.race(race).is_same(failure));
    let name = race.and_then(|race| symbols.data(race.object.1, race.bytes.1.into()));
    let chronicle = Chronicle::new(native, run, answer, symbols);
    match race.filter(|_| failure.kind == FailureKind::Race) {
        Some(race) => {
            let decisive = chronicle.racing(race, &failure.places, name.as_deref());
            let events = chronicle.events();
            let sites = decisive::sites(events, &decisive, &failure.places);
            if !decisive.is_empty() {
                (evidence.locations, evidence.objects) = sites;
            }
            let object = evidence.objects.first();
            evidence.message =
                object.and_then(|object| decisive::race_message(events, &decisive, object));
            evidence.story = chronicle.story_of_race(&decisive);
        }
        None => {
            // Which thread is which may have changed since the search.
            let failure = run.outcome.failure().unwrap_or(failure);
            let ending = sites::ending(native, answer, failure, symbols);
            evidence.story = chronicle.story(&ending);
            evidence.message = match answer.outcome {
                OutcomeKind::UseAfterFree | OutcomeKind::BadFree => ending.title.clone(),
                OutcomeKind::Deadlock => Some(deadlocked(&ending.why)),
                _ => evidence.message.take(),
            };
            evidence.story.title = ending.title.or_else(|| Some(failure.message.clone()));
            evidence.story.why = ending.why;
            evidence.story.why.extend(ending.origins.why());
            evidence.background = ending.origins.sites();
            evidence.locations = ending.locations;
            evidence.objects = ending.objects;
        }
    }
}

/// Whether a run shows some failure.
fn shows(engine: &NativeEngine, run: &Run, failure: &Failure) -> bool {
    match failure.kind {
        FailureKind::Race => run.races.iter().any(|race| engine.race(race).is_same(failure)),
        _ => run.outcome.failure().is_some_and(|other| other.is_same_but_for_points(failure)),
    }
}

/// Where a run in a fresh process is another one than that of the search.
fn difference(engine: &mut NativeEngine, plan: &Plan, alone: &Run, answer: &Answer) -> String {
    if answer.outcome == OutcomeKind::Diverged {
        let position = answer.diverged_at as usize;
        let choice = plan.prefix.get(position).copied().unwrap_or(Choice::Thread(0));
        let instead = format!("in a fresh process {}", answer.message);
        return diverged(position, choice, Some(&instead));
    }
    let mut searched = Run::new();
    match engine.run(plan, &(), &mut searched) {
        Ok(()) => first_difference(&searched, alone, plan.prefix.len()),
        Err(EngineError::Diverged { position, choice }) => {
            let instead = engine.divergence().map(|divergence| divergence.instead.clone());
            diverged(position, choice, instead.as_deref())
        }
        Err(error) => error.to_string(),
    }
}

/// The first point at which two runs differ, or how each of them ended.
fn first_difference(searched: &Run, alone: &Run, n_choices: usize) -> String {
    let n = searched.points().len().min(alone.points().len());
    let what = |run: &Run, point: usize| {
        let open: Vec<_> = run.alternatives(point).iter().map(Choice::to_string).collect();
        format!("thread {} was left with {} open", run.points()[point].current, open.join(", "))
    };
    let differs = |&point: &usize| {
        searched.points()[point] != alone.points()[point]
            || searched.alternatives(point) != alone.alternatives(point)
    };
    match (0..n).find(differs) {
        Some(point) => format!(
            "they differ first at point {}: in the search {}, in a fresh process {}",
            count(point + 1),
            what(searched, point),
            what(alone, point)
        ),
        None if searched.outcome == alone.outcome => format!(
            "it was found in a run with {} choices; another one by them now has {} points and ends \
             like this: {}",
            count(n_choices),
            count(alone.points().len()),
            end(&alone.outcome)
        ),
        None => format!(
            "all {} points are the same: in the search it ended like this: {}; in a fresh process: {}",
            count(n),
            end(&searched.outcome),
            end(&alone.outcome)
        ),
    }
}

fn end(outcome: &Outcome) -> String {
    match outcome.failure() {
        Some(failure) => failure.message.clone(),
        None => outcome.name().to_owned(),
    }
}

/// Whether a replay ended like the run that is replayed. Where threads are when they have gone round
/// for long enough is by chance.
fn is_same_end(answer: &Answer, replayed: &Answer) -> bool {
    if answer.outcome == OutcomeKind::Hang && replayed.timed_out {
        return true;
    }
    let end = |answer: &Answer| match answer.outcome {
        OutcomeKind::Exited => (answer.outcome, answer.exit.code as u64),
        OutcomeKind::Livelock => (answer.outcome, 0),
        outcome => (outcome, answer.pc),
    };
    end(answer) == end(replayed)
}

/// Whether a program came to an end of its own; what was cut off may still spin.
fn is_own_end(outcome: OutcomeKind) -> bool {
    use OutcomeKind as O;
    matches!(
        outcome,
        O::Exited
            | O::Deadlock
            | O::Assertion
            | O::Abort
            | O::Crash
            | O::UseAfterFree
            | O::BadFree
            | O::Misuse
    )
}

/// How a replay is another run than the one that is replayed.
fn otherwise(answer: &Answer, replayed: &Answer) -> String {
    if replayed.outcome == OutcomeKind::Diverged {
        let step = count(replayed.diverged_at + 1);
        return format!("a replay could not follow step {step}: {}", replayed.message);
    }
    let pairs = answer.taken.iter().zip(&replayed.taken);
    let step = pairs.take_while(|(one, other)| one == other).count();
    format!(
        "a replay of its steps ended as {} after {} events, not as {} after {}; the steps are the \
         same up to step {}",
        outcome_name(replayed.outcome),
        count(replayed.counts.events),
        outcome_name(answer.outcome),
        count(answer.counts.events),
        count(step)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_livelock_is_left_only_by_an_end_of_the_program() {
        use OutcomeKind as O;
        assert!([O::Exited, O::Deadlock, O::Assertion, O::Crash].into_iter().all(is_own_end));
        let others = [O::None, O::Livelock, O::Diverged, O::Limit, O::Stopped, O::Hang];
        assert!(!others.into_iter().any(is_own_end));
    }
    use raddle_explore::Point;

    fn run(open: &[&[u32]]) -> Run {
        let mut run = Run::new();
        for alternatives in open {
            alternatives.iter().for_each(|&thread| run.open(Choice::Thread(thread)));
            run.push(Point::default());
        }
        run
    }

    #[test]
    fn the_first_point_that_differs_is_named() {
        let text = first_difference(&run(&[&[0], &[0, 1], &[0]]), &run(&[&[0], &[0, 2], &[1]]), 3);
        assert!(text.contains("at point 2: in the search"), "{text}");
        assert!(text.contains("0, 1 open") && text.contains("0, 2 open"), "{text}");
    }

    #[test]
    fn equal_points_with_other_ends_are_told_by_their_ends() {
        let (one, mut other) = (run(&[&[0]]), run(&[&[0]]));
        other.outcome = Outcome::Steps;
        let text = first_difference(&one, &other, 1);
        assert!(text.contains("all 1 points are the same") && text.contains("steps"), "{text}");
        assert!(first_difference(&one, &one, 4).contains("a run with 4 choices"));
    }
}
