//! What becomes of a finding by how running it again goes: of a program whose answers are written down.

use std::cell::RefCell;
use std::collections::VecDeque;

use raddle_explore::EngineError;

use super::*;
use crate::subject::Terms;

/// What running it again comes to.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Answer {
    Shown,
    /// It shows, and does not end as it did.
    Doubtful,
    Scheduled,
    Late,
    Passes,
    Lost,
}
use Answer::{Doubtful, Late, Lost, Passes, Scheduled, Shown};

/// A program with answers instead of runs again.
struct Scripted {
    source: Source,
    answers: RefCell<VecDeque<Answer>>,
    compares_runs: bool,
    is_portable: bool,
}

impl Subject for Scripted {
    type Engine = VmEngine;

    fn engines(&self, n: usize) -> Result<Vec<VmEngine>, Error> {
        self.source.engines(n)
    }

    fn stop_when(&self, engine: &mut VmEngine, stop: Arc<AtomicBool>) {
        self.source.stop_when(engine, stop);
    }

    fn gather(
        &self,
        _engine: &mut VmEngine,
        schedule: &Schedule,
        failure: &Failure,
        _stop: &Arc<AtomicBool>,
    ) -> Result<Gathered, Error> {
        let answer = self.answers.borrow_mut().pop_front().expect("it is run again once more");
        let shown = |verdict| {
            let kind = failure.kind.property();
            let mut shown = Finding::new(kind, verdict, "", failure.sites(), Vec::new());
            shown.schedule = Some(schedule.clone().of(PORTABLE.parse().unwrap()));
            Gathered::Shown(Box::new(shown))
        };
        Ok(match answer {
            Shown => shown(Verdict::Replayed),
            Doubtful => shown(Verdict::Witnessed),
            Scheduled => Gathered::Scheduled(schedule.clone().of(PORTABLE.parse().unwrap())),
            Late => Gathered::Late,
            Passes => Gathered::Passes,
            Lost => Gathered::Lost("it ended otherwise".to_owned()),
        })
    }

    fn is_controlled(&self) -> bool {
        true
    }

    fn compares_runs(&self) -> bool {
        self.compares_runs
    }

    fn is_portable(&self, _found: &Found) -> bool {
        self.is_portable
    }

    fn broken(&self, engines: &[VmEngine], error: EngineError) -> Error {
        self.source.broken(engines, error)
    }

    fn terms(&self, engines: &[VmEngine]) -> Terms {
        self.source.terms(engines)
    }
}

/// The program of schedules that were made by running again.
const PORTABLE: &str = "abc123";

/// What became of one finding.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
struct Fate {
    is_reported: bool,
    is_shown: bool,
    is_simplified: bool,
    /// Whether its schedule is one that running again made.
    is_remade: bool,
    is_unrepeated: bool,
}

/// How findings are worked on. With a limit, even if it is not reached, there are two stages.
#[derive(Clone, Copy)]
struct Way {
    is_limited: bool,
    shrinks: bool,
    describes: bool,
    compares_runs: bool,
    is_portable: bool,
}

const WAY: Way = Way {
    is_limited: false,
    shrinks: true,
    describes: true,
    compares_runs: false,
    is_portable: false,
};
const LIMITED: Way = Way { is_limited: true, ..WAY };
const AS_FOUND: Way = Way { shrinks: false, ..WAY };

