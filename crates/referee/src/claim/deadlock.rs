//! Deadlock: threads that wait for each other in a cycle.
//!
//! - D1: there are two or more requests or acquires, of different threads, none of them a try: an acquire
//!   that was only tried, or a request whose thread went on without the lock or only tried it.
//! - D2: the next event of each of these threads is its request or acquire.
//! - D3: its lock is held by the thread of the next, for the last by the thread of the first, in a
//!   mode that excludes it.

use std::collections::HashSet;

use raddle_trace::{EventId, LockId, LockMode, Op, Trace};

use super::{demand, demand_event, expect};
use crate::objection::{Objection, Rule};
use crate::replay::Replay;

pub(super) fn is_asked(trace: &Trace, blocked: &[EventId]) -> Result<(), Objection> {
    demand(blocked.len() > 1, Rule::D1, blocked.first().copied(), "it takes two to deadlock")?;
    let mut threads = HashSet::new();
    for &event in blocked {
        demand_event(trace, Rule::D1, event)?;
        let asks = wanted(trace, event).is_some();
        demand(asks, Rule::D1, event, "it is neither a request nor an acquire")?;
        demand(!is_try(trace, event), Rule::D1, event, "it only tries the lock")?;
        let new = threads.insert(trace.thread(event));
        demand(new, Rule::D1, event, "its thread occurs twice")?;
    }
    Ok(())
}

pub(super) fn is_shown(replay: &Replay, blocked: &[EventId]) -> Result<(), Objection> {
    let holders = blocked.iter().cycle().skip(1);
    for (&event, &holder) in blocked.iter().zip(holders) {
        let next = replay.next(replay.trace.thread(event)) == Some(event);
        expect(next, replay, Rule::D2, event, "it is not the next event of its thread")?;
        let holder = replay.trace.thread(holder);
        let held = wanted(replay.trace, event)
            .is_some_and(|(lock, mode)| replay.excludes(holder, lock, mode));
        expect(held, replay, Rule::D3, event, "the next thread does not hold the lock against it")?;
    }
    Ok(())
}

fn is_try(trace: &Trace, event: EventId) -> bool {
    let gives_up = |op| matches!(op, Op::Acquire { tried: true, .. } | Op::TryFail { .. });
    let own = trace.thread_events(trace.thread(event));
    match trace.op(event) {
        Op::Request { .. } => own
            .get(trace.position(event) as usize + 1)
            .is_some_and(|&answer| gives_up(trace.op(answer))),
        op => gives_up(op),
    }
}

/// The lock that a request or acquire is about.
fn wanted(trace: &Trace, event: EventId) -> Option<(LockId, LockMode)> {
    match trace.op(event) {
        Op::Request { lock, mode } | Op::Acquire { lock, mode, .. } => Some((lock, mode)),
        _ => None,
    }
}
