//! Weak references.

use std::fmt;
use std::mem::ManuallyDrop;
use std::panic::Location;
use std::sync::Weak as StdWeak;

use super::{Arc, acquire, address, changed, count, see};
use crate::world::{Here, What};

/// A reference that does not keep its value, as [`std::sync::Weak`].
pub struct Weak<T: ?Sized> {
    inner: ManuallyDrop<StdWeak<T>>,
}

impl<T> Weak<T> {
    /// A reference to nothing.
    pub const fn new() -> Weak<T> {
        Weak { inner: ManuallyDrop::new(StdWeak::new()) }
    }
}

impl<T: ?Sized> Weak<T> {
    /// A reference of `std`, from now on watched.
    pub fn from_std(inner: StdWeak<T>) -> Weak<T> {
        Weak { inner: ManuallyDrop::new(inner) }
    }

    /// A reference to the value, if it is still there.
    #[track_caller]
    pub fn upgrade(&self) -> Option<Arc<T>> {
        let counted = self.count(What::ArcCount, true);
        let value = self.inner.upgrade().map(Arc::from_std);
        see(counted, value.is_some().into());
        if value.is_some() {
            changed(counted);
        }
        value
    }

    /// How many references there are that keep the value.
    #[track_caller]
    pub fn strong_count(&self) -> usize {
        see(self.count(What::ArcUse, true), self.inner.strong_count())
    }

    /// How many weak references there are.
    #[track_caller]
    pub fn weak_count(&self) -> usize {
        see(self.count(What::ArcUse, true), self.inner.weak_count())
    }

    /// Whether two refer to the same value.
    pub fn ptr_eq(&self, other: &Weak<T>) -> bool {
        self.inner.ptr_eq(&other.inner)
    }

    /// Where the value is, or was.
    pub fn as_ptr(&self) -> *const T
    where
        T: Sized,
    {
        self.inner.as_ptr()
    }

    #[track_caller]
    fn count(&self, what: What, sees: bool) -> Option<(Here, u32)> {
        // It stays the same when the value is gone: whoever finds nothing there depends on who dropped it.
        let at = address(self.inner.as_ptr());
        count(at, what, sees, Location::caller())
    }
}

impl<T: ?Sized> Clone for Weak<T> {
    #[track_caller]
    fn clone(&self) -> Weak<T> {
        changed(self.count(What::ArcCount, false));
        Weak { inner: self.inner.clone() }
    }
}

impl<T: ?Sized> Drop for Weak<T> {
    fn drop(&mut self) {
        let counted = self.count(What::ArcDrop, false);
        acquire(counted);
        changed(counted);
        // SAFETY: it is not used any more.
        unsafe { ManuallyDrop::drop(&mut self.inner) };
    }
}

impl<T> Default for Weak<T> {
    fn default() -> Weak<T> {
        Weak::new()
    }
}

impl<T: ?Sized> fmt::Debug for Weak<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("(Weak)")
    }
}
