//! Brute force, the questions: what can be claimed of a trace, and what each claim says of one
//! sequence, by the text of `docs/src/semantics.md`.

use raddle_finding::ReadWitnessType::{self, BeforeWriter, Overwritten, WithoutWriter};
use raddle_referee::{Claim, Transaction};
use raddle_trace::{CondId, EventId, LockId, LockMode, Op, Order, Trace};

use crate::brute_force::rules::{
    Rules, Set, access, events, excludes, fork_of, has, sections, seen, set,
};
use crate::brute_force::rules::{wait_of, writes_byte};

pub(crate) const FORMS: [ReadWitnessType; 3] = [BeforeWriter, Overwritten, WithoutWriter];

pub(crate) fn all(trace: &Trace) -> Vec<Claim> {
    [races, deadlocks, atomicity_violations, reads, lost_wakeups]
        .iter()
        .flat_map(|of| of(trace))
        .collect()
}

/// Whether accesses of different threads have a byte in common and one of them writes.
fn conflict(trace: &Trace, a: EventId, b: EventId) -> bool {
    let (Some((x, _, wx)), Some((y, _, wy))) = (access(trace, a), access(trace, b)) else {
        return false;
    };
    let common = x.start < y.end && y.start < x.end;
    trace.thread(a) != trace.thread(b) && common && (wx || wy)
}

/// Every pair of accesses that may race.
pub(crate) fn races(trace: &Trace) -> Vec<Claim> {
    let plain = |e| trace.code(e).order() == Order::Plain;
    let races = |a, b| a < b && conflict(trace, a, b) && (plain(a) || plain(b));
    let with = |first| {
        let seconds = events(trace).filter(move |&second| races(first, second));
        seconds.map(move |second| Claim::Race { first, second })
    };
    events(trace).flat_map(with).collect()
}

/// The lock that a request or an acquire asks for.
fn wanted(trace: &Trace, e: EventId) -> Option<(LockId, LockMode)> {
    match trace.op(e) {
        Op::Acquire { tried: true, .. } => None,
        Op::Request { .. } if !may_block(trace, e) => None,
        Op::Request { lock, mode } | Op::Acquire { lock, mode, .. } => Some((lock, mode)),
        _ => None,
    }
}

/// Whether nothing is known to have come of a request but that it was granted.
fn may_block(trace: &Trace, request: EventId) -> bool {
    let mut later = events(trace)
        .filter(|&o| o > request && trace.thread(o) == trace.thread(request))
        .map(|o| trace.op(o));
    matches!(later.next(), None | Some(Op::Acquire { tried: false, .. }))
}

/// Every cycle of requests and acquires, each of a lock that the thread of the next holds; each
/// cycle once, from its least event.
pub(crate) fn deadlocks(trace: &Trace) -> Vec<Claim> {
    let mut cycles = Vec::new();
    for first in events(trace).filter(|&e| wanted(trace, e).is_some()) {
        extend(trace, &mut vec![first], &mut cycles);
    }
    cycles
}

fn extend(trace: &Trace, path: &mut Vec<EventId>, cycles: &mut Vec<Claim>) {
    let (first, last) = (path[0], path[path.len() - 1]);
    if path.len() > 1 && waits_for(trace, last, first) {
        cycles.push(Claim::Deadlock { blocked: path.clone() });
    }
    for next in events(trace).filter(|&e| e > first && wanted(trace, e).is_some()) {
        let new = path.iter().all(|&e| trace.thread(e) != trace.thread(next));
        if new && waits_for(trace, last, next) {
            path.push(next);
            extend(trace, path, cycles);
            path.pop();
        }
    }
}

/// Whether the thread of `holder` has, right before it, what `e` asks for.
fn waits_for(trace: &Trace, e: EventId, holder: EventId) -> bool {
    let thread = trace.thread(holder);
    let happened = set(events(trace).filter(|&o| o < holder && trace.thread(o) == thread));
    let Some((lock, mode)) = wanted(trace, e) else { return false };
    let against = |mode_held| excludes(mode_held, mode);
    sections(trace)
        .iter()
        .any(|s| s.thread == thread && s.lock == lock && against(s.mode) && s.is_open(happened))
}

