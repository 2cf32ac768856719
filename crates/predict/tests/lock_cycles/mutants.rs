//! Whether the comparison is tight: each mutant puts back a defect, as a change of the events between the reader and
//! the check, and has to be found among as many runs as the comparison makes by default.

use raddle_trace::{EventId, Events, Op, ThreadId};

use crate::lock_cycles::compare::Case;

/// The events that pass, each perhaps changed.
fn filtered(events: Events, keep: impl Fn(&Events, EventId) -> Option<Op>) -> Events {
    let mut out = Events::default();
    out.tables = events.tables.clone();
    let mut moved = vec![None; events.len()];
    for event in events.iter() {
        if let Some(op) = keep(&events, event.id) {
            let id = out.push(event.thread, op, event.location);
            moved[event.id.index()] = Some(id);
            let waker = events.waker(event.id).and_then(|notify| moved[notify.index()]);
            waker.into_iter().for_each(|notify| out.set_waker(id, notify));
        }
    }
    out
}

fn own(events: &Events, thread: ThreadId) -> impl DoubleEndedIterator<Item = EventId> + '_ {
    (0..events.len() as u32).map(EventId).filter(move |&e| events.thread(e) == thread)
}

/// The next event of the same thread.
fn next(events: &Events, e: EventId) -> Option<Op> {
    own(events, events.thread(e)).find(|&o| o > e).map(|o| events.op(o))
}

fn before(events: &Events, e: EventId) -> Option<Op> {
    own(events, events.thread(e)).rev().find(|&o| o < e).map(|o| events.op(o))
}

fn is_request(op: Op) -> bool {
    matches!(op, Op::Request { .. })
}

#[track_caller]
fn check_caught(mutant: impl Fn(&Events, EventId) -> Option<Op> + Copy) {
    let is_found = |seed| Case::new(seed).compare(|events| filtered(events, mutant)).is_err();
    assert!((0..super::CASES).any(is_found), "the comparison does not find this");
}

#[test]
fn the_net_itself_changes_nothing() {
    let same = |events: &Events, e| Some(events.op(e));
    assert!((0..100).all(|seed| Case::new(seed).compare(|events| filtered(events, same)).is_ok()));
}

#[test]
fn requests_that_were_never_granted_take_part_in_nothing() {
    check_caught(|events, e| {
        let op = events.op(e);
        (!is_request(op) || next(events, e).is_some()).then_some(op)
    });
}

#[test]
fn a_request_before_an_end_is_dropped() {
    check_caught(|events, e| {
        let op = events.op(e);
        (!is_request(op) || next(events, e) != Some(Op::End)).then_some(op)
    });
}

#[test]
fn one_request_makes_every_other_acquire_a_try() {
    check_caught(|events, e| {
        let has_requests = events.iter().any(|event| is_request(event.op));
        Some(match events.op(e) {
            Op::Acquire { lock, mode, tried: false } => {
                let asked = before(events, e).is_some_and(is_request);
                let wakes = matches!(next(events, e), Some(Op::Wake { .. }));
                Op::Acquire { lock, mode, tried: has_requests && !asked && !wakes }
            }
            op => op,
        })
    });
}

#[test]
fn an_acquire_whose_request_is_not_right_before_it_is_a_try() {
    check_caught(|events, e| {
        Some(match (events.op(e), before(events, e)) {
            (Op::Acquire { lock, mode, .. }, Some(Op::Read { .. })) => {
                Op::Acquire { lock, mode, tried: true }
            }
            (op, _) => op,
        })
    });
}

#[test]
fn an_acquire_that_ends_a_wait_is_a_try() {
    check_caught(|events, e| {
        Some(match (events.op(e), next(events, e)) {
            (Op::Acquire { lock, mode, .. }, Some(Op::Wake { .. })) => {
                Op::Acquire { lock, mode, tried: true }
            }
            (op, _) => op,
        })
    });
}

#[test]
fn who_only_tries_a_lock_waits_for_it() {
    check_caught(|events, e| {
        Some(match events.op(e) {
            Op::Acquire { lock, mode, .. } => Op::Acquire { lock, mode, tried: false },
            op => op,
        })
    });
}

#[test]
fn an_acquire_of_a_lock_that_stays_held_is_dropped() {
    check_caught(|events, e| {
        let op = events.op(e);
        let is_held = |lock| {
            let earlier = events.iter().filter(|event| event.id < e && event.op != op);
            let mut last = None;
            for event in earlier {
                match event.op {
                    Op::Acquire { lock: l, .. } if l == lock => last = Some(event.thread),
                    Op::Release { lock: l, .. } if l == lock => last = None,
                    _ => {}
                }
            }
            last.is_some_and(|holder| holder != events.thread(e))
        };
        let is_last = matches!(next(events, e), None | Some(Op::End | Op::Wake { .. }));
        match op {
            Op::Acquire { lock, tried: false, .. } if is_last && is_held(lock) => None,
            op => Some(op),
        }
    });
}

#[test]
fn readers_exclude_nobody() {
    check_caught(|events, e| {
        Some(match events.op(e) {
            Op::Request { lock, .. } => Op::Request { lock, mode: raddle_trace::LockMode::Shared },
            op => op,
        })
    });
}
