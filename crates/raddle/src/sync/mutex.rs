//! Mutual exclusion, with `std`'s interface.

use std::cell::{Cell, UnsafeCell};
use std::fmt;
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};
use std::panic::Location;
use std::sync::{LockResult, TryLockError, TryLockResult};

use super::flags::{Flags, result};
use crate::world::{Came, Guard, Here, Kind, NONE, Pending, Site, Slot, What};

/// A mutex, as [`std::sync::Mutex`].
pub struct Mutex<T: ?Sized> {
    slot: Slot,
    flags: Flags,
    data: UnsafeCell<T>,
}

// SAFETY: the lock gives out its data to one thread at a time.
unsafe impl<T: ?Sized + Send> Send for Mutex<T> {}
// SAFETY: see above.
unsafe impl<T: ?Sized + Send> Sync for Mutex<T> {}

/// Holds a [`Mutex`], and releases it when it is dropped.
#[must_use = "a mutex is released when its guard is dropped"]
pub struct MutexGuard<'a, T: ?Sized> {
    mutex: &'a Mutex<T>,
    object: u32,
    site: Site,
    wrote: Cell<bool>,
    was_unwinding: bool,
    /// A guard stays with its thread.
    not_send: PhantomData<*const ()>,
}

// SAFETY: a shared guard gives out shared references only.
unsafe impl<T: ?Sized + Sync> Sync for MutexGuard<'_, T> {}

impl<T> Mutex<T> {
    /// A mutex around a value.
    #[track_caller]
    pub const fn new(value: T) -> Mutex<T> {
        Mutex { slot: Slot::new(), flags: Flags::new(), data: UnsafeCell::new(value) }
    }

    /// Consumes the mutex, returning its value.
    pub fn into_inner(self) -> LockResult<T> {
        let is_poisoned = self.flags.is_poisoned();
        result(self.data.into_inner(), is_poisoned)
    }
}

impl<T: ?Sized> Mutex<T> {
    /// Locks the mutex, waiting if necessary.
    #[track_caller]
    pub fn lock(&self) -> LockResult<MutexGuard<'_, T>> {
        let (here, site) = (Here::get(), Location::caller());
        let object = self.object(here);
        here.reach(Pending::guarded(What::Lock, Guard::Free, object, site));
        self.take(here, object, site)
    }

    /// Locks the mutex if it is free.
    #[track_caller]
    pub fn try_lock(&self) -> TryLockResult<MutexGuard<'_, T>> {
        let (here, site) = (Here::get(), Location::caller());
        let object = self.object(here);
        here.reach(Pending::open(What::TryLock, object, site));
        let is_free = here.with(|world| {
            let lock = &mut world.objects[object as usize];
            let is_free = lock.owner == NONE;
            lock.was_seen |= !is_free;
            lock.was_tried = true;
            world.see(is_free.into());
            world.tell_value(|| if is_free { "has it" } else { "it is taken" }.to_owned());
            world.tell_came(if is_free { Came::Done } else { Came::Failed });
            is_free
        });
        match is_free {
            true => Ok(self.take(here, object, site)?),
            false => Err(TryLockError::WouldBlock),
        }
    }

    /// Whether a thread panicked while it held the mutex.
    pub fn is_poisoned(&self) -> bool {
        self.flags.is_poisoned()
    }

    /// Clears the poisoned state.
    pub fn clear_poison(&self) {
        self.flags.poison(false);
    }

    /// A mutable reference to the value, which needs exclusive access to the mutex.
    pub fn get_mut(&mut self) -> LockResult<&mut T> {
        let is_poisoned = self.flags.is_poisoned();
        result(self.data.get_mut(), is_poisoned)
    }

    fn object(&self, here: Here) -> u32 {
        self.flags.object(here, (&self.slot, Kind::Mutex), self.data.get())
    }

    fn take(&self, here: Here, object: u32, site: Site) -> LockResult<MutexGuard<'_, T>> {
        let was_unwinding = here.unwinds();
        here.with(|world| {
            let me = world.current;
            let lock = &mut world.objects[object as usize];
            (lock.owner, lock.taken) = (me, Some(site));
            let was_tried = lock.was_tried;
            world.hold(object);
            world.acquire(object);
            world.see_lock(object, self.flags.is_poisoned());
            if was_tried {
                world.toggled();
            }
        });
        // SAFETY: this thread has the mutex, and no reference yet.
        unsafe { here.tell_data(self.data.get()) };
        let wrote = Cell::new(false);
        let guard =
            MutexGuard { mutex: self, object, site, wrote, was_unwinding, not_send: PhantomData };
        result(guard, self.flags.is_poisoned())
    }

    /// Gives the mutex back: the thread has been chosen to do so.
    fn give_back(&self, here: Here, object: u32, wrote: bool) {
        here.with(|world| {
            world.release(object);
            let lock = &mut world.objects[object as usize];
            let was_seen = std::mem::take(&mut lock.was_seen);
            (lock.owner, lock.taken) = (NONE, None);
            world.unhold(object);
            if wrote {
                world.wrote_data(object);
                world.changed();
            } else if was_seen {
                world.toggled();
            }
        });
        if wrote {
            self.flags.use_up();
            // SAFETY: this thread had the mutex, and nobody has gone on since.
            unsafe { here.tell_data(self.data.get()) };
        }
    }
}

