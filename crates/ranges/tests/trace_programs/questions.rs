//! Questions about moments, orders and sources are answered as by trying every interleaving.

use std::collections::BTreeSet;

use proptest::prelude::*;
use raddle_cfront::ir::{Binary, Kind};
use raddle_ranges::condition::Condition;
use raddle_ranges::ctp::{Ctp, StateId};
use raddle_ranges::feasible::{Feasibility, Options, Pattern, Query, Solver, Unavoidable};
use raddle_ranges::graph::{Graph, GraphKind};
use raddle_ranges::propagate::propagate;

use crate::trace_programs::brute::{self, Op, Place, Program};
use crate::trace_programs::notation::{self, global};

/// All steps, by thread and number.
fn steps(program: &Program, ctp: &Ctp) -> Vec<(Place, StateId)> {
    let of = |(t, ops): (usize, &Vec<Op>)| {
        (1..=brute::n_steps(ops)).map(move |n| (t, n)).collect::<Vec<_>>()
    };
    let places = program.threads.iter().enumerate().flat_map(of);
    places.map(|place| (place, notation::state(ctp, place.0 as u32, place.1))).collect()
}

/// Every execution, also those that stop early, as steps in order.
fn executions(program: &Program) -> BTreeSet<Vec<Place>> {
    let mut all = BTreeSet::new();
    for threads in brute::schedules(program) {
        let values = brute::run(program, &threads).expect("it is possible");
        let places: Vec<_> = values.into_iter().map(|(place, _)| place).collect();
        all.extend((0..=places.len()).map(|n| places[..n].to_vec()));
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

fn check_moments(program: &Program) {
    let ctp = notation::ctp(&brute::text(program));
    let moments = brute::moments(program);
    let graph = Graph::with(&ctp, GraphKind::Ccfg, true);
    let ranges = propagate(&ctp, &graph, 1, u64::MAX).unwrap();
    for narrow in [false, true] {
        let ranges = narrow.then_some(&ranges);
        let mut solver = Solver::new(&ctp, &graph, ranges, Options::default());
        for (place, state) in steps(program, &ctp) {
            for sum in -3..5i64 {
                let [x, y] = ["X", "Y"].map(|name| Condition::Global(global(&ctp, name)));
                let left = Condition::binary(Binary::Add, Kind::I64, x, y);
                let right = Condition::Number(sum as u64);
                let differs = Condition::binary(Binary::NotEqual, Kind::I64, left, right);
                let found = solver.ask(&Query::Breaks(state, differs));
                let possible = moments.iter().any(|(p, g)| *p == place && g[0] + g[1] == sum);
                agrees(&found, possible, &format!("{place:?} {sum}\n{}", brute::text(program)));
            }
        }
    }
}

fn check_orders(program: &Program) {
    let ctp = notation::ctp(&brute::text(program));
    let executions = executions(program);
    let graph = Graph::with(&ctp, GraphKind::Ccfg, true);
    let mut solver = Solver::new(&ctp, &graph, None, Options::default());
    let without = Options { saturates: false, ..Options::default() };
    let mut plain = Solver::new(&ctp, &graph, None, without);
    let steps = steps(program, &ctp);
    for &(a, first) in &steps {
        for &(b, second) in &steps {
            let (absent, gone) = steps[(first.0 + second.0) as usize % steps.len()];
            let before = vec![(first, second)];
            let pattern = Pattern { absent: vec![gone], before, ..Pattern::default() };
            let fits = |places: &Vec<Place>| {
                let at = |place: Place| places.iter().position(|&p| p == place);
                at(absent).is_none() && at(a).is_some() && at(a) < at(b)
            };
            let fitting: Vec<_> = executions.iter().filter(|places| fits(places)).collect();
            let possible = !fitting.is_empty();
            let query = Query::Events(pattern.clone());
            let found = solver.ask(&query);
            let context = format!("{a:?} {b:?} not {absent:?}\n{}", brute::text(program));
            agrees(&found, possible, &context);
            agrees(&plain.ask(&query), possible, &context);
            if let Feasibility::Feasible(steps) = found {
                assert!(pattern.fits(&steps), "{context}");
            }
            match solver.unavoidable(&query) {
                Some(known) => check_unavoidable(&known, &steps, &fitting, &context),
                None => assert!(!possible, "{context}"),
            }
        }
    }
}

/// What is unavoidable is so in every execution that fits.
#[track_caller]
fn check_unavoidable(
    known: &Unavoidable,
    steps: &[(Place, StateId)],
    fitting: &[&Vec<Place>],
    context: &str,
) {
    for places in fitting {
        let at = |place: Place| places.iter().position(|&p| p == place);
        for &(a, first) in steps {
            assert!(!known.happens(first) || at(a).is_some(), "{a:?} in {places:?} {context}");
            assert!(!known.is_absent(first) || at(a).is_none(), "{a:?} in {places:?} {context}");
            for &(b, second) in steps {
                let both = at(a).zip(at(b));
                let ordered = both.is_none_or(|(a, b)| a < b);
                assert!(
                    !known.is_before(first, second) || ordered,
                    "{a:?} {b:?} in {places:?} {context}"
                );
            }
        }
    }
}

fn check_sources(program: &Program, kind: GraphKind) {
    let ctp = notation::ctp(&brute::text(program));
    let executions = executions(program);
    let graph = Graph::with(&ctp, kind, true);
    let mut solver = Solver::new(&ctp, &graph, None, Options::default());
    let steps = steps(program, &ctp);
    let op = |(t, n): Place| program.threads[t][n - 1];
    let source = |read: Place, g: usize, places: &[Place]| {
        let at = places.iter().position(|&p| p == read)?;
        let writes = |p: &&Place| matches!(op(**p), Op::Write(other, ..) if other == g);
        Some(places[..at].iter().rev().find(writes).copied())
    };
    for &(read, state) in &steps {
        let Op::Read(g) = op(read) else { continue };
        let found: BTreeSet<_> =
            executions.iter().filter_map(|places| source(read, g, places)).collect();
        let writes = steps.iter().filter(|(p, _)| matches!(op(*p), Op::Write(o, ..) if o == g));
        let all = writes.map(|&(p, s)| (Some(p), Some(s))).chain([(None, None)]);
        for (place, from) in all {
            let answer = solver.ask(&Query::ReadsFrom(state, from));
            let context = format!("{read:?} from {place:?}\n{}", brute::text(program));
            agrees(&answer, found.contains(&place), &context);
        }
    }
}

proptest! {
    #![proptest_config(crate::cases::cases(40))]
    #[test]
    fn moments(program in brute::any_program(2..=3, 4, true)) {
        check_moments(&program);
    }

    #[test]
    fn orders(program in brute::any_program(2..=3, 3, false)) {
        check_orders(&program);
    }

    #[test]
    fn sources(program in brute::any_program(2..=3, 3, false)) {
        check_sources(&program, GraphKind::Ccfg);
        check_sources(&program, GraphKind::TsgReduced);
    }
}

/// A section that begins before another one ends, ends before the other one begins.
#[test]
fn sections_are_ordered_whole() {
    let section = |write: Op| vec![Op::Lock(0), write, Op::Write(2, 0, 0), Op::Unlock(0)];
    let threads = vec![section(Op::Write(0, 0, 1)), section(Op::Write(1, 0, 1))];
    let program = Program { initial: [0; 3], threads };
    check_orders(&program);
    let ctp = notation::ctp(&brute::text(&program));
    let graph = Graph::with(&ctp, GraphKind::Ccfg, true);
    let solver = Solver::new(&ctp, &graph, None, Options::default());
    let at = |thread, n| notation::state(&ctp, thread, n);
    let before = vec![(at(0, 2), at(1, 3))];
    let query = Query::Events(Pattern { before, ..Pattern::default() });
    let known = solver.unavoidable(&query).unwrap();
    assert!(known.happens(at(0, 4)) && known.is_before(at(0, 4), at(1, 1)));
    assert!(!known.happens(at(1, 4)) && !known.is_before(at(1, 1), at(0, 4)));
    let before = vec![(at(0, 2), at(1, 3)), (at(1, 2), at(0, 3))];
    let query = Query::Events(Pattern { before, ..Pattern::default() });
    assert!(solver.unavoidable(&query).is_none());
}

/// Two values that are there together only in the middle of two transactions.
#[test]
fn a_moment_may_be_inside_transactions() {
    let threads = vec![
        vec![Op::Write(0, 0, 1), Op::Write(0, 0, 0)],
        vec![Op::Write(1, 0, 1), Op::Write(1, 0, 0)],
    ];
    check_moments(&Program { initial: [0; 3], threads });
}

/// Of two variables that a step sees, one may be as it was at the start, and the other one not.
#[test]
fn what_a_step_sees_of_two_variables_has_two_sources() {
    let threads = vec![
        vec![Op::Write(1, 0, 0), Op::Write(0, 0, 3)],
        vec![Op::Write(1, 0, -2), Op::Write(0, 0, 3)],
        vec![Op::Read(1), Op::Write(0, 1, 2)],
    ];
    check_moments(&Program { initial: [0; 3], threads });
}
