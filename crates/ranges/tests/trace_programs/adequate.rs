//! The switches of MATs capture every class of schedules of two threads.
//!
//! Two schedules are in one class if all steps that are in conflict have the same order.

use std::collections::{BTreeSet, HashSet};

use proptest::prelude::*;
use raddle_ranges::ctp::{Ctp, StateId};
use raddle_ranges::graph::{Graph, GraphKind};

use crate::trace_programs::brute::{self, Op, Program};
use crate::trace_programs::notation;

fn object(op: Op) -> (usize, bool) {
    match op {
        Op::Read(g) => (g, false),
        Op::Write(g, ..) => (g, true),
        Op::Lock(l) | Op::Unlock(l) => (10 + l, true),
        Op::AssumeLess(_) => unreachable!("no guards here"),
    }
}

/// Which of two steps in conflict comes first, for all of them. The last steps of two threads
/// are, too, if they count as dummy accesses.
fn class(
    program: &Program,
    schedule: &[usize],
    dummy: bool,
) -> BTreeSet<(usize, usize, usize, usize)> {
    let mut next = vec![0; program.threads.len()];
    let mut done: Vec<(usize, usize)> = Vec::new();
    let mut class = BTreeSet::new();
    for &t in schedule {
        let step = next[t];
        next[t] += 1;
        for &(other, earlier) in done.iter().filter(|&&(other, _)| other != t) {
            let (a, b) = (program.threads[other][earlier], program.threads[t][step]);
            let ((x, w), (y, v)) = (object(a), object(b));
            let last = |t: usize, n: usize| n + 1 == program.threads[t].len();
            if x == y && (w || v) || dummy && last(other, earlier) && last(t, step) {
                class.insert((other, earlier, t, step));
            }
        }
        done.push((t, step));
    }
    class
}

/// The complete schedules that a graph has, as far as locks allow them.
fn captured(ctp: &Ctp, graph: &Graph, program: &Program) -> HashSet<Vec<usize>> {
    let all: HashSet<Vec<usize>> = brute::schedules(program).into_iter().collect();
    let prefixes: HashSet<&[usize]> =
        all.iter().flat_map(|s| (0..=s.len()).map(move |n| &s[..n])).collect();
    let mut found = HashSet::new();
    let mut open: Vec<(Option<StateId>, Vec<StateId>, Vec<usize>)> =
        vec![(None, ctp.threads.iter().map(|thread| thread.root).collect(), Vec::new())];
    while let Some((now, at, taken)) = open.pop() {
        if all.contains(&taken) {
            found.insert(taken.clone());
        }
        for transaction in &graph.transactions {
            let t = ctp.state(transaction.from).thread.0 as usize;
            let allowed = now.is_none_or(|now| {
                now == transaction.from
                    || graph.switches.binary_search(&(now, transaction.from)).is_ok()
            });
            if at[t] != transaction.from || !allowed {
                continue;
            }
            let mut longer = taken.clone();
            longer.extend(transaction.through.iter().map(|_| t));
            if prefixes.contains(&longer[..]) {
                let mut at = at.clone();
                at[t] = transaction.to();
                open.push((Some(transaction.to()), at, longer));
            }
        }
    }
    found
}

/// How many classes of complete schedules a graph has, and how many there are.
fn classes(program: &Program, kind: GraphKind, corrected: bool) -> (usize, usize) {
    let ctp = notation::ctp(&brute::text(program));
    let graph = Graph::with(&ctp, kind, corrected);
    let n_steps: usize = program.threads.iter().map(Vec::len).sum();
    let classes = |schedules: Vec<Vec<usize>>| {
        let complete = schedules.into_iter().filter(|schedule| schedule.len() == n_steps);
        let found = complete.map(|schedule| class(program, &schedule, !corrected));
        found.collect::<HashSet<_>>().len()
    };
    let found = captured(&ctp, &graph, program).into_iter().collect();
    (classes(found), classes(brute::schedules(program)))
}

fn switches(program: &Program, kind: GraphKind) -> Vec<(StateId, StateId)> {
    Graph::with(&notation::ctp(&brute::text(program)), kind, false).switches
}

#[track_caller]
fn check(program: &Program) {
    for kind in [GraphKind::Tsg, GraphKind::TsgReduced] {
        let (found, all) = classes(program, kind, false);
        assert_eq!(found, all, "{kind:?}\n{}", brute::text(program));
    }
}

proptest! {
    #![proptest_config(crate::cases::cases(400))]
    #[test]
    fn every_class_of_two_threads_is_captured(program in brute::any_program(2..=2, 6, false)) {
        check(&program);
    }

    #[test]
    fn every_class_of_three_threads_is_captured_by_the_correction(
        program in brute::any_program(3..=3, 3, false),
    ) {
        for kind in [GraphKind::Tsg, GraphKind::TsgReduced] {
            let (found, all) = classes(&program, kind, true);
            prop_assert_eq!(found, all, "{:?}\n{}", kind, brute::text(&program));
        }
    }

    #[test]
    fn reduction_adds_no_switches(program in brute::any_program(2..=2, 7, false)) {
        let plain = switches(&program, GraphKind::Tsg);
        for switch in switches(&program, GraphKind::TsgReduced) {
            prop_assert!(plain.contains(&switch), "{:?}\n{}", switch, brute::text(&program));
        }
    }
}

const X: usize = 0;
const Y: usize = 1;
const D: usize = 2;

fn program(threads: &[&[Op]]) -> Program {
    Program { initial: [0; 3], threads: threads.iter().map(|ops| ops.to_vec()).collect() }
}

fn write(global: usize) -> Op {
    Op::Write(global, 0, 1)
}

#[test]
fn an_infeasible_mat_without_a_larger_one_is_kept() {
    check(&program(&[
        &[Op::Lock(0), Op::Read(X), Op::Unlock(0), write(D)],
        &[write(X), Op::Lock(0), Op::Unlock(0), write(D)],
    ]));
}

#[test]
fn a_larger_mat_adds_no_switch() {
    let program = program(&[
        &[Op::Read(Y), Op::Lock(0), Op::Unlock(0), write(D)],
        &[Op::Lock(0), write(Y), Op::Unlock(0), write(D)],
    ]);
    check(&program);
    let plain = switches(&program, GraphKind::Tsg);
    assert!(switches(&program, GraphKind::TsgReduced).iter().all(|s| plain.contains(s)));
}

#[test]
fn a_larger_mat_skips_no_class() {
    check(&program(&[
        &[Op::Lock(1), Op::Lock(0), Op::Unlock(0), Op::Unlock(1), write(D)],
        &[Op::Lock(0), Op::Lock(1), write(Y), Op::Unlock(1), Op::Unlock(0), write(D)],
    ]));
}

#[test]
fn three_threads_need_more_than_pairs() {
    let program = program(&[&[Op::Read(X), write(X)], &[Op::Read(X), write(X)], &[write(X)]]);
    assert_eq!(classes(&program, GraphKind::Tsg, false), (21, 22));
    assert_eq!(classes(&program, GraphKind::Tsg, true), (22, 22));
    assert_eq!(classes(&program, GraphKind::TsgReduced, true), (22, 22));
}
