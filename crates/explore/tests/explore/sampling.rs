//! How samplers draw: the distribution of orders, and what they find.

use std::collections::BTreeMap;

use raddle_explore::*;
use raddle_finding::Choice;

use crate::model::{Model, ModelEngine, State};
use crate::models::{Op, listed};
use Op::{Load, Lock, Store, Unlock};

/// How often each order of the stores to variable 0 comes in executions 1 to `n`, as the threads
/// that do them.
fn orders(model: &Model, threads: &[Vec<Op>], sampler: Sampler, n: u64) -> BTreeMap<Vec<u32>, u64> {
    let (mut sample, mut engine) = (Sample::new(sampler, 11), ModelEngine::new(model));
    let mut counts = BTreeMap::new();
    let mut run = Run::new();
    for number in 0..=n {
        let Next::Ready(id, plan) = sample.next() else { panic!("there is always one more") };
        engine.run(&plan, &(), &mut run).unwrap();
        let mut pcs = vec![0; threads.len()];
        let mut order = Vec::new();
        for choice in run.choices() {
            let Choice::Thread(thread) = choice else { unreachable!() };
            let pc = &mut pcs[thread as usize];
            if threads[thread as usize][*pc] == Store(0) {
                order.push(thread);
            }
            *pc += 1;
        }
        sample.learn(id, &mut run);
        if number > 0 {
            *counts.entry(order).or_default() += 1;
        }
    }
    counts
}

/// Pearson's statistic against `n_orders` that are equally likely.
fn chi_square(counts: &BTreeMap<Vec<u32>, u64>, n_orders: usize) -> f64 {
    let expected = counts.values().sum::<u64>() as f64 / n_orders as f64;
    let seen: f64 = counts.values().map(|&n| (n as f64 - expected).powi(2) / expected).sum();
    seen + (n_orders - counts.len()) as f64 * expected
}

/// `limit` is the 99.9th percentile for this many orders.
#[track_caller]
fn is_uniform(model: &Model, threads: &[Vec<Op>], n_orders: usize, limit: f64) {
    let n = 100 * n_orders as u64;
    let surw = chi_square(&orders(model, threads, Sampler::Surw, n), n_orders);
    assert!(surw < limit, "{surw} of SURW is above {limit}");
    for sampler in [Sampler::Random, Sampler::Walk] {
        let other = chi_square(&orders(model, threads, sampler, n), n_orders);
        assert!(other > 4.0 * limit, "{other} of {sampler:?} looks uniform");
    }
}

/// Some instructions, so many loads of a variable that no other thread uses before and after them.
fn among(before: usize, ops: &[Op], after: usize, own: usize) -> Vec<Op> {
    [vec![Load(own); before], ops.to_vec(), vec![Load(own); after]].concat()
}

#[test]
fn orders_of_two_threads_are_equally_likely() {
    let stores = [Store(0); 3];
    let threads = vec![among(12, &stores, 0, 1), among(0, &stores, 12, 2)];
    is_uniform(&listed(threads.clone()), &threads, 20, 43.82);
}

#[test]
fn orders_of_three_threads_are_equally_likely() {
    let stores = [Store(0); 2];
    let threads = vec![among(9, &stores, 0, 1), among(0, &stores, 9, 2), among(3, &stores, 1, 3)];
    is_uniform(&listed(threads.clone()), &threads, 90, 135.98);
}

#[test]
fn without_other_steps_the_walk_is_uniform() {
    let threads = vec![vec![Store(0); 4], vec![Store(0); 2]];
    let model = listed(threads.clone());
    for sampler in [Sampler::Walk, Sampler::Surw] {
        let drawn = chi_square(&orders(&model, &threads, sampler, 1500), 15);
        assert!(drawn < 36.12, "{drawn} of {sampler:?}");
    }
    let random = chi_square(&orders(&model, &threads, Sampler::Random, 1500), 15);
    assert!(random > 4.0 * 36.12, "{random}");
}

/// The first thread creates the second between its two stores. Their three later stores have 3
/// orders, and each of them has 15 with the two of the last thread.
#[test]
fn threads_that_do_not_exist_yet_count_for_their_creator() {
    let stores = [Store(0); 2];
    let threads = vec![vec![Store(0), Load(1), Store(0)], stores.to_vec(), among(6, &stores, 0, 2)];
    let mut model = listed(threads.clone());
    model.enabled = Box::new(|state: &State, thread| thread != 1 || state.pc[0] >= 2);
    is_uniform(&model, &threads, 45, 78.75);
}

#[test]
fn one_variable_among_many_steps_is_found() {
    let threads = vec![among(0, &[Store(0); 2], 40, 1), among(40, &[Store(0)], 0, 2)];
    let model = listed(threads.clone());
    let hits = |sampler| orders(&model, &threads, sampler, 2000).get(&vec![0, 1, 0]).copied();
    let surw = hits(Sampler::Surw).unwrap();
    assert!((600..733).contains(&surw), "{surw} are not about a third");
    assert_eq!(hits(Sampler::Random), None);
}

