//! Readers and writers, with `std`'s interface.
//!
//! Which waiting threads go on is not documented. This is what `std` does on Linux, where a writer that waits goes
//! before readers that come later, so a thread that has the lock for reading and wants it again may wait for ever:
//!
//! - Q1: taking the lock is a step of its own. If it cannot be taken, the thread waits until it is woken.
//! - Q2: it can be taken for reading if no writer has it and no thread waits for it; for writing if no thread has it.
//! - Q3: who gives it back, and is the last one, wakes the writers that wait or, without any, all readers. Until
//!   one of those writers has tried again, others may come first, but no readers if some wait.
//! - Q4: `try_read` and `try_write` succeed where Q2 says so.

use std::cell::{Cell, UnsafeCell};
use std::fmt;
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};
use std::panic::Location;
use std::sync::{LockResult, TryLockError, TryLockResult};

use super::flags::{Flags, result};
use raddle_explore::Defect;

use crate::world::{Came, Guard, Here, Kind, NONE, Pending, Site, Slot, What, World};

/// A reader-writer lock, as [`std::sync::RwLock`].
pub struct RwLock<T: ?Sized> {
    slot: Slot,
    flags: Flags,
    data: UnsafeCell<T>,
}

// SAFETY: the lock gives out its data to one writer, or to readers, at a time.
unsafe impl<T: ?Sized + Send> Send for RwLock<T> {}
// SAFETY: see above; readers share the data.
unsafe impl<T: ?Sized + Send + Sync> Sync for RwLock<T> {}

/// Holds a [`RwLock`] for reading.
#[must_use = "a lock is released when its guard is dropped"]
pub struct RwLockReadGuard<'a, T: ?Sized> {
    lock: &'a RwLock<T>,
    object: u32,
    site: Site,
    not_send: PhantomData<*const ()>,
}

// SAFETY: a shared guard gives out shared references only.
unsafe impl<T: ?Sized + Sync> Sync for RwLockReadGuard<'_, T> {}

/// Holds a [`RwLock`] for writing.
#[must_use = "a lock is released when its guard is dropped"]
pub struct RwLockWriteGuard<'a, T: ?Sized> {
    lock: &'a RwLock<T>,
    object: u32,
    site: Site,
    wrote: Cell<bool>,
    was_unwinding: bool,
    not_send: PhantomData<*const ()>,
}

// SAFETY: a shared guard gives out shared references only.
unsafe impl<T: ?Sized + Sync> Sync for RwLockWriteGuard<'_, T> {}

impl<T> RwLock<T> {
    /// A lock around a value.
    #[track_caller]
    pub const fn new(value: T) -> RwLock<T> {
        RwLock { slot: Slot::new(), flags: Flags::new(), data: UnsafeCell::new(value) }
    }

    /// Consumes the lock, returning its value.
    pub fn into_inner(self) -> LockResult<T> {
        let is_poisoned = self.flags.is_poisoned();
        result(self.data.into_inner(), is_poisoned)
    }
}

