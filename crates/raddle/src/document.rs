//! What was found, as the document that all reports are made of: what only Rust code has in it.
//!
//! In: failure, and the execution that showed it again. Out: evidence with a story, like that of C programs,
//! of which `session` makes findings. Sources are read where a report is shown, and not before.

use raddle_explore::{Failure, FailureKind, Race, Run, Touch};
use raddle_finding::{Location, Object, ObjectKind, Property, Schedule, Site, Story};
use raddle_session::Evidence;
use raddle_session::ending;
use raddle_session::race::{self, Side};

use crate::story::{Narrator, place};
use crate::world::{Left, Tale, What, World};

/// What an execution shows of some failure.
pub(crate) fn evidence(
    (world, tale, run): (&World, &Tale, &Run),
    failure: &Failure,
    race: Option<&Race>,
    schedule: Schedule,
) -> Evidence {
    let narrator = Narrator::new(world, tale, run);
    match race.and_then(|race| Some((race, narrator.racing(race)?))) {
        Some((race, accesses)) if failure.kind == FailureKind::Race => {
            of_race(narrator, race, accesses, schedule)
        }
        _ => of_end(narrator, failure, schedule),
    }
}

/// What it is, and where, if no run of it was described.
pub(crate) fn unshown(failure: &Failure) -> (String, Vec<Site>) {
    let message = failure.message.lines().next().unwrap_or_default();
    (message.to_owned(), places(failure, None))
}

/// What failure is about.
pub(crate) fn property(failure: &Failure) -> Property {
    match failure.kind {
        FailureKind::Panic if is_assertion(failure) => Property::Assertion,
        kind => kind.property(),
    }
}

fn is_assertion(failure: &Failure) -> bool {
    failure.message.starts_with("assertion ")
}

fn of_race(
    narrator: Narrator<'_>,
    race: &Race,
    accesses: [usize; 2],
    schedule: Schedule,
) -> Evidence {
    let steps = accesses.map(|at| &narrator.tale.steps[at]);
    let names = &narrator.names;
    let does = |at: usize| match (steps[at].what, race.touches) {
        (What::CellRead, _) | (_, [Touch::Read, Touch::Read]) => ("reads", "read"),
        _ => ("writes", "written"),
    };
    let site = |at: usize, position: &str| {
        let thread = names.thread(steps[at].thread);
        let role = format!("{position} access, {}", does(at).0);
        Site::new(role, location(&steps[at].site.to_string())).by_thread(thread)
    };
    let locations = vec![site(0, "first"), site(1, "second")];
    let cell = names.object(steps[1].object).to_owned();
    let places = steps.map(|step| place(step.site));
    let side = |at: usize| Side {
        does: does(at).1,
        thread: names.thread(steps[at].thread),
        place: &places[at],
    };
    let message = race::message(&cell, [side(0), side(1)]);
    let objects = vec![Object::new(ObjectKind::Variable, cell)];
    let (message, story) = (Some(message), narrator.tell_race(accesses));
    let background = Vec::new();
    let is_replayed = true;
    let preemptions = Some(story.n_preemptions());
    Evidence {
        schedule,
        is_replayed,
        hash: None,
        message,
        after: None,
        story,
        preemptions,
        locations,
        background,
        objects,
    }
}

fn of_end(narrator: Narrator<'_>, failure: &Failure, schedule: Schedule) -> Evidence {
    let left = match failure.kind {
        FailureKind::Deadlock => &narrator.tale.left[..],
        _ => &[],
    };
    let shown = narrator.run.outcome.failure();
    let is_replayed = shown.is_some_and(|shown| shown.kind == failure.kind);
    let mut lines = failure.message.lines().map(str::trim);
    let first = lines.next().unwrap_or_default().to_owned();
    let thread = narrator.tale.failed.map(|(thread, _)| narrator.names.thread(thread).to_owned());
    let locations = match left {
        [] => places(failure, thread.as_deref()),
        left => left.iter().map(|left| waits(&narrator, left)).collect(),
    };
    let (title, message, why) = match left {
        [] => {
            let place = locations.first().map(|site| named(&site.location));
            let at = place.zip(thread).map(|(at, thread)| ending::fault(None, &at, &thread));
            (None, first.clone(), at.into_iter().chain(lines.map(str::to_owned)).collect())
        }
        left => {
            let why: Vec<_> = left.iter().map(|left| why(&narrator, left)).collect();
            (Some(ending::deadlock(left.len())), ending::deadlocked(&why), why)
        }
    };
    let locks = left.iter().filter(|left| left.holder.is_some());
    let lock = |left: &Left| Object::new(ObjectKind::Lock, narrator.names.object(left.object));
    let objects = locks.map(lock).collect();
    let panics = format!("panics: {first}");
    let what = match is_assertion(failure) {
        true => raddle_finding::Action::AssertFail.phrase(),
        false => &panics,
    };
    // A thread that only tries again, and waits on, is not in the story.
    let n_preemptions = narrator.run.n_preemptions();
    let story = Story { title, why, ..narrator.tell(Some(what)) };
    let (message, background) = (Some(message), Vec::new());
    let preemptions = Some(story.n_preemptions().max(n_preemptions));
    Evidence {
        schedule,
        is_replayed,
        hash: None,
        message,
        after: None,
        story,
        preemptions,
        locations,
        background,
        objects,
    }
}

/// Where something is that only one thread did, if any.
fn places(failure: &Failure, thread: Option<&str>) -> Vec<Site> {
    let role = if is_assertion(failure) { "assertion" } else { failure.kind.name() };
    let site = |place: &Location| {
        let site = Site::new(role, place.clone());
        match thread {
            Some(thread) => site.by_thread(thread),
            None => site,
        }
    };
    failure.places.iter().map(site).collect()
}

/// Where a thread waits that is left.
fn waits(narrator: &Narrator<'_>, left: &Left) -> Site {
    let awaited = match left.what {
        What::Join | What::ScopeEnd => narrator.names.thread(left.object).to_owned(),
        _ if left.holder.is_some() => narrator.names.object(left.object).to_owned(),
        _ => narrator.awaited(left),
    };
    let thread = narrator.names.thread(left.thread);
    Site::new(format!("waits for {awaited}"), location(&left.site.to_string())).by_thread(thread)
}

/// Why a thread does not go on.
fn why(narrator: &Narrator<'_>, left: &Left) -> String {
    let (thread, awaited) = (narrator.names.thread(left.thread), narrator.awaited(left));
    ending::waits(thread, &awaited, left.holder.is_some(), &place(left.site))
}

fn location(place: &str) -> Location {
    Location::parse(place)
}

/// `file:line`.
fn named(location: &Location) -> String {
    match (&location.file, location.line) {
        (Some(file), Some(line)) => format!("{file}:{line}"),
        _ => location.name.clone(),
    }
}
