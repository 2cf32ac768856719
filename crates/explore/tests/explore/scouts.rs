//! Scouts: who they preempt where, what they find, and that they are beside everything else.

use std::sync::atomic::AtomicBool;

use raddle_explore::*;
use raddle_finding::Choice;

use crate::golden::explore;
use crate::model::{END, Model, ModelEngine, State};
use crate::models::Op::*;
use crate::models::{Op, ab_ba, bluetooth, listed, philosophers, straight};

/// Reduction, with scouts before it.
type Scouted = Portfolio<Reduced, 16, 1>;

fn scouted() -> Scouted {
    Portfolio::in_blocks(Reduced::all(), 1)
}

/// Who goes on by ranks, step by step.
#[track_caller]
fn check(threads: &[&[Op]], order: &[u32], falls: &[[u32; 3]], expected: &[u32]) {
    let model = listed(threads.iter().map(|ops| ops.to_vec()).collect());
    let policy = Policy::Ranked { order: order.to_vec(), falls: falls.to_vec() };
    let observe = Observe { operations: true, ..Observe::default() };
    let mut run = Run::new();
    let plan = Plan { policy, observe, ..Plan::default() };
    ModelEngine::new(&model).run(&plan, &(), &mut run).unwrap();
    let threads = run.choices().map(|choice| match choice {
        Choice::Thread(thread) => thread,
        other => panic!("{other} is no choice of a thread"),
    });
    assert_eq!(threads.collect::<Vec<_>>(), expected);
}

const TWICE: &[Op] = &[Load(0), Store(0)];

#[test]
fn threads_come_in_their_order_and_then_by_number() {
    check(&[TWICE; 3], &[], &[], &[0, 0, 1, 1, 2, 2]);
    check(&[TWICE; 3], &[2], &[], &[2, 2, 0, 0, 1, 1]);
}

#[test]
fn a_thread_falls_behind_all_others_before_the_step_that_is_named() {
    check(&[TWICE; 3], &[1, 2], &[[1, 0, 1]], &[1, 2, 2, 0, 0, 1]);
    check(&[TWICE; 3], &[1], &[[1, 0, 0]], &[0, 0, 2, 2, 1, 1]);
    check(&[TWICE; 2], &[0], &[[0, 0, 1], [1, 0, 1]], &[0, 1, 0, 1]);
}

#[test]
fn steps_are_named_by_what_the_thread_has_used() {
    let other: &[Op] = &[Load(5), Load(5), Load(3), Load(5), Store(3)];
    check(&[other, TWICE], &[0], &[[0, 1, 1]], &[0, 0, 0, 0, 1, 1, 0]);
    check(&[other, TWICE], &[0], &[[0, 0, 2]], &[0, 0, 0, 1, 1, 0, 0]);
    check(&[other, TWICE], &[0], &[[0, 2, 0]], &[0, 0, 0, 0, 0, 1, 1]); // There is no such step.
}

#[test]
fn who_gives_way_falls_and_who_is_alone_goes_on() {
    check(&[&[Load(0), Yield, Load(0)], TWICE], &[0], &[], &[0, 1, 1, 0, 0]);
    check(&[TWICE], &[0], &[[0, 0, 1]], &[0, 0]);
}

/// The first finding of a search that ends with it.
fn first(model: &Model, strategy: &mut dyn Strategy) -> Found {
    let budget = Budget { findings: Some(1), ..Budget::default() };
    let mut engines = [ModelEngine::new(model)];
    let mut report = search(&mut engines, strategy, &budget, &AtomicBool::new(false)).unwrap();
    report.findings.remove(0)
}

#[test]
fn what_takes_one_preemption_is_found_within_three_executions() {
    for model in [bluetooth(1, false), ab_ba(), philosophers(3), philosophers(6)] {
        let found = first(&model, &mut scouted());
        assert!(found.execution <= 2, "{}", found.execution);
        assert_eq!(found.bound, None, "scouts are beside all bounds");
    }
}

