//! Readers and writers, with `std`'s interface.

use std::cell::{Cell, UnsafeCell};
use std::fmt;
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};
use std::panic::Location;
use std::sync::{LockResult, TryLockError, TryLockResult};

use super::flags::{Flags, result};
use crate::world::{Came, Guard, Here, Kind, NONE, Pending, Site, Slot, What};

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

/// Has a [`RwLock`] for reading.
#[must_use = "a lock is given back when its guard is dropped"]
pub struct RwLockReadGuard<'a, T: ?Sized> {
    lock: &'a RwLock<T>,
    object: u32,
    site: Site,
    not_send: PhantomData<*const ()>,
}

// SAFETY: a shared guard gives out shared references only.
unsafe impl<T: ?Sized + Sync> Sync for RwLockReadGuard<'_, T> {}

/// Has a [`RwLock`] for writing.
#[must_use = "a lock is given back when its guard is dropped"]
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

    /// Takes the lock apart.
    pub fn into_inner(self) -> LockResult<T> {
        let is_poisoned = self.flags.is_poisoned();
        result(self.data.into_inner(), is_poisoned)
    }
}

impl<T: ?Sized> RwLock<T> {
    /// Takes the lock for reading, and waits for it if need be.
    #[track_caller]
    pub fn read(&self) -> LockResult<RwLockReadGuard<'_, T>> {
        let (here, site) = (Here::get(), Location::caller());
        let object = self.object(here);
        here.reach(Pending::guarded(What::ReadLock, Guard::Readable, object, site));
        self.take_to_read(here, object, site)
    }

    /// Takes the lock for reading if no writer has it.
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

    /// Takes the lock for writing, and waits for it if need be.
    #[track_caller]
    pub fn write(&self) -> LockResult<RwLockWriteGuard<'_, T>> {
        let (here, site) = (Here::get(), Location::caller());
        let object = self.object(here);
        here.reach(Pending::guarded(What::Lock, Guard::Free, object, site));
        self.take_to_write(here, object, site)
    }

    /// Takes the lock for writing if nobody has it.
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

    /// Whether a writer panicked while it had the lock.
    pub fn is_poisoned(&self) -> bool {
        self.flags.is_poisoned()
    }

    /// The lock is no longer poisoned.
    pub fn clear_poison(&self) {
        self.flags.poison(false);
    }

    /// The value; nobody else has the lock.
    pub fn get_mut(&mut self) -> LockResult<&mut T> {
        let is_poisoned = self.flags.is_poisoned();
        result(self.data.get_mut(), is_poisoned)
    }

    fn object(&self, here: Here) -> u32 {
        self.flags.object(here, (&self.slot, Kind::RwLock), self.data.get())
    }

    fn is_free(&self, here: Here, object: u32, to_read: bool) -> bool {
        here.with(|world| {
            let lock = &mut world.objects[object as usize];
            let is_free = lock.owner == NONE && (to_read || lock.count == 0);
            lock.was_seen |= !is_free;
            world.tell_value(|| if is_free { "has it" } else { "it is taken" }.to_owned());
            world.tell_came(if is_free { Came::Done } else { Came::Failed });
            is_free
        })
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
        });
        // SAFETY: nobody writes who does not have the lock.
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

impl<T: ?Sized> Drop for RwLockReadGuard<'_, T> {
    fn drop(&mut self) {
        let Some(here) = Here::find() else { return };
        here.reach(Pending::open(What::ReadUnlock, self.object, self.site));
        here.with(|world| {
            world.release_as_reader(self.object);
            let lock = &mut world.objects[self.object as usize];
            lock.count -= 1;
            if std::mem::take(&mut lock.was_seen) {
                world.changed();
            }
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
            if wrote || was_seen {
                world.changed();
            }
        });
        if wrote {
            self.lock.flags.use_up();
            // SAFETY: this thread had the lock, and nobody has gone on since.
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
