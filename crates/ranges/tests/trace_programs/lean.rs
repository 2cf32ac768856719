//! What becomes clauses depends on what a query needs, and on what intervals and the graph leave.

use raddle_cfront::ir::Kind;
use raddle_ranges::ctp::{Ctp, LockId};
use raddle_ranges::feasible::{Feasibility, Options, Pattern, Query, Size, Solver};
use raddle_ranges::graph::{Graph, GraphKind};
use raddle_ranges::propagate::propagate;

use crate::trace_programs::notation::{ctp, state};

/// Asks a query with narrowed values; the answer, and how large the problem was.
fn ask(ctp: &Ctp, kind: GraphKind, query: &Query) -> (Feasibility, Size) {
    let graph = Graph::with(ctp, kind, true);
    let ranges = propagate(ctp, &graph, 1, u64::MAX).unwrap();
    let mut solver = Solver::new(ctp, &graph, Some(&ranges), Options::default());
    (solver.ask(query), solver.size())
}

fn is_feasible(found: &Feasibility) -> bool {
    matches!(found, Feasibility::Feasible(_))
}

const COUNTED: &str = "
X=0
a: lock L; a1=X; X=a1+1; unlock L; lock L; a2=X; X=a2+1; unlock L
b: lock L; b1=X; X=b1+1; unlock L; lock L; b2=X; X=b2-1; unlock L
c: c1=X; assume c1<4; c2=X
";

#[test]
fn what_a_counter_cannot_be_needs_no_solver() {
    let ctp = ctp(COUNTED);
    let (found, size) = ask(&ctp, GraphKind::TsgReduced, &Query::Fails(state(&ctp, 2, 2), 0));
    assert_eq!(found, Feasibility::Infeasible);
    assert_eq!(size.n_calls, 0);
}

#[test]
fn what_a_counter_can_be_is_found() {
    let ctp = ctp(&COUNTED.replace("c1<4", "c1<3"));
    let (found, _) = ask(&ctp, GraphKind::TsgReduced, &Query::Fails(state(&ctp, 2, 2), 0));
    assert!(is_feasible(&found));
}

/// Where a step adds to what it has read, however often it is interleaved, a value has the bits that
/// the changes can add up to.
#[test]
fn each_change_counts_once() {
    let change = |name: &str, by: &str| {
        let changes = (0..7).map(|n| format!("{name}{n}=X; X={name}{n}{by}"));
        format!("{name}: {}\n", changes.collect::<Vec<_>>().join("; "))
    };
    let reader = "c: c1=X; assume c1<8; c2=X\n";
    let ctp = ctp(&format!("X\n{}{}{reader}", change("a", "+1"), change("b", "-1")));
    let fails = Query::Fails(state(&ctp, 2, 2), 0);
    for kind in [GraphKind::Ccfg, GraphKind::TsgReduced] {
        let (found, size) = ask(&ctp, kind, &fails);
        assert_eq!((found, size.n_calls), (Feasibility::Infeasible, 0));
    }
}

#[test]
fn reads_that_nothing_depends_on_are_not_told() {
    let with = |rest: &str| ctp(&format!("X Y\na: a1=X; Y=a1+1; {rest}\nb: b1=Y; X=b1+1; {rest}"));
    let size = |ctp: &Ctp| {
        let (found, size) = ask(ctp, GraphKind::TsgReduced, &Query::Reaches(state(ctp, 0, 2)));
        assert!(is_feasible(&found));
        size
    };
    let none = size(&with(""));
    assert_eq!((none.n_variables, none.n_clauses), (1, 1));
    let guarded = size(&with("c=X; assume c<2; d=X"));
    assert!(guarded.n_clauses > 10);
}