#[test]
fn what_is_enumerated_is_what_it_is_without_them() {
    for model in [bluetooth(2, true), ab_ba(), philosophers(4), bluetooth(1, false)] {
        let alone = explore(&model, &mut Reduced::bounded(None));
        let mut both: Portfolio<_, 16, 1> = Portfolio::in_blocks(Reduced::bounded(None), 1);
        let report = explore(&model, &mut both);
        let counts = |row: &BoundCoverage| (row.bound, row.executions, row.complete);
        let expected: Vec<_> = alone.bounds.iter().map(counts).collect();
        assert_eq!(report.bounds[0].bound, None);
        assert_eq!(report.bounds[1..].iter().map(counts).collect::<Vec<_>>(), expected);
        assert_eq!((report.ending, report.exhausted), (Ending::Done, true));
        assert_eq!(report.findings.len(), alone.findings.len());
    }
}

#[test]
fn threads_that_share_nothing_have_none() {
    let model = straight(3, 2);
    let alone = explore(&model, &mut Reduced::all());
    assert_eq!((alone.executions, explore(&model, &mut scouted()).executions), (1, 2));
}

#[test]
fn a_search_that_begins_again_has_them_again() {
    let mut strategy = scouted();
    first(&bluetooth(1, false), &mut strategy);
    strategy.restart();
    let found = first(&philosophers(3), &mut strategy);
    assert_eq!(found.execution, 1);
}

/// Before which steps the scouts of a model preempt threads, one after the other. The first thread, which
/// scouts let go first, does nothing that matters.
fn falls(threads: &[&[Op]]) -> Vec<Vec<[u32; 3]>> {
    let main: &[Op] = &[Load(7)];
    let model = listed([&[main], threads].concat().iter().map(|ops| ops.to_vec()).collect());
    let (mut engine, mut strategy) = (ModelEngine::new(&model), scouted());
    let (mut run, mut all) = (Run::new(), Vec::new());
    while let Next::Ready(id, plan) = strategy.next() {
        match (&plan.policy, id.0) {
            (Policy::Ranked { falls, .. }, _) => all.push(falls.clone()),
            (_, 0) => {}
            _ => break,
        }
        engine.run(&plan, &(), &mut run).unwrap();
        strategy.learn(id, &mut run);
    }
    all
}

#[test]
fn both_threads_in_one_window_are_no_news_if_they_do_the_same() {
    let in_the_other_order = vec![];
    assert_eq!(falls(&[TWICE; 2]), [vec![[1, 0, 1]], vec![[2, 0, 1]], in_the_other_order]);
    let other: &[Op] = &[Load(0), Load(0), Store(0)];
    let all = falls(&[TWICE, other]);
    assert!(all.contains(&vec![[1, 0, 1], [2, 0, 2]]), "{all:?}");
}

/// Threads do the same if they do it to things of their own.
#[test]
fn what_a_thread_does_like_another_one_is_tried_later() {
    let mine: &[Op] = &[Load(0), Store(0), Store(1), Load(2)];
    let yours: &[Op] = &[Load(0), Store(0), Store(2), Load(1)];
    let other: &[Op] = &[Load(0), Store(0), Store(2), Store(1)];
    let second = |threads: &[&[Op]]| falls(threads)[1][0][0];
    assert_eq!((second(&[mine, yours]), second(&[mine, other])), (1, 2));
}

/// The second thread waits for the first one before it comes to its window.
#[test]
fn a_second_thread_that_does_not_come_to_its_window_is_left_out() {
    let first: &[Op] = &[Load(0), Store(0), Up(0)];
    let waits: &[Op] = &[Store(1), Down(0), Load(0), Load(0), Store(0)];
    let goes_on: &[Op] = &[Store(1), Up(0), Load(0), Load(0), Store(0)];
    let n_doubled = |threads: &[&[Op]]| falls(threads).iter().filter(|it| it.len() > 1).count();
    assert_eq!(n_doubled(&[first, waits]), 0);
    assert!(n_doubled(&[first, goes_on]) > 0);
}

#[test]
fn nobody_is_preempted_where_nobody_else_can_go_on() {
    let first: &[Op] = &[Load(0), Store(0), Up(0)];
    let waits: &[Op] = &[Down(0), Load(0), Store(0)];
    assert!(!falls(&[first, waits]).contains(&vec![[1, 0, 1]]));
    assert!(falls(&[first, TWICE]).contains(&vec![[1, 0, 1]]));
}

/// Who takes what is offered can come in between; who reads the flag before the data means to.
#[test]
fn two_things_promise_more_if_somebody_else_uses_them_in_the_same_order() {
    let gives: &[Op] = &[Store(0), Store(1), Load(3), Load(4)];
    let best = |takes: &[Op]| falls(&[gives, takes])[0][0];
    assert_eq!(best(&[Load(0), Load(1), Store(4), Store(3)]), [1, 1, 0]);
    assert_ne!(best(&[Load(1), Load(0), Store(4), Store(3)]), [1, 1, 0]);
}

