//! What was found, as the document that all reports are made of.
//!
//! In: trouble, and the execution that showed it again. Out: a finding with its story, like those of C
//! programs. Sources are read where a report is shown, and not before.

use raddle_explore::{Race, Run, Touch, Trouble};
use raddle_finding::{
    Finding, Location, Object, ObjectKind, Property, Site, Story, Verdict, Witness,
};

use crate::story::{Narrator, place};
use crate::world::{Left, Tale, What, World};

/// A finding but for how it was come by.
pub(crate) fn finding(
    (world, tale, run): (&World, &Tale, &Run),
    trouble: &Trouble,
    race: Option<&Race>,
    schedule: &raddle_finding::Schedule,
) -> Finding {
    let narrator = Narrator::new(world, tale, run);
    let mut finding = match race {
        Some(race) if trouble.kind == "race" => of_race(narrator, trouble, race),
        _ => of_end(narrator, trouble),
    };
    let threads = finding.locations.iter().filter_map(|site| site.thread.clone());
    finding.threads = threads.collect();
    finding.threads.dedup();
    finding.witness = Some(Witness::Schedule { schedule: schedule.clone() });
    finding.schedule = Some(schedule.clone());
    finding.outcome = Some(run.outcome.name().to_owned());
    finding
}

/// A finding of which nobody wants to know how it comes about.
pub(crate) fn untold(trouble: &Trouble, schedule: &raddle_finding::Schedule) -> Finding {
    let sites = places(trouble, None, is_assertion(trouble));
    let message = trouble.message.lines().next().unwrap_or_default();
    let property = property(trouble);
    let mut finding = Finding::new(property, Verdict::Witnessed, message, sites, Vec::new());
    finding.schedule = Some(schedule.clone());
    finding
}

/// What trouble is about.
fn property(trouble: &Trouble) -> Property {
    match trouble.kind.as_str() {
        "race" => Property::Race,
        "deadlock" => Property::Deadlock,
        "livelock" => Property::Livelock,
        "panic" if is_assertion(trouble) => Property::Assertion,
        _ => Property::Crash,
    }
}

fn is_assertion(trouble: &Trouble) -> bool {
    trouble.message.starts_with("assertion ")
}

fn of_race(narrator: Narrator<'_>, trouble: &Trouble, race: &Race) -> Finding {
    let Some(accesses) = narrator.racing(race) else { return of_end(narrator, trouble) };
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
    let sites = vec![site(0, "first"), site(1, "second")];
    let cell = names.object(steps[1].object).to_owned();
    let side = |at: usize| {
        let thread = names.thread(steps[at].thread);
        format!("{} by {thread} ({})", does(at).1, steps[at].site)
    };
    let message = format!("`{cell}` is {} and {}, and nothing orders them", side(0), side(1));
    let objects = vec![Object::new(ObjectKind::Variable, cell)];
    let mut finding = Finding::new(Property::Race, Verdict::Replayed, message, sites, objects);
    finding.story = Some(narrator.tell_race(accesses));
    finding
}

fn of_end(narrator: Narrator<'_>, trouble: &Trouble) -> Finding {
    let left = match trouble.kind.as_str() {
        "deadlock" => &narrator.tale.left[..],
        _ => &[],
    };
    let is_assertion = is_assertion(trouble);
    let shows = narrator.run.outcome.trouble().is_some_and(|shown| shown.kind == trouble.kind);
    let verdict = if shows { Verdict::Replayed } else { Verdict::Witnessed };
    let mut lines = trouble.message.lines().map(str::trim);
    let first = lines.next().unwrap_or_default().to_owned();
    let thread = narrator.tale.failed.map(|thread| narrator.names.thread(thread).to_owned());
    let sites = match left {
        [] => places(trouble, thread.as_deref(), is_assertion),
        left => left.iter().map(|left| waits(&narrator, left)).collect(),
    };
    let (title, why) = match left {
        [] => {
            let place = sites.first().map(|site| named(&site.location));
            let at = place.zip(thread).map(|(at, thread)| format!("at {at}, thread {thread}"));
            (None, at.into_iter().chain(lines.map(str::to_owned)).collect())
        }
        left => {
            let s = if left.len() == 1 { "" } else { "s" };
            let title = format!("{} thread{s} cannot go on", left.len());
            (Some(title), left.iter().map(|left| why(&narrator, left)).collect())
        }
    };
    let locks = left.iter().filter(|left| left.holder.is_some());
    let lock = |left: &Left| Object::new(ObjectKind::Lock, narrator.names.object(left.object));
    let objects = locks.map(lock).collect();
    let message = title.clone().unwrap_or_else(|| first.clone());
    let mut finding = Finding::new(property(trouble), verdict, message, sites, objects);
    let panics = format!("panics: {first}");
    let what = match is_assertion {
        true => raddle_finding::Action::AssertFail.phrase(),
        false => &panics,
    };
    finding.story = Some(Story { title, why, ..narrator.tell(Some(what)) });
    finding
}

/// Where something is that only one thread did, if any.
fn places(trouble: &Trouble, thread: Option<&str>, is_assertion: bool) -> Vec<Site> {
    let role = if is_assertion { "assertion" } else { trouble.kind.as_str() };
    let site = |place: &String| {
        let site = Site::new(role, location(place));
        match thread {
            Some(thread) => site.by_thread(thread),
            None => site,
        }
    };
    trouble.places.iter().map(site).collect()
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
    let comma = if left.holder.is_some() { "," } else { "" };
    format!("{thread} waits for {awaited}{comma} at {}", place(left.site))
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