#[test]
fn sections_that_are_transactions_need_no_order() {
    let section = |name: &str| format!("{name}: lock L; {name}1=X; X={name}1+1; unlock L\n");
    let ctp = ctp(&format!("X\n{}{}", section("a"), section("b")));
    let reaches = Query::Reaches(state(&ctp, 1, 4));
    let (found, size) = ask(&ctp, GraphKind::TsgReduced, &reaches);
    assert!(is_feasible(&found));
    assert_eq!(size.n_variables, 1);
    let (found, stepwise) = ask(&ctp, GraphKind::Ccfg, &reaches);
    assert!(is_feasible(&found));
    assert!(stepwise.n_variables > 1);
}

/// A thread may stop inside a section if a query wants it, and then no other thread comes in.
#[test]
fn a_query_may_stop_a_thread_where_nothing_keeps_it() {
    let ctp = ctp("X\na: lock L; X=1; unlock L\nb: lock L; X=2; unlock L");
    let graph = Graph::with(&ctp, GraphKind::TsgReduced, true);
    let mut solver = Solver::new(&ctp, &graph, None, Options::default());
    let at = |thread, n| state(&ctp, thread, n);
    assert!(is_feasible(&solver.ask(&Query::Reaches(at(1, 3)))));
    let stops = |present| {
        let pattern = Pattern { present, absent: vec![at(0, 3)], before: Vec::new() };
        Query::Events(pattern)
    };
    let found = solver.ask(&stops(vec![at(0, 2)]));
    let Feasibility::Feasible(steps) = found else { panic!("it can stop there") };
    assert!(!steps.contains(&at(0, 3)));
    let both = Query::Meet(vec![at(0, 2), at(1, 2)]);
    assert_eq!(solver.ask(&both), Feasibility::Infeasible);
    assert!(is_feasible(&solver.ask(&Query::Meet(vec![at(0, 2), at(1, 1)]))));
    assert!(is_feasible(&solver.ask(&Query::Reaches(at(1, 3)))));
}

/// A thread that has a lock may be kept from giving it back by another lock.
#[test]
fn locks_keep_steps_from_happening_only_if_somebody_stops_inside() {
    let nested = |first: &str, second: &str| {
        format!("lock {first}; lock {second}; unlock {second}; unlock {first}")
    };
    let size = |b: String| {
        let ctp = ctp(&format!("X\na: {}\nb: {b}", nested("L", "M")));
        let (found, size) = ask(&ctp, GraphKind::TsgReduced, &Query::Reaches(state(&ctp, 1, 4)));
        assert!(is_feasible(&found));
        size.n_variables
    };
    assert_eq!(size(nested("L", "M")), 1);
    assert!(size(nested("M", "L")) > 1);
}

/// What happens once happens in either thread, and in no more than one.
#[test]
fn what_happens_once_keeps_others_from_happening() {
    let mut ctp = ctp("X\na: lock L; X=1; unlock L\nb: lock L; X=2; unlock L");
    ctp.onces.push(LockId(0));
    let ends = [0, 1].map(|thread| state(&ctp, thread, 3));
    for end in ends {
        let (found, _) = ask(&ctp, GraphKind::TsgReduced, &Query::Reaches(end));
        assert!(is_feasible(&found));
    }
    let both = Pattern { present: ends.to_vec(), ..Pattern::default() };
    let (found, _) = ask(&ctp, GraphKind::TsgReduced, &Query::Events(both));
    assert_eq!(found, Feasibility::Infeasible);
}

/// What is written to a narrow global is cut there, whatever its interval was before.
#[test]
fn what_is_written_is_cut_to_memory() {
    let mut ctp = ctp("X Y=100\na: a1=Y; X=a1+a1+a1\nb: Y=90; b1=X; assume b1<14; b2=X");
    ctp.globals[0].kind = Kind::I8;
    ctp.locals[1].kind = Kind::I8;
    ctp.locals[2].kind = Kind::I8;
    // 300 is 44, and 270 is 14.
    let fails = Query::Fails(state(&ctp, 1, 3), 0);
    for kind in [GraphKind::Ccfg, GraphKind::TsgReduced] {
        let (found, _) = ask(&ctp, kind, &fails);
        assert!(is_feasible(&found));
    }
}
