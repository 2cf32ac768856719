//! Executions per bound, states and bounds of bugs that are known for the models.

use std::sync::atomic::AtomicBool;

use raddle_explore::*;
use raddle_finding::Choice;

use crate::model::{Model, ModelEngine};
use crate::models::{ab_ba, bluetooth, file_system, philosophers, section, straight};

pub fn explore(model: &Model, strategy: &mut dyn Strategy) -> Report {
    let budget = Budget { states: true, ..Budget::default() };
    let mut engines = [ModelEngine::new(model)];
    search(&mut engines, strategy, &budget, &AtomicBool::new(false)).unwrap()
}

/// Executions at each bound, and the distinct states up to the first bounds.
#[track_caller]
fn check(model: &Model, executions: &[u64], states: &[u64]) -> Report {
    let report = explore(model, &mut Bounded::icb(None));
    let counted: Vec<_> = report.bounds.iter().map(|row| row.executions).collect();
    assert_eq!(counted, executions);
    let covered: Vec<_> = report.bounds.iter().map(|row| row.states.unwrap()).collect();
    assert_eq!(&covered[..states.len()], states);
    assert!(
        covered.iter().skip(states.len()).all(|n| Some(n) == states.last()) || states.is_empty()
    );
    assert!(report.bounds.iter().all(|row| row.complete));
    assert!(report.bounds.iter().zip(0..).all(|(row, bound)| row.bound == Some(bound)));
    assert_eq!((report.ending, report.exhausted), (Ending::Done, true));
    for (row, c) in report.bounds.iter().zip(0..) {
        let most = report.theorem_1(c).unwrap_or(u128::MAX);
        assert!(u128::from(row.executions) <= most, "{} > {most} at {c}", row.executions);
    }
    let all = explore(model, &mut Bounded::dfs());
    assert_eq!(all.executions, executions.iter().sum::<u64>(), "of depth-first search");
    assert_eq!(all.bounds[0].states, report.bounds.last().unwrap().states);
    report
}

/// The one finding: its kind, its place and the fewest preemptions.
#[track_caller]
fn finds(report: &Report, kind: &str, place: &str, preemptions: u32) {
    let [found] = &report.findings[..] else { panic!("{:?}", report.findings) };
    let failure = &found.failure;
    assert_eq!((failure.kind.name(), &*failure.places[0].name), (kind, place));
    assert_eq!((found.preemptions, found.bound), (preemptions, Some(preemptions)));
}

#[track_caller]
fn is_clean(report: &Report) {
    assert_eq!(report.findings, []);
}

#[test]
fn straight_lines() {
    let cases: &[(usize, u32, &[u64])] = &[
        (2, 1, &[2]),
        (2, 2, &[2, 2, 2]),
        (2, 3, &[2, 4, 8, 4, 2]),
        (2, 4, &[2, 6, 18, 18, 18, 6, 2]),
        (2, 5, &[2, 8, 32, 48, 72, 48, 32, 8, 2]),
        (3, 1, &[6]),
        (3, 2, &[6, 18, 36, 30]),
        (3, 3, &[6, 36, 150, 360, 510, 444, 174]),
        (4, 2, &[24, 144, 504, 984, 864]),
    ];
    for &(n, k, executions) in cases {
        is_clean(&check(&straight(n, k), executions, &[]));
    }
}

#[test]
fn lock_sections_have_no_preemptions() {
    is_clean(&check(&section(2), &[2], &[12]));
    is_clean(&check(&section(3), &[6], &[32]));
}

#[test]
fn opposite_lock_orders_deadlock_with_one_preemption() {
    let report = check(&ab_ba(), &[2, 4], &[16, 19]);
    finds(&report, "deadlock", "[1, 1]", 1);
    let Maxima { threads, steps, blocking, preemptions, .. } = report.maxima;
    assert_eq!((threads, steps, blocking, preemptions), (2, 8, 4, 1));
}

