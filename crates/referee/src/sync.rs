//! Synchronisation: whether an event is enabled, rules S1 to S10.
//!
//! - S1: the first event of a forked thread: its fork has happened.
//! - S2: join: the fork of the joined thread, if there is one, and all its events have happened.
//! - S3: acquire: no other thread holds the lock; in shared mode, none holds it exclusively.
//! - S4: failed try: some thread holds the lock; in shared mode, one holds it exclusively.
//! - S5: notified wake-up: its wait has happened, then its notify.
//! - S6: notify: each wait that it ended has happened, if that wake-up is in the sequence.
//! - S7: other wake-ups: their wait has happened.
//! - S8: take: the initial count and the posts so far exceed the takes so far.
//! - S9: leave: all arrivals of its generation have happened.
//! - S10: arrive: all arrivals of the barrier's earlier generations have happened.
//!
//! Everything else is always enabled.

use std::borrow::Cow;

use raddle_trace::{
    EventId, Kind, LockId, LockMode, Op, SemaphoreId, ThreadId, Trace, Wait, WakeReason,
};
use rustc_hash::FxHashMap;

use crate::history::History;
use crate::objection::{Breach, Rule};
use crate::prefix::Prefix;

/// Who holds a lock and how.
type Holders = Vec<(ThreadId, LockMode)>;

/// The state of everything that threads synchronise with. What has not changed since the prefix is
/// looked up there.
pub(crate) struct Sync<'a> {
    trace: &'a Trace,
    prefix: Prefix<'a>,
    /// Per notify behind the prefix, the waits that it ended and whose wake-ups are in the sequence.
    ended: FxHashMap<EventId, Vec<EventId>>,
    /// Per lock, who holds it.
    holders: FxHashMap<LockId, Holders>,
    /// Per semaphore, posts less takes.
    balance: FxHashMap<SemaphoreId, i64>,
    /// Per generation, its arrivals so far.
    n_arrived: FxHashMap<usize, usize>,
}

impl<'a> Sync<'a> {
    /// `steps` are the events behind the prefix.
    pub(crate) fn new(
        trace: &'a Trace,
        prefix: Prefix<'a>,
        steps: impl Iterator<Item = EventId>,
    ) -> Self {
        Sync {
            trace,
            prefix,
            ended: ended(trace, steps),
            holders: FxHashMap::default(),
            balance: FxHashMap::default(),
            n_arrived: FxHashMap::default(),
        }
    }

    /// Rules S1 to S10, for an event that obeys rule P.
    pub(crate) fn check(&self, event: EventId, history: &History) -> Result<(), Breach> {
        self.begin(event, history)?;
        match self.trace.op(event) {
            Op::Join { child } => self.join(child, history),
            Op::Acquire { lock, mode, .. } => self.acquire(event, lock, mode),
            Op::TryFail { lock, mode } => self.failed_try(lock, mode),
            Op::Wake { reason: WakeReason::Notified, .. } => self.notified(event, history),
            Op::Wake { .. } => self.unnotified(event, history),
            Op::Notify { .. } | Op::NotifyAll { .. } => self.notify(event, history),
            Op::Take { semaphore } => self.take(semaphore),
            Op::Leave { .. } => self.leave(event),
            Op::Arrive { .. } => self.arrive(event),
            _ => Ok(()),
        }
    }

    pub(crate) fn commit(&mut self, event: EventId) {
        let thread = self.trace.thread(event);
        match self.trace.op(event) {
            Op::Acquire { lock, mode, .. } => self.holders_mut(lock).push((thread, mode)),
            Op::Release { lock, .. } => {
                self.holders_mut(lock).retain(|&(holder, _)| holder != thread);
            }
            Op::Post { semaphore } => self.count(semaphore, 1),
            Op::Take { semaphore } => self.count(semaphore, -1),
            Op::Arrive { .. } => {
                if let Some(generation) = self.trace.partner(event) {
                    let so_far = || self.prefix.n_arrived(generation);
                    *self.n_arrived.entry(generation).or_insert_with(so_far) += 1;
                }
            }
            _ => {}
        }
    }

    /// Whether a thread holds a lock so that no other can take it in this mode.
    pub(crate) fn excludes(&self, thread: ThreadId, lock: LockId, mode: LockMode) -> bool {
        self.against(lock, mode).contains(&thread)
    }

    /// Who holds a lock so that no other thread can take it in this mode.
    fn against(&self, lock: LockId, mode: LockMode) -> Vec<ThreadId> {
        let excludes = |held| held == LockMode::Exclusive || mode == LockMode::Exclusive;
        let holders = self.holders(lock);
        let against = holders.iter().filter(|&&(_, held)| excludes(held));
        against.map(|&(holder, _)| holder).collect()
    }