impl<T: ?Sized> RwLock<T> {
    /// Locks for reading, waiting if necessary.
    #[track_caller]
    pub fn read(&self) -> LockResult<RwLockReadGuard<'_, T>> {
        let (here, site) = (Here::get(), Location::caller());
        let object = self.object(here);
        here.reach(Pending::open(What::ReadLock, object, site));
        while !here.with(|world| world.is_free_to_read(object)) {
            self.sleep(here, object, (What::ReadLock, site));
        }
        self.take_to_read(here, object, site)
    }

    /// Locks for reading if no writer holds the lock.
    #[track_caller]
    pub fn try_read(&self) -> TryLockResult<RwLockReadGuard<'_, T>> {
        let (here, site) = (Here::get(), Location::caller());
        let object = self.object(here);
        here.reach(Pending::open(What::TryReadLock, object, site));
        match self.is_free(here, object, true) {
            true => Ok(self.take_to_read(here, object, site)?),
            false => Err(TryLockError::WouldBlock),
        }
    }

    /// Locks for writing, waiting if necessary.
    #[track_caller]
    pub fn write(&self) -> LockResult<RwLockWriteGuard<'_, T>> {
        let (here, site) = (Here::get(), Location::caller());
        let object = self.object(here);
        here.reach(Pending::open(What::Lock, object, site));
        while !here.with(|world| world.is_free(object)) {
            self.sleep(here, object, (What::Lock, site));
        }
        self.take_to_write(here, object, site)
    }

    /// Locks for writing if no thread holds the lock.
    #[track_caller]
    pub fn try_write(&self) -> TryLockResult<RwLockWriteGuard<'_, T>> {
        let (here, site) = (Here::get(), Location::caller());
        let object = self.object(here);
        here.reach(Pending::open(What::TryLock, object, site));
        match self.is_free(here, object, false) {
            true => Ok(self.take_to_write(here, object, site)?),
            false => Err(TryLockError::WouldBlock),
        }
    }

    /// Whether a writer panicked while it held the lock.
    pub fn is_poisoned(&self) -> bool {
        self.flags.is_poisoned()
    }

    /// Clears the poisoned state.
    pub fn clear_poison(&self) {
        self.flags.poison(false);
    }

    /// A mutable reference to the value, which needs exclusive access to the lock.
    pub fn get_mut(&mut self) -> LockResult<&mut T> {
        let is_poisoned = self.flags.is_poisoned();
        result(self.data.get_mut(), is_poisoned)
    }

    fn object(&self, here: Here) -> u32 {
        self.flags.object(here, (&self.slot, Kind::RwLock), self.data.get())
    }

    fn is_free(&self, here: Here, object: u32, to_read: bool) -> bool {
        here.with(|world| {
            let is_free = match to_read {
                true => world.is_free_to_read(object),
                false => world.is_free(object),
            };
            let lock = &mut world.objects[object as usize];
            lock.was_seen |= !is_free;
            lock.was_tried = true;
            world.see(is_free.into());
            world.tell_value(|| if is_free { "has it" } else { "it is taken" }.to_owned());
            world.tell_came(if is_free { Came::Done } else { Came::Failed });
            is_free
        })
    }

    /// Waits until it is woken (Q1).
    fn sleep(&self, here: Here, object: u32, (what, site): (What, Site)) {
        here.with(|world| {
            world.me().is_woken = false;
            let lock = &mut world.objects[object as usize];
            match what {
                What::Lock => lock.n_writers_waiting += 1,
                _ => lock.n_readers_waiting += 1,
            }
            world.changed();
            world.untell();
        });
        here.reach(Pending::guarded(what, Guard::Roused, object, site));
    }

    fn take_to_read(
        &self,
        here: Here,
        object: u32,
        site: Site,
    ) -> LockResult<RwLockReadGuard<'_, T>> {
        here.with(|world| {
            world.objects[object as usize].count += 1;
            world.acquire(object);
            world.took(object, self.flags.is_poisoned());
        });
        // SAFETY: only a thread that has the lock writes.
        unsafe { here.tell_data(self.data.get()) };
        let guard = RwLockReadGuard { lock: self, object, site, not_send: PhantomData };
        result(guard, self.flags.is_poisoned())
    }

    fn take_to_write(
        &self,
        here: Here,
        object: u32,
        site: Site,
    ) -> LockResult<RwLockWriteGuard<'_, T>> {
        let was_unwinding = here.unwinds();
        here.with(|world| {
            let me = world.current;
            let lock = &mut world.objects[object as usize];
            (lock.owner, lock.taken) = (me, Some(site));
            world.acquire(object);
            world.acquire_from_readers(object);
            world.took(object, self.flags.is_poisoned());
        });
        // SAFETY: this thread has the lock, and no reference yet.
        unsafe { here.tell_data(self.data.get()) };
        let wrote = Cell::new(false);
        let guard = RwLockWriteGuard {
            lock: self,
            object,
            site,
            wrote,
            was_unwinding,
            not_send: PhantomData,
        };
        result(guard, self.flags.is_poisoned())
    }
}

impl World {
    /// Q2
    fn is_free_to_read(&self, object: u32) -> bool {
        let lock = &self.objects[object as usize];
        let is_waited_for = lock.n_writers_waiting + lock.n_readers_waiting > 0;
        lock.owner == NONE && (!is_waited_for || Defect::ReadersPass.is_there())
    }

