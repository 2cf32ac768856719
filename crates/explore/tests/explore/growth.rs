//! Growth curves against counting by hand.

use std::collections::BTreeSet;
use std::sync::atomic::AtomicBool;

use raddle_explore::*;

use crate::golden::explore;
use crate::model::{Model, ModelEngine};
use crate::models::{bluetooth, file_system};

/// The states after each execution.
fn by_hand(model: &Model, mut strategy: AnyStrategy, n: usize) -> Vec<u64> {
    let (mut engine, watch) = (ModelEngine::new(model), strategy.watch());
    let (mut seen, mut counts) = (BTreeSet::new(), Vec::new());
    let mut run = Run::new();
    while counts.len() < n {
        let Next::Ready(id, mut plan) = strategy.next() else { break };
        plan.observe.fingerprints = true;
        let watch: &dyn Watch = if plan.unwatched { &() } else { watch.as_ref() };
        engine.run(&plan, watch, &mut run).unwrap();
        seen.extend(run.fingerprints.iter().copied());
        counts.push(seen.len() as u64);
        strategy.learn(id, &mut run);
    }
    counts
}

#[test]
fn what_a_curve_has_is_exact() {
    let model = bluetooth(2, false);
    let strategies: [AnyStrategy; 6] = [
        Bounded::icb(None).into(),
        Bounded::icb(None).cached().into(),
        Bounded::dfs().into(),
        Bounded::iterative_depth(4, 4).into(),
        Sample::new(Sampler::Random, 2).into(),
        Portfolio::new(Bounded::icb(None), 2).into(),
    ];
    for mut strategy in strategies {
        let counts = by_hand(&model, strategy.clone(), 3000);
        let budget = Budget { runs: Some(3000), states: true, ..Budget::default() };
        let mut engines = [ModelEngine::new(&model), ModelEngine::new(&model)];
        let stop = AtomicBool::new(false);
        let report = search(&mut engines, &mut strategy, &budget, &stop).unwrap();
        for point in &report.growth {
            assert_eq!(point.states, counts[point.executions as usize - 1], "{point:?}");
        }
        assert_eq!(report.growth.last().unwrap().executions, counts.len() as u64);
    }
}

#[test]
fn a_curve_is_dense_and_small() {
    let report = explore(&file_system(3, 2, 4, true), &mut Bounded::icb(None));
    assert_eq!(report.executions, 151_164);
    let numbers: Vec<_> = report.growth.iter().map(|point| point.executions).collect();
    assert!((1..=200).eq(numbers[..200].iter().copied()));
    let steps = numbers[199..].windows(2);
    assert!(steps.into_iter().all(|pair| pair[0] < pair[1] && pair[1] <= pair[0] + pair[0] / 100));
    assert!(numbers.len() < 1000, "{}", numbers.len());
    assert!(report.growth.is_sorted_by_key(|point| (point.bound, point.states)));
    let covered = report.bounds.last().unwrap().states.unwrap();
    let last = Growth { executions: 151_164, states: covered, bound: Some(15) };
    assert_eq!(report.growth.last(), Some(&last));
}

#[test]
fn there_is_no_curve_if_states_are_not_counted() {
    let model = bluetooth(1, false);
    let (mut engines, stop) = ([ModelEngine::new(&model)], AtomicBool::new(false));
    let budget = Budget::default();
    let report = search(&mut engines, &mut Bounded::icb(None), &budget, &stop).unwrap();
    assert_eq!(report.growth, []);
}
