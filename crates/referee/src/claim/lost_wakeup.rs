//! Lost wake-up: a notify that comes too early for the wait that it ended in the trace.
//!
//! - L1: the event is a wait, and a notify ended it.
//! - L2: that notify happens, and the wait after it.
//! - L3: the wake-up does not happen, which S6 and L2 say already.
//! - L4: nothing is left that could end the wait: all notifies of the condition by other threads
//!   happen.
//! - L5: none of them happens after the wait, unless it is the notify of a single thread and another
//!   wait, which it ended in the trace, is under way for it to end here too.
//!
//! By L2 the wait is no event of the prefix: there, notifies come after the waits that they end.
//! Those of the prefix happen before it, so L4 and L5 concern only those behind.

use raddle_trace::{CondId, EventId, Op, ThreadId, Trace, Wait};

use super::{demand, demand_event, expect};
use crate::objection::{Objection, Rule};
use crate::replay::Replay;

pub(super) fn is_asked(trace: &Trace, wait: EventId) -> Result<(), Objection> {
    demand_event(trace, Rule::L1, wait)?;
    demand(matches!(trace.op(wait), Op::Wait { .. }), Rule::L1, wait, "it is not a wait")?;
    let notified = wait_at(trace, wait).is_some_and(|wait| wait.notify.is_some());
    demand(notified, Rule::L1, wait, "no notify ended it")
}

pub(super) fn is_shown(replay: &Replay, wait: EventId) -> Result<(), Objection> {
    let trace = replay.trace;
    let Some(&Wait { cond, wait, wake, notify: Some(notify) }) = wait_at(trace, wait) else {
        return is_asked(trace, wait);
    };
    let Some(waited) = replay.place(wait) else {
        return expect(false, replay, Rule::L2, wait, "it does not happen");
    };
    let notified = replay.place(notify);
    let early = notified.is_some_and(|notified| notified < waited);
    expect(early, replay, Rule::L2, notify, "it does not happen before the wait")?;
    if let Some(wake) = wake {
        let asleep = replay.place(wake).is_none();
        expect(asleep, replay, Rule::L3, wake, "the wake-up happens")?;
    }
    nothing_is_left(replay, cond, trace.thread(wait))?;
    nothing_comes_later(replay, cond, waited)
}

fn nothing_is_left(replay: &Replay, cond: CondId, waiter: ThreadId) -> Result<(), Objection> {
    let others = notifies(replay, cond).filter(|&event| replay.trace.thread(event) != waiter);
    for notify in others {
        let happens = replay.place(notify).is_some();
        expect(happens, replay, Rule::L4, notify, "it is left to end the wait")?;
    }
    Ok(())
}

fn nothing_comes_later(replay: &Replay, cond: CondId, waited: usize) -> Result<(), Objection> {
    for notify in notifies(replay, cond).filter(|&event| replay.place(event) > Some(waited)) {
        let single = matches!(replay.trace.op(notify), Op::Notify { .. });
        let other = wait_ended_by(replay.trace, cond, notify).and_then(|other| replay.place(other));
        let under_way = other.is_some() && other < replay.place(notify);
        expect(single && under_way, replay, Rule::L5, notify, "it ends the wait")?;
    }
    Ok(())
}

/// The notifies of a condition behind the prefix.
fn notifies(replay: &Replay, cond: CondId) -> impl Iterator<Item = EventId> {
    let notifies =
        |event| matches!(replay.trace.op(event), Op::Notify { .. } | Op::NotifyAll { .. });
    let events = replay.behind_prefix(replay.trace.condition_events(cond)).iter().copied();
    events.filter(move |&event| notifies(event))
}

/// The wait that a single notify ended, if any. It is another wait than that of the claim, whose
/// notify comes before it.
fn wait_ended_by(trace: &Trace, cond: CondId, notify: EventId) -> Option<EventId> {
    let events = trace.condition_events(cond);
    let later = &events[events.partition_point(|&event| event <= notify)..];
    let mut wakes = later.iter().filter(|&&event| matches!(trace.op(event), Op::Wake { .. }));
    let ended = wakes.find(|&&wake| trace.waker(wake) == Some(notify))?;
    wait_at(trace, *ended).map(|wait| wait.wait)
}

/// The wait that a wait or wake-up belongs to.
fn wait_at(trace: &Trace, event: EventId) -> Option<&Wait> {
    trace.waits().get(trace.partner(event)?)
}
