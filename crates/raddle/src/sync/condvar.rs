//! Condition variables, with `std`'s interface.
//!
//! - C1: a wait is two points: giving the mutex back and waiting is one step, taking it again after
//!   a notification the other.
//! - C2: which of several waiters is notified is a choice.
//! - C3: a wait with a time may run out whenever the mutex is free. One that was notified may run out
//!   all the same, as a choice: then the notification is used up.
//! - C4: waits end for no reason only if that was asked for (`Config::spurious`). Whether one may is a choice when
//!   it begins: where it may not, nothing but a notification keeps the program alive.

use std::panic::Location;
use std::sync::LockResult;
use std::time::Duration;

use raddle_explore::Defect;
use raddle_finding::Choice;

use super::MutexGuard;
use crate::world::{Came, Guard, Here, Kind, Pending, Slot, What, World};

/// A condition variable, as [`std::sync::Condvar`].
#[derive(Debug)]
pub struct Condvar {
    slot: Slot,
}

/// Whether a wait timed out, as [`std::sync::WaitTimeoutResult`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct WaitTimeoutResult(bool);

impl WaitTimeoutResult {
    /// Whether it timed out.
    pub fn timed_out(&self) -> bool {
        self.0
    }
}

/// How a wait ended.
#[derive(PartialEq)]
enum End {
    Notified,
    TimedOut,
    ForNoReason,
}

impl Condvar {
    /// A condition variable that no thread waits on.
    #[track_caller]
    pub const fn new() -> Condvar {
        Condvar { slot: Slot::new() }
    }

    /// Releases the mutex and waits for a notification; then takes the mutex again.
    #[track_caller]
    pub fn wait<'a, T>(&self, guard: MutexGuard<'a, T>) -> LockResult<MutexGuard<'a, T>> {
        self.wait_any(guard, None).0
    }

    /// Waits while a condition holds.
    #[track_caller]
    pub fn wait_while<'a, T, F: FnMut(&mut T) -> bool>(
        &self,
        mut guard: MutexGuard<'a, T>,
        mut condition: F,
    ) -> LockResult<MutexGuard<'a, T>> {
        while condition(&mut *guard) {
            guard = self.wait(guard)?;
        }
        Ok(guard)
    }

    /// Like [`Condvar::wait`], with a time limit.
    #[track_caller]
    pub fn wait_timeout<'a, T>(
        &self,
        guard: MutexGuard<'a, T>,
        time: Duration,
    ) -> LockResult<(MutexGuard<'a, T>, WaitTimeoutResult)> {
        let (guard, end) = self.wait_any(guard, Some(time));
        let result = WaitTimeoutResult(end == End::TimedOut);
        match guard {
            Ok(guard) => Ok((guard, result)),
            Err(poisoned) => Err(std::sync::PoisonError::new((poisoned.into_inner(), result))),
        }
    }

    /// Like [`Condvar::wait_while`], with a time limit.
    #[track_caller]
    pub fn wait_timeout_while<'a, T, F: FnMut(&mut T) -> bool>(
        &self,
        mut guard: MutexGuard<'a, T>,
        time: Duration,
        mut condition: F,
    ) -> LockResult<(MutexGuard<'a, T>, WaitTimeoutResult)> {
        loop {
            if !condition(&mut *guard) {
                return Ok((guard, WaitTimeoutResult(false)));
            }
            let result;
            (guard, result) = self.wait_timeout(guard, time)?;
            if result.timed_out() {
                let still = condition(&mut *guard);
                return Ok((guard, WaitTimeoutResult(still)));
            }
        }
    }

    /// Notifies one waiting thread.
    #[track_caller]
    pub fn notify_one(&self) {
        let here = Here::get();
        let object = self.object(here);
        here.reach(Pending::open(What::NotifyOne, object, Location::caller()));
        let waiters = here.with(|world| world.waiters(object));
        let woken = match waiters.len() {
            0 => return here.with(|world| world.tell_value(|| "no thread waits".to_owned())),
            1 => waiters[0],
            _ => {
                let open: Vec<_> = waiters.iter().map(|&waiter| Choice::Waiter(waiter)).collect();
                waiters[here.ask(&open)] // C2
            }
        };
        here.with(|world| {
            world.threads[woken as usize].is_woken = true;
            world.changed();
            world.tell_thread(woken);
            world.tell_came(Came::Woke(woken));
        });
    }

    /// Notifies all waiting threads.
    #[track_caller]
    pub fn notify_all(&self) {
        let here = Here::get();
        let object = self.object(here);
        here.reach(Pending::open(What::NotifyAll, object, Location::caller()));
        here.with(|world| {
            let waiters = world.waiters(object);
            for &waiter in &waiters {
                world.threads[waiter as usize].is_woken = true;
            }
            if !waiters.is_empty() {
                world.changed();
            }
            world.tell_value(|| format!("{} waited", waiters.len()));
        });
    }

    fn object(&self, here: Here) -> u32 {
        self.slot.object(here, Kind::Condvar, || {})
    }

    #[track_caller]
    fn wait_any<'a, T>(
        &self,
        guard: MutexGuard<'a, T>,
        time: Option<Duration>,
    ) -> (LockResult<MutexGuard<'a, T>>, End) {
        let (here, site) = (Here::get(), Location::caller());
        let object = self.object(here);
        here.with(|world| world.table.add_wait());
        let waiting = guard.wait(here, object, site);
        let deadline = time.map(|time| here.with(|world| world.after(time)));
        let wake = Pending {
            mutex: waiting.object,
            is_timed: deadline.is_some() || here.may_end_for_no_reason(),
            ..Pending::guarded(What::Wake, Guard::Notified, object, site)
        };
        here.reach(wake);
        let end = end_of_wait(here, deadline);
        (waiting.take(here), end)
    }
}

