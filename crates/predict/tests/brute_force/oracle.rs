//! Brute force: which sequences of events are reorderings.
//!
//! It looks at nothing but the events and the text of `docs/src/semantics.md`, and shares no code
//! with what it judges. Each rule is decided by scanning the sequence so far.

use std::collections::BTreeSet;

use raddle_trace::{
    BarrierId, EventId, LockId, LockMode, Op, Range, SemaphoreId, ThreadId, Trace, WakeReason,
};

pub(crate) const N_THREADS: u32 = 3;

/// Whether `e` may follow `sequence`.
pub(crate) fn may_follow(trace: &Trace, sequence: &[EventId], e: EventId) -> bool {
    let happened = |other: EventId| sequence.contains(&other);
    let events = || (0..trace.len() as u32).map(EventId);
    let thread = trace.thread(e);
    let forked = events().find(|&f| matches!(trace.op(f), Op::Fork { child } if child == thread));
    if forked.is_some_and(|fork| !happened(fork)) {
        return false;
    }
    let synchronised = match trace.op(e) {
        Op::Join { child } => events()
            .filter(|&o| {
                trace.thread(o) == child
                    || matches!(trace.op(o), Op::Fork { child: c } if c == child)
            })
            .all(happened),
        Op::Acquire { lock, mode } => {
            !holders(trace, sequence, lock).any(|(t, m)| t != thread && excludes(m, mode))
        }
        Op::TryFail { lock, mode } => {
            holders(trace, sequence, lock).any(|(_, m)| excludes(m, mode))
        }
        Op::Wake { reason: WakeReason::Notified, .. } => matched(trace, sequence, e),
        Op::Take { semaphore } => count(trace, sequence, semaphore) > 0,
        Op::Leave { barrier } => {
            let own = generation(trace, barrier, e);
            arrivals(trace, barrier).filter(|&(_, g)| g == own).all(|(a, _)| happened(a))
        }
        Op::Arrive { barrier } => {
            let own = generation(trace, barrier, e);
            arrivals(trace, barrier).filter(|&(_, g)| g < own).all(|(a, _)| happened(a))
        }
        _ => true,
    };
    synchronised && sees_the_same(trace, sequence, e)
}

pub(crate) fn excludes(held: LockMode, wanted: LockMode) -> bool {
    held == LockMode::Exclusive || wanted == LockMode::Exclusive
}

pub(crate) fn holders<'a>(
    trace: &'a Trace,
    sequence: &'a [EventId],
    lock: LockId,
) -> impl Iterator<Item = (ThreadId, LockMode)> + 'a {
    sequence.iter().enumerate().filter_map(move |(at, &a)| {
        let Op::Acquire { lock: l, mode } = trace.op(a) else { return None };
        let released = |&r: &EventId| {
            trace.thread(r) == trace.thread(a)
                && matches!(trace.op(r), Op::Release { lock: l, .. } if l == lock)
        };
        (l == lock && !sequence[at..].iter().any(released)).then(|| (trace.thread(a), mode))
    })
}

/// The wait, then the notify, have happened.
pub(crate) fn matched(trace: &Trace, sequence: &[EventId], wake: EventId) -> bool {
    let own = |&&w: &&EventId| trace.thread(w) == trace.thread(wake);
    let waits = |w: &&EventId| matches!(trace.op(**w), Op::Wait { .. });
    let wait = sequence.iter().filter(own).rfind(waits);
    let at = |e: EventId| sequence.iter().position(|&o| o == e);
    match (wait.and_then(|&w| at(w)), trace.waker(wake).and_then(at)) {
        (Some(wait), Some(notify)) => wait < notify,
        _ => false,
    }
}

pub(crate) fn count(trace: &Trace, sequence: &[EventId], semaphore: SemaphoreId) -> i64 {
    let change = |&e: &EventId| match trace.op(e) {
        Op::Post { semaphore: s } if s == semaphore => 1,
        Op::Take { semaphore: s } if s == semaphore => -1,
        _ => 0,
    };
    let initial = trace.tables.initial(semaphore).unwrap_or(0);
    i64::from(initial) + sequence.iter().map(change).sum::<i64>()
}

