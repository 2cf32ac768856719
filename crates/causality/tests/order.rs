//! The order equals reachability found by walking back along all edges.
//!
//! `PROPTEST_CASES=100000 cargo test --release -p raddle-causality` searches for longer.

use std::collections::BTreeSet;

use proptest::prelude::*;
use raddle_causality::{Held, Order, Relations, for_each_source};
use raddle_generate::{Config, Shape, generate};
use raddle_trace::check::Mode;
use raddle_trace::format::sketch;
use raddle_trace::{EventId, Trace};

/// All events from which `event` can be reached, itself included.
fn past(trace: &Trace, relations: Relations, event: EventId) -> BTreeSet<EventId> {
    let mut past = BTreeSet::new();
    let mut stack = vec![event];
    while let Some(e) = stack.pop() {
        if !past.insert(e) {
            continue;
        }
        let own = trace.thread_events(trace.thread(e));
        stack.extend((trace.position(e) as usize).checked_sub(1).map(|p| own[p]));
        for_each_source(trace, relations, e, |source| stack.push(source));
    }
    past
}

fn compare(trace: &Trace, relations: Relations) -> Result<(), TestCaseError> {
    let order = Order::new(trace, relations);
    for after in (0..trace.len() as u32).map(EventId) {
        let past = past(trace, relations, after);
        let cut: BTreeSet<_> = order.cut(trace, after).events(trace).collect();
        prop_assert_eq!(&cut, &past);
        for before in (0..trace.len() as u32).map(EventId) {
            prop_assert_eq!(order.reaches(trace, before, after), past.contains(&before));
        }
    }
    Ok(())
}

proptest! {
    #[test]
    fn clocks_equal_reachability(
        seed in any::<u64>(),
        events in 20..80usize,
        threads in 1..5u32,
        reads_from in any::<bool>(),
    ) {
        let config = Config { events, threads, locks: 2, vars: 3, seed, ..Shape::Full.config() };
        let trace = Trace::new(generate(&config).unwrap(), Mode::Strict).unwrap();
        compare(&trace, Relations { reads_from })?;
    }
}

#[track_caller]
fn check(text: &str, relations: Relations, before: u32, after: u32, expected: bool) {
    let events = sketch(text).expect("an example");
    let trace = Trace::new(events, Mode::Strict).expect("a well-formed example");
    let order = Order::new(&trace, relations);
    assert_eq!(order.reaches(&trace, EventId(before), EventId(after)), expected);
}

#[test]
fn e1_e2_a_child_lives_between_its_fork_and_its_join() {
    let text = "A w x\nA fork B\nB w x\nA r y\nA join B\nA w x";
    check(text, Relations::SYNCHRONISATION, 0, 2, true);
    check(text, Relations::SYNCHRONISATION, 2, 5, true);
    check(text, Relations::SYNCHRONISATION, 2, 3, false);
}

#[test]
fn e3_a_notify_comes_before_its_wake_up_and_not_after_the_wait_by_force() {
    let text = "A wait.pre c\nB notify c\nA wake c";
    check(text, Relations::SYNCHRONISATION, 1, 2, true);
    check(text, Relations::SYNCHRONISATION, 0, 1, false);
}

#[test]
fn e4_e5_generations_of_a_barrier_follow_each_other() {
    let text = "A arrive b\nB arrive b\nA leave b\nB leave b\nA arrive b\nB arrive b\nB leave b";
    check(text, Relations::SYNCHRONISATION, 1, 2, true);
    check(text, Relations::SYNCHRONISATION, 1, 4, true);
    check(text, Relations::SYNCHRONISATION, 4, 6, true);
    check(text, Relations::SYNCHRONISATION, 2, 3, false);
}

#[test]
fn e6_a_read_follows_its_writer_if_that_counts() {
    check("A w x\nB r x", Relations::ALL, 0, 1, true);
    check("A w x\nB r x", Relations::SYNCHRONISATION, 0, 1, false);
}

#[test]
fn locks_order_nothing_by_themselves() {
    check("A acq l\nA rel l\nB acq l\nB rel l", Relations::ALL, 0, 2, false);
}

#[test]
fn held_scopes_follow_crossing_releases() {
    let text = "A acq l\nA acq k\nA rel l\nA w x\nA rel k\nA w x";
    let trace = Trace::new(sketch(text).unwrap(), Mode::Strict).unwrap();
    let held = Held::new(&trace);
    let locks = |e: u32| -> Vec<u32> {
        held.after(EventId(e)).map(|s| trace.scopes()[s.index()].lock.0).collect()
    };
    assert_eq!(
        [0, 1, 2, 3, 4, 5].map(locks),
        [vec![0], vec![1, 0], vec![1], vec![1], vec![], vec![]]
    );
}
