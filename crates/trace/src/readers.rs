//! Readers: who holds a lock at a certain moment.
//!
//! In: the scopes of each lock, ascending by acquire. Out: those that are open before an event.
//!
//! An exclusive scope begins when all before it are over, so looking back from the moment ends
//! there. Readers may go on for as long as they like; so that looking back ends among them, too, at
//! every so many scopes those are noted which are open, if readers are.

use rustc_hash::FxHashMap;

use crate::csr::Rows;
use crate::id::{EventId, LockId, ScopeId};
use crate::index::Scope;
use crate::op::LockMode;

/// How many scopes of a lock there are from one note to the next.
const STRIDE: usize = 32;

/// Per lock and number of a scope among those of the lock, the scopes that are open once that one
/// is.
#[derive(Clone, Debug, Default)]
pub(crate) struct Readers {
    notes: FxHashMap<(LockId, usize), Box<[ScopeId]>>,
}

impl Readers {
    pub(crate) fn new(n_locks: usize, by_lock: &Rows<ScopeId>, scopes: &[Scope]) -> Readers {
        let mut readers = Readers::default();
        for lock in (0..n_locks as u32).map(LockId) {
            let row = by_lock.row(lock.index());
            if row.len() > STRIDE {
                readers.note(lock, row, scopes);
            }
        }
        readers
    }

    /// The scopes of a lock that are open right before an event, ascending.
    pub(crate) fn open(&self, row: &[ScopeId], scopes: &[Scope], before: EventId) -> Vec<ScopeId> {
        let is_open = |scope: &ScopeId| is_open(&scopes[scope.index()], before);
        let n_begun = row.partition_point(|scope| scopes[scope.index()].acquire < before);
        let mut open = Vec::new();
        for (number, scope) in row[..n_begun].iter().enumerate().rev() {
            let Scope { lock, mode, .. } = scopes[scope.index()];
            if let Some(noted) = self.notes.get(&(lock, number)).filter(|_| is_noted(number)) {
                open.extend(noted.iter().rev().copied().filter(is_open));
                break;
            }
            open.extend(Some(*scope).filter(is_open));
            if mode == LockMode::Exclusive {
                break;
            }
        }
        open.reverse();
        open
    }

    pub(crate) fn memory(&self) -> usize {
        let note = size_of::<(LockId, usize)>() + size_of::<Box<[ScopeId]>>();
        let noted = self.notes.values().map(|noted| size_of_val(&**noted)).sum::<usize>();
        self.notes.capacity() * note + noted
    }

    fn note(&mut self, lock: LockId, row: &[ScopeId], scopes: &[Scope]) {
        let mut open = Vec::new();
        for (number, &id) in row.iter().enumerate() {
            let scope = &scopes[id.index()];
            open.retain(|other: &ScopeId| is_open(&scopes[other.index()], scope.acquire));
            open.push(id);
            if is_noted(number) && scope.mode == LockMode::Shared {
                self.notes.insert((lock, number), open.clone().into_boxed_slice());
            }
        }
    }
}

fn is_noted(number: usize) -> bool {
    number.is_multiple_of(STRIDE)
}

/// Whether a scope that has begun before an event is not over before it.
fn is_open(scope: &Scope, before: EventId) -> bool {
    scope.release().is_none_or(|release| release >= before)
}

#[cfg(test)]
mod tests {
    use crate::check::Mode;
    use crate::{EventId, Events, LockId, LockMode, Op, ScopeId, ThreadId, Trace};

    /// Threads take and release two locks, in `n_shared` of ten cases as readers.
    fn trace(seed: u64, n_shared: u32) -> Trace {
        let mut random = fastrand::Rng::with_seed(seed);
        let mut events = Events::default();
        for name in ["A", "B", "C", "D"] {
            events.tables.threads.intern(name.as_bytes()).unwrap();
        }
        for name in ["l", "m"] {
            events.tables.locks.intern(name.as_bytes()).unwrap();
        }
        let mut held = [[None; 4]; 2];
        for _ in 0..1000 {
            let (thread, lock) = (ThreadId(random.u32(..4)), LockId(random.u32(..2)));
            let shared = random.u32(..10) < n_shared;
            let mode = if shared { LockMode::Shared } else { LockMode::Exclusive };
            let held = &mut held[lock.index()];
            let taken = held.iter().flatten().any(|&held| !shared || held != LockMode::Shared);
            let op = match held[thread.index()].take() {
                Some(mode) => Op::Release { lock, mode },
                None if taken => continue,
                None => {
                    held[thread.index()] = Some(mode);
                    Op::Acquire { lock, mode, tried: false }
                }
            };
            events.push(thread, op, None);
        }
        Trace::new(events, Mode::Strict).unwrap()
    }

    /// The same by asking every scope.
    fn naive(trace: &Trace, lock: LockId, before: EventId) -> Vec<ScopeId> {
        let open = |id: &ScopeId| {
            let scope = &trace.scopes()[id.index()];
            scope.acquire < before && scope.release().is_none_or(|release| release >= before)
        };
        trace.lock_scopes(lock).iter().copied().filter(open).collect()
    }

    #[test]
    fn open_scopes_are_found_at_any_moment() {
        for (seed, n_shared) in [(0, 0), (1, 5), (2, 9), (3, 10), (4, 10)] {
            let trace = trace(seed, n_shared);
            assert!(trace.lock_scopes(LockId(0)).len() > 2 * super::STRIDE);
            for before in (0..=trace.len() as u32).map(EventId) {
                for lock in [LockId(0), LockId(1)] {
                    let found = trace.open_scopes(lock, before);
                    assert_eq!(found, naive(&trace, lock, before), "{lock:?} before {before:?}");
                }
            }
        }
    }
}