#[test]
fn bluetooth_with_one_adder() {
    let report = check(&bluetooth(1, false), &[2, 7, 11, 18, 9, 9, 3, 1], &[17, 38, 49, 51]);
    finds(&report, "assertion", "assert !stopped", 1);
    assert_eq!(report.maxima.steps, 10);
}

#[test]
fn bluetooth_with_two_adders() {
    let executions = [6, 64, 268, 832, 1814, 2882, 3586, 3498, 2302, 970, 164];
    let states = [46, 167, 288, 373, 412, 416];
    let report = check(&bluetooth(2, false), &executions, &states);
    finds(&report, "assertion", "assert !stopped", 1);
    assert_eq!(report.maxima.steps, 15);
}

#[test]
fn fixed_bluetooth_with_two_adders() {
    let executions = [6, 66, 328, 894, 1506, 1664, 1180, 532, 92];
    let report = check(&bluetooth(2, true), &executions, &[48, 147, 189]);
    is_clean(&report);
    assert_eq!(report.maxima.steps, 13);
}

#[test]
fn file_system_with_sync_points() {
    let report =
        check(&file_system(4, 2, 2, false), &[24, 144, 496, 968, 1168, 920, 400, 80], &[135, 259]);
    is_clean(&report);
    assert_eq!(report.maxima.steps, 14);
    let executions = [6, 26, 78, 108, 116, 60, 24, 2];
    let report = check(&file_system(3, 2, 4, false), &executions, &[36, 60]);
    is_clean(&report);
    assert_eq!(report.maxima.steps, 10);
}

#[test]
fn file_system_without_contention_up_to_bound_3() {
    let model = file_system(4, 4, 8, false);
    let report = explore(&model, &mut Bounded::icb(Some(3)));
    let rows: Vec<_> = report.bounds.iter().map(|row| (row.executions, row.states)).collect();
    let known = [(24, 112), (432, 328), (4824, 544), (36960, 625)];
    assert_eq!(rows, known.map(|(executions, states)| (executions, Some(states))));
    assert_eq!((report.ending, report.exhausted), (Ending::Done, false));
    assert_eq!(report.complete_to(), Some(3));
}

#[test]
fn file_system_with_all_points() {
    is_clean(&check(&file_system(2, 1, 2, true), &[2], &[22]));
    let executions = [
        6, 60, 420, 1638, 5166, 11088, 20160, 26460, 29988, 24696, 17640, 8820, 3780, 1008, 216, 18,
    ];
    is_clean(&check(&file_system(3, 2, 4, true), &executions, &[72, 198]));
}

#[test]
fn the_known_schedules_of_the_bluetooth_bug_show_it() {
    let schedules: [&[u32]; 2] = [&[0, 1, 1, 1, 1, 1, 0, 0], &[0, 1, 1, 1, 1, 2, 2, 2, 2, 2, 0, 0]];
    for (n_adders, schedule) in (1..).zip(schedules) {
        let prefix = schedule.iter().map(|&thread| Choice::Thread(thread)).collect();
        let plan = Plan { prefix, ..Plan::default() };
        let mut run = Run::new();
        ModelEngine::new(&bluetooth(n_adders, false)).run(&plan, &(), &mut run).unwrap();
        assert_eq!(run.outcome.failure().unwrap().places, ["assert !stopped".into()]);
        assert_eq!((run.n_preemptions(), run.points().len()), (1, schedule.len()));
    }
}

/// A bound that also cut what is free would find no deadlock here.
#[test]
fn four_philosophers_deadlock_with_one_preemption() {
    for strategy in [Bounded::icb(Some(1)), Bounded::icb(Some(1)).cached()] {
        let report = explore(&philosophers(4), &mut strategy.clone());
        finds(&report, "deadlock", "[1, 1, 1, 1]", 1);
        assert!(report.bounds[0].complete && report.bounds[0].executions > 0);
    }
    let report = explore(&philosophers(4), &mut Reduced::bounded(Some(1)));
    finds(&report, "deadlock", "[1, 1, 1, 1]", 1);
}