    /// The current thread has taken the lock.
    fn took(&mut self, object: u32, is_poisoned: bool) {
        self.hold(object);
        self.see_lock(object, is_poisoned);
        if self.objects[object as usize].was_tried {
            self.toggled();
        }
    }

    /// The current thread has given the lock back: wakes those that wait for it, if no thread has it (Q3).
    fn rouse(&mut self, object: u32) {
        self.unhold(object);
        let lock = &mut self.objects[object as usize];
        let is_free = lock.owner == NONE && lock.count == 0;
        let what = match (lock.n_writers_waiting, lock.n_readers_waiting) {
            _ if !is_free => return,
            (0, 0) => return,
            (0, _) => What::ReadLock,
            _ => What::Lock,
        };
        match what {
            What::Lock => lock.n_writers_waiting = 0,
            _ => lock.n_readers_waiting = 0,
        }
        for thread in &mut self.threads[..self.n_threads as usize] {
            let Pending { what: wants, guard, object: of, .. } = thread.pending;
            if thread.is_live() && guard == Guard::Roused && of == object && wants == what {
                thread.is_woken = true;
            }
        }
        self.changed();
    }
}

impl<T: ?Sized> Drop for RwLockReadGuard<'_, T> {
    fn drop(&mut self) {
        let Some(here) = Here::find() else { return };
        here.reach(Pending::open(What::ReadUnlock, self.object, self.site));
        here.with(|world| {
            world.release_as_reader(self.object);
            let lock = &mut world.objects[self.object as usize];
            lock.count -= 1;
            if std::mem::take(&mut lock.was_seen) {
                world.toggled();
            }
            world.rouse(self.object);
        });
    }
}

impl<T: ?Sized> Drop for RwLockWriteGuard<'_, T> {
    fn drop(&mut self) {
        let Some(here) = Here::find() else { return };
        if !self.was_unwinding && here.unwinds() && !here.with(|world| world.is_torn()) {
            self.lock.flags.poison(true);
        }
        here.reach(Pending::open(What::Unlock, self.object, self.site));
        let wrote = self.wrote.get();
        here.with(|world| {
            world.release(self.object);
            let lock = &mut world.objects[self.object as usize];
            let was_seen = std::mem::take(&mut lock.was_seen);
            (lock.owner, lock.taken) = (NONE, None);
            if wrote {
                world.wrote_data(self.object);
                world.changed();
            } else if was_seen {
                world.toggled();
            }
            world.rouse(self.object);
        });
        if wrote {
            self.lock.flags.use_up();
            // SAFETY: this thread had the lock, and no other has gone on since.
            unsafe { here.tell_data(self.lock.data.get()) };
        }
    }
}

impl<T: ?Sized> Deref for RwLockReadGuard<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        // SAFETY: this thread has the lock for reading, so there is no writer.
        unsafe { &*self.lock.data.get() }
    }
}

impl<T: ?Sized> Deref for RwLockWriteGuard<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        // SAFETY: this thread has the lock for writing.
        unsafe { &*self.lock.data.get() }
    }
}

impl<T: ?Sized> DerefMut for RwLockWriteGuard<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        self.wrote.set(true);
        // SAFETY: this thread has the lock for writing, and the guard is borrowed for as long.
        unsafe { &mut *self.lock.data.get() }
    }
}

impl<T: Default> Default for RwLock<T> {
    #[track_caller]
    fn default() -> RwLock<T> {
        RwLock::new(T::default())
    }
}

impl<T> From<T> for RwLock<T> {
    #[track_caller]
    fn from(value: T) -> RwLock<T> {
        RwLock::new(value)
    }
}

impl<T: ?Sized> fmt::Debug for RwLock<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RwLock").field("poisoned", &self.is_poisoned()).finish_non_exhaustive()
    }
}

impl<T: ?Sized + fmt::Debug> fmt::Debug for RwLockReadGuard<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

impl<T: ?Sized + fmt::Debug> fmt::Debug for RwLockWriteGuard<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}
