//! Every value that some interleaving produces lies in its interval, on every graph.

use proptest::prelude::*;
use raddle_ranges::graph::{Graph, GraphKind};
use raddle_ranges::propagate::propagate;

use crate::trace_programs::brute::{self, Op, Program};
use crate::trace_programs::notation;

#[track_caller]
fn check(program: &Program, lookahead: usize) {
    let ctp = notation::ctp(&brute::text(program));
    let values = brute::values(program);
    for kind in [GraphKind::Ccfg, GraphKind::Tsg, GraphKind::TsgReduced] {
        let graph = Graph::new(&ctp, kind);
        let ranges = propagate(&ctp, &graph, lookahead, u64::MAX).unwrap();
        for (&(thread, step), values) in &values {
            let state = notation::state(&ctp, thread as u32, step).0 as usize;
            let interval = ranges.read[state].or(ranges.written[state]);
            for &value in values {
                assert!(
                    interval.is_some_and(|interval| interval.contains(value)),
                    "{kind:?}: {value} at {thread}.{step}, not in {interval:?}\n{}",
                    brute::text(program)
                );
            }
        }
    }
}

proptest! {
    #![proptest_config(crate::cases::cases(1000))]

    #[test]
    fn two_threads(program in brute::any_program(2..=2, 7, false)) {
        check(&program, 1);
    }

    #[test]
    fn two_threads_with_guards(program in brute::any_program(2..=2, 7, true)) {
        check(&program, 1);
    }

    #[test]
    fn three_threads(program in brute::any_program(3..=3, 5, false)) {
        check(&program, 1);
    }

    #[test]
    fn three_threads_with_guards(program in brute::any_program(3..=3, 6, true)) {
        check(&program, 1);
    }

    #[test]
    fn look_ahead(program in brute::any_program(2..=3, 4, true), lookahead in 2usize..4) {
        check(&program, lookahead);
    }
}

#[test]
fn what_only_a_deadlock_shows_is_seen() {
    // Y is 5 only if both threads are stuck afterwards.
    let threads = vec![
        vec![
            Op::Lock(0),
            Op::Write(0, 0, 5),
            Op::Lock(1),
            Op::Write(0, 0, 2),
            Op::Unlock(1),
            Op::Unlock(0),
        ],
        vec![
            Op::Lock(1),
            Op::Read(0),
            Op::Write(1, 1, 0),
            Op::Lock(0),
            Op::Unlock(0),
            Op::Unlock(1),
        ],
    ];
    let program = Program { initial: [0, 0, 0], threads };
    assert!(brute::values(&program)[&(1, 2)].contains(&5));
    check(&program, 1);
}

#[test]
fn what_the_printed_reduction_loses_is_seen() {
    let threads = vec![
        vec![Op::Lock(0), Op::Write(0, 0, 3), Op::Unlock(0), Op::Write(1, 0, 0)],
        vec![
            Op::Write(2, 0, 1),
            Op::Read(0),
            Op::Lock(0),
            Op::Write(2, 1, 1),
            Op::Unlock(0),
            Op::Write(1, 0, 0),
        ],
    ];
    let program = Program { initial: [0, 0, 3], threads };
    let values = brute::values(&program);
    assert_eq!(values[&(1, 2)], [0, 3].into());
    assert_eq!(values[&(1, 4)], [1, 4].into());
    check(&program, 1);
}
