//! Lost wake-up: a notify that comes too early for the wait that it ended in the trace.
//!
//! - L1: the event is a wait, and a notify ended it.
//! - L2: that notify happens, and the wait after it.
//! - L3: the wake-up does not happen, which S6 and L2 say already.
//! - L4: nothing is left that could end the wait: all notifies of the condition by other threads
//!   happen.
//! - L5: none of them happens after the wait, unless it is the notify of a single thread and another
//!   wait, which it ended in the trace, is under way for it to end here too.

use std::collections::HashMap;

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
    nothing_comes_later(replay, cond, wait, waited)
}

fn nothing_is_left(replay: &Replay, cond: CondId, waiter: ThreadId) -> Result<(), Objection> {
    let threads = (0..replay.trace.n_threads() as u32).map(ThreadId);
    for thread in threads.filter(|&thread| thread != waiter) {
        let left = replay.rest(thread).iter().find(|&&event| notifies(replay.trace, event, cond));
        if let Some(&notify) = left {
            expect(false, replay, Rule::L4, notify, "it is left to end the wait")?;
        }
    }
    Ok(())
}

fn nothing_comes_later(
    replay: &Replay,
    cond: CondId,
    wait: EventId,
    waited: usize,
) -> Result<(), Objection> {
    let trace = replay.trace;
    let later = &replay.witness[waited + 1..];
    let mut later = later.iter().copied().filter(|&event| notifies(trace, event, cond)).peekable();
    if later.peek().is_none() {
        return Ok(());
    }
    let others = trace.waits().iter().filter(|other| other.cond == cond && other.wait != wait);
    let ended: HashMap<_, _> = others.filter_map(|o| Some((o.notify?, o.wait))).collect();
    for notify in later {
        let under_way = ended.get(&notify).and_then(|&other| replay.place(other));
        let has_other = under_way.is_some_and(|other| Some(other) < replay.place(notify));
        let single = matches!(trace.op(notify), Op::Notify { .. });
        expect(single && has_other, replay, Rule::L5, notify, "it ends the wait")?;
    }
    Ok(())
}

fn notifies(trace: &Trace, event: EventId, cond: CondId) -> bool {
    match trace.op(event) {
        Op::Notify { cond: notified } | Op::NotifyAll { cond: notified } => notified == cond,
        _ => false,
    }
}

fn wait_at(trace: &Trace, wait: EventId) -> Option<&Wait> {
    trace.waits().get(trace.partner(wait)?)
}
