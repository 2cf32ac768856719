//! Counted references, with `std`'s interface.
//!
//! In: clones and drops. Out: which of them are points. A count matters only to who sees it: by asking for it
//! (`strong_count`, `try_unwrap`, `get_mut`, `upgrade`, …), or because the value does something of its own when
//! the last reference is gone.
//!
//! - N1: if no execution looks at counts, cloning and dropping are no points. When one does, the search
//!   begins again, and they are points from then on (rule K4 of `check`).
//! - N2: what a thread does before it drops a reference comes before what the one does that finds it was the last.
//!
//! Only `std`'s own can become `Arc<dyn Trait>` by itself: [`Arc::from_std`] makes one of that.

mod traits;
mod weak;

use std::mem::{self, ManuallyDrop};
use std::ops::Deref;
use std::panic::Location;
use std::pin::Pin;
use std::sync::Arc as StdArc;

use crate::world::{Here, Kind, Pending, Site, Watched, What};
pub use weak::Weak;

/// A counted reference, as [`std::sync::Arc`].
pub struct Arc<T: ?Sized> {
    inner: ManuallyDrop<StdArc<T>>,
}

/// The address of a value, by which its count is known.
fn address<T: ?Sized>(value: *const T) -> usize {
    value.cast::<()>().addr()
}

/// Something is done that changes a count, or sees it (N1).
#[inline]
fn count(address: usize, what: What, sees: bool, site: Site) -> Option<(Here, u32)> {
    let here = Here::find()?;
    if sees {
        here.watch(Watched::Counts);
    }
    if !here.with(|world| world.watches.counts || world.follows_clocks) {
        return None;
    }
    let is_point = here.with(|world| world.watches.counts);
    let object = here.with(|world| world.counted_object(address, site));
    if is_point {
        here.reach(Pending::open(what, object, site));
    }
    Some((here, object))
}

/// The same; what came of it is seen.
fn see(counted: Option<(Here, u32)>, value: usize) -> usize {
    if let Some((here, _)) = counted {
        here.with(|world| {
            world.see(value as u64);
            world.tell_value(|| value.to_string());
        });
    }
    value
}

/// A count was changed.
fn changed(counted: Option<(Here, u32)>) {
    if let Some((here, _)) = counted {
        here.with(|world| {
            if world.watches.counts {
                world.changed();
            }
        });
    }
}

/// The value is this thread's alone now (N2).
fn acquire(counted: Option<(Here, u32)>) {
    if let Some((here, object)) = counted {
        here.with(|world| world.acquire(object));
    }
}

impl<T> Arc<T> {
    /// A reference to a new value.
    pub fn new(value: T) -> Arc<T> {
        Arc::from_std(StdArc::new(value))
    }

    /// A reference to a value that has weak ones to itself.
    pub fn new_cyclic<F: FnOnce(&Weak<T>) -> T>(make: F) -> Arc<T> {
        Arc::from_std(StdArc::new_cyclic(|weak| make(&Weak::from_std(weak.clone()))))
    }

    /// A reference to a new value that stays where it is.
    pub fn pin(value: T) -> Pin<Arc<T>> {
        // SAFETY: the value is on the heap, is not moved by this type, and is given out as shared only.
        unsafe { Pin::new_unchecked(Arc::new(value)) }
    }

    /// The value, if this is the only reference.
    #[track_caller]
    pub fn try_unwrap(this: Arc<T>) -> Result<T, Arc<T>> {
        let counted = this.count(What::ArcCount, true, Location::caller());
        let result = StdArc::try_unwrap(this.into_std()).map_err(Arc::from_std);
        see(counted, result.is_ok().into());
        if result.is_ok() {
            acquire(counted);
        }
        changed(counted);
        result
    }

    /// The value, if this is the last reference; drops it otherwise.
    #[track_caller]
    pub fn into_inner(this: Arc<T>) -> Option<T> {
        let counted = this.count(What::ArcDrop, true, Location::caller());
        if let Some((here, object)) = counted {
            here.with(|world| world.release(object));
        }
        let result = StdArc::into_inner(this.into_std());
        see(counted, result.is_some().into());
        if result.is_some() {
            acquire(counted);
        }
        changed(counted);
        result
    }

    /// The value, or a copy of it if there are other references.
    #[track_caller]
    pub fn unwrap_or_clone(this: Arc<T>) -> T
    where
        T: Clone,
    {
        Arc::try_unwrap(this).unwrap_or_else(|this| (*this).clone())
    }
}

impl<T: ?Sized> Arc<T> {
    /// The same reference as one of `std`, whose clones are not watched.
    pub fn into_std(self) -> StdArc<T> {
        let mut this = ManuallyDrop::new(self);
        // SAFETY: `this` is not used any more, and is not dropped.
        unsafe { ManuallyDrop::take(&mut this.inner) }
    }

    /// A reference of `std`, from now on watched. That is how to get an `Arc<dyn Trait>`.
    pub fn from_std(inner: StdArc<T>) -> Arc<T> {
        Arc { inner: ManuallyDrop::new(inner) }
    }

    /// How many references there are.
    #[track_caller]
    pub fn strong_count(this: &Arc<T>) -> usize {
        let counted = this.count(What::ArcUse, true, Location::caller());
        see(counted, StdArc::strong_count(&this.inner))
    }

