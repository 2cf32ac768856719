//! What becomes of findings: those that there is no time for are findings all the same.

use std::path::Path;

use raddle_cfront::compile::compile;
use raddle_cfront::preprocess::Options;
use raddle_explore::{Bounded, Budget, Races, Strategy, Trouble};
use raddle_vm::Settings;

use super::*;
use crate::document;
use crate::vm::Source;

/// A program that has findings.
fn hunt() -> Hunt<Source> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/c/bank_race.c");
    let compiled = compile(&[path], &Options::default()).unwrap();
    let source = Source { program: Arc::new(compiled.program), settings: Settings::default() };
    let budget = Budget { runs: Some(500), races: Races::Promoted, ..Budget::default() };
    Hunt::new(source, budget)
}

/// Works on the findings, within so much time.
fn catches(patience: Patience) -> Vec<Catch> {
    catches_of(&hunt(), patience)
}

fn catches_of(hunt: &Hunt<Source>, patience: Patience) -> Vec<Catch> {
    let mut caught = hunt.run(Bounded::icb(Some(2)).into(), None, &mut ()).unwrap();
    let n = caught.report.findings.len();
    let Catches { all, unrepeated } = hunt.collect_within(&mut caught, patience, &mut ()).unwrap();
    assert!(all.len() > 1 && all.len() == n && unrepeated.is_empty());
    all
}

#[test]
fn with_time_there_are_stories() {
    for catch in catches(Patience { simplifying: SIMPLIFYING, telling: None }) {
        let evidence = catch.evidence.as_ref().unwrap();
        assert!(catch.is_simplified && evidence.is_replayed);
        assert_eq!(catch.schedule.as_ref(), Some(&evidence.schedule));
    }
}

#[test]
fn without_time_to_simplify_there_are_stories_of_what_was_found() {
    for catch in catches(Patience { simplifying: Duration::ZERO, telling: None }) {
        assert!(!catch.is_simplified && catch.evidence.as_ref().unwrap().is_replayed);
        assert_eq!(catch.shrunk, None);
    }
}

#[test]
fn without_any_time_there_are_findings_with_their_places() {
    let none = Patience { simplifying: Duration::ZERO, telling: Some(Duration::ZERO) };
    for catch in catches(none) {
        assert!(!catch.is_simplified && catch.evidence.is_none() && catch.schedule.is_none());
        let finding = document::finding(&catch);
        assert_eq!(finding.locations.len(), catch.found.trouble.places.len());
        assert!(finding.witness.is_some() && finding.schedule.is_none());
        assert_eq!(finding.details["simplified"], false);
    }
}

#[test]
fn what_nobody_wants_told_has_the_schedule_of_what_is_told() {
    let plenty = Patience { simplifying: SIMPLIFYING, telling: None };
    let untold = catches_of(&Hunt { tells: false, ..hunt() }, plenty);
    for (untold, told) in untold.iter().zip(catches(plenty)) {
        assert!(untold.evidence.is_none() && untold.is_simplified);
        assert_eq!(untold.schedule, told.schedule);
        assert_eq!(untold.shrunk, told.shrunk);
    }
}

#[test]
fn what_nobody_wants_simple_is_told_as_it_was_found() {
    let plenty = Patience { simplifying: SIMPLIFYING, telling: None };
    for catch in catches_of(&Hunt { shrinks: false, ..hunt() }, plenty) {
        assert!(!catch.is_simplified && catch.evidence.as_ref().unwrap().is_replayed);
        assert_eq!(catch.shrunk, None);
    }
}

#[test]
fn a_strategy_that_cannot_be_saved_covers_the_same() {
    let mut strategy: Box<dyn Strategy> = Box::new(Bounded::icb(Some(2)));
    let unsaved = hunt().search(&mut *strategy, &mut ()).unwrap().report;
    let saved = hunt().run(Bounded::icb(Some(2)).into(), None, &mut ()).unwrap().report;
    assert_eq!((unsaved.executions, &unsaved.bounds), (saved.executions, &saved.bounds));
    assert_eq!(unsaved.findings, saved.findings);
}

#[track_caller]
fn check_switches(choices: &[Choice], expected: u32) {
    let trouble = Trouble { kind: String::new(), places: Vec::new(), message: String::new() };
    let mut schedule = Schedule::new("9f3ac2".parse().unwrap());
    schedule.extend(choices.iter().copied());
    let (outcome, bound) = (None, None);
    let (preemptions, execution, promoted, times) = (0, 0, 0, 1);
    let found =
        Found { trouble, outcome, schedule, preemptions, bound, execution, promoted, times };
    assert_eq!(untold(found, None, false).switches(), expected);
}

#[test]
fn other_choices_are_no_switches() {
    use Choice::{Thread, Value};
    check_switches(&[Thread(0), Thread(0), Thread(1), Thread(0)], 2);
    check_switches(&[Thread(0), Value(3), Thread(0)], 0);
    check_switches(&[Thread(0), Value(3), Thread(1)], 1);
}