/// The second thread takes what the first one offers for a moment, and both count what was taken. Without
/// preemptions nothing is on offer when it looks.
fn offer() -> Model {
    const OFFERED: usize = 0;
    const TAKEN: usize = 1;
    const SEEN: usize = 2;
    let take = |s: &mut State, t: usize, pc: u32| {
        match pc {
            0 => s.vars[SEEN + t] = s.vars[TAKEN],
            _ if s.vars[TAKEN] != s.vars[SEEN + t] => {
                s.failed = Some("another thread took it, too")
            }
            _ => s.vars[TAKEN] += 1,
        }
        if pc == 0 { s.pc[t] + 1 } else { END }
    };
    let step = move |s: &mut State, t: usize| {
        s.pc[t] = match (t, s.pc[t]) {
            (1, pc @ 0..2) => {
                s.vars[OFFERED] = 1 - i64::from(pc);
                pc + 1
            }
            (1, pc) => take(s, t, pc - 2),
            (2, 0) if s.vars[OFFERED] == 1 => 1,
            (2, pc @ 1..) => take(s, t, pc - 1),
            _ => END,
        }
    };
    let operation = |s: &State, t: usize| match (t, s.pc[t]) {
        (1, 0..2) => (Access::Write, OFFERED as u64),
        (2, 0) => (Access::Read, OFFERED as u64),
        (1, 2) | (2, 1) => (Access::Read, TAKEN as u64),
        (1 | 2, _) => (Access::Write, TAKEN as u64),
        _ => (Access::Local, 0),
    };
    Model {
        n_threads: 3,
        n_vars: 5,
        first: vec![0; 5],
        enabled: Box::new(|_, _| true),
        step: Box::new(step),
        operation: Box::new(operation),
    }
}

#[test]
fn windows_on_another_way_are_found_step_by_step() {
    let found = first(&offer(), &mut scouted());
    assert_eq!((found.execution, found.bound), (2, None));
    let mut bounded = Bounded::icb(None);
    assert_eq!(first(&offer(), &mut bounded).bound, Some(2), "it takes two preemptions");
}

/// The first thread renews something and uses it then; the second one looks for what is old and takes it
/// away. If the first one comes first, nothing is old.
fn timer() -> Model {
    const THERE: usize = 0;
    const OLD: usize = 1;
    let step = move |s: &mut State, t: usize| {
        let is_there = s.vars[THERE] == 1;
        s.pc[t] = match (t, s.pc[t]) {
            (1, 0) if is_there => {
                s.vars[OLD] = 0;
                1
            }
            (1, 1) if !is_there => {
                s.failed = Some("it was renewed, and is gone");
                END
            }
            (2, 0) if is_there && s.vars[OLD] == 1 => 1,
            (2, 1) => {
                s.vars[THERE] = 0;
                END
            }
            _ => END,
        }
    };
    let operation = |s: &State, t: usize| match (t, s.pc[t]) {
        (1, 0) | (2, 1) => (Access::Write, THERE as u64),
        _ => (Access::Read, THERE as u64),
    };
    Model {
        n_threads: 3,
        n_vars: 2,
        first: vec![1, 1],
        enabled: Box::new(|_, _| true),
        step: Box::new(step),
        operation: Box::new(operation),
    }
}

#[test]
fn windows_that_only_the_other_order_shows_are_found_step_by_step() {
    let found = first(&timer(), &mut scouted());
    assert_eq!((found.execution, found.bound), (4, None));
    let mut bounded = Bounded::icb(None);
    assert_eq!(first(&timer(), &mut bounded).bound, Some(2), "it takes two preemptions");
}

#[test]
fn plans_that_were_not_executed_are_made_again() {
    let mut strategy = scouted();
    let model = offer();
    let (mut engine, mut run) = (ModelEngine::new(&model), Run::new());
    for _ in 0..2 {
        let Next::Ready(id, plan) = strategy.next() else { panic!("there is more to scout") };
        strategy.rewind();
        let Next::Ready(again, same) = strategy.next() else { panic!("it was not executed") };
        assert_eq!((id, &plan), (again, &same));
        engine.run(&plan, &(), &mut run).unwrap();
        strategy.learn(id, &mut run);
    }
}
