//! Locks: mutual exclusion, requests, failed tries, nesting where it is claimed.

use super::blocks::Blocks;
use super::threads::Threads;
use super::waits::Waits;
use super::{Fault, Fix, Rule, Step};
use crate::events::{Claims, Events};
use crate::id::{EventId, LockId, ThreadId};
use crate::op::{LockMode, Op};
use crate::tables::Tables;

#[derive(Clone, Copy)]
struct Hold {
    lock: LockId,
    mode: LockMode,
    /// Acquires of a lock that was held already; they were dropped, and so will be as many releases.
    reentered: u32,
}

pub(super) struct Locks {
    /// Per lock, who holds it; more than one only in shared mode.
    holders: Vec<Vec<ThreadId>>,
    /// Per thread, what it holds, in the order of taking.
    held: Vec<Vec<Hold>>,
    /// Per lock, the last try that failed because it was held.
    last_try: Vec<Option<EventId>>,
    /// Per thread, the lock it has asked for.
    requests: Vec<Option<(EventId, LockId)>>,
}

/// What else is known of the threads that hold locks.
pub(super) struct Rest<'a> {
    pub claims: Claims,
    pub threads: &'a Threads,
    pub waits: &'a Waits,
    pub blocks: &'a Blocks,
}

impl Locks {
    pub(super) fn new(events: &Events) -> Locks {
        let n_threads = events.tables.threads.len();
        Locks {
            holders: vec![Vec::new(); events.tables.locks.len()],
            held: vec![Vec::new(); n_threads],
            last_try: vec![None; events.tables.locks.len()],
            requests: vec![None; n_threads],
        }
    }

    #[inline]
    pub(super) fn is_idle(&self, thread: ThreadId) -> bool {
        self.requests[thread.index()].is_none()
    }

    /// A thread that asked for a lock did not get it before the trace ended: what comes behind that
    /// only ends something, and the request is what the thread really did last.
    pub(super) fn end_fault(&self, step: &Step, names: &Tables, rest: &Rest) -> Option<Fault> {
        let (_, lock) = self.requests[step.thread.index()]?;
        let ends = step.observed && !rest.threads.acts_from(step.thread, step.id);
        let detail =
            || format!("{} still waits for {}", names.thread(step.thread), name(names, lock));
        ends.then(|| Fault { rule: Rule::RequestThenAcquire, detail: detail(), fix: Fix::Drop })
    }

    pub(super) fn fault(&self, step: &Step, names: &Tables, rest: &Rest) -> Option<Fault> {
        if let Some((request, lock)) = self.requests[step.thread.index()] {
            let answered = match step.op {
                Op::Acquire { lock: l, .. } | Op::TryFail { lock: l, .. } => l == lock,
                _ => false,
            };
            if !answered {
                let detail = format!(
                    "{} neither gets {} nor fails to",
                    names.thread(step.thread),
                    name(names, lock)
                );
                return Some(Fault {
                    rule: Rule::RequestThenAcquire,
                    detail,
                    fix: Fix::DropOther(request),
                });
            }
        }
        match step.op {
            Op::Acquire { lock, mode, tried } => {
                self.acquire_fault(step, (lock, mode, tried), names, rest)
            }
            Op::Release { lock, mode } => self.release_fault(step, lock, mode, names, rest.claims),
            Op::TryFail { lock, mode } if !self.conflicts(lock, mode) => {
                let detail = format!("no thread holds {} against it", name(names, lock));
                Some(Fault { rule: Rule::TryHeld, detail, fix: Fix::Drop })
            }
            _ => None,
        }
    }

    fn acquire_fault(
        &self,
        step: &Step,
        (lock, mode, tried): (LockId, LockMode, bool),
        names: &Tables,
        rest: &Rest,
    ) -> Option<Fault> {
        if self.hold(step.thread, lock).is_some() {
            let detail =
                format!("{} holds {} already", names.thread(step.thread), name(names, lock));
            return Some(Fault { rule: Rule::NotReentrant, detail, fix: Fix::Drop });
        }
        if !self.conflicts(lock, mode) {
            return None;
        }
        let holder = self.holders[lock.index()][0];
        let (lock_name, holder_name) = (name(names, lock), names.thread(holder));
        let goes_on = tried || rest.threads.acts_from(step.thread, EventId(step.id.0 + 1));
        let last_hold = self.last_hold(holder, lock, step, rest);
        let fix = match last_hold.filter(|_| goes_on || rest.threads.has_ended(holder)) {
            Some(hold) => Fix::Insert {
                before: rest.threads.last_chance(holder, step.id),
                thread: holder,
                op: Op::Release { lock, mode: hold.mode },
            },
            None if goes_on => Fix::Drop,
            // The thread came this far and no further: it waits for the lock.
            None if self.is_idle(step.thread) => Fix::Change(Op::Request { lock, mode }),
            None => Fix::DropAnswer,
        };
        let detail = format!("{holder_name} holds {lock_name}");
        Some(Fault { rule: Rule::Exclusion, detail, fix })
    }

