//! Brute force, the rules: which events may come next.
//!
//! It looks at nothing but the events and the text of `docs/src/semantics.md`, and shares no code
//! with what it judges. What can follow a sequence depends on which events have happened, on the
//! last write of each byte, and on which wake-ups were notified since their wait.

use std::ops::Range;

use raddle_trace::{EventId, LockId, LockMode, Op, SemaphoreId, ThreadId, Trace, WakeReason};

/// Marks the initial value.
const INITIAL: u8 = u8::MAX;

/// A set of events, one bit each.
pub(crate) type Set = u64;

pub(crate) fn set(events: impl IntoIterator<Item = EventId>) -> Set {
    events.into_iter().fold(0, |set, e| set | 1 << e.0)
}

pub(crate) fn has(set: Set, e: EventId) -> bool {
    set >> e.0 & 1 == 1
}

pub(crate) fn events(trace: &Trace) -> impl Iterator<Item = EventId> + Clone + use<> {
    (0..trace.len() as u32).map(EventId)
}

/// The bytes of an access, whether it reads and whether it writes.
pub(crate) fn access(trace: &Trace, e: EventId) -> Option<(Range<u64>, bool, bool)> {
    let (var, reads, writes) = match trace.op(e) {
        Op::Read { var, .. } => (var, true, false),
        Op::Write { var, .. } => (var, false, true),
        Op::ReadModifyWrite { var, .. } => (var, true, true),
        _ => return None,
    };
    let bytes = match trace.tables.range(var) {
        Some(range) => range.offset..range.offset + u64::from(range.size),
        None => 1000 + u64::from(var.0)..1001 + u64::from(var.0),
    };
    Some((bytes, reads, writes))
}

pub(crate) fn writes_byte(trace: &Trace, e: EventId, byte: u64) -> bool {
    access(trace, e).is_some_and(|(bytes, _, writes)| writes && bytes.contains(&byte))
}

/// Each byte of a read with the write that it was read from.
pub(crate) fn seen(trace: &Trace, read: EventId) -> Vec<(u64, Option<EventId>)> {
    let Some((bytes, true, _)) = access(trace, read) else { return Vec::new() };
    let writer = |byte| events(trace).filter(|&w| w < read && writes_byte(trace, w, byte)).last();
    bytes.map(|byte| (byte, writer(byte))).collect()
}

pub(crate) fn excludes(held: LockMode, wanted: LockMode) -> bool {
    held == LockMode::Exclusive || wanted == LockMode::Exclusive
}

/// The event that forks a thread.
pub(crate) fn fork_of(trace: &Trace, thread: ThreadId) -> Option<EventId> {
    events(trace).find(|&f| matches!(trace.op(f), Op::Fork { child } if child == thread))
}

/// The wait that a wake-up ends.
pub(crate) fn wait_of(trace: &Trace, wake: EventId) -> Option<EventId> {
    let own = |&w: &EventId| w < wake && trace.thread(w) == trace.thread(wake);
    events(trace).filter(own).filter(|&w| matches!(trace.op(w), Op::Wait { .. })).last()
}

/// A critical section.
pub(crate) struct Section {
    pub thread: ThreadId,
    pub lock: LockId,
    pub mode: LockMode,
    acquire: EventId,
    release: Option<EventId>,
}

impl Section {
    pub(crate) fn is_open(&self, happened: Set) -> bool {
        has(happened, self.acquire) && !self.release.is_some_and(|r| has(happened, r))
    }
}

pub(crate) fn sections(trace: &Trace) -> Vec<Section> {
    let section = |acquire| {
        let Op::Acquire { lock, mode, .. } = trace.op(acquire) else { return None };
        let thread = trace.thread(acquire);
        let releases = |r: EventId| matches!(trace.op(r), Op::Release { lock: l, .. } if l == lock);
        let release =
            events(trace).find(|&r| r > acquire && trace.thread(r) == thread && releases(r));
        Some(Section { thread, lock, mode, acquire, release })
    };
    events(trace).filter_map(section).collect()
}

/// What decides how a sequence can go on.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct State {
    pub happened: Set,
    /// Per byte, the last write.
    memory: Vec<u8>,
    /// Wake-ups whose notify has happened after their wait.
    notified: Set,
}

/// The rules for one trace, with what each event asks for.
pub(crate) struct Rules<'a> {
    pub trace: &'a Trace,
    sections: Vec<Section>,
    demands: Vec<Demand>,
    n_bytes: usize,
}

/// What an event asks for and does, as far as it is the same in all sequences.
struct Demand {
    /// P, S1, S2, S9, S10: what has happened before.
    before: Set,
    /// V: bytes with the last write of each.
    seen: Vec<(usize, u8)>,
    written: Vec<usize>,
    /// S5, S6: the wake-ups of a notify, with their waits.
    wakes: Vec<(EventId, EventId)>,
}

impl<'a> Rules<'a> {
    pub(crate) fn new(trace: &'a Trace) -> Rules<'a> {
        assert!(trace.len() <= 64, "an event is a bit");
        let accesses = events(trace).filter_map(|e| access(trace, e));
        let mut bytes: Vec<u64> = accesses.flat_map(|(bytes, ..)| bytes).collect();
        bytes.sort_unstable();
        bytes.dedup();
        let demands = events(trace).map(|e| Demand::new(trace, e, &bytes)).collect();
        Rules { trace, sections: sections(trace), demands, n_bytes: bytes.len() }
    }

    pub(crate) fn start(&self) -> State {
        State { happened: 0, memory: vec![INITIAL; self.n_bytes], notified: 0 }
    }

    /// The next event of each thread.
    pub(crate) fn next(&self, happened: Set) -> impl Iterator<Item = EventId> + '_ {
        let threads = (0..self.trace.n_threads() as u32).map(ThreadId);
        threads.filter_map(move |t| {
            self.trace.thread_events(t).iter().copied().find(|&e| !has(happened, e))
        })
    }

