//! Values that are made when they are needed, with `std`'s interface.

use std::cell::UnsafeCell;
use std::fmt;
use std::mem::{self, ManuallyDrop};
use std::ops::Deref;
use std::panic::Location;

use super::Once;
use crate::world::{Here, Site};

/// A value that is initialised on first use, like [`std::sync::LazyLock`]. A static one is
/// initialised anew in every execution.
pub struct LazyLock<T, F = fn() -> T> {
    once: Once,
    value: UnsafeCell<Option<T>>,
    make: UnsafeCell<ManuallyDrop<F>>,
    /// Whether `make` was called and must not be called again.
    is_spent: UnsafeCell<bool>,
}

// SAFETY: value and function are touched by the one call of `once`, before which there are no reads.
unsafe impl<T: Send, F: Send> Send for LazyLock<T, F> {}
// SAFETY: see above; after it the value is shared.
unsafe impl<T: Send + Sync, F: Send> Sync for LazyLock<T, F> {}

impl<T, F: FnOnce() -> T> LazyLock<T, F> {
    /// A value that this function computes.
    #[track_caller]
    pub const fn new(f: F) -> LazyLock<T, F> {
        LazyLock {
            once: Once::new(),
            value: UnsafeCell::new(None),
            make: UnsafeCell::new(ManuallyDrop::new(f)),
            is_spent: UnsafeCell::new(false),
        }
    }

    /// The value, which is initialised if necessary.
    #[track_caller]
    pub fn force(this: &LazyLock<T, F>) -> &T {
        this.make_at(Location::caller())
    }

    fn make_at(&self, site: Site) -> &T {
        let reset = || {
            // SAFETY: the execution that made the value is over, and this one has not looked yet.
            let value = unsafe { (*self.value.get()).take() };
            Here::get().outside(|| drop(value));
        };
        self.once.call(false, site, |_| self.fill(), reset);
        // SAFETY: the value was made, and is not changed while it is shared.
        unsafe { (*self.value.get()).as_ref() }.expect("it was made")
    }

    fn fill(&self) {
        // SAFETY: calls of `once` happen one at a time, and nothing else touches these.
        unsafe {
            assert!(
                !*self.is_spent.get(),
                "a LazyLock outlives an execution, but its function can be called only once"
            );
            *self.is_spent.get() = mem::needs_drop::<F>();
            // A function that drops nothing is called again in the next execution: copying its
            // bytes copies no ownership, and the value of the last call is gone by then.
            let make = std::ptr::read(self.make.get());
            let value = ManuallyDrop::into_inner(make)();
            *self.value.get() = Some(value);
        }
    }
}

impl<T, F> Drop for LazyLock<T, F> {
    fn drop(&mut self) {
        if !*self.is_spent.get_mut() {
            // SAFETY: the function was not called, or drops nothing.
            unsafe { ManuallyDrop::drop(self.make.get_mut()) };
        }
    }
}

impl<T, F: FnOnce() -> T> Deref for LazyLock<T, F> {
    type Target = T;

    #[track_caller]
    fn deref(&self) -> &T {
        self.make_at(Location::caller())
    }
}

impl<T, F> fmt::Debug for LazyLock<T, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LazyLock")
            .field("initialised", &self.once.is_done())
            .finish_non_exhaustive()
    }
}