/// The arrivals at a barrier with the generation each belongs to: the number of times that the
/// barrier had been complete before. Every generation of these traces has two parties.
pub(crate) fn arrivals(
    trace: &Trace,
    barrier: BarrierId,
) -> impl Iterator<Item = (EventId, usize)> + '_ {
    let all = (0..trace.len() as u32).map(EventId);
    let arrive =
        move |&e: &EventId| matches!(trace.op(e), Op::Arrive { barrier: b } if b == barrier);
    all.filter(arrive).enumerate().map(|(n, e)| (e, n / 2))
}

/// The generation of an arrival, or of the arrival before a leave.
pub(crate) fn generation(trace: &Trace, barrier: BarrierId, e: EventId) -> usize {
    let own = |&(a, _): &(EventId, usize)| a <= e && trace.thread(a) == trace.thread(e);
    arrivals(trace, barrier).filter(own).last().map_or(0, |(_, g)| g)
}

/// The bytes of an access, and whether it writes.
pub(crate) fn access(trace: &Trace, e: EventId) -> Option<(std::ops::Range<u64>, bool, bool)> {
    let (var, reads, writes) = match trace.op(e) {
        Op::Read { var, .. } => (var, true, false),
        Op::Write { var, .. } => (var, false, true),
        Op::ReadModifyWrite { var, .. } => (var, true, true),
        _ => return None,
    };
    let range = match trace.tables.range(var) {
        Some(Range { offset, size, .. }) => offset..offset + u64::from(size),
        None => 1000 + u64::from(var.0)..1001 + u64::from(var.0),
    };
    Some((range, reads, writes))
}

pub(crate) fn sees_the_same(trace: &Trace, sequence: &[EventId], e: EventId) -> bool {
    let Some((mut bytes, true, _)) = access(trace, e) else { return true };
    let writes = |w: EventId, byte: u64| {
        access(trace, w).is_some_and(|(bytes, _, writes)| writes && bytes.contains(&byte))
    };
    bytes.all(|byte| {
        let now = sequence.iter().rev().copied().find(|&w| writes(w, byte));
        let then = (0..e.0).rev().map(EventId).find(|&w| writes(w, byte));
        now == then
    })
}

/// All cuts that legal sequences reach, as positions per thread.
pub(crate) fn reachable(trace: &Trace) -> BTreeSet<Vec<u32>> {
    let mut seen = BTreeSet::new();
    let mut cuts = BTreeSet::new();
    let mut stack = vec![Vec::<EventId>::new()];
    while let Some(sequence) = stack.pop() {
        let cut: Vec<u32> = (0..N_THREADS)
            .map(|t| sequence.iter().filter(|&&e| trace.thread(e).0 == t).count() as u32)
            .collect();
        // What can follow depends on the cut, on the last write of each byte, and on the order of
        // waits and notifies; sequences that agree in all of these need not be told apart.
        let writes: Vec<_> = (0..1002u64)
            .filter(|b| *b < 8 || *b >= 1000)
            .map(|byte| {
                sequence
                    .iter()
                    .rposition(|&w| {
                        access(trace, w)
                            .is_some_and(|(bytes, _, writes)| writes && bytes.contains(&byte))
                    })
                    .map(|at| sequence[at])
            })
            .collect();
        let signals: Vec<_> = sequence
            .iter()
            .copied()
            .filter(|&e| {
                matches!(trace.op(e), Op::Wait { .. } | Op::Notify { .. } | Op::NotifyAll { .. })
            })
            .collect();
        if !seen.insert((cut.clone(), writes, signals)) {
            continue;
        }
        for thread in (0..N_THREADS).map(ThreadId) {
            let own = trace.thread_events(thread);
            let Some(&e) = own.get(cut[thread.index()] as usize) else { continue };
            if may_follow(trace, &sequence, e) {
                let mut longer = sequence.clone();
                longer.push(e);
                stack.push(longer);
            }
        }
        cuts.insert(cut);
    }
    cuts
}

/// Whether a thread exists at a cut: it was forked, if it ever was.
pub(crate) fn is_begun(trace: &Trace, cut: &[u32], thread: ThreadId) -> bool {
    let fork = (0..trace.len() as u32)
        .map(EventId)
        .find(|&f| matches!(trace.op(f), Op::Fork { child } if child == thread));
    fork.is_none_or(|f| trace.position(f) < cut[trace.thread(f).index()])
}
