//! A session as a library: a C program goes in, a report comes out, and the observer can end it.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use raddle_cfront::compile::compile;
use raddle_cfront::preprocess::Options;
use raddle_explore::{Checkpoint, Ending, Races};
use raddle_finding::{Property, Report, Verdict};
use raddle_session::vm::Source;
use raddle_session::{Checked, Observer, Session, Status, Stop};
use raddle_vm::Settings;

/// A session with a program of the corpus.
fn session(name: &str) -> Session<'static, Source> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/c").join(name);
    let compiled = compile(&[path], &Options::default()).expect("the corpus compiles");
    let program = Arc::new(compiled.program);
    Session::new(name, Source { program, settings: Settings::default() })
}

/// Counts what it hears; stops the session when a search has made so many executions.
#[derive(Default)]
struct Ear {
    n_searching: usize,
    n_simplifying: usize,
    n_predicting: usize,
    stop: Option<(Stop, u64)>,
    has_ended: bool,
}

impl Observer for Ear {
    fn status(&mut self, status: &Status) {
        match status {
            Status::Searching(searching) => {
                self.n_searching += 1;
                if let Some((stop, n)) = &self.stop {
                    stop.asked.fetch_or(searching.executions >= *n, Ordering::Relaxed);
                }
            }
            Status::Simplifying { .. } => self.n_simplifying += 1,
            Status::Predicting { .. } => self.n_predicting += 1,
            _ => {}
        }
    }

    fn ended(&mut self, _: Ending, _: &dyn Fn() -> Checkpoint) {
        self.has_ended = true;
    }
}

#[test]
fn a_program_is_checked_in_a_few_lines() {
    let mut ear = Ear::default();
    let Checked { report, ending, is_complete, .. } = session("bank_race.c").run(&mut ear).unwrap();
    assert!(is_complete && ending == Ending::Done && ear.has_ended);
    assert!(ear.n_predicting > 0 && ear.n_simplifying > 0);
    let [failure] = report.findings.as_slice() else { panic!("{:?}", report.findings) };
    assert_eq!((failure.property, failure.verdict), (Property::Assertion, Verdict::Replayed));
    assert!(failure.causes.iter().all(|cause| cause.property == Property::Race));
    assert_eq!(failure.causes.len(), 2);
    let schedule = failure.schedule.as_ref().unwrap().to_string();
    assert_eq!(failure.replay.as_ref(), Some(&schedule), "the caller has not said what replays it");
}

#[test]
fn what_is_fixed_is_proved() {
    let checked = session("bank_race_fixed.c").run(&mut ()).unwrap();
    assert!(checked.is_complete && checked.report.findings.is_empty());
}

#[test]
fn races_that_nobody_wants_are_not_foretold_either() {
    let mut session = session("bank_race.c");
    session.exploration.budget.races = Races::Ignored;
    session.exploration.budget.runs = Some(1);
    let report = session.run(&mut ()).unwrap().report;
    assert_eq!(report.stats["prediction"]["predictions"], 1);
    assert!(report.findings.iter().all(|finding| finding.property != Property::Race));
}

/// Without what may differ between equal sessions.
fn steady(mut report: Report) -> Report {
    report.timing.clear();
    report
}

#[test]
fn the_report_does_not_depend_on_the_number_of_jobs() {
    for name in ["bank_race.c", "ab_ba.c", "lost_wakeup.c", "connection_pool.c"] {
        let [one, two] = [1, 2].map(|jobs| {
            let mut session = session(name);
            session.exploration.jobs = jobs;
            steady(session.run(&mut ()).unwrap().report)
        });
        assert_eq!(one, two, "{name}");
    }
}

#[test]
fn a_session_that_is_stopped_reports_what_is_known() {
    let mut session = session("dining_philosophers_fixed.c");
    session.method.bound = None;
    session.method.is_cached = false;
    let mut ear = Ear { stop: Some((session.exploration.stop.clone(), 1)), ..Ear::default() };
    let checked = session.run(&mut ear).unwrap();
    assert!(ear.n_searching > 0 && ear.has_ended);
    assert_eq!((checked.ending, checked.is_complete), (Ending::Stopped, false));
    let exploration = &checked.report.stats["exploration"];
    assert!(exploration["executions"].as_u64() > Some(0), "{exploration}");
}

#[test]
fn one_that_is_stopped_has_the_findings_until_then() {
    let mut session = session("dining_philosophers.c");
    session.method.bound = None;
    session.method.is_cached = false;
    let mut ear = Ear { stop: Some((session.exploration.stop.clone(), 1)), ..Ear::default() };
    let checked = session.run(&mut ear).unwrap();
    assert_eq!(checked.ending, Ending::Stopped);
    let deadlock = &checked.report.findings[0];
    assert_eq!((deadlock.property, deadlock.verdict), (Property::Deadlock, Verdict::Replayed));
    assert!(deadlock.schedule.is_some());
}
