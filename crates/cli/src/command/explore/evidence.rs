//! Evidence: a finding of a search, run again with a point before every access and recorded.
//!
//! In: a schedule of the search and the trouble that it shows. Out: a schedule that anybody can
//! replay, the recorded run and its story, and whether the same trouble showed again.

use std::sync::Arc;

use raddle_cfront::ir::Program;
use raddle_explore::{Engine, Observe, Plan, Policy, Race, Run, Trouble};
use raddle_finding::{Choice, Schedule};
use raddle_trace::{EventId, Events, Op, ThreadId};
use raddle_vm::record::Recorder;
use raddle_vm::{
    Doing, EventHash, FaultKind, Machine, Outcome, Settings, VmEngine, fine, portable,
};

use super::story::{End, Story, Switch};
use crate::command::program::ending;
use crate::diagnostic::Diagnostic;

/// A finding that was run again.
pub(super) struct Evidence {
    /// Repeats it, with a point before every access.
    pub(super) schedule: Schedule,
    /// Whether the run showed the same trouble again.
    pub(super) is_replayed: bool,
    /// The hash of everything that happened.
    pub(super) hash: u64,
    pub(super) story: Story,
    /// The program, as it was at the end.
    pub(super) machine: Machine,
    pub(super) events: Events,
    /// The accesses that race, or what else decides.
    pub(super) decisive: Vec<EventId>,
}