    /// Whether `e` may come next, where the reads in `free` may see any write.
    pub(crate) fn may_follow(&self, state: &State, e: EventId, free: Option<EventId>) -> bool {
        let State { happened, ref memory, notified } = *state;
        let Demand { before, ref seen, .. } = self.demands[e.index()];
        let synchronised = match self.trace.op(e) {
            Op::Acquire { lock, mode, .. } => {
                !self.holders(happened, lock, mode).any(|thread| thread != self.trace.thread(e))
            }
            Op::TryFail { lock, mode } => self.holders(happened, lock, mode).next().is_some(),
            Op::Wake { reason: WakeReason::Notified, .. } => has(notified, e),
            Op::Take { semaphore } => self.count(happened, semaphore) > 0,
            _ => true,
        };
        let same_views = free == Some(e) || seen.iter().all(|&(byte, w)| memory[byte] == w);
        before & !happened == 0 && !has(happened, e) && synchronised && same_views
    }

    pub(crate) fn after(&self, state: &State, e: EventId) -> State {
        let mut next = state.clone();
        let Demand { written, wakes, .. } = &self.demands[e.index()];
        next.happened |= set([e]);
        written.iter().for_each(|&byte| next.memory[byte] = e.0 as u8);
        let in_time = wakes.iter().filter(|&&(_, wait)| has(state.happened, wait));
        next.notified |= set(in_time.map(|&(wake, _)| wake));
        next
    }

    /// Whether a sequence is a reordering.
    pub(crate) fn allow(&self, sequence: &[EventId], free: Option<EventId>) -> bool {
        let mut state = self.start();
        sequence.iter().all(|&e| {
            let may = self.may_follow(&state, e, free);
            state = self.after(&state, e);
            may
        })
    }

    /// Who holds a lock that a thread wants in this mode.
    pub(crate) fn holders(
        &self,
        happened: Set,
        lock: LockId,
        mode: LockMode,
    ) -> impl Iterator<Item = ThreadId> + '_ {
        let against =
            move |s: &&Section| s.lock == lock && excludes(s.mode, mode) && s.is_open(happened);
        self.sections.iter().filter(against).map(|s| s.thread)
    }

    fn count(&self, happened: Set, semaphore: SemaphoreId) -> i64 {
        let change = |e| match self.trace.op(e) {
            Op::Post { semaphore: s } if s == semaphore => 1,
            Op::Take { semaphore: s } if s == semaphore => -1,
            _ => 0,
        };
        let happened = events(self.trace).filter(|&e| has(happened, e));
        let initial = self.trace.tables.initial(semaphore).unwrap_or(0);
        i64::from(initial) + happened.map(change).sum::<i64>()
    }
}

impl Demand {
    fn new(trace: &Trace, e: EventId, bytes: &[u64]) -> Demand {
        let place = |byte| bytes.binary_search(&byte).expect("all bytes are listed");
        let value = |w: Option<EventId>| w.map_or(INITIAL, |w| w.0 as u8);
        let written = access(trace, e).filter(|&(.., writes)| writes);
        let ended = |&wake: &EventId| trace.waker(wake) == Some(e);
        let wake = |wake| Some((wake, wait_of(trace, wake)?));
        Demand {
            before: before(trace, e),
            seen: seen(trace, e).into_iter().map(|(byte, w)| (place(byte), value(w))).collect(),
            written: written.into_iter().flat_map(|(bytes, ..)| bytes).map(place).collect(),
            wakes: events(trace).filter(ended).filter_map(wake).collect(),
        }
    }
}

/// What has happened before an event wherever it happens.
pub(crate) fn before(trace: &Trace, e: EventId) -> Set {
    let thread = trace.thread(e);
    let own = events(trace).filter(|&o| o < e && trace.thread(o) == thread);
    let synchronised = match trace.op(e) {
        Op::Join { child } => {
            set(events(trace).filter(|&o| trace.thread(o) == child)) | set(fork_of(trace, child))
        }
        Op::Leave { .. } => arrivals(trace, e, |arrival, own| arrival == own),
        Op::Arrive { .. } => arrivals(trace, e, |arrival, own| arrival < own),
        _ => 0,
    };
    set(own) | set(fork_of(trace, thread)) | synchronised
}

/// The arrivals at the barrier of `e` whose generation stands in a relation to that of `e`: the
/// number of times that all parties had arrived before.
fn arrivals(trace: &Trace, e: EventId, related: impl Fn(usize, usize) -> bool) -> Set {
    let (Op::Arrive { barrier } | Op::Leave { barrier }) = trace.op(e) else { return 0 };
    let parties = trace.tables.parties(barrier).expect("it is declared") as usize;
    let arrives = |&a: &EventId| matches!(trace.op(a), Op::Arrive { barrier: b } if b == barrier);
    let all: Vec<EventId> = events(trace).filter(arrives).collect();
    let own = all.iter().rposition(|&a| a <= e && trace.thread(a) == trace.thread(e));
    let own = own.expect("who leaves has arrived") / parties;
    set(all.iter().enumerate().filter(|&(n, _)| related(n / parties, own)).map(|(_, &a)| a))
}