/// Works on the first failure of the program, which is run again as often as there are answers.
#[track_caller]
fn check(way: Way, answers: &[Answer], expected: Fate) {
    let Exploration { subject, budget, .. } = exploration();
    let subject = Scripted {
        source: subject,
        answers: RefCell::new(answers.iter().copied().collect()),
        compares_runs: way.compares_runs,
        is_portable: way.is_portable,
    };
    let exploration = Exploration {
        shrinks: way.shrinks,
        describes: way.describes,
        ..Exploration::new(subject, budget)
    };
    let mut explored = exploration.run(Bounded::icb(Some(2)).into(), None, &mut ()).unwrap();
    explored.report.findings.retain(|found| found.race.is_none());
    explored.report.findings.truncate(1);
    let describing = way.is_limited.then_some(Duration::from_secs(600));
    let patience = Patience { describing, ..PLENTY };
    let collected = exploration.collect_within(&mut explored, patience, &mut ()).unwrap();
    assert!(exploration.subject.answers.borrow().is_empty(), "it is not run again so often");
    let Collected { all, unrepeated, .. } = collected;
    let entry = all.first();
    let portable = PORTABLE.parse().unwrap();
    let fate = Fate {
        is_reported: entry.is_some(),
        is_shown: entry.is_some_and(|entry| entry.shown.is_some()),
        is_simplified: entry.is_some_and(|entry| entry.is_simplified),
        is_remade: entry.is_some_and(|entry| entry.schedule.program() == &portable),
        is_unrepeated: !unrepeated.is_empty(),
    };
    assert_eq!(fate, expected);
}

const NOTHING: Fate = Fate {
    is_reported: false,
    is_shown: false,
    is_simplified: false,
    is_remade: false,
    is_unrepeated: false,
};
const REPORTED: Fate = Fate { is_reported: true, ..NOTHING };
const DESCRIBED: Fate = Fate { is_shown: true, is_remade: true, ..REPORTED };

#[test]
fn a_finding_has_a_story_unless_there_is_no_time_for_one() {
    check(AS_FOUND, &[Shown], DESCRIBED);
    check(AS_FOUND, &[Scheduled], Fate { is_remade: true, ..REPORTED });
    check(AS_FOUND, &[Late], REPORTED);
}

#[test]
fn what_passes_is_nothing_and_what_is_lost_is_unrepeated() {
    check(AS_FOUND, &[Passes], NOTHING);
    check(AS_FOUND, &[Lost], Fate { is_unrepeated: true, ..NOTHING });
    check(LIMITED, &[Lost], Fate { is_unrepeated: true, ..NOTHING });
    check(LIMITED, &[Passes], NOTHING);
}

#[test]
fn what_showed_once_and_ended_otherwise_then_is_unrepeated_unless_runs_are_compared() {
    check(AS_FOUND, &[Doubtful], Fate { is_unrepeated: true, ..NOTHING });
    check(Way { compares_runs: true, ..AS_FOUND }, &[Doubtful], DESCRIBED);
    // Simplifying has shown it again.
    check(WAY, &[Doubtful], Fate { is_simplified: true, ..DESCRIBED });
}

#[test]
fn a_simpler_run_without_a_story_leaves_the_one_there_is() {
    check(LIMITED, &[Shown, Shown], Fate { is_simplified: true, ..DESCRIBED });
    for second in [Late, Scheduled, Lost] {
        check(LIMITED, &[Shown, second], DESCRIBED);
    }
    check(LIMITED, &[Shown, Passes], NOTHING);
}

#[test]
fn a_first_run_without_a_story_leaves_the_simpler_one() {
    let simplified = Fate { is_simplified: true, ..REPORTED };
    check(LIMITED, &[Late, Shown], Fate { is_simplified: true, ..DESCRIBED });
    check(LIMITED, &[Late, Late], simplified);
    check(LIMITED, &[Scheduled, Scheduled], Fate { is_remade: true, ..simplified });
}

#[test]
fn nothing_runs_again_where_no_story_is_wanted_and_the_schedule_is_portable() {
    let silent = Way { describes: false, is_portable: true, ..WAY };
    check(Way { shrinks: false, ..silent }, &[], REPORTED);
    check(silent, &[], Fate { is_simplified: true, ..REPORTED });
    let other_form = Way { is_portable: false, ..silent };
    check(Way { shrinks: false, ..other_form }, &[Shown], Fate { is_remade: true, ..REPORTED });
}
