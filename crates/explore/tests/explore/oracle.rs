//! Random small programs: the search against enumeration by brute force.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::AtomicBool;

use proptest::prelude::*;
use raddle_explore::{Bounded, Budget, Report, search};

use crate::model::{Model, ModelEngine, State};
use crate::models::{Op, listed};

/// By number of preemptions: how many executions there are, and how they end.
type Ends = BTreeMap<u32, (u64, BTreeSet<String>)>;

/// Tries every order of steps.
fn enumerate(model: &Model, state: &State, last: Option<usize>, cost: u32, ends: &mut Ends) {
    let enabled: Vec<_> = (0..model.n_threads).filter(|&t| model.is_enabled(state, t)).collect();
    if enabled.is_empty() {
        let (count, states) = ends.entry(cost).or_default();
        *count += 1;
        states.insert(format!("{state:?}"));
    }
    for &thread in &enabled {
        let preempts = last.is_some_and(|last| last != thread && enabled.contains(&last));
        let mut next = state.clone();
        (model.step)(&mut next, thread);
        enumerate(model, &next, Some(thread), cost + u32::from(preempts), ends);
    }
}

fn explored(model: &Model, mut strategy: Bounded) -> (Ends, Report) {
    let mut engines = [ModelEngine::new(model)];
    let stop = AtomicBool::new(false);
    let report = search(&mut engines, &mut strategy, &Budget::default(), &stop).unwrap();
    let mut ends = Ends::new();
    for (preemptions, state) in &engines[0].ends {
        let (count, states) = ends.entry(*preemptions).or_default();
        *count += 1;
        states.insert(format!("{state:?}"));
    }
    (ends, report)
}

/// The states in which executions of at most so many preemptions end, bound by bound.
fn up_to_each_bound(ends: &Ends, n: u32) -> Vec<BTreeSet<String>> {
    let up_to = |bound| ends.range(..=bound).flat_map(|(_, (_, states))| states.clone()).collect();
    (0..n).map(up_to).collect()
}

/// What is found at which bound.
fn found(report: &Report) -> BTreeSet<(String, Option<u32>)> {
    report
        .findings
        .iter()
        .map(|found| (found.failure.places[0].name.clone(), found.bound))
        .collect()
}

pub fn any_program() -> impl Strategy<Value = Vec<Vec<Op>>> {
    let op = prop_oneof![
        2 => (0..2usize).prop_map(Op::Load),
        2 => (0..2usize).prop_map(Op::Store),
        2 => (0..2usize).prop_map(Op::Lock),
        2 => (0..2usize).prop_map(Op::Unlock),
    ];
    let thread = |n| prop::collection::vec(op.clone(), 1..n);
    prop_oneof![prop::collection::vec(thread(7), 2), prop::collection::vec(thread(4), 3),]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, ..ProptestConfig::default() })]

    #[test]
    fn icb_is_brute_force(program in any_program()) {
        let model = listed(program);
        let mut expected = Ends::new();
        enumerate(&model, &model.start(), None, 0, &mut expected);
        let (ends, report) = explored(&model, Bounded::icb(None));
        prop_assert_eq!(&ends, &expected);
        for row in &report.bounds {
            let executions = expected.get(&row.bound.unwrap()).map_or(0, |end| end.0);
            prop_assert_eq!(row.executions, executions);
        }
        let (all, _) = explored(&model, Bounded::dfs());
        prop_assert_eq!(&all, &expected);
        let (delayed, _) = explored(&model, Bounded::delay(None));
        prop_assert_eq!(&delayed, &expected);
    }

    #[test]
    fn the_cache_loses_nothing_at_any_bound(program in any_program()) {
        let model = listed(program);
        let (ends, report) = explored(&model, Bounded::icb(None));
        let (cached, cached_report) = explored(&model, Bounded::icb(None).cached());
        let n = report.bounds.len() as u32;
        prop_assert_eq!(up_to_each_bound(&cached, n), up_to_each_bound(&ends, n));
        prop_assert_eq!(found(&cached_report), found(&report));
        prop_assert!(cached_report.executions <= report.executions);
        for most in 0..n.min(3) {
            let (cut, _) = explored(&model, Bounded::icb(Some(most)).cached());
            prop_assert_eq!(up_to_each_bound(&cut, most + 1), up_to_each_bound(&ends, most + 1));
        }
    }
}
