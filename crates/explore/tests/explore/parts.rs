//! Parts of a search: together they are the whole, and nothing that costs is in two of them.

use std::collections::BTreeMap;

use proptest::prelude::*;
use raddle_explore::Strategy as _;
use raddle_explore::*;
use raddle_finding::Choice;

use crate::model::{Model, ModelEngine, State};
use crate::models::{bluetooth, listed};
use crate::oracle::any_program;

/// The executions of a strategy, each with the bound it is produced at.
fn executions(model: &Model, mut strategy: Bounded) -> BTreeMap<Vec<Choice>, u32> {
    let mut engine = ModelEngine::new(model);
    let mut run = Run::new();
    let mut all = BTreeMap::new();
    while let Next::Ready(id, plan) = strategy.next() {
        engine.run(&plan, &(), &mut run).unwrap();
        let bound = strategy.bound().unwrap();
        assert!(all.insert(run.choices().collect(), bound).is_none(), "produced twice");
        strategy.learn(id, &mut run);
    }
    all
}

/// All executions of a model.
fn enumerate(model: &Model, state: &State, path: &mut Vec<Choice>, all: &mut Vec<Vec<Choice>>) {
    let enabled: Vec<_> = (0..model.n_threads).filter(|&t| model.is_enabled(state, t)).collect();
    if enabled.is_empty() {
        all.push(path.clone());
    }
    for &thread in &enabled {
        let mut next = state.clone();
        (model.step)(&mut next, thread);
        path.push(Choice::Thread(thread as u32));
        enumerate(model, &next, path, all);
        path.pop();
    }
}

/// How the executions of a strategy end, each with the lowest bound at which one ends so.
fn ends(model: &Model, mut strategy: Bounded) -> BTreeMap<String, u32> {
    let (mut engine, watch) = (ModelEngine::new(model), strategy.watch());
    let mut run = Run::new();
    let mut all = BTreeMap::new();
    while let Next::Ready(id, plan) = strategy.next() {
        let before = engine.ends.len();
        engine.run(&plan, watch.as_ref(), &mut run).unwrap();
        let bound = strategy.bound().unwrap();
        for (_, state) in &engine.ends[before..] {
            all.entry(format!("{state:?}")).or_insert(bound);
        }
        strategy.learn(id, &mut run);
    }
    all
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn parts_are_the_whole(program in any_program(), n in 1..5u32) {
        let model = listed(program);
        let mut expected = Vec::new();
        enumerate(&model, &model.start(), &mut Vec::new(), &mut expected);
        for whole in [Bounded::icb(None), Bounded::delay(None)] {
            let free = |all: &BTreeMap<Vec<Choice>, u32>| {
                all.iter().filter(|&(_, &bound)| bound == 0).map(|(e, _)| e.clone()).collect()
            };
            let free_of_whole: Vec<_> = free(&executions(&model, whole.clone()));
            let mut joined = Vec::new();
            for part in 0..n {
                let all = executions(&model, whole.clone().split(part, n).unwrap());
                prop_assert_eq!(&free(&all), &free_of_whole);
                joined.extend(all.into_iter().filter(|&(_, bound)| bound > 0).map(|(e, _)| e));
            }
            joined.extend(free_of_whole);
            joined.sort();
            prop_assert_eq!(&joined, &expected);
        }
    }

    #[test]
    fn parts_with_a_cache_lose_nothing_at_any_bound(program in any_program(), n in 1..5u32) {
        let model = listed(program);
        let mut joined = BTreeMap::new();
        for part in 0..n {
            let part = Bounded::icb(None).cached().split(part, n).unwrap();
            for (end, bound) in ends(&model, part) {
                let known = joined.entry(end).or_insert(bound);
                *known = bound.min(*known);
            }
        }
        prop_assert_eq!(joined, ends(&model, Bounded::icb(None)));
    }
}

#[test]
fn parts_are_of_similar_size() {
    let model = bluetooth(2, false);
    let n_whole = 6 + 64 + 268 + 832;
    let fair = 6 + (n_whole - 6) / 4;
    for part in 0..4 {
        let n = executions(&model, Bounded::icb(Some(3)).split(part, 4).unwrap()).len();
        assert!(n.abs_diff(fair) * 6 < fair, "{n} is far from {fair}");
    }
}

#[test]
fn a_part_that_begins_again_is_the_same_part() {
    let model = bluetooth(1, false);
    let part = Bounded::icb(None).split(1, 3).unwrap();
    let mut again = part.clone();
    let (mut engine, mut run) = (ModelEngine::new(&model), Run::new());
    for _ in 0..5 {
        let Next::Ready(id, plan) = again.next() else { panic!("there is more") };
        engine.run(&plan, &(), &mut run).unwrap();
        again.learn(id, &mut run);
    }
    again.restart();
    assert_eq!(executions(&model, again), executions(&model, part));
}

#[test]
fn a_part_is_never_everything() {
    let model = bluetooth(1, false);
    let mut part = Bounded::icb(None).split(0, 2).unwrap();
    let mut whole = Bounded::icb(None);
    for (strategy, exhausted) in [(&mut part, false), (&mut whole, true)] {
        let report = crate::golden::explore(&model, strategy);
        assert_eq!((report.ending, report.exhausted), (Ending::Done, exhausted));
    }
    assert!(Bounded::icb(None).split(2, 2).is_none());
    assert!(Bounded::icb(None).split(0, 0).is_none());
    assert!(Bounded::dfs().split(0, 2).is_none());
}
