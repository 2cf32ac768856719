//! Evidence: a finding of a search, run again with a point before every access and recorded.
//!
//! In: a schedule of the search and the failure that it shows. Out: a schedule that can be replayed without
//! the search, the story of the recorded run, and whether the same failure showed again. If there is
//! no time for all of that, the schedule alone, or nothing.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use raddle_cfront::ir::Program;
use raddle_explore::{
    Engine, Failure, FailureKind, Observe, Outcome as End, Plan, Policy, Race, Run,
};
use raddle_finding::{Choice, Leaving, Location, Schedule};
use raddle_trace::{EventId, Events};
use raddle_vm::record::{Options, Recorder};
use raddle_vm::{
    Doing, EventHash, FaultKind, Machine, Outcome, Settings, VmEngine, fine, portable,
};

use super::{ending, sites};
use crate::decisive::{self, deciding, does, is_line_of, overlap};
use crate::error::Error;
use crate::memory::Origins;
use crate::story::{self, Switch};
use crate::subject::{Evidence, Gathered};

/// Runs a schedule of a search again; `settings` are those of its machine. Ends early when `stop` is
/// set.
pub(super) fn gather(
    program: &Arc<Program>,
    settings: &Settings,
    schedule: &Schedule,
    failure: &Failure,
    stop: &Arc<AtomicBool>,
) -> Result<Gathered, Error> {
    let lost = |cause| Error::Unrepeatable { schedule: schedule.clone(), cause };
    let portable = match portable(program, settings, schedule, stop) {
        None if stop.load(Ordering::Relaxed) => return Ok(Gathered::Late),
        portable => portable.ok_or_else(|| lost(None))?,
    };
    let machine = Machine::new(program.clone(), &fine(settings))
        .map_err(|error| Error::Program(error.into()))?;
    let mut engine = VmEngine::new(machine.clone());
    engine.stop_when(stop.clone());
    let plan = Plan {
        prefix: portable.choices().collect(),
        policy: Policy::Continue,
        observe: Observe { races: failure.kind == FailureKind::Race, ..Observe::default() },
        ..Plan::default()
    };
    let mut run = Run::new();
    engine.run(&plan, &(), &mut run).map_err(|error| lost(Some(error.into())))?;
    if run.outcome == End::Stopped {
        return Ok(Gathered::Scheduled(portable));
    }
    let race = run.races.iter().find(|race| engine.race(race).is_same(failure)).copied();
    let shown = run.outcome.failure();
    let is_replayed =
        race.is_some() || shown.is_some_and(|shown| shown.is_same_but_for_points(failure));
    let mut taken = Schedule::new(portable.program().clone());
    taken.extend(run.choices());
    let Some(recorded) = record(machine, &run, race, stop) else {
        return Ok(Gathered::Scheduled(taken));
    };
    let evidence = recorded.into_evidence(taken, is_replayed, &run, failure);
    Ok(Gathered::Shown(Box::new(evidence.finding(failure.kind.property(), failure))))
}

/// A run that was recorded.
struct Recorded {
    machine: Machine,
    recorder: Recorder,
    hash: u64,
    switches: Vec<Switch>,
    /// The race, with the number of the events up to its later access.
    race: Option<(Race, u32)>,
}

/// Records a run; none if `stop` is set.
fn record(
    mut machine: Machine,
    run: &Run,
    race: Option<Race>,
    stop: &AtomicBool,
) -> Option<Recorded> {
    let options = Options { story: true, ..Options::default() };
    let mut observer = (Recorder::with(options), EventHash::default());
    let (mut switches, mut n_preemptions, mut raced) = (Vec::new(), 0, None);
    for (point, choice) in run.choices().enumerate() {
        if stop.load(Ordering::Relaxed) {
            return None;
        }
        let current = machine.current();
        if let Choice::Thread(thread) = choice
            && thread != current
            && point > 0
        {
            n_preemptions += u32::from(run.preempts(point, choice));
            let why = match () {
                () if run.preempts(point, choice) => Leaving::Preempted { number: n_preemptions },
                () if run.leaves_spin(point) => Leaving::Spins,
                () => end(&machine, current),
            };
            let thread = machine.thread_name(current);
            switches.push(Switch { event: observer.0.len(), thread, why });
        }
        if machine.answer(choice, &mut observer).is_err() {
            break; // The engine took it just now.
        }
        if let Some(race) = race.filter(|race| race.point as usize == point) {
            raced = Some((race, observer.0.len()));
        }
    }
    let (recorder, hash) = observer;
    Some(Recorded { machine, recorder, hash: hash.value(), switches, race: raced })
}

/// Why a thread that was not preempted does not go on.
fn end(machine: &Machine, thread: u32) -> Leaving {
    let blocked = machine.blocked(thread).filter(|blocked| !blocked.pending.ready);
    let Some(blocked) = blocked else { return Leaving::GaveWay };
    let holder = blocked.holder.map(|holder| machine.thread_name(holder));
    let awaited = match (blocked.pending.doing, holder) {
        (Doing::Primitive(call), Some(thread)) if call.name().contains("join") => {
            format!("the end of {thread}")
        }
        (_, Some(holder)) => format!("{}, held by {holder}", blocked.object),
        (_, None) => blocked.object,
    };
    Leaving::Waits { awaited }
}

