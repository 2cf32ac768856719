//! Cycles of requests and acquires block exactly if brute force reaches them, and those of acquires
//! and of requests that were never granted are all found.

use std::collections::BTreeSet;

use proptest::prelude::*;
use raddle_predict::{Causes, Job, deadlocks};
use raddle_referee::Claim;
use raddle_trace::{EventId, Kind, Trace};

use crate::brute_force::claims;
use crate::brute_force::compare::compare_all;
use crate::brute_force::oracle::Oracle;
use crate::brute_force::small_trace::{config, small_trace};

/// The same cycle, starting with its least event.
fn turned(mut cycle: Vec<EventId>) -> Vec<EventId> {
    let least = (0..cycle.len()).min_by_key(|&i| cycle[i]).unwrap_or(0);
    cycle.rotate_left(least);
    cycle
}

/// The cycles that brute force reaches, of acquires and of requests that were never granted.
fn expected(trace: &Trace) -> BTreeSet<Vec<EventId>> {
    let mut oracle = Oracle::new(trace);
    let feasible = claims::deadlocks(trace).into_iter().filter(|claim| oracle.is_feasible(claim));
    let blocked = feasible.filter_map(|claim| match claim {
        Claim::Deadlock { blocked } => Some(blocked),
        _ => None,
    });
    let is_last = |e: EventId| trace.thread_events(trace.thread(e)).last() == Some(&e);
    let counts = |e: &EventId| trace.code(*e).kind() == Kind::Acquire || is_last(*e);
    blocked.filter(|cycle| cycle.iter().all(counts)).collect()
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn cycles_block_where_brute_force_reaches_them(trace in small_trace()) {
        compare_all(&trace, &claims::deadlocks(&trace))?;
    }

    #[test]
    fn deadlocks_equal_brute_force(trace in small_trace()) {
        let job = Job { n_workers: 1, progress: &mut |_, _| true };
        let found = deadlocks(&Causes::new(&trace), true, job).unwrap();
        prop_assert_eq!(found.n_unknown, 0);
        let found: BTreeSet<_> = found.deadlocks.into_iter().map(|d| turned(d.blocked)).collect();
        prop_assert_eq!(found, expected(&trace));
    }
}
