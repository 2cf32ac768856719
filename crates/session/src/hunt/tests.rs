//! Findings that there is no time for are findings all the same.

use std::path::Path;
use std::sync::Arc;

use raddle_cfront::compile::compile;
use raddle_cfront::preprocess::Options;
use raddle_explore::{Bounded, Races};
use raddle_vm::Settings;

use super::*;
use crate::document;
use crate::vm::Source;

/// Works on the findings of a program that has some, within so much time.
fn catches(patience: Patience) -> Vec<Catch> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/c/bank_race.c");
    let compiled = compile(&[path], &Options::default()).unwrap();
    let hunt = Hunt {
        subject: Source { program: Arc::new(compiled.program), settings: Settings::default() },
        budget: Budget { runs: Some(500), races: Races::Promoted, ..Budget::default() },
        jobs: 1,
        options: String::new(),
        stop: Stop::default(),
    };
    let caught = hunt.run(Bounded::icb(Some(2)).into(), None, &mut ()).unwrap();
    let Catches { all, unrepeated } = hunt.collect_within(&caught, patience, &mut ()).unwrap();
    assert!(all.len() > 1 && all.len() == caught.report.findings.len() && unrepeated.is_empty());
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
        assert_eq!(catch.shrunk.schedule, catch.found.schedule);
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
