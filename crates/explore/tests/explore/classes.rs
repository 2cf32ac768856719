//! Happens-before classes against equivalence by definition.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::AtomicBool;

use proptest::prelude::*;
use raddle_explore::{Access, Bounded, Budget, Classes, Report, search};

use crate::model::{Model, ModelEngine, State};
use crate::models::listed;
use crate::oracle::any_program;

/// A step: who, what, to which object.
type Step = (usize, Access, u64);

fn dependent(a: Step, b: Step) -> bool {
    let reads = |step: Step| step.1 == Access::Read;
    a.0 == b.0 || a.2 == b.2 && !(reads(a) && reads(b))
}

/// The smallest of all orders that swapping independent neighbours leads to.
fn normal_form(mut steps: Vec<Step>) -> Vec<(usize, u64)> {
    let mut normal = Vec::new();
    while !steps.is_empty() {
        let free = |&at: &usize| steps[..at].iter().all(|&before| !dependent(before, steps[at]));
        let first = (0..steps.len()).filter(free).min_by_key(|&at| steps[at].0).unwrap();
        let (thread, _, object) = steps.remove(first);
        normal.push((thread, object));
    }
    normal
}

/// The normal forms of all beginnings, by the fewest preemptions that lead there.
fn beginnings(
    model: &Model,
    state: &State,
    steps: &mut Vec<Step>,
    cost: u32,
    found: &mut BTreeMap<Vec<(usize, u64)>, u32>,
) {
    let least = found.entry(normal_form(steps.clone())).or_insert(cost);
    *least = cost.min(*least);
    let enabled: Vec<_> = (0..model.n_threads).filter(|&t| model.is_enabled(state, t)).collect();
    for &thread in &enabled {
        let last = steps.last().map(|step| step.0);
        let preempts = last.is_some_and(|last| last != thread && enabled.contains(&last));
        let (access, object) = (model.operation)(state, thread);
        let mut next = state.clone();
        (model.step)(&mut next, thread);
        steps.push((thread, access, object));
        beginnings(model, &next, steps, cost + u32::from(preempts), found);
        steps.pop();
    }
}

fn explored(model: &Model, mut strategy: Bounded) -> (Report, BTreeSet<String>) {
    let mut engines = [Classes::new(ModelEngine::new(model))];
    let budget = Budget { states: true, ..Budget::default() };
    let report = search(&mut engines, &mut strategy, &budget, &AtomicBool::new(false)).unwrap();
    let ends = engines[0].engine().ends.iter().map(|(_, state)| format!("{state:?}")).collect();
    (report, ends)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn classes_are_those_of_the_definition_at_every_bound(program in any_program()) {
        let model = listed(program);
        let mut expected = BTreeMap::new();
        beginnings(&model, &model.start(), &mut Vec::new(), 0, &mut expected);
        let (report, ends) = explored(&model, Bounded::icb(None));
        let (cached, cached_ends) = explored(&model, Bounded::icb(None).cached());
        for row in &report.bounds {
            let up_to = expected.values().filter(|&&cost| cost <= row.bound.unwrap()).count();
            prop_assert_eq!(row.states, Some(up_to as u64));
        }
        prop_assert_eq!(&cached_ends, &ends);
        let states = |report: &Report| -> Vec<_> {
            report.bounds.iter().map(|row| (row.bound, row.states)).collect()
        };
        // Bounds at which nothing is new may be missing.
        let known = states(&report);
        prop_assert!(states(&cached).iter().all(|row| known.contains(row)));
        prop_assert!(cached.executions <= report.executions);
    }
}
