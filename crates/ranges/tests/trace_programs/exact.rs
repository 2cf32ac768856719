//! Answers are those of trying every interleaving, and executions do what they promise.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use raddle_cfront::ir::{Binary, Kind};
use raddle_ranges::condition::Condition;
use raddle_ranges::ctp::{Ctp, StateId};
use raddle_ranges::feasible::{Feasibility, Options, Query, Solver};
use raddle_ranges::graph::{Graph, GraphKind};
use raddle_ranges::propagate::propagate;
use raddle_solve::Encoding;

use crate::trace_programs::brute::{self, Op, Program};
use crate::trace_programs::notation;

/// The thread and the number of the step into each state.
fn places(ctp: &Ctp) -> BTreeMap<StateId, (usize, usize)> {
    let mut places = BTreeMap::new();
    for thread in ctp.thread_ids() {
        for (n, &state) in ctp.paths(thread)[0].iter().enumerate() {
            places.insert(state, (thread.0 as usize, n));
        }
    }
    places
}

/// Runs steps; the last value that each of them assigned.
fn run(program: &Program, ctp: &Ctp, steps: &[StateId]) -> BTreeMap<(usize, usize), Option<i64>> {
    let places = places(ctp);
    let threads: Vec<_> = steps.iter().map(|state| places[state].0).collect();
    let values = brute::run(program, &threads).expect("the execution is possible");
    let order: Vec<_> = steps.iter().map(|state| places[state]).collect();
    assert_eq!(values.iter().map(|v| v.0).collect::<Vec<_>>(), order);
    values.into_iter().collect()
}

/// The values that are asked for: those that there are, and some more.
fn asked(values: Option<&BTreeSet<i64>>) -> std::ops::Range<i64> {
    let ends = values.and_then(|values| Some((*values.first()?, *values.last()?)));
    let (least, most) = ends.unwrap_or((0, 0));
    (least - 1).min(-3)..(most + 2).max(6)
}

#[track_caller]
fn check(program: &Program, encoding: Encoding) {
    let ctp = notation::ctp(&brute::text(program));
    let values = brute::values(program);
    for (kind, narrow, saturates) in [
        (GraphKind::Ccfg, false, true),
        (GraphKind::Ccfg, true, true),
        (GraphKind::Tsg, true, true),
        (GraphKind::TsgReduced, true, true),
        (GraphKind::TsgReduced, false, false),
    ] {
        let graph = Graph::with(&ctp, kind, true);
        let ranges = propagate(&ctp, &graph, 1, u64::MAX).unwrap();
        let options = Options { encoding, n_conflicts_max: None, saturates, deadline: None };
        let mut solver = Solver::new(&ctp, &graph, narrow.then_some(&ranges), options);
        for (thread, ops) in program.threads.iter().enumerate() {
            let reached = brute::reached(program, thread);
            for step in 1..=brute::n_steps(ops) {
                let state = notation::state(&ctp, thread as u32, step);
                let context =
                    format!("{kind:?} {narrow} {thread}.{step}\n{}", brute::text(program));
                match solver.ask(&Query::Reaches(state)) {
                    Feasibility::Feasible(steps) => {
                        assert!(step <= reached, "{context}");
                        assert!(run(program, &ctp, &steps).contains_key(&(thread, step)));
                    }
                    found => {
                        assert!(found == Feasibility::Infeasible && step > reached, "{context}")
                    }
                }
                if ctp.step(state).action.written().is_none() {
                    continue;
                }
                let (global, _) = ctp.step(state).action.written().expect("it writes");
                for value in asked(values.get(&(thread, step))) {
                    let number = Condition::Number(value as u64);
                    let written = Condition::Global(global);
                    let differs = Condition::binary(Binary::NotEqual, Kind::I64, written, number);
                    let query = Query::Breaks(state, differs);
                    let known = values.get(&(thread, step));
                    let possible = known.is_some_and(|values| values.contains(&value));
                    match solver.ask(&query) {
                        Feasibility::Feasible(steps) => {
                            assert!(possible, "{value} {context}");
                            assert_eq!(run(program, &ctp, &steps)[&(thread, step)], Some(value));
                        }
                        found => {
                            assert!(
                                found == Feasibility::Infeasible && !possible,
                                "{value} {context}"
                            );
                        }
                    }
                }
            }
        }
    }
}

proptest! {
    #![proptest_config(crate::cases::cases(60))]
    #[test]
    fn two_threads(program in brute::any_program(2..=2, 6, true)) {
        check(&program, Encoding::Chains);
    }

    #[test]
    fn three_threads(program in brute::any_program(3..=3, 4, true)) {
        check(&program, Encoding::Chains);
    }

    #[test]
    fn with_circles(program in brute::any_program(2..=3, 4, true)) {
        check(&program, Encoding::Lazy);
    }

    #[test]
    fn counters(program in brute::any_counting(2..=3, 3)) {
        check(&program, Encoding::Chains);
    }

    #[test]
    fn changes_that_get_lost(program in brute::any_racing(4)) {
        check(&program, Encoding::Chains);
    }

    #[test]
    fn guards(program in brute::any_guarded(3)) {
        check(&program, Encoding::Chains);
    }

    #[test]
    fn with_positions(program in brute::any_program(2..=3, 4, true)) {
        check(&program, Encoding::Positions);
    }
}

#[test]
fn guards_that_fail_are_found() {
    let threads =
        vec![vec![Op::Write(0, 0, 3)], vec![Op::Read(0), Op::AssumeLess(3), Op::Write(1, 0, 1)]];
    let program = Program { initial: [0; 3], threads };
    let ctp = notation::ctp(&brute::text(&program));
    let graph = Graph::with(&ctp, GraphKind::TsgReduced, true);
    let mut solver = Solver::new(&ctp, &graph, None, Options::default());
    let state = notation::state(&ctp, 1, 2);
    let Feasibility::Feasible(steps) = solver.ask(&Query::Fails(state, 0)) else {
        panic!("the guard can fail");
    };
    assert_eq!(steps, [notation::state(&ctp, 0, 1), notation::state(&ctp, 1, 1)]);
}