impl Recorded {
    fn into_evidence(
        self,
        schedule: Schedule,
        is_replayed: bool,
        run: &Run,
        failure: &Failure,
    ) -> Evidence {
        let Recorded { machine, recorder, hash, switches, race } = self;
        let fault = match machine.outcome() {
            Some(Outcome::Fault(fault)) if race.is_none() => Some(fault),
            _ => None,
        };
        let object = fault.and_then(|fault| fault.kind.freed_object());
        let (all, kept) = recorder.finish_about(object);
        let racing = race.map(|race| racing(&machine, &all, &kept, race, run, &failure.places));
        let Excerpt { events, kept, n_shown, decisive } = match racing {
            Some((racing, end)) => Excerpt::of_race(&all, kept, &racing, end),
            None => Excerpt::new(&all, kept),
        };
        let shown = &kept[..n_shown];
        let end = shown.last().map_or(0, |last| last.0 + 1);
        let n_switches = switches.partition_point(|switch| switch.event < end);
        let switches = if race.is_some() { &switches[..n_switches] } else { &switches[..] };
        let mut builder = story::of_run(&events, shown, switches, &decisive);
        if let Some(fault) = fault
            && !matches!(fault.kind, FaultKind::AssertFailed { .. })
        {
            let place = fault.stack.iter().find(|frame| !frame.library);
            let place = place.map(|frame| ending::site_text(&machine, frame.site));
            let thread = machine.thread_name(fault.thread);
            builder.fail(&thread, &place.unwrap_or_default(), &fault.to_string());
        }
        if failure.kind == FailureKind::Livelock {
            for (thread, place) in ending::spinning(&machine) {
                builder.fail(&thread, &place, "spins");
            }
        }
        let is_race = failure.kind == FailureKind::Race;
        let (locations, objects) = match is_race {
            true => decisive::sites(&events, &decisive, &failure.places),
            false => sites::outcome(failure, &machine),
        };
        let title = match machine.outcome() {
            Some(Outcome::Deadlock(blocked)) if failure.kind == FailureKind::Deadlock => {
                Some(crate::ending::deadlock(blocked.len()))
            }
            _ => None,
        };
        let why = if is_race { Vec::new() } else { ending::why(&machine) };
        // The run that is shown may be a simpler one, in which something else is wrong at the same place.
        let message = match objects.first().filter(|_| is_race) {
            Some(object) => decisive::race_message(&events, &decisive, object),
            None if title.is_some() => Some(crate::ending::deadlocked(&why)),
            None => fault.map(ToString::to_string),
        };
        let mut story = builder.finish(0);
        (story.title, story.why) = (title, why);
        let background = object.map(|object| Origins::of(&events, object).sites());
        let background = background.unwrap_or_default();
        let (hash, preemptions) = (Some(hash), Some(story.n_preemptions()));
        let after = run.misuses.first().map(|misuse| crate::ending::after(&misuse.failure));
        Evidence {
            schedule,
            is_replayed,
            hash,
            message,
            after,
            story,
            preemptions,
            locations,
            background,
            objects,
        }
    }
}

/// What a story shows of a run.
struct Excerpt {
    /// The events that are shown, and which of all they are.
    events: Events,
    kept: Vec<EventId>,
    /// How many of them come before the end of the story.
    n_shown: usize,
    decisive: Vec<EventId>,
}

impl Excerpt {
    fn new(all: &Events, kept: Vec<EventId>) -> Excerpt {
        let events = all.select(&kept);
        Excerpt { n_shown: kept.len(), decisive: deciding(&events), events, kept }
    }

    /// What comes after a race is not its story.
    fn of_race(all: &Events, mut kept: Vec<EventId>, racing: &[EventId], end: u32) -> Excerpt {
        kept.extend(racing);
        kept.sort_unstable();
        kept.dedup();
        let new = |old: &EventId| kept.binary_search(old).ok().map(|new| EventId(new as u32));
        let decisive = racing.iter().filter_map(new).collect();
        let n_shown = kept.partition_point(|event| event.0 < end);
        Excerpt { events: all.select(&kept), kept, n_shown, decisive }
    }
}

/// The accesses that race, and where the story of that ends. A free is no access: the access that it races with may be
/// of one thread alone, and not among what is kept.
fn racing(
    machine: &Machine,
    events: &Events,
    kept: &[EventId],
    (race, n): (Race, u32),
    run: &Run,
    places: &[Location],
) -> (Vec<EventId>, u32) {
    let later = run.taken(race.point as usize);
    let pair = |among: &[EventId]| racing_among(among, machine, events, (&race, places), later);
    let n_kept = kept.partition_point(|event| event.0 < n);
    let mut racing = pair(&kept[..n_kept]);
    if racing.len() < 2 {
        racing = pair(&(0..n).map(EventId).collect::<Vec<_>>());
    }
    let end = racing.last().map_or(n, |last| last.0 + 1);
    (racing, end)
}

/// The accesses that race, the earlier one first: the last of the later thread among some events, and the last of the
/// other one that touches the same memory. Each does what the race says, where the race says (`places`).
fn racing_among(
    among: &[EventId],
    machine: &Machine,
    events: &Events,
    (race, places): (&Race, &[Location]),
    later: Choice,
) -> Vec<EventId> {
    let side = usize::from(later == Choice::Thread(race.threads[1]));
    let names = race.threads.map(|thread| machine.thread_name(thread));
    let is_of = |side: usize, event: EventId| {
        let place = events.location(event).and_then(|l| events.tables.locations.get(l.0));
        events.tables.thread(events.thread(event)) == names[side]
            && does(events.op(event), race.touches[side])
            && place.is_some_and(|place| places.iter().any(|known| is_line_of(place, &known.name)))
    };
    let backwards = || among.iter().rev().copied();
    let pair = |second: EventId| {
        let mut before = backwards().filter(|&event| event < second && is_of(1 - side, event));
        before.find(|&first| overlap(events, first, second)).map(|first| vec![first, second])
    };
    let mut seconds = backwards().filter(|&event| is_of(side, event));
    let Some(last) = seconds.next() else { return Vec::new() };
    pair(last).or_else(|| seconds.find_map(pair)).unwrap_or_else(|| vec![last])
}
