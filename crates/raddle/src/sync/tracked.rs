//! Reference counting that is watched: leaks and uses after the last reference are found.
//!
//! [`Arc`] here is for code that counts references by hand (`into_raw`, `increment_strong_count`,
//! …), where `std`'s cannot notice a mistake. It is no drop-in for unsized coercions, which only
//! `std`'s can do. Counting is a point. What was dropped stays in memory until the execution is
//! over, so that a use after it can be found.

use std::cell::UnsafeCell;
use std::fmt;
use std::mem::ManuallyDrop;
use std::ops::Deref;
use std::panic::Location;
use std::ptr::NonNull;
use std::sync::Arc as StdArc;

use crate::world::{Here, Kind, Pending, Site, Slot, What};

/// A counted reference that is checked for leaks and uses after the last reference is gone.
pub struct Arc<T: Send + Sync + 'static> {
    inner: NonNull<Inner<T>>,
}

struct Inner<T> {
    slot: Slot,
    value: UnsafeCell<ManuallyDrop<T>>,
}

// SAFETY: as for `std`'s, since the value is `Send` and `Sync`; it is dropped once, by the thread that
// drops the last reference, while all threads of the execution are on one thread of the system.
unsafe impl<T: Send + Sync + 'static> Send for Arc<T> {}
// SAFETY: see above.
unsafe impl<T: Send + Sync + 'static> Sync for Arc<T> {}
// SAFETY: see above.
unsafe impl<T: Send + Sync> Send for Inner<T> {}
// SAFETY: see above.
unsafe impl<T: Send + Sync> Sync for Inner<T> {}

impl<T: Send + Sync + 'static> Arc<T> {
    /// A reference to a new value.
    #[track_caller]
    pub fn new(value: T) -> Arc<T> {
        let value = UnsafeCell::new(ManuallyDrop::new(value));
        let inner = StdArc::new(Inner { slot: Slot::new(), value });
        let pointer = NonNull::from(&*inner);
        let here = Here::get();
        let object = inner.slot.object(here, Kind::Arc, || {});
        here.with(|world| {
            world.objects[object as usize].count = 1;
            world.kept.push(inner);
        });
        Arc { inner: pointer }
    }

    /// How many references there are.
    #[track_caller]
    pub fn strong_count(this: &Arc<T>) -> usize {
        this.reach(What::ArcUse, Location::caller()) as usize
    }

    /// Whether two refer to the same value.
    pub fn ptr_eq(this: &Arc<T>, other: &Arc<T>) -> bool {
        this.inner == other.inner
    }

    /// A pointer to the value.
    pub fn as_ptr(this: &Arc<T>) -> *const T {
        this.inner().value.get().cast()
    }

    /// Turns the reference into a pointer, which has to be turned back into a reference.
    pub fn into_raw(this: Arc<T>) -> *const T {
        Arc::as_ptr(&ManuallyDrop::new(this))
    }

    /// A reference from a pointer.
    ///
    /// # Safety
    ///
    /// The pointer must come from [`Arc::into_raw`] in this execution.
    #[track_caller]
    pub unsafe fn from_raw(pointer: *const T) -> Arc<T> {
        // SAFETY: the pointer points to the value of an `Inner`, says the caller.
        let inner = unsafe { pointer.byte_sub(std::mem::offset_of!(Inner<T>, value)) };
        let inner =
            NonNull::new(inner.cast_mut().cast::<Inner<T>>()).expect("values are somewhere");
        let this = ManuallyDrop::new(Arc { inner });
        this.reach(What::ArcUse, Location::caller());
        ManuallyDrop::into_inner(this)
    }

    /// Counts one more reference.
    ///
    /// # Safety
    ///
    /// As for [`Arc::from_raw`].
    #[track_caller]
    pub unsafe fn increment_strong_count(pointer: *const T) {
        // SAFETY: the caller says so.
        let this = ManuallyDrop::new(unsafe { Arc::from_raw(pointer) });
        std::mem::forget((*this).clone());
    }

    /// Counts one reference fewer.
    ///
    /// # Safety
    ///
    /// As for [`Arc::from_raw`].
    #[track_caller]
    pub unsafe fn decrement_strong_count(pointer: *const T) {
        // SAFETY: the caller says so.
        drop(unsafe { Arc::from_raw(pointer) });
    }

    fn inner(&self) -> &Inner<T> {
        // SAFETY: the world keeps it until the execution is over.
        unsafe { self.inner.as_ref() }
    }

    /// Comes to a point; answers with how many references there are. Panics if there are none.
    fn reach(&self, what: What, site: Site) -> u32 {
        let here = Here::get();
        let object = self.inner().slot.object(here, Kind::Arc, || {});
        here.reach(Pending::open(what, object, site));
        let count = here.with(|world| world.objects[object as usize].count);
        if count == 0 && !here.with(|world| world.is_torn()) {
            let made = self.inner().slot.made();
            panic!("the value of the Arc made at {made} is used after its last reference is gone");
        }
        count
    }
}

impl<T: Send + Sync + 'static> Clone for Arc<T> {
    #[track_caller]
    fn clone(&self) -> Arc<T> {
        self.reach(What::ArcCount, Location::caller());
        let here = Here::get();
        let object = self.inner().slot.object(here, Kind::Arc, || {});
        here.with(|world| world.objects[object as usize].count += 1);
        Arc { inner: self.inner }
    }
}

impl<T: Send + Sync + 'static> Drop for Arc<T> {
    fn drop(&mut self) {
        let Some(here) = Here::find() else { return };
        let made = self.inner().slot.made();
        if self.reach(What::ArcDrop, made) == 0 {
            return;
        }
        let object = self.inner().slot.object(here, Kind::Arc, || {});
        let is_last = here.with(|world| {
            world.release(object);
            let arc = &mut world.objects[object as usize];
            arc.count -= 1;
            let is_last = arc.count == 0;
            if is_last {
                world.acquire(object);
            }
            is_last
        });
        if is_last {
            // SAFETY: this was the last reference, and the count says so to all that come after.
            unsafe { ManuallyDrop::drop(&mut *self.inner().value.get()) };
        }
    }
}

impl<T: Send + Sync + 'static> Deref for Arc<T> {
    type Target = T;

    #[track_caller]
    fn deref(&self) -> &T {
        let here = Here::get();
        let object = self.inner().slot.object(here, Kind::Arc, || {});
        let (count, is_torn) =
            here.with(|world| (world.objects[object as usize].count, world.is_torn()));
        let made = self.inner().slot.made();
        assert!(
            count > 0 || is_torn,
            "the value of the Arc made at {made} is used after its last reference is gone"
        );
        // SAFETY: there is a reference, so the value was not dropped.
        unsafe { &*self.inner().value.get() }
    }
}

impl<T: Send + Sync + fmt::Debug + 'static> fmt::Debug for Arc<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}
