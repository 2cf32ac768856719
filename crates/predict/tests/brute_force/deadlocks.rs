//! The deadlocks that are found are exactly the circles of acquires that brute force reaches.

use std::collections::BTreeSet;

use proptest::prelude::*;
use raddle_predict::{Causes, deadlocks};
use raddle_trace::{EventId, LockMode, Op, Trace};

use crate::oracle::{holders, is_begun, reachable};
use crate::small_trace::{config, small_trace};

/// Whether `thread` of `second` holds, before `second`, the lock that `first` wants.
fn waits_for(trace: &Trace, first: EventId, second: EventId) -> bool {
    let Op::Acquire { lock, mode } = trace.op(first) else { return false };
    let thread = trace.thread(second);
    let before: Vec<EventId> =
        trace.thread_events(thread).iter().copied().take_while(|&e| e < second).collect();
    let held = holders(trace, &before, lock);
    held.into_iter().any(|(_, m)| m == LockMode::Exclusive || mode == LockMode::Exclusive)
}

/// All circles of two or three acquires of different threads, starting with the least.
fn circles(trace: &Trace) -> Vec<Vec<EventId>> {
    let acquires: Vec<_> = (0..trace.len() as u32)
        .map(EventId)
        .filter(|&e| matches!(trace.op(e), Op::Acquire { .. }))
        .collect();
    let mut circles = Vec::new();
    for &a in &acquires {
        for &b in acquires.iter().filter(|&&b| trace.thread(b) != trace.thread(a)) {
            if !waits_for(trace, a, b) {
                continue;
            }
            if a < b && waits_for(trace, b, a) {
                circles.push(vec![a, b]);
            }
            for &c in acquires.iter().filter(|&&c| a < b.min(c)) {
                let third =
                    trace.thread(c) != trace.thread(a) && trace.thread(c) != trace.thread(b);
                if third && waits_for(trace, b, c) && waits_for(trace, c, a) {
                    circles.push(vec![a, b, c]);
                }
            }
        }
    }
    circles
}

/// The same circle, starting with its least event.
fn turned(mut circle: Vec<EventId>) -> Vec<EventId> {
    let least = (0..circle.len()).min_by_key(|&i| circle[i]).unwrap_or(0);
    circle.rotate_left(least);
    circle
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn deadlocks_equal_brute_force(trace in small_trace()) {
        let candidates = circles(&trace);
        let cuts = if candidates.is_empty() { BTreeSet::new() } else { reachable(&trace) };
        let blocks = |circle: &Vec<EventId>| cuts.iter().any(|cut| circle.iter().all(|&e| {
            let thread = trace.thread(e);
            cut[thread.index()] == trace.position(e) && is_begun(&trace, cut, thread)
        }));
        let expected: BTreeSet<_> = candidates.into_iter().filter(blocks).collect();
        let job = raddle_predict::Job { n_workers: 1, progress: &mut |_, _| true };
        let found = deadlocks(&Causes::new(&trace), true, job).unwrap();
        prop_assert_eq!(found.n_unknown, 0);
        let found: BTreeSet<_> = found.deadlocks.into_iter().map(|d| turned(d.blocked)).collect();
        prop_assert_eq!(found, expected);
    }
}