/// Every pair of accesses of one thread with one of another that conflicts with both.
pub(crate) fn atomicity_violations(trace: &Trace) -> Vec<Claim> {
    let mut claims = Vec::new();
    for remote in events(trace) {
        let local: Vec<_> = events(trace).filter(|&e| conflict(trace, e, remote)).collect();
        for &first in &local {
            for &second in local.iter().filter(|&&e| e > first) {
                let transaction = Transaction { from: first, to: second };
                let claim = Claim::Atomicity { first, remote, second, transaction };
                let one_thread = trace.thread(first) == trace.thread(second);
                claims.extend(one_thread.then_some(claim));
            }
        }
    }
    claims
}

/// Every read with a write that it saw in a byte and another write of that byte.
pub(crate) fn reads(trace: &Trace) -> Vec<Claim> {
    let mut claims = Vec::new();
    for read in events(trace) {
        let seen = seen(trace, read);
        let mut writers: Vec<_> = seen.iter().map(|&(_, writer)| writer).collect();
        writers.sort_unstable();
        writers.dedup();
        for writer in writers {
            let bytes: Vec<_> = seen.iter().filter(|s| s.1 == writer).map(|s| s.0).collect();
            let writes = |&e: &EventId| bytes.iter().any(|&byte| writes_byte(trace, e, byte));
            let others = events(trace).filter(writes).filter(|&e| e != read);
            for challenger in others.map(Some).chain([None]).filter(|&c| c != writer) {
                let claim = |form| Claim::Read { read, writer, challenger, form };
                claims.extend(FORMS.map(claim));
            }
        }
    }
    claims
}

/// All other writes of a byte beside the one that wrote it last.
pub(crate) fn final_reads(trace: &Trace) -> Vec<Claim> {
    let mut claims = Vec::new();
    for writer in events(trace) {
        let Some((bytes, _, true)) = access(trace, writer) else { continue };
        let is_last = |&byte: &u64| {
            events(trace).filter(|&e| writes_byte(trace, e, byte)).last() == Some(writer)
        };
        let last: Vec<u64> = bytes.filter(is_last).collect();
        let challenges =
            |&e: &EventId| e != writer && last.iter().any(|&byte| writes_byte(trace, e, byte));
        let others = events(trace).filter(challenges);
        claims.extend(others.map(|challenger| Claim::FinalRead { writer, challenger }));
    }
    claims
}

/// Every wait that a notify ended.
pub(crate) fn lost_wakeups(trace: &Trace) -> Vec<Claim> {
    let notified = events(trace).filter(|&wake| trace.waker(wake).is_some());
    notified.filter_map(|w| wait_of(trace, w)).map(|wait| Claim::LostWakeup { wait }).collect()
}

/// The ways to choose the read that is free: one for each pattern that the claim fits.
pub(crate) fn frees(trace: &Trace, claim: &Claim) -> Vec<Option<EventId>> {
    let (first, remote, second) = match *claim {
        Claim::Read { read, .. } => return vec![Some(read)],
        Claim::Atomicity { first, remote, second, .. } => (first, remote, second),
        _ => return vec![None],
    };
    let roles = |e| {
        let (_, reads, writes) = access(trace, e).expect("it is an access");
        [reads.then_some('R'), writes.then_some('W')].into_iter().flatten()
    };
    let mut frees = Vec::new();
    for a in roles(first) {
        for b in roles(remote) {
            frees.extend(roles(second).filter_map(|c| match (a, b, c) {
                ('R', 'W', 'R') | ('W', 'W', 'R') => Some(Some(second)),
                ('W', 'R', 'W') => Some(Some(remote)),
                ('R', 'W', 'W') | ('W', 'W', 'W') => Some(None),
                _ => None,
            }));
        }
    }
    frees
}

/// Whether all threads of `stopped` have come to these events and no further.
pub(crate) fn stops_at(trace: &Trace, happened: Set, stopped: &[EventId]) -> bool {
    stopped.iter().all(|&e| {
        let thread = trace.thread(e);
        let own = set(events(trace).filter(|&o| o < e && trace.thread(o) == thread));
        let begun = set(fork_of(trace, thread));
        !has(happened, e) && (own | begun) & !happened == 0
    })
}

