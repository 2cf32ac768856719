//! Deadlock: threads that wait for each other in a circle.
//!
//! - D1: there are two or more requests or acquires, of different threads, none of them a try. In a
//!   trace that has requests, an acquire is a try if its thread neither asked right before it nor
//!   wakes up right after it.
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
    let Op::Acquire { lock, .. } = trace.op(event) else { return false };
    let own = trace.thread_events(trace.thread(event));
    let at = trace.position(event) as usize;
    let asked = at > 0
        && matches!(trace.op(own[at - 1]), Op::Request { lock: wanted, .. } if wanted == lock);
    let wakes = own.get(at + 1).is_some_and(|&next| matches!(trace.op(next), Op::Wake { .. }));
    let is_request = |e: u32| matches!(trace.op(EventId(e)), Op::Request { .. });
    !asked && !wakes && (0..trace.len() as u32).any(is_request)
}

/// The lock that a request or acquire is about.
fn wanted(trace: &Trace, event: EventId) -> Option<(LockId, LockMode)> {
    match trace.op(event) {
        Op::Request { lock, mode } | Op::Acquire { lock, mode } => Some((lock, mode)),
        _ => None,
    }
}
