//! The order equals reachability found by walking back along all edges.
//!
//! `PROPTEST_CASES=100000 cargo test --release -p raddle-causality` searches for longer.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::collections::BTreeSet;

use proptest::prelude::*;
use raddle_causality::{Chains, Held, Order, Relations, for_each_source};
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

/// Whether the order of some relations puts one event before another; events are numbers of lines.
#[track_caller]
fn check(text: &str, relations: Relations, before: u32, after: u32, expected: bool) {
    let trace = Trace::new(sketch(text).unwrap(), Mode::Strict).unwrap();
    let order = Order::new(&trace, relations);
    assert_eq!(order.reaches(&trace, EventId(before), EventId(after)), expected);
}

#[test]
fn e1_a_fork_comes_before_all_of_its_child() {
    let text = "A w x\nA fork B\nB w x\nA r y";
    check(text, Relations::SYNCHRONISATION, 0, 2, true);
    check(text, Relations::SYNCHRONISATION, 1, 2, true);
    check(text, Relations::SYNCHRONISATION, 2, 3, false);
    check("A fork B\nA w y\nB w x", Relations::SYNCHRONISATION, 1, 2, false);
    check("A fork B\nC w y\nB w x", Relations::SYNCHRONISATION, 0, 1, false);
}

#[test]
fn e2_all_of_a_child_or_its_fork_comes_before_its_join() {
    check("B w x\nB w y\nA join B\nA w x", Relations::SYNCHRONISATION, 1, 2, true);
    check("B w x\nB w y\nA join B\nA w x", Relations::SYNCHRONISATION, 0, 3, true);
    check("C fork B\nA join B", Relations::SYNCHRONISATION, 0, 1, true);
    check("C w x\nB w x\nA join B", Relations::SYNCHRONISATION, 0, 2, false);
    check("B w x\nA w y\nA join B", Relations::SYNCHRONISATION, 0, 1, false);
}

#[test]
fn e3_a_notify_comes_before_its_wake_up_and_not_after_the_wait_by_force() {
    let text = "A wait.pre c\nB notify c\nA wake c";
    check(text, Relations::SYNCHRONISATION, 1, 2, true);
    check(text, Relations::SYNCHRONISATION, 0, 1, false);
    let late = "A wait.pre c\nB notify c\nA wake.timeout c";
    check(late, Relations::SYNCHRONISATION, 1, 2, false);
    let two = "A wait.pre c\nB notify c\nC notify c\nA wake.2 c";
    check(two, Relations::SYNCHRONISATION, 1, 3, true);
    check(two, Relations::SYNCHRONISATION, 2, 3, false);
}

const BARRIER: &str =
    "A arrive b\nB arrive b\nA leave b\nB leave b\nA arrive b\nB arrive b\nB leave b";

#[test]
fn e4_all_arrive_before_one_leaves() {
    check(BARRIER, Relations::SYNCHRONISATION, 1, 2, true);
    check(BARRIER, Relations::SYNCHRONISATION, 0, 3, true);
    check(BARRIER, Relations::SYNCHRONISATION, 4, 6, true);
    check(BARRIER, Relations::SYNCHRONISATION, 2, 3, false);
    check(BARRIER, Relations::SYNCHRONISATION, 0, 1, false);
}

#[test]
fn e5_generations_of_a_barrier_follow_each_other() {
    check(BARRIER, Relations::SYNCHRONISATION, 1, 4, true);
    check(BARRIER, Relations::SYNCHRONISATION, 4, 5, false);
    // Threads that were not in the generation before come behind it all the same.
    let others = "A arrive b\nB arrive b\nA leave b\nB leave b\nC arrive b\nD arrive b\nC leave b";
    check(others, Relations::SYNCHRONISATION, 0, 4, true);
    check(
        &others.replace("D arrive b\nC leave b", "D arrive b"),
        Relations::SYNCHRONISATION,
        2,
        4,
        false,
    );
    check("A arrive b\nB arrive b\nA leave b\nC arrive c", Relations::SYNCHRONISATION, 0, 3, false);
}

#[test]
fn e6_a_read_follows_its_writer_if_that_counts() {
    check("A w x\nB r x", Relations::ALL, 0, 1, true);
    check("A w x\nB r x", Relations::SYNCHRONISATION, 0, 1, false);
    check("A w x\nC w x\nB r x", Relations::ALL, 0, 2, false);
    check("A w x\nB rmw x", Relations::ALL, 0, 1, true);
    check("A w x\nB w x", Relations::ALL, 0, 1, false);
    check("A w x\nB r y", Relations::ALL, 0, 1, false);
}

#[test]
fn locks_order_nothing_by_themselves() {
    check("A acq l\nA rel l\nB acq l\nB rel l", Relations::ALL, 0, 2, false);
}

/// The same for the order that is closed under rule R.
#[track_caller]
fn check_excluded(text: &str, before: u32, after: u32, expected: bool) {
    let trace = Trace::new(sketch(text).unwrap(), Mode::Strict).unwrap();
    let order = Order::saturated(&trace, Relations::ALL, &Chains::new(&trace));
    assert_eq!(order.reaches(&trace, EventId(before), EventId(after)), expected);
}

#[test]
fn r_what_begins_before_an_event_inside_a_scope_ends_before_that() {
    let text = "A acq l\nA w x\nA rel l\nB acq l\nB r x\nB rel l";
    check_excluded(text, 2, 4, true);
    check_excluded(text, 2, 3, false);
    check(text, Relations::ALL, 2, 4, false);
    let outside = "A acq l\nA w x\nA rel l\nB acq l\nB rel l\nB r x";
    check_excluded(outside, 2, 5, false);
    check_excluded(&text.replace("B acq l", "B acq k").replace("B rel l", "B rel k"), 2, 4, false);
    check_excluded(&text.replace("acq", "acq.sh").replace("rel", "rel.sh"), 2, 4, false);
    let before = "A acq l\nA w x\nA rel l\nB r x\nB acq l\nB rel l";
    check_excluded(before, 2, 4, true);
    check_excluded(before, 2, 3, false);
}

#[test]
fn r_knows_which_scopes_are_open_where_releases_cross() {
    let text = "A acq k\nA w x\nA rel k\nB acq l\nB acq k\nB rel l\nB r x\nB rel k";
    check_excluded(text, 2, 6, true);
    check_excluded(
        &text.replace("B rel l\nB r x\nB rel k", "B rel k\nB r x\nB rel l"),
        2,
        6,
        false,
    );
}

#[test]
fn r_is_applied_until_nothing_changes() {
    // The end of the scope of `l` brings the beginning of that of `k`, which has to end, too.
    let text = "C acq k\nC w y\nC rel k\n\
                A acq l\nA w x\nA r y\nA rel l\n\
                B acq k\nB acq l\nB r x\nB rel l\nB rel k";
    check_excluded(text, 6, 9, true);
    check_excluded(text, 2, 9, true);
    check_excluded(text, 2, 8, false);
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

#[test]
fn a_cut_that_has_more_keeps_it() {
    let trace = Trace::new(sketch("A w x\nB r x\nA w y\nB r y").unwrap(), Mode::Strict).unwrap();
    let order = Order::new(&trace, Relations::ALL);
    let mut cut = order.cut(&trace, EventId(2));
    order.take_in(&trace, EventId(1), &mut cut);
    assert_eq!(cut, vec![2, 1].into());
    assert!(cut.events_within(&[2, 1]) && !cut.events_within(&[1, 2]));
    order.take_in(&trace, EventId(0), &mut cut);
    assert_eq!(cut, vec![2, 1].into());
}