impl Here {
    /// Whether a wait that begins may end for no reason (C4).
    pub(crate) fn may_end_for_no_reason(self) -> bool {
        let open = [Choice::Spurious(false), Choice::Spurious(true)];
        let is_wanted = self.with(|world| world.rules.spurious);
        is_wanted && (Defect::AlwaysWakes.is_there() || self.ask(&open) == 1)
    }
}

/// C3, C4
fn end_of_wait(here: Here, deadline: Option<u64>) -> End {
    let (is_woken, may_be_spurious) =
        here.with(|world| (world.me().is_woken, world.rules.spurious));
    let end = match (is_woken, deadline) {
        (true, None) => End::Notified,
        (true, Some(_)) => {
            let open = [Choice::Timeout(false), Choice::Timeout(true)];
            if here.ask(&open) == 0 { End::Notified } else { End::TimedOut }
        }
        (false, None) => End::ForNoReason,
        (false, Some(_)) if may_be_spurious => {
            let open = [Choice::Spurious(false), Choice::Spurious(true)];
            if here.ask(&open) == 0 { End::TimedOut } else { End::ForNoReason }
        }
        (false, Some(_)) => End::TimedOut,
    };
    here.with(|world| {
        world.see(match end {
            End::Notified => 0,
            End::TimedOut => 1,
            End::ForNoReason => 2,
        });
        if let Some(deadline) = deadline.filter(|_| end == End::TimedOut) {
            world.now = world.now.max(deadline);
        }
        world.tell_came(match end {
            End::Notified => Came::Done,
            End::TimedOut => Came::TimedOut,
            End::ForNoReason => Came::Spurious,
        });
    });
    end
}

impl World {
    /// The threads that wait on a condition and were not notified; who waits longest first.
    fn waiters(&self, condition: u32) -> Vec<u32> {
        let waits = |&thread: &u32| {
            let at = &self.threads[thread as usize];
            let on_it = at.pending.what == What::Wake && at.pending.object == condition;
            at.is_live() && on_it && !at.is_woken
        };
        let mut waiters: Vec<_> = (0..self.n_threads).filter(waits).collect();
        waiters.sort_by_key(|&thread| self.threads[thread as usize].waits_since);
        waiters
    }
}

impl Default for Condvar {
    #[track_caller]
    fn default() -> Condvar {
        Condvar::new()
    }
}
