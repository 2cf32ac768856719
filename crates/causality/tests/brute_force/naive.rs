//! Saturation as its rules are written: all of them for all events, in rounds.

use raddle_trace::{EventId, LockMode, Op, Scope, Trace, WakeReason};

use crate::matrix::Matrix;
use crate::query::Query;
use crate::rules::{Set, events, has, seen, set, wait_of, writes_byte};

/// What must happen, and in which order; none if that cannot be.
pub(crate) type Saturated = Option<(Set, Matrix)>;

/// Pairs of scopes of different threads that cannot both be open.
pub(crate) fn excluding(trace: &Trace) -> impl Iterator<Item = (&Scope, &Scope)> {
    let all = trace.scopes();
    let pairs = all.iter().flat_map(move |scope| all.iter().map(move |other| (scope, other)));
    pairs.filter(|(scope, other)| {
        let is_shared = scope.mode == LockMode::Shared && other.mode == LockMode::Shared;
        scope.lock == other.lock && scope.thread != other.thread && !is_shared
    })
}

pub(crate) fn saturate(trace: &Trace, query: &Query) -> Saturated {
    let mut order = Matrix::new(trace, |read| !query.is_free(read));
    for &(before, after) in &query.asked {
        order.add(before, after);
    }
    let mut must = query.must;
    loop {
        order.close();
        must |= events(trace).filter(|&e| has(must, e)).fold(0, |all, e| all | order.past(e));
        let is_bounded = must & !query.may(trace) == 0;
        if !is_bounded || events(trace).any(|e| has(must, e) && order.has(e, e)) {
            return None;
        }
        let before = (must, order.clone());
        locks(trace, query, &mut must, &mut order)?;
        views(trace, query, must, &mut order)?;
        for wake in events(trace).filter(|&e| has(must, e)) {
            if let Op::Wake { reason: WakeReason::Notified, .. } = trace.op(wake)
                && let (Some(wait), Some(notify)) = (wait_of(trace, wake), trace.waker(wake))
            {
                order.add(wait, notify); // W
            }
        }
        if before == (must, order.clone()) {
            return Some(before);
        }
    }
}

/// R and I.
fn locks(trace: &Trace, query: &Query, must: &mut Set, order: &mut Matrix) -> Option<()> {
    for (scope, other) in excluding(trace) {
        if !has(*must, scope.acquire) {
            continue;
        }
        let mut own = trace.thread_events(scope.thread).iter().copied();
        let last = own.rfind(|&e| has(*must, e));
        let end = scope.release().filter(|&release| has(*must, release)).or(last)?;
        if order.has(other.acquire, end) {
            let release = other.release().filter(|&release| has(query.may(trace), release))?;
            *must |= set([release]);
            order.add(release, scope.acquire);
        }
    }
    Some(())
}

/// V1 and V2, byte by byte.
fn views(trace: &Trace, query: &Query, must: Set, order: &mut Matrix) -> Option<()> {
    let happens = |&e: &EventId| has(must, e);
    for read in events(trace).filter(happens).filter(|&read| !query.is_free(read)) {
        for (byte, writer) in seen(trace, read) {
            let writes =
                |&w: &EventId| writes_byte(trace, w, byte) && w != read && Some(w) != writer;
            for other in events(trace).filter(happens).filter(writes) {
                if order.has(other, read) {
                    order.add(other, writer?); // V1
                }
                if writer.is_none_or(|writer| order.has(writer, other)) {
                    order.add(read, other); // V2
                }
            }
        }
    }
    Some(())
}