    fn holders(&self, lock: LockId) -> Cow<'_, Holders> {
        match self.holders.get(&lock) {
            Some(holders) => Cow::Borrowed(holders),
            None => Cow::Owned(self.prefix.holders(lock)),
        }
    }

    fn holders_mut(&mut self, lock: LockId) -> &mut Holders {
        self.holders.entry(lock).or_insert_with(|| self.prefix.holders(lock))
    }

    fn count(&mut self, semaphore: SemaphoreId, change: i64) {
        let so_far = || self.prefix.balance(semaphore);
        *self.balance.entry(semaphore).or_insert_with(so_far) += change;
    }

    fn begin(&self, event: EventId, history: &History) -> Result<(), Breach> {
        let thread = self.trace.thread(event);
        let fork = self.trace.fork_of(thread).filter(|_| self.trace.position(event) == 0);
        Breach::unless(fork.is_none_or(|fork| history.has(fork)), Rule::S1, || {
            format!("{} has not been forked", self.trace.tables.thread(thread))
        })
    }

    fn join(&self, child: ThreadId, history: &History) -> Result<(), Breach> {
        let forked = self.trace.fork_of(child).is_none_or(|fork| history.has(fork));
        Breach::unless(forked, Rule::S2, || {
            format!("{} is not forked yet", self.trace.tables.thread(child))
        })?;
        let rest = history.rest(child);
        Breach::unless(rest.is_empty(), Rule::S2, || {
            format!("{} has {} more events", self.trace.tables.thread(child), rest.len())
        })
    }

    fn acquire(&self, event: EventId, lock: LockId, mode: LockMode) -> Result<(), Breach> {
        let thread = self.trace.thread(event);
        let other = self.against(lock, mode).into_iter().find(|&holder| holder != thread);
        Breach::unless(other.is_none(), Rule::S3, || {
            let holder = other.map_or("?", |holder| self.trace.tables.thread(holder));
            format!("{holder} holds {}", self.lock_name(lock))
        })
    }

    fn failed_try(&self, lock: LockId, mode: LockMode) -> Result<(), Breach> {
        Breach::unless(!self.against(lock, mode).is_empty(), Rule::S4, || {
            format!("no thread holds {} against it", self.lock_name(lock))
        })
    }

    fn notified(&self, wake: EventId, history: &History) -> Result<(), Breach> {
        let wait = wait_of(self.trace, wake);
        let place = |event: Option<EventId>| event.and_then(|event| history.place(event));
        let waited = place(wait.map(|wait| wait.wait));
        let notified = place(wait.and_then(|wait| wait.notify));
        Breach::unless(waited.is_some() && notified > waited, Rule::S5, || {
            "its notify has not happened since its wait".to_owned()
        })
    }

    fn notify(&self, notify: EventId, history: &History) -> Result<(), Breach> {
        let waits = self.ended.get(&notify).map_or(&[][..], Vec::as_slice);
        let missing = waits.iter().find(|&&wait| !history.has(wait));
        Breach::unless(missing.is_none(), Rule::S6, || {
            let wait = missing.map_or(0, |wait| wait.0);
            format!("wait {wait}, which it ends, has not happened")
        })
    }

    fn unnotified(&self, wake: EventId, history: &History) -> Result<(), Breach> {
        let waited = wait_of(self.trace, wake).is_some_and(|wait| history.has(wait.wait));
        Breach::unless(waited, Rule::S7, || "its wait has not happened".to_owned())
    }

    fn take(&self, semaphore: SemaphoreId) -> Result<(), Breach> {
        let tables = &self.trace.tables;
        let initial = i64::from(tables.initial(semaphore).unwrap_or(0));
        let balance = self.balance.get(&semaphore).copied();
        let balance = balance.unwrap_or_else(|| self.prefix.balance(semaphore));
        Breach::unless(initial + balance > 0, Rule::S8, || {
            format!("the count of {} is zero", tables.semaphores.get(semaphore.0).unwrap_or("?"))
        })
    }

    fn leave(&self, event: EventId) -> Result<(), Breach> {
        let n_missing = self.trace.partner(event).map_or(0, |own| self.n_missing(own));
        Breach::unless(n_missing == 0, Rule::S9, || {
            format!("{n_missing} threads have not arrived at the barrier")
        })
    }

    /// The generation before this one is enough: no thread arrived there before those before it were
    /// complete.
    fn arrive(&self, event: EventId) -> Result<(), Breach> {
        let own = self.trace.partner(event).map(|own| &self.trace.generations()[own]);
        let previous = own.and_then(|own| own.previous);
        let n_missing = previous.map_or(0, |previous| self.n_missing(previous as usize));
        Breach::unless(n_missing == 0, Rule::S10, || {
            format!("{n_missing} threads have not arrived for the generation before")
        })
    }

    /// How many arrivals of a generation have not happened.
    fn n_missing(&self, generation: usize) -> usize {
        let n_arrived = self.n_arrived.get(&generation).copied();
        let n_arrived = n_arrived.unwrap_or_else(|| self.prefix.n_arrived(generation));
        self.trace.generations()[generation].arrivals.len() - n_arrived
    }

    fn lock_name(&self, lock: LockId) -> &'a str {
        self.trace.tables.locks.get(lock.0).unwrap_or("?")
    }
}

/// The wait that a wait or wake-up belongs to.
fn wait_of(trace: &Trace, event: EventId) -> Option<&Wait> {
    trace.waits().get(trace.partner(event)?)
}

/// The waits of the wake-ups among the steps, by the notify that ended them. Wake-ups of the prefix
/// do not matter: there, their notifies are in order; and the notify of a step wakes no earlier wait.
fn ended(trace: &Trace, steps: impl Iterator<Item = EventId>) -> FxHashMap<EventId, Vec<EventId>> {
    let mut ended: FxHashMap<_, Vec<_>> = FxHashMap::default();
    let is_wake =
        |event: &EventId| event.index() < trace.len() && trace.code(*event).kind() == Kind::Wake;
    for wake in steps.filter(is_wake) {
        if let Some(&Wait { wait, notify: Some(notify), .. }) = wait_of(trace, wake) {
            ended.entry(notify).or_default().push(wait);
        }
    }
    ended
}
