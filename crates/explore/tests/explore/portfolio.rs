//! The portfolio: its members do what they would do alone, and all runs are counted right.

use std::sync::atomic::AtomicBool;

use raddle_explore::*;

use crate::golden::explore;
use crate::model::{Model, ModelEngine};
use crate::models::{ab_ba, bluetooth, file_system, straight};

fn run(model: &Model, strategy: &mut dyn Strategy, runs: u64, jobs: usize) -> Report {
    let budget = Budget { runs: Some(runs), states: true, ..Budget::default() };
    let mut engines: Vec<_> = (0..jobs).map(|_| ModelEngine::new(model)).collect();
    search(&mut engines, strategy, &budget, &AtomicBool::new(false)).unwrap()
}

#[test]
fn the_enumeration_is_what_it_is_alone() {
    for model in [bluetooth(2, false), file_system(3, 2, 4, false), ab_ba(), straight(2, 4)] {
        for bounded in [Bounded::icb(None), Bounded::icb(None).cached(), Bounded::delay(Some(3))] {
            let alone = explore(&model, &mut bounded.clone());
            let report = explore(&model, &mut Portfolio::new(bounded, 1));
            let [sampled, rows @ ..] = &report.bounds[..] else { panic!("{:?}", report.bounds) };
            let counts = |row: &BoundCoverage| (row.bound, row.executions, row.cut, row.complete);
            let expected: Vec<_> = alone.bounds.iter().map(counts).collect();
            assert_eq!(rows.iter().map(counts).collect::<Vec<_>>(), expected);
            assert_eq!((sampled.bound, sampled.cut, sampled.complete), (None, 0, false));
            assert_eq!(sampled.executions + alone.executions, report.executions);
            assert_eq!((report.ending, report.exhausted), (Ending::Done, alone.exhausted));
            assert_eq!(report.complete_to(), alone.complete_to());
            let states = |report: &Report| report.bounds.last().unwrap().states;
            assert!(states(&report) >= states(&alone));
            assert!(states(&report) == states(&alone) || !alone.exhausted);
        }
    }
}

#[test]
fn any_number_of_jobs_gives_the_same_portfolio() {
    let model = bluetooth(2, false);
    for bounded in [Bounded::icb(None), Bounded::icb(None).cached()] {
        for runs in [1, 65, 130, 700, u64::MAX] {
            let portfolio = Portfolio::new(bounded.clone(), 3);
            let alone = run(&model, &mut portfolio.clone(), runs, 1);
            for jobs in [2, 3] {
                let together = run(&model, &mut portfolio.clone(), runs, jobs);
                assert_eq!(Report { memory: 0, ..together }, Report { memory: 0, ..alone.clone() });
            }
        }
    }
}

#[test]
fn a_long_search_is_mostly_enumerated() {
    let sampled = |ids: std::ops::Range<u64>| {
        ids.filter(|&id| Portfolio::<Bounded>::is_sampled(PlanId(id))).count()
    };
    assert_eq!((sampled(0..64), sampled(0..512)), (64, 256));
    assert_eq!(sampled(512..100_352), 100_352 / 8 - 64);
}

#[test]
fn turns_can_be_shorter() {
    let portfolio = Portfolio::<_, 8, 0>::in_blocks(Bounded::icb(None), 1);
    let sampled = (0..128).filter(|&id| portfolio.bound_of(PlanId(id)).is_none());
    let expected = [0, 16, 32, 48, 64].into_iter().flat_map(|first| first..first + 8);
    assert!(sampled.eq(expected));
}

/// The orders in which eleven threads end drown the enumeration at bound 0; samplers need a few
/// runs.
#[test]
fn samplers_find_what_the_enumeration_is_slow_to_reach() {
    let model = bluetooth(10, false);
    let icb = run(&model, &mut Bounded::icb(None), 5000, 1);
    assert_eq!(icb.findings, []);
    let report = run(&model, &mut Portfolio::new(Bounded::icb(None), 1), 5000, 1);
    let found = &report.findings[0];
    assert_eq!(found.bound, None);
    assert!(found.execution < 64, "{}", found.execution);
}

/// A search that begins again with other points, in the middle of either member's blocks.
#[test]
fn a_restart_begins_both_members_again() {
    let model = bluetooth(1, false);
    for n_before in [0, 1, 40, 64, 70] {
        let mut portfolio = Portfolio::new(Bounded::icb(None), 1);
        run(&model, &mut portfolio, n_before, 1);
        portfolio.restart();
        let report = explore(&model, &mut portfolio);
        let sampled = usize::from(n_before != 64); // It fits into the block behind 64.
        assert_eq!(report.bounds[0].bound.is_none(), sampled == 1);
        let rows: Vec<_> = report.bounds[sampled..].iter().map(|row| row.executions).collect();
        assert_eq!(rows, [2, 7, 11, 18, 9, 9, 3, 1]);
    }
}