impl<'a, T: ?Sized> MutexGuard<'a, T> {
    /// Gives the mutex back for a wait on a condition, between two threads' doings: the first half
    /// of a wait. Answers with what takes it again.
    pub(super) fn wait(self, here: Here, condition: u32, site: Site) -> Waiting<'a, T> {
        let (mutex, object, wrote) = (self.mutex, self.object, self.wrote.get());
        let taken = self.site;
        std::mem::forget(self);
        let wait = Pending { mutex: object, ..Pending::open(What::Wait, condition, site) };
        here.reach(wait);
        mutex.give_back(here, object, wrote);
        here.with(|world| {
            let n_waits = world.count_wait();
            let me = world.me();
            (me.is_woken, me.waits_since) = (false, n_waits);
        });
        Waiting { mutex, object, taken }
    }
}

/// A mutex that was given back for a wait.
pub(super) struct Waiting<'a, T: ?Sized> {
    mutex: &'a Mutex<T>,
    pub(super) object: u32,
    taken: Site,
}

impl<'a, T: ?Sized> Waiting<'a, T> {
    /// Takes the mutex again: the thread has been chosen to do so.
    pub(super) fn take(self, here: Here) -> LockResult<MutexGuard<'a, T>> {
        self.mutex.take(here, self.object, self.taken)
    }
}

impl<T: ?Sized> Drop for MutexGuard<'_, T> {
    fn drop(&mut self) {
        let Some(here) = Here::find() else { return };
        if !self.was_unwinding && here.unwinds() && !here.with(|world| world.is_torn()) {
            self.mutex.flags.poison(true);
        }
        here.reach(Pending::open(What::Unlock, self.object, self.site));
        self.mutex.give_back(here, self.object, self.wrote.get());
    }
}

impl<T: ?Sized> Deref for MutexGuard<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        // SAFETY: this thread has the mutex.
        unsafe { &*self.mutex.data.get() }
    }
}

impl<T: ?Sized> DerefMut for MutexGuard<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        self.wrote.set(true);
        // SAFETY: this thread has the mutex, and the guard is borrowed for as long.
        unsafe { &mut *self.mutex.data.get() }
    }
}

impl<T: Default> Default for Mutex<T> {
    #[track_caller]
    fn default() -> Mutex<T> {
        Mutex::new(T::default())
    }
}

impl<T> From<T> for Mutex<T> {
    #[track_caller]
    fn from(value: T) -> Mutex<T> {
        Mutex::new(value)
    }
}

impl<T: ?Sized> fmt::Debug for Mutex<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Mutex").field("poisoned", &self.is_poisoned()).finish_non_exhaustive()
    }
}

impl<T: ?Sized + fmt::Debug> fmt::Debug for MutexGuard<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

impl<T: ?Sized + fmt::Display> fmt::Display for MutexGuard<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}