    /// How many weak references there are.
    #[track_caller]
    pub fn weak_count(this: &Arc<T>) -> usize {
        let counted = this.count(What::ArcUse, true, Location::caller());
        see(counted, StdArc::weak_count(&this.inner))
    }

    /// A weak reference.
    #[track_caller]
    pub fn downgrade(this: &Arc<T>) -> Weak<T> {
        let counted = this.count(What::ArcCount, false, Location::caller());
        changed(counted);
        Weak::from_std(StdArc::downgrade(&this.inner))
    }

    /// The value, if this is the only reference.
    #[track_caller]
    pub fn get_mut(this: &mut Arc<T>) -> Option<&mut T> {
        let counted = this.count(What::ArcUse, true, Location::caller());
        let value = StdArc::get_mut(&mut this.inner);
        see(counted, value.is_some().into());
        if value.is_some() {
            acquire(counted);
        }
        value
    }

    /// The value, in a reference of its own.
    #[track_caller]
    pub fn make_mut(this: &mut Arc<T>) -> &mut T
    where
        T: Clone,
    {
        let counted = this.count(What::ArcCount, true, Location::caller());
        let before = address(StdArc::as_ptr(&this.inner));
        let is_alone = StdArc::strong_count(&this.inner) == 1;
        if is_alone {
            acquire(counted);
        }
        let value = StdArc::make_mut(&mut this.inner);
        see(counted, (address(value) == before).into());
        changed(counted);
        value
    }

    /// Whether two refer to the same value.
    pub fn ptr_eq(this: &Arc<T>, other: &Arc<T>) -> bool {
        StdArc::ptr_eq(&this.inner, &other.inner)
    }

    /// A pointer to the value.
    pub fn as_ptr(this: &Arc<T>) -> *const T {
        StdArc::as_ptr(&this.inner)
    }

    /// Turns the reference into a pointer, which has to be turned back into a reference.
    pub fn into_raw(this: Arc<T>) -> *const T {
        StdArc::into_raw(this.into_std())
    }

    /// A reference from a pointer.
    ///
    /// # Safety
    ///
    /// As for [`std::sync::Arc::from_raw`].
    pub unsafe fn from_raw(pointer: *const T) -> Arc<T> {
        // SAFETY: the caller says so.
        Arc::from_std(unsafe { StdArc::from_raw(pointer) })
    }

    /// Counts one more reference.
    ///
    /// # Safety
    ///
    /// As for [`std::sync::Arc::increment_strong_count`].
    #[track_caller]
    pub unsafe fn increment_strong_count(pointer: *const T)
    where
        T: Sized,
    {
        changed(count(address(pointer), What::ArcCount, false, Location::caller()));
        // SAFETY: the caller says so.
        unsafe { StdArc::increment_strong_count(pointer) };
    }

    /// Counts one reference fewer.
    ///
    /// # Safety
    ///
    /// As for [`std::sync::Arc::decrement_strong_count`].
    pub unsafe fn decrement_strong_count(pointer: *const T)
    where
        T: Sized,
    {
        // SAFETY: the caller says so.
        drop(unsafe { Arc::from_raw(pointer) });
    }

    fn count(&self, what: What, sees: bool, site: Site) -> Option<(Here, u32)> {
        count(address(StdArc::as_ptr(&self.inner)), what, sees, site)
    }
}

impl<T: ?Sized> Clone for Arc<T> {
    #[track_caller]
    #[inline]
    fn clone(&self) -> Arc<T> {
        changed(self.count(What::ArcCount, false, Location::caller()));
        Arc { inner: self.inner.clone() }
    }
}

impl<T: ?Sized> Drop for Arc<T> {
    #[inline]
    fn drop(&mut self) {
        let counted = self.count(What::ArcDrop, false, Location::caller());
        if let Some((here, object)) = counted {
            here.with(|world| world.release(object));
        }
        changed(counted);
        let is_last = StdArc::strong_count(&self.inner) == 1;
        if !is_last || !mem::needs_drop::<T>() {
            // SAFETY: it is not used any more.
            return unsafe { ManuallyDrop::drop(&mut self.inner) };
        }
        acquire(counted);
        let dropping = Here::find().map(Dropping::new);
        // SAFETY: see above.
        unsafe { ManuallyDrop::drop(&mut self.inner) };
        drop(dropping);
    }
}

/// A value is being dropped whose last reference is gone.
struct Dropping(Here);

impl Dropping {
    fn new(here: Here) -> Dropping {
        here.with(|world| world.begin_dropping());
        Dropping(here)
    }
}

impl Drop for Dropping {
    fn drop(&mut self) {
        self.0.with(|world| world.end_dropping());
    }
}

impl<T: ?Sized> Deref for Arc<T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        &self.inner
    }
}

impl crate::world::World {
    /// The object that counts the references to what is at an address.
    fn counted_object(&mut self, address: usize, site: Site) -> u32 {
        if let Some(&object) = self.counted.get(&address) {
            return object;
        }
        let object = self.add_object(Kind::Arc, site);
        self.counted.insert(address, object);
        object
    }
}