#[test]
fn a_thread_that_is_held_back_meets_the_other_one_in_both_orders() {
    let threads = vec![among(0, &[Store(0)], 40, 1), among(40, &[Store(0)], 0, 2)];
    let model = listed(threads.clone());
    let found = orders(&model, &threads, Sampler::Pause, 400);
    let first = found.get(&vec![0, 1]).copied().unwrap_or(0);
    assert!((140..260).contains(&first), "{first} of 400 are not about half");
    assert_eq!(orders(&model, &threads, Sampler::Random, 400).get(&vec![1, 0]), None);
}

/// Threads that wait for each other: the sampler must not add waiting of its own.
#[test]
fn a_walk_ends_where_the_program_does() {
    let section = |own| [vec![Lock(0), Load(0), Store(0), Unlock(0)], vec![Load(own); 3]].concat();
    let model = listed(vec![section(1), section(2), section(3)]);
    let mut engine = ModelEngine::new(&model);
    for target in [None, Some(0), Some(100), Some(7)] {
        for n_steps in [vec![], vec![0, 9, 0], vec![1, 1, 1], vec![0, 0, 0, 5]] {
            for seed in 0..50 {
                let n_steps = n_steps.clone();
                let creators = vec![Some(1), Some(0), Some(7)];
                let policy = Policy::Walk { seed, target, n_steps, creators, n_points: 3 };
                let observe = Observe { operations: true, ..Observe::default() };
                let mut run = Run::new();
                engine.run(&Plan { policy, observe, ..Plan::default() }, &(), &mut run).unwrap();
                assert_eq!((run.points().len(), &run.outcome), (21, &Outcome::Passed));
            }
        }
    }
}

/// The intended thread spins on a variable that only the thread that is held back will set.
#[test]
fn a_thread_that_is_waited_for_is_not_held_back_for_ever() {
    let mut model = listed(vec![vec![Load(1), Store(0)], vec![Store(0), Store(1)]]);
    let step = std::mem::replace(&mut model.step, Box::new(|_, _| {}));
    model.step = Box::new(move |state, thread| {
        let spins = thread == 0 && state.pc[0] == 0 && state.vars[1] == 0;
        if !spins {
            step(state, thread);
        }
    });
    let n_steps = vec![1_000_000, 0];
    let (target, creators) = (Some(0), vec![]);
    let policy = Policy::Walk { seed: 1, target, n_steps, creators, n_points: 20 };
    let observe = Observe { operations: true, ..Observe::default() };
    let plan = Plan { policy, observe, n_points_max: Some(10_000), ..Plan::default() };
    let mut run = Run::new();
    ModelEngine::new(&model).run(&plan, &(), &mut run).unwrap();
    assert_eq!(run.outcome, Outcome::Passed);
    for seed in 0..20 {
        let plan = Plan { policy: Policy::Pause { seed, target: 0 }, ..plan.clone() };
        ModelEngine::new(&model).run(&plan, &(), &mut run).unwrap();
        assert_eq!(run.outcome, Outcome::Passed);
    }
}

#[test]
fn a_profile_is_taken_again_when_there_are_other_points() {
    let mut sample = Sample::new(Sampler::Surw, 5);
    let learn = |sample: &mut Sample, model: &Model| {
        let Next::Ready(id, plan) = sample.next() else { panic!("there is always one more") };
        let mut run = Run::new();
        ModelEngine::new(model).run(&plan, &(), &mut run).unwrap();
        sample.learn(id, &mut run);
        plan.policy
    };
    let one = listed(vec![vec![Store(0)], vec![Store(0)]]);
    let other = listed(vec![vec![Store(1)], vec![Store(1)]]);
    let target = |policy| match policy {
        Policy::Walk { target, .. } => target,
        _ => None,
    };
    assert_eq!(learn(&mut sample, &one), Policy::Continue);
    assert_eq!(target(learn(&mut sample, &one)), Some(0));
    sample.restart();
    assert_eq!(learn(&mut sample, &other), Policy::Continue);
    assert_eq!(target(learn(&mut sample, &other)), Some(1));
}

#[test]
fn samplers_that_take_turns_leave_the_beginning_alone_in_every_second_round() {
    let threads = vec![vec![Store(0), Store(1), Store(0)], vec![Store(0), Store(1)]];
    let model = listed(threads);
    let samplers = vec![Sampler::Surw, Sampler::Pos, Sampler::Random];
    let mut engine = ModelEngine::new(&model);
    let (mut sample, mut run) = (Sample::rotating(samplers, 5), Run::new());
    let Next::Ready(id, plan) = sample.next() else { panic!("there is always one more") };
    engine.run(&plan, &(), &mut run).unwrap();
    let lead = run.choices().take_while(|&choice| choice == Choice::Thread(0)).count();
    sample.learn(id, &mut run);
    assert!(lead > 1);
    let leads: Vec<_> = (0..9).map(|number| sample.plan(number).prefix.len()).collect();
    assert_eq!(leads, [0, 0, 0, 0, lead, lead, 0, 0, 0]);
    let alone = Sample::new(Sampler::Random, 5);
    assert!((0..9).all(|number| alone.plan(number).prefix.is_empty()));
}