/// Runs a schedule of a search again; `settings` are those of its machine.
pub(super) fn gather(
    program: &Arc<Program>,
    settings: &Settings,
    schedule: &Schedule,
    trouble: &Trouble,
) -> Result<Evidence, Diagnostic> {
    let lost = || {
        Diagnostic::error("a schedule that was found does not repeat; this is a defect of Raddle")
            .remark(schedule.to_string())
    };
    let schedule = portable(program, settings, schedule).ok_or_else(lost)?;
    let machine = Machine::new(program.clone(), &fine(settings))
        .map_err(|error| Diagnostic::error("the program cannot be run").because(&error))?;
    let mut engine = VmEngine::new(machine.clone());
    let plan = Plan {
        prefix: schedule.choices().collect(),
        policy: Policy::Continue,
        observe: Observe { races: trouble.kind == "race", ..Observe::default() },
        ..Plan::default()
    };
    let mut run = Run::new();
    engine.run(&plan, &(), &mut run).map_err(|error| lost().because(&error))?;
    let same = |other: &Trouble| other.kind == trouble.kind && other.place == trouble.place;
    let race = run.races.iter().find(|race| same(&engine.race(race))).copied();
    let is_replayed = race.is_some() || run.outcome.trouble().is_some_and(same);
    let mut taken = Schedule::new(schedule.program().clone());
    taken.extend(run.choices());
    Ok(record(machine, &run, race).into_evidence(taken, is_replayed, &run))
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

fn record(mut machine: Machine, run: &Run, race: Option<Race>) -> Recorded {
    let mut observer = (Recorder::new(), EventHash::default());
    let (mut switches, mut n_preemptions, mut raced) = (Vec::new(), 0, None);
    for (point, choice) in run.choices().enumerate() {
        let current = machine.current();
        if let Choice::Thread(thread) = choice
            && thread != current
            && point > 0
        {
            n_preemptions += u32::from(run.preempts(point, choice));
            let end = match () {
                () if run.preempts(point, choice) => End::Preempted(n_preemptions),
                () if run.leaves_spin(point) => End::Spins,
                () => end(&machine, current),
            };
            let thread = machine.thread_name(current);
            switches.push(Switch { event: observer.0.len(), thread, end });
        }
        if machine.answer(choice, &mut observer).is_err() {
            break; // The engine took it just now.
        }
        if let Some(race) = race.filter(|race| race.point as usize == point) {
            raced = Some((race, observer.0.len()));
        }
    }
    let (recorder, hash) = observer;
    Recorded { machine, recorder, hash: hash.value(), switches, race: raced }
}

/// Why a thread that was not preempted does not go on.
fn end(machine: &Machine, thread: u32) -> End {
    let blocked = machine.blocked(thread).filter(|blocked| !blocked.pending.ready);
    let Some(blocked) = blocked else { return End::GaveWay };
    let holder = blocked.holder.map(|holder| machine.thread_name(holder));
    End::Waits(match (blocked.pending.doing, holder) {
        (Doing::Primitive(call), Some(thread)) if call.name().contains("join") => {
            format!("the end of {thread}")
        }
        (_, Some(holder)) => format!("{}, held by {holder}", blocked.object),
        (_, None) => blocked.object,
    })
}

impl Recorded {
    fn into_evidence(self, schedule: Schedule, is_replayed: bool, run: &Run) -> Evidence {
        let Recorded { machine, recorder, hash, switches, race } = self;
        let (events, kept) = recorder.finish_with_kept();
        let mut told = kept.as_slice();
        let decisive = match race {
            Some((race, n)) => {
                let n = kept.partition_point(|event| event.0 < n);
                let later = run.taken(race.point as usize);
                let racing = racing(&machine, &events, race.threads, later, n as u32);
                // What comes after a race is not its story.
                told = &told[..racing.last().map_or(n, |last| last.0 as usize + 1)];
                racing
            }
            None => deciding(&events),
        };
        let end = told.last().map_or(0, |last| last.0 + 1);
        let n_switches = switches.partition_point(|switch| switch.event < end);
        let switches = if race.is_some() { &switches[..n_switches] } else { &switches[..] };
        let mut story = Story::new(&machine, &events, told, switches, &decisive);
        if let (None, Some(Outcome::Fault(fault))) = (&race, machine.outcome())
            && !matches!(fault.kind, FaultKind::AssertFailed { .. })
        {
            let place = fault.stack.iter().find(|frame| !frame.library);
            let place = place.map(|frame| ending::site_text(&machine, frame.site));
            let thread = machine.thread_name(fault.thread);
            story.fail(&machine, &thread, place.unwrap_or_default(), fault.to_string());
        }
        Evidence { schedule, is_replayed, hash, story, machine, events, decisive }
    }
}

/// The accesses that race: the last of the later thread, and the last of the earlier one that
/// conflicts with it.
fn racing(
    machine: &Machine,
    events: &Events,
    threads: [u32; 2],
    later: Choice,
    n: u32,
) -> Vec<EventId> {
    let name = |thread: u32| machine.thread_name(thread);
    let by = |thread: u32| {
        let name = name(thread);
        move |&event: &EventId| events.tables.thread(events.thread(event)) == name
    };
    let [one, other] = threads;
    let (first, second) = if later == Choice::Thread(one) { (other, one) } else { (one, other) };
    let accessed = |event: EventId| match events.op(event) {
        Op::Read { var, .. } => Some((var, false)),
        Op::Write { var, .. } | Op::ReadModifyWrite { var, .. } => Some((var, true)),
        _ => None,
    };
    let backwards = |n: u32| (0..n).rev().map(EventId);
    let overlaps = |a, b| match (events.tables.range(a), events.tables.range(b)) {
        (Some(a), Some(b)) => {
            let end = |range: raddle_trace::Range| range.offset + u64::from(range.size);
            a.region == b.region && a.offset < end(b) && b.offset < end(a)
        }
        _ => a == b,
    };
    for later in backwards(n).filter(by(second)) {
        let Some((var, writes)) = accessed(later) else { continue };
        let conflicts = |event: &EventId| {
            accessed(*event).is_some_and(|(other, w)| (w || writes) && overlaps(var, other))
        };
        if let Some(earlier) = backwards(later.0).filter(by(first)).find(conflicts) {
            return vec![earlier, later];
        }
    }
    Vec::new()
}

/// The assertion that fails, or the locks that are asked for in vain at the end.
fn deciding(events: &Events) -> Vec<EventId> {
    let last_of = |thread: ThreadId| {
        (0..events.len() as u32).rev().map(EventId).find(|&e| events.thread(e) == thread)
    };
    let threads = events.tables.threads.len() as u32;
    let decides = |&event: &EventId| {
        matches!(events.op(event), Op::Assert { holds: false } | Op::Request { .. })
    };
    let mut decisive: Vec<_> =
        (0..threads).filter_map(|t| last_of(ThreadId(t))).filter(decides).collect();
    decisive.sort_unstable();
    decisive
}
