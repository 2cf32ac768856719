//! What becomes of findings: those that there is no time for are findings all the same.

use std::path::Path;

use raddle_cfront::compile::compile;
use raddle_cfront::preprocess::Options;
use raddle_explore::{Bounded, Budget, Failure, Observe, Plan, Races, Run, Strategy};
use raddle_vm::{Machine, Settings, VmEngine};

use super::*;
use crate::document;
use crate::vm::Source;

mod scripted;

/// A program that has findings.
fn exploration() -> Exploration<Source> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/c/bank_race.c");
    let compiled = compile(&[path], &Options::default()).unwrap();
    let source = Source { program: Arc::new(compiled.program), settings: Settings::default() };
    let budget = Budget { runs: Some(500), races: Races::Promoted, ..Budget::default() };
    Exploration::new(source, budget)
}

/// Works on the findings, within so much time.
fn entries(patience: Patience) -> Vec<Entry> {
    entries_of(&exploration(), patience)
}

fn entries_of(exploration: &Exploration<Source>, patience: Patience) -> Vec<Entry> {
    let mut explored = exploration.run(Bounded::icb(Some(2)).into(), None, &mut ()).unwrap();
    let n = explored.report.findings.len();
    let collected = exploration.collect_within(&mut explored, patience, &mut ()).unwrap();
    let Collected { all, unrepeated, .. } = collected;
    assert!(all.len() > 1 && all.len() == n && unrepeated.is_empty());
    all
}

const PLENTY: Patience = Patience { simplifying: SIMPLIFYING, describing: None };
const NONE: Patience = Patience { simplifying: Duration::ZERO, describing: Some(Duration::ZERO) };

#[track_caller]
fn is_replayed(entry: &Entry) -> bool {
    entry.shown.as_ref().is_some_and(|shown| shown.verdict == Verdict::Replayed)
}

#[test]
fn with_time_there_are_stories() {
    for entry in entries(PLENTY) {
        assert!(entry.is_simplified && is_replayed(&entry));
        assert_eq!(Some(&entry.schedule), entry.shown.unwrap().schedule.as_ref());
    }
}

#[test]
fn without_time_to_simplify_there_are_stories_of_what_was_found() {
    let hurried =
        Patience { simplifying: Duration::ZERO, describing: Some(Duration::from_secs(600)) };
    for patience in [hurried, Patience { describing: None, ..hurried }] {
        for entry in entries(patience) {
            assert!(!entry.is_simplified && !entry.is_minimal && is_replayed(&entry));
        }
    }
}

#[test]
fn with_a_limit_that_is_not_reached_all_is_as_without() {
    let limited = Patience { describing: Some(Duration::from_secs(600)), ..PLENTY };
    for (one, other) in entries(limited).iter().zip(entries(PLENTY)) {
        assert_eq!((&one.found, one.is_simplified), (&other.found, other.is_simplified));
        assert_eq!((&one.schedule, &one.shown), (&other.schedule, &other.shown));
    }
}

#[test]
fn without_any_time_there_are_findings_with_their_places() {
    for entry in entries(NONE) {
        assert!(!entry.is_simplified && entry.shown.is_none());
        let finding = document::finding(&entry);
        assert_eq!(finding.locations.len(), entry.found.failure.places.len());
        assert_eq!(finding.details["simplified"], false);
        assert!(finding.witness.is_some() && finding.schedule.is_some());
    }
}

#[test]
fn without_any_time_schedules_repeat_what_was_found() {
    let exploration = exploration();
    for Entry { found, schedule, .. } in entries(NONE) {
        let mut settings = Settings::default();
        settings.take_points(schedule.program());
        let machine = Machine::new(exploration.subject.program.clone(), &settings).unwrap();
        assert_eq!(schedule.check_program(&machine.program_id()), Ok(()));
        let (mut engine, mut run) = (VmEngine::new(machine), Run::new());
        let observe = Observe { races: true, ..Observe::default() };
        let plan = Plan { prefix: schedule.choices().collect(), observe, ..Plan::default() };
        engine.run(&plan, &(), &mut run).unwrap();
        let races = run.races.iter().map(|race| engine.race(race));
        let mut shown = races.chain(run.outcome.failure().cloned());
        assert!(shown.any(|shown| shown.is_same(&found.failure)), "{found:?}");
    }
}

