//! Atomicity violation: an access of another thread between two of a transaction.
//!
//! - A1: `first` and `second` are accesses of one transaction, in this order; `remote` is one of
//!   another thread and conflicts with both.
//! - A2: `first`, `remote` and `second` happen in this order.
//!
//! Free is `second` in R-W-R and W-W-R, and `remote` in W-R-W. A read-modify-write counts as the
//! read or the write that makes the pattern; where that leaves a choice, any pattern will do, but
//! only one at a time: never are two reads free.

use raddle_trace::{EventId, Trace};

use super::{Transaction, demand, demand_access, demand_conflict, demand_event, expect};
use crate::objection::{Objection, Rule};
use crate::replay::Replay;

pub(super) fn is_asked(
    trace: &Trace,
    [first, remote, second]: [EventId; 3],
    Transaction { from, to }: Transaction,
) -> Result<(), Objection> {
    for access in [first, remote, second] {
        demand_access(trace, Rule::A1, access)?;
    }
    demand(first < second, Rule::A1, second, "it does not come after the first access")?;
    demand(from <= first, Rule::A1, first, "it comes before the transaction")?;
    demand(second <= to, Rule::A1, second, "it comes after the transaction")?;
    for event in [from, to, second] {
        demand_event(trace, Rule::A1, event)?;
        let same = trace.thread(event) == trace.thread(first);
        demand(same, Rule::A1, event, "it is not of the thread of the first access")?;
    }
    demand_conflict(trace, Rule::A1, first, remote)?;
    demand_conflict(trace, Rule::A1, second, remote)
}

pub(super) fn free_read(
    trace: &Trace,
    [first, remote, second]: [EventId; 3],
) -> (Option<EventId>, Option<EventId>) {
    let [first_code, remote_code, second_code] = [first, remote, second].map(|e| trace.code(e));
    let last_is_free = remote_code.writes() && second_code.reads();
    let remote_is_free = first_code.writes() && remote_code.reads() && second_code.writes();
    match (last_is_free, remote_is_free) {
        (true, true) => (Some(second), Some(remote)),
        (true, false) => (Some(second), None),
        (false, true) => (Some(remote), None),
        (false, false) => (None, None),
    }
}

pub(super) fn is_shown(
    replay: &Replay,
    [first, remote, second]: [EventId; 3],
) -> Result<(), Objection> {
    let happens = |event| {
        expect(replay.place(event).is_some(), replay, Rule::A2, event, "it does not happen")
    };
    happens(first)?;
    happens(remote)?;
    happens(second)?;
    let after = replay.place(first) < replay.place(remote);
    expect(after, replay, Rule::A2, remote, "it comes before the first access")?;
    let before = replay.place(remote) < replay.place(second);
    expect(before, replay, Rule::A2, remote, "it comes after the second access")
}
