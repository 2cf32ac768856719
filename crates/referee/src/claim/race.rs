//! Race: two accesses that are both about to happen.
//!
//! - R1: they are of different threads, have a common cell, one writes, not both are atomic.
//! - R2: the next event of each thread is its access.
//! - R3: a thread whose access is its first event was forked, if it is a forked one.

use raddle_trace::{EventId, Order, Trace};

use super::{demand, demand_access, demand_conflict, expect};
use crate::objection::{Objection, Rule};
use crate::replay::Replay;

pub(super) fn is_asked(trace: &Trace, first: EventId, second: EventId) -> Result<(), Objection> {
    demand_access(trace, Rule::R1, first)?;
    demand_access(trace, Rule::R1, second)?;
    demand_conflict(trace, Rule::R1, first, second)?;
    let plain = [first, second].iter().any(|&access| trace.code(access).order() == Order::Plain);
    demand(plain, Rule::R1, second, "both accesses are atomic")
}

pub(super) fn is_shown(replay: &Replay, first: EventId, second: EventId) -> Result<(), Objection> {
    is_next(replay, first)?;
    is_next(replay, second)
}

fn is_next(replay: &Replay, access: EventId) -> Result<(), Objection> {
    let thread = replay.trace.thread(access);
    let next = replay.next(thread) == Some(access);
    expect(next, replay, Rule::R2, access, "it is not the next event of its thread")?;
    let fork = replay.trace.fork_of(thread).filter(|_| replay.trace.position(access) == 0);
    let forked = fork.is_none_or(|fork| replay.place(fork).is_some());
    expect(forked, replay, Rule::R3, access, "its thread has not been forked")
}
