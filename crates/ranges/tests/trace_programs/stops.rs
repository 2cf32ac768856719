//! Where threads can stand together, and which guards can fail, is as by trying every interleaving.

use std::collections::BTreeSet;

use proptest::prelude::*;
use raddle_ranges::feasible::{Feasibility, Options, Query, Solver};
use raddle_ranges::graph::{Graph, GraphKind};
use raddle_ranges::propagate::propagate;

use crate::trace_programs::brute::{self, Op, Program};
use crate::trace_programs::notation;

/// What threads are at some moment: how many steps each has taken, and what it has read last.
type Moment = Vec<(usize, i64)>;

fn moments(program: &Program) -> BTreeSet<Moment> {
    let mut all = BTreeSet::new();
    for threads in brute::schedules(program) {
        let steps = brute::run(program, &threads).expect("it is possible");
        let mut now: Moment = vec![(0, 0); program.threads.len()];
        all.insert(now.clone());
        for ((thread, n), assigned) in steps {
            now[thread].0 = n;
            if let (Some(value), Op::Read(_)) = (assigned, op(program, thread, n)) {
                now[thread].1 = value;
            }
            all.insert(now.clone());
        }
    }
    all
}

/// The step of a thread with a number, from 1.
fn op(program: &Program, thread: usize, n: usize) -> Op {
    let steps = program.threads[thread].iter().filter(|op| !matches!(op, Op::AssumeLess(_)));
    *steps.clone().nth(n - 1).expect("there are so many")
}

/// The limits of the guards before each step, from the first.
fn guards(ops: &[Op]) -> Vec<Vec<i64>> {
    let mut all = Vec::new();
    let mut open = Vec::new();
    for op in ops {
        match *op {
            Op::AssumeLess(limit) => open.push(limit),
            _ => all.push(std::mem::take(&mut open)),
        }
    }
    all
}

#[track_caller]
fn agrees(found: &Feasibility, possible: bool, context: &str) {
    match found {
        Feasibility::Feasible(_) => assert!(possible, "{context}"),
        found => assert!(*found == Feasibility::Infeasible && !possible, "{context}"),
    }
}

fn check(program: &Program, kind: GraphKind, narrow: bool) {
    let ctp = notation::ctp(&brute::text(program));
    let moments = moments(program);
    let graph = Graph::with(&ctp, kind, true);
    let ranges = propagate(&ctp, &graph, 1, u64::MAX).unwrap();
    let ranges = narrow.then_some(&ranges);
    let mut solver = Solver::new(&ctp, &graph, ranges, Options::default());
    let text = brute::text(program);
    for (thread, ops) in program.threads.iter().enumerate() {
        for (n, limits) in guards(ops).iter().enumerate() {
            let state = notation::state(&ctp, thread as u32, n + 1);
            for number in 0..ctp.step(state).guards.len() {
                let (earlier, limit) = (&limits[..number], limits[number]);
                let fails = |moment: &Moment| {
                    let (taken, local) = moment[thread];
                    taken == n && local >= limit && earlier.iter().all(|&other| local < other)
                };
                let found = solver.ask(&Query::Fails(state, number));
                agrees(
                    &found,
                    moments.iter().any(fails),
                    &format!("{thread}.{n} {number}\n{text}"),
                );
            }
        }
    }
    // Moments are those of steps.
    for (b, ops) in program.threads.iter().enumerate().filter(|_| kind == GraphKind::Ccfg) {
        for a in 0..b {
            for m in 0..brute::n_steps(&program.threads[a]) {
                for n in 0..brute::n_steps(ops) {
                    let [x, y] =
                        [(a, m), (b, n)].map(|(t, n)| notation::state(&ctp, t as u32, n + 1));
                    let limits = [&guards(&program.threads[a])[m], &guards(ops)[n]];
                    let meet = |moment: &Moment| {
                        let passes = |at: (usize, i64), n, limits: &[i64]| {
                            at.0 == n && limits.iter().all(|&limit| at.1 < limit)
                        };
                        passes(moment[a], m, limits[0]) && passes(moment[b], n, limits[1])
                    };
                    let found = solver.ask(&Query::Meet(vec![x, y]));
                    let context = format!("{a}.{m} {b}.{n} {narrow}\n{text}");
                    agrees(&found, moments.iter().any(meet), &context);
                }
            }
        }
    }
}

fn check_all(program: &Program) {
    for narrow in [false, true] {
        check(program, GraphKind::Ccfg, narrow);
        check(program, GraphKind::TsgReduced, narrow);
    }
}

proptest! {
    #![proptest_config(crate::cases::cases(40))]
    #[test]
    fn two_threads(program in brute::any_program(2..=2, 5, true)) {
        check_all(&program);
    }

    #[test]
    fn three_threads(program in brute::any_program(3..=3, 3, true)) {
        check_all(&program);
    }

    #[test]
    fn behind_guards(program in brute::any_guarded(3)) {
        check_all(&program);
    }
}

#[test]
fn what_is_behind_a_guard_that_fails_is_no_reason_for_it_to_hold() {
    // The second look is never at 1, since the first one would have failed; its own guard is open.
    let look = [Op::Lock(0), Op::Read(0), Op::AssumeLess(5), Op::Read(0), Op::AssumeLess(2)];
    let looking = [&look[..], &[Op::Write(1, 0, 1), Op::Unlock(0)]].concat();
    let write = |value| [Op::Lock(0), Op::Write(0, 0, value), Op::Unlock(0)];
    let writing = [write(2), write(7)].concat();
    check_all(&Program { initial: [1, 0, 0], threads: vec![looking, writing] });
}