#[test]
fn what_is_not_described_has_the_schedule_of_what_is() {
    let plain = entries_of(&Exploration { describes: false, ..exploration() }, PLENTY);
    for (plain, described) in plain.iter().zip(entries(PLENTY)) {
        assert!(plain.shown.is_none() && plain.is_simplified);
        assert_eq!(plain.schedule, described.schedule);
        assert_eq!(plain.found, described.found);
    }
}

#[test]
fn what_is_not_simplified_is_described_as_it_was_found() {
    for entry in entries_of(&Exploration { shrinks: false, ..exploration() }, PLENTY) {
        assert!(!entry.is_simplified && !entry.is_minimal && is_replayed(&entry));
    }
}

#[test]
fn a_strategy_that_cannot_be_saved_covers_the_same() {
    let mut strategy: Box<dyn Strategy> = Box::new(Bounded::icb(Some(2)));
    let unsaved = exploration().search(&mut *strategy, &mut ()).unwrap().report;
    let saved = exploration().run(Bounded::icb(Some(2)).into(), None, &mut ()).unwrap().report;
    assert_eq!((unsaved.executions, &unsaved.bounds), (saved.executions, &saved.bounds));
    assert_eq!(unsaved.findings, saved.findings);
}

fn found(kind: FailureKind, places: &[&str], choices: &[Choice]) -> Found {
    let mut schedule = Schedule::new("9f3ac2".parse().unwrap());
    schedule.extend(choices.iter().copied());
    Found {
        failure: Failure::new(kind, places.iter().map(|&place| place.into()), ""),
        outcome: None,
        schedule,
        preemptions: 0,
        bound: None,
        execution: 0,
        promoted: 0,
        race: None,
        times: 1,
    }
}

#[track_caller]
fn check_switches(choices: &[Choice], expected: u32) {
    let found = found(FailureKind::Crash, &[], choices);
    let schedule = found.schedule.clone();
    assert_eq!(Entry::new(found, schedule).switches(), expected);
}

#[test]
fn other_choices_are_no_switches() {
    use Choice::{Thread, Value};
    check_switches(&[Thread(0), Thread(0), Thread(1), Thread(0)], 2);
    check_switches(&[Thread(0), Value(3), Thread(0)], 0);
    check_switches(&[Thread(0), Value(3), Thread(1)], 1);
}

#[test]
fn failures_come_before_races_and_new_causes_before_variants() {
    use FailureKind::{Assertion, Crash, Race};
    let all = [
        found(Race, &["a.c:1", "a.c:2"], &[]),
        found(Crash, &["a.c:3"], &[]),
        found(Crash, &["a.c:3", "a.c:4"], &[]),
        found(Race, &["a.c:3", "a.c:5"], &[]),
        found(Assertion, &["a.c:6"], &[]),
    ];
    assert_eq!(order(&all), [1, 4, 2, 0, 3]);
}

#[test]
fn findings_share_the_time_that_is_left() {
    const HOUR: Duration = Duration::from_secs(3600);
    let exploration = exploration();
    let mut work = Work {
        exploration: &exploration,
        start: LazyCell::new(|| Instant::now() + HOUR),
        patience: PLENTY,
        n_left: 0,
        unrepeated: Vec::new(),
    };
    for (n_left, seconds) in [(0, 60), (1, 60), (2, 30), (3, 20)] {
        work.n_left = n_left;
        assert_eq!(work.share(Duration::from_secs(60)), Duration::from_secs(seconds));
    }
    work.start = LazyCell::new(Instant::now);
    assert_eq!(work.share(Duration::ZERO), Duration::ZERO);
}

#[test]
fn the_grace_is_a_fifth_of_the_time_from_one_to_five_seconds() {
    for (time, grace) in [(None, 1), (Some(1), 1), (Some(10), 2), (Some(25), 5), (Some(100), 5)] {
        let mut exploration = exploration();
        exploration.budget.time = time.map(Duration::from_secs);
        assert_eq!(exploration.grace(), Duration::from_secs(grace));
    }
}

#[test]
fn races_that_are_not_reported_are_counted() {
    let exploration = Exploration { reports_races: false, ..exploration() };
    let mut explored = exploration.run(Bounded::icb(Some(2)).into(), None, &mut ()).unwrap();
    let n_races = explored.report.findings.iter().filter(|found| found.race.is_some()).count();
    let n = explored.report.findings.len();
    let collected = exploration.collect_within(&mut explored, NONE, &mut ()).unwrap();
    assert!(n_races > 0 && collected.all.iter().all(|entry| entry.found.race.is_none()));
    assert_eq!((collected.n_unreported, collected.all.len()), (n_races, n - n_races));
}