    /// What the holder of a lock holds, if it could have released the lock before it was over.
    fn last_hold(&self, holder: ThreadId, lock: LockId, step: &Step, rest: &Rest) -> Option<&Hold> {
        let idle =
            self.is_idle(holder) && rest.waits.is_idle(holder) && rest.blocks.is_idle(holder);
        let innermost = self.held[holder.index()].last().is_some_and(|hold| hold.lock == lock);
        let nested = innermost || !rest.claims.nested_locks;
        let over = rest.threads.is_over(holder, step.id)
            && self.last_try[lock.index()] < Some(rest.threads.last_chance(holder, step.id));
        self.hold(holder, lock).filter(|_| over && idle && nested)
    }

    fn release_fault(
        &self,
        step: &Step,
        lock: LockId,
        mode: LockMode,
        names: &Tables,
        claims: Claims,
    ) -> Option<Fault> {
        let (me, lock_name) = (names.thread(step.thread), name(names, lock));
        let Some(hold) = self.hold(step.thread, lock) else {
            let detail = format!("{me} does not hold {lock_name}");
            return Some(Fault { rule: Rule::Held, detail, fix: Fix::Drop });
        };
        if hold.reentered > 0 && step.observed {
            let detail = format!("{me} took {lock_name} again and still holds it");
            return Some(Fault { rule: Rule::NotReentrant, detail, fix: Fix::Drop });
        }
        if hold.mode != mode {
            let detail = format!("{me} holds {lock_name} in the other mode");
            let fix = Fix::Change(Op::Release { lock, mode: hold.mode });
            return Some(Fault { rule: Rule::Held, detail, fix });
        }
        let innermost = self.held[step.thread.index()].last().map(|h| h.lock);
        let crossed = innermost.filter(|&l| l != lock && claims.nested_locks)?;
        let detail =
            format!("{me} took {} after {lock_name} and still holds it", name(names, crossed));
        Some(Fault { rule: Rule::Nested, detail, fix: Fix::WithdrawNesting })
    }

    pub(super) fn commit(&mut self, step: &Step) {
        let me = step.thread.index();
        match step.op {
            Op::Request { lock, .. } => self.requests[me] = Some((step.id, lock)),
            Op::TryFail { lock, .. } => {
                self.requests[me] = None;
                self.last_try[lock.index()] = Some(step.id);
            }
            Op::Acquire { lock, mode, .. } => {
                self.requests[me] = None;
                self.holders[lock.index()].push(step.thread);
                self.held[me].push(Hold { lock, mode, reentered: 0 });
            }
            Op::Release { lock, .. } => {
                self.holders[lock.index()].retain(|&t| t != step.thread);
                self.held[me].retain(|hold| hold.lock != lock);
            }
            _ => {}
        }
    }

    /// An event was dropped. Counts reentrant acquires and answers with the request, if the event
    /// is the acquire or failed try it asked for.
    pub(super) fn dropped(&mut self, step: &Step) -> Option<EventId> {
        let me = step.thread.index();
        match step.op {
            Op::Acquire { lock, .. } => {
                if let Some(hold) = self.held[me].iter_mut().find(|hold| hold.lock == lock) {
                    hold.reentered += 1;
                }
                self.requests[me].take().map(|(request, _)| request)
            }
            Op::TryFail { .. } => self.requests[me].take().map(|(request, _)| request),
            Op::Release { lock, .. } => {
                if let Some(hold) = self.held[me].iter_mut().find(|hold| hold.lock == lock) {
                    hold.reentered -= 1;
                }
                None
            }
            _ => None,
        }
    }

    pub(super) fn forget_request(&mut self, thread: ThreadId, op: Op) {
        if matches!(op, Op::Request { .. }) {
            self.requests[thread.index()] = None;
        }
    }

    /// Whether an event that is dropped may have been a wait for a lock: a request, or an acquire that
    /// was not only tried, unless the thread held the lock already so that it need not wait.
    pub(super) fn may_wait(&self, thread: ThreadId, op: Op) -> bool {
        let (Op::Acquire { lock, mode, tried: false } | Op::Request { lock, mode }) = op else {
            return false;
        };
        let enough = |hold: &Hold| hold.mode == LockMode::Exclusive || mode == LockMode::Shared;
        !self.hold(thread, lock).is_some_and(enough)
    }

    fn hold(&self, thread: ThreadId, lock: LockId) -> Option<&Hold> {
        self.held[thread.index()].iter().find(|hold| hold.lock == lock)
    }

    /// True if a thread holds the lock in a mode that excludes `mode`.
    fn conflicts(&self, lock: LockId, mode: LockMode) -> bool {
        self.holders[lock.index()].iter().any(|&holder| {
            mode == LockMode::Exclusive
                || self.hold(holder, lock).is_some_and(|h| h.mode == LockMode::Exclusive)
        })
    }
}

fn name(names: &Tables, lock: LockId) -> &str {
    names.locks.get(lock.0).unwrap_or("?")
}
