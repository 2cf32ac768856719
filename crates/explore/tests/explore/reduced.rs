//! Partial-order reduction: nothing that matters is lost, and little is done twice.

use std::collections::BTreeSet;
use std::sync::atomic::AtomicBool;

use proptest::prelude::*;
use raddle_explore::{Budget, Reduced, Report, search};

use crate::model::{Model, ModelEngine, State};
use crate::models::{Op, ab_ba, bluetooth, file_system, listed, straight};

/// What executions end in: states in which the program ends by itself, and what is found.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
struct Ends {
    states: BTreeSet<String>,
    found: BTreeSet<String>,
}

impl Ends {
    fn add(&mut self, model: &Model, state: &State) {
        let over = (0..model.n_threads).all(|thread| state.pc[thread] == crate::model::END);
        match state.failed {
            Some(what) => drop(self.found.insert(what.to_owned())),
            None => drop(self.states.insert(format!("{state:?}"))),
        }
        if !over && state.failed.is_none() {
            self.found.insert(format!("deadlock {:?}", state.pc));
        }
    }
}

/// Tries every order of steps, with at most so many preemptions.
fn enumerate(model: &Model, state: &State, last: Option<usize>, left: u32, ends: &mut Ends) {
    let enabled: Vec<_> = (0..model.n_threads).filter(|&t| model.is_enabled(state, t)).collect();
    if enabled.is_empty() {
        ends.add(model, state);
    }
    for &thread in &enabled {
        let preempts = last.is_some_and(|last| last != thread && enabled.contains(&last));
        let Some(left) = left.checked_sub(u32::from(preempts)) else { continue };
        let mut next = state.clone();
        (model.step)(&mut next, thread);
        enumerate(model, &next, Some(thread), left, ends);
    }
}

fn brute_force(model: &Model, bound: u32) -> Ends {
    let mut ends = Ends::default();
    enumerate(model, &model.start(), None, bound, &mut ends);
    ends
}

fn reduced(model: &Model, mut strategy: Reduced) -> (Ends, Report) {
    let mut engines = [ModelEngine::new(model)];
    let stop = AtomicBool::new(false);
    let report = search(&mut engines, &mut strategy, &Budget::default(), &stop).unwrap();
    let mut ends = Ends::default();
    engines[0].ends.iter().for_each(|(_, state)| ends.add(model, state));
    (ends, report)
}

/// Threads that take a lock so many times.
fn sections(n_threads: usize, times: usize) -> Model {
    listed(vec![[Op::Lock(0), Op::Unlock(0)].repeat(times); n_threads])
}

#[test]
fn lock_sections_are_explored_once_per_order() {
    for (times, orders) in [(1, 6), (2, 90), (3, 1680)] {
        let (_, report) = reduced(&sections(3, times), Reduced::all());
        assert_eq!((report.executions, report.bounds[0].cut), (orders, 0));
        assert!(report.exhausted);
    }
}

#[test]
fn independent_threads_need_one_execution() {
    let (_, report) = reduced(&straight(4, 3), Reduced::all());
    assert_eq!(report.executions, 1);
}

#[test]
fn known_models_keep_their_ends() {
    // Each with its executions, and with how many of them end among threads that sleep.
    let models = [
        (ab_ba(), 3, 0),
        (bluetooth(1, false), 9, 1),
        (bluetooth(2, false), 130, 13),
        (bluetooth(2, true), 134, 2),
        (file_system(3, 2, 4, false), 2, 0),
        (file_system(4, 2, 2, false), 8, 0),
        (file_system(3, 2, 4, true), 2, 0),
    ];
    for (model, executions, cut) in models {
        let (ends, report) = reduced(&model, Reduced::all());
        assert_eq!(ends, brute_force(&model, u32::MAX));
        assert_eq!((report.executions, report.bounds[0].cut), (executions, cut));
    }
}

fn any_program() -> impl Strategy<Value = Vec<Vec<Op>>> {
    let op = prop_oneof![
        2 => (0..3usize).prop_map(Op::Load),
        2 => (0..3usize).prop_map(Op::Store),
        2 => (0..2usize).prop_map(Op::Lock),
        2 => (0..2usize).prop_map(Op::Unlock),
    ];
    let thread = |n| prop::collection::vec(op.clone(), 1..n);
    prop_oneof![
        prop::collection::vec(thread(7), 2),
        prop::collection::vec(thread(5), 3),
        prop::collection::vec(thread(3), 4),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 192, ..ProptestConfig::default() })]

    #[test]
    fn reduction_loses_no_end(program in any_program()) {
        let model = listed(program);
        let (ends, report) = reduced(&model, Reduced::all());
        prop_assert_eq!(&ends, &brute_force(&model, u32::MAX));
        prop_assert!(report.exhausted);
    }
}
