//! Partial-order reduction: nothing that matters is lost, and little is done twice.

use std::collections::BTreeSet;
use std::sync::atomic::AtomicBool;

use proptest::prelude::*;
use raddle_explore::{Bounded, Budget, Reduced, Report, search};

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
        let could_go_on = |&last: &usize| enabled.contains(&last) && !model.yields(state, last);
        let preempts = last.filter(could_go_on).is_some_and(|last| last != thread);
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
        (bluetooth(2, false), 182, 18),
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

/// Executions at each bound, which are all those with at most so many preemptions.
fn per_bound(report: &Report) -> Vec<u64> {
    report.bounds.iter().map(|row| row.executions).collect()
}

/// At each bound the executions there are, and how many of them reduction makes.
#[track_caller]
fn saves(model: &Model, all: &[u64], made: &[u64]) {
    let mut engines = [ModelEngine::new(model)];
    let (budget, stop) = (Budget::default(), AtomicBool::new(false));
    let whole = search(&mut engines, &mut Bounded::icb(Some(5)), &budget, &stop).unwrap();
    let executions = per_bound(&whole).into_iter().scan(0, |sum, n| {
        *sum += n;
        Some(*sum)
    });
    assert_eq!(executions.collect::<Vec<_>>(), all);
    let (_, report) = reduced(model, Reduced::bounded(Some(5)));
    assert_eq!(per_bound(&report), made);
    for bound in 0..made.len() as u32 {
        let (ends, _) = reduced(model, Reduced::bounded(Some(bound)));
        assert_eq!(ends, brute_force(model, bound), "at bound {bound}");
    }
}

#[test]
fn bounded_reduction_saves_executions() {
    let mostly_alone =
        |x| vec![Op::Store(x), Op::Store(x), Op::Store(x), Op::Store(x), Op::Store(2)];
    let two = listed(vec![mostly_alone(0), mostly_alone(1)]);
    saves(&two, &[2, 10, 42, 90, 162, 210], &[2, 4, 6]);
    let all = [6, 70, 338, 1170, 2984, 5866];
    saves(&bluetooth(2, false), &all, &[6, 44, 209, 612, 1377, 2357]);
    saves(&file_system(4, 2, 2, false), &[24, 168, 664, 1632, 2800, 3720], &[8, 50, 106, 146, 158]);
    saves(&sections(3, 2), &[6, 24, 60, 90], &[6, 24, 60, 90]);
}

/// Every bound up to the one that is enough.
#[track_caller]
fn keeps_ends_at_every_bound(program: Vec<Vec<Op>>) {
    let model = listed(program);
    for bound in 0.. {
        let (ends, report) = reduced(&model, Reduced::bounded(Some(bound)));
        assert_eq!(ends, brute_force(&model, bound), "at bound {bound}");
        if report.exhausted {
            break;
        }
    }
}

#[test]
fn what_a_thread_was_blocked_by_comes_before_the_last_conflict() {
    use Op::*;
    // The second thread's lock conflicts with a try, before which it is blocked by the lock.
    keeps_ends_at_every_bound(vec![vec![Lock(0), Down(0), Try(0)], vec![Up(0), Lock(0)]]);
    let last = vec![Lock(0), Up(0), Down(0), Up(0)];
    keeps_ends_at_every_bound(vec![vec![Unlock(0), Lock(1)], vec![Down(0)], last]);
}

#[test]
fn who_is_blocked_can_be_left_for_nothing() {
    use Op::*;
    // One preemption, right before the second thread unlocks: the first one then blocks, and all
    // that is left of the second comes between its store and its load. The points of the paper
    // are where locks are taken, the accesses to the variable and where the thread began.
    let second = vec![Lock(1), Check(1), Unlock(1), Store(1)];
    keeps_ends_at_every_bound(vec![vec![Store(1), Lock(1), Load(1)], second]);
}

#[test]
fn who_gives_way_can_be_left_for_nothing() {
    use Op::*;
    let third = vec![Try(0), Yield, Store(0)];
    keeps_ends_at_every_bound(vec![vec![Load(0)], vec![Load(0), Try(0)], third]);
}

#[test]
fn who_fails_does_not_stand_for_the_others() {
    use Op::*;
    let programs = [
        vec![vec![Store(2)], vec![Lock(0), Check(2)], vec![Unlock(0)], vec![Load(0), Lock(0)]],
        vec![vec![Load(0)], vec![Store(2), Check(2)], vec![Load(0), Store(0), Check(0)]],
    ];
    for program in programs {
        let model = listed(program.clone());
        assert_eq!(reduced(&model, Reduced::all()).0, brute_force(&model, u32::MAX));
        keeps_ends_at_every_bound(program);
    }
}

#[test]
fn who_sleeps_stands_only_for_what_it_begins() {
    use Op::*;
    let programs = [
        vec![vec![Store(0), Load(0)], vec![Store(2)], vec![Load(1), Load(2), Load(0)]],
        vec![vec![Lock(0)], vec![Lock(1)], vec![Load(0)], vec![Lock(1), Lock(0)]],
    ];
    for program in programs {
        let model = listed(program);
        assert_eq!(reduced(&model, Reduced::all()).0, brute_force(&model, u32::MAX));
    }
}

/// Programs with few objects meet the rare cases sooner, those with many have more room.
fn any_program() -> impl Strategy<Value = Vec<Vec<Op>>> {
    let sizes = (1..=3usize, 1..=2usize, any::<bool>());
    sizes.prop_flat_map(|(n_vars, n_locks, more)| {
        let more = u32::from(more);
        let op = prop_oneof![
            2 => (0..n_vars).prop_map(Op::Load),
            2 => (0..n_vars).prop_map(Op::Store),
            2 => (0..n_locks).prop_map(Op::Lock),
            2 => (0..n_locks).prop_map(Op::Unlock),
            more => (0..n_locks).prop_map(Op::Try),
            more => Just(Op::Down(0)),
            more => Just(Op::Up(0)),
            more => Just(Op::Yield),
            more => (0..n_vars).prop_map(Op::Check),
        ];
        let thread = |n| prop::collection::vec(op.clone(), 1..n);
        prop_oneof![
            prop::collection::vec(thread(7), 2),
            prop::collection::vec(thread(5), 3),
            prop::collection::vec(thread(3), 4),
        ]
    })
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

    #[test]
    fn bounded_reduction_loses_no_end(program in any_program()) {
        keeps_ends_at_every_bound(program);
    }
}