/// Whether each of some threads that stop keeps the one before it in a cycle waiting.
fn is_stuck(rules: &Rules, happened: Set, blocked: &[EventId]) -> bool {
    let next = blocked.iter().cycle().skip(1);
    blocked.iter().zip(next).all(|(&e, &holder)| {
        let (lock, mode) = wanted(rules.trace, e).expect("it asks for a lock");
        rules.holders(happened, lock, mode).any(|t| t == rules.trace.thread(holder))
    })
}

/// A wait that a notify ended, and all else that could.
pub(crate) struct Lost {
    pub wait: EventId,
    pub notify: EventId,
    pub wake: EventId,
    /// The notifies of the condition by other threads.
    pub notifies: Vec<EventId>,
}

impl Lost {
    pub(crate) fn new(trace: &Trace, wait: EventId) -> Lost {
        let Op::Wait { cond } = trace.op(wait) else { panic!("{wait:?} is not a wait") };
        let wake = events(trace).find(|&w| wait_of(trace, w) == Some(wait) && is_wake(trace, w));
        let wake = wake.expect("the wait was ended");
        let others = events(trace).filter(|&e| trace.thread(e) != trace.thread(wait));
        Lost {
            wait,
            notify: trace.waker(wake).expect("a notify ended it"),
            wake,
            notifies: others.filter(|&e| notifies(trace, e, cond)).collect(),
        }
    }

    /// Whether a notify after the wait leaves it alone: it is for another wait.
    pub(crate) fn is_for_another(&self, trace: &Trace, happened: Set, notify: EventId) -> bool {
        let wakes = events(trace).filter(|&wake| trace.waker(wake) == Some(notify));
        let mut waits = wakes.filter_map(|wake| wait_of(trace, wake)).filter(|&w| w != self.wait);
        matches!(trace.op(notify), Op::Notify { .. }) && waits.any(|w| has(happened, w))
    }
}

fn is_wake(trace: &Trace, e: EventId) -> bool {
    matches!(trace.op(e), Op::Wake { .. })
}

fn notifies(trace: &Trace, e: EventId, cond: CondId) -> bool {
    matches!(trace.op(e), Op::Notify { cond: c } | Op::NotifyAll { cond: c } if c == cond)
}

/// Whether a reordering shows a claim.
pub(crate) fn shows(rules: &Rules, claim: &Claim, sequence: &[EventId]) -> bool {
    let (trace, happened) = (rules.trace, set(sequence.iter().copied()));
    let place = |e: EventId| sequence.iter().position(|&o| o == e);
    let in_order = |events: &[EventId]| {
        events.iter().all(|&e| has(happened, e)) && events.is_sorted_by_key(|&e| place(e))
    };
    match *claim {
        Claim::Race { first, second } => stops_at(trace, happened, &[first, second]),
        Claim::Deadlock { ref blocked } => {
            stops_at(trace, happened, blocked) && is_stuck(rules, happened, blocked)
        }
        Claim::Atomicity { first, remote, second, .. } => in_order(&[first, remote, second]),
        Claim::Read { read, writer, challenger, form } => match (form, writer, challenger) {
            (BeforeWriter, Some(w), Some(c)) => in_order(&[c, read, w]),
            (BeforeWriter, Some(w), None) => in_order(&[read, w]),
            (Overwritten, Some(w), Some(c)) => in_order(&[w, c, read]),
            (Overwritten, None, Some(c)) => in_order(&[c, read]),
            (WithoutWriter, Some(w), Some(c)) => in_order(&[c, read]) && !has(happened, w),
            (WithoutWriter, Some(w), None) => has(happened, read) && !has(happened, w),
            _ => false,
        },
        Claim::LostWakeup { wait } => {
            let lost = Lost::new(trace, wait);
            let ends = |&n: &EventId| {
                let before = set(sequence.iter().copied().take_while(|&o| o != n));
                place(n) > place(wait) && !lost.is_for_another(trace, before, n)
            };
            in_order(&[lost.notify, wait])
                && !has(happened, lost.wake)
                && lost.notifies.iter().all(|&n| has(happened, n))
                && !lost.notifies.iter().any(ends)
        }
        Claim::FinalRead { writer, challenger } => {
            events(trace).all(|e| has(happened, e)) && in_order(&[writer, challenger])
        }
        _ => unreachable!("a claim of another kind"),
    }
}
