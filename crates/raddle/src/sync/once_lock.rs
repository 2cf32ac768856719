//! Cells that are written once, with `std`'s interface.

use std::cell::UnsafeCell;
use std::fmt;
use std::panic::Location;

use super::Once;
use crate::world::{Here, Site};

/// A cell that is written once, as [`std::sync::OnceLock`].
pub struct OnceLock<T> {
    once: Once,
    value: UnsafeCell<Option<T>>,
}

// SAFETY: the value is written by the one call of `once`, before which there are no reads.
unsafe impl<T: Send> Send for OnceLock<T> {}
// SAFETY: see above; after it the value is shared.
unsafe impl<T: Send + Sync> Sync for OnceLock<T> {}

impl<T> OnceLock<T> {
    /// An empty cell.
    #[track_caller]
    pub const fn new() -> OnceLock<T> {
        OnceLock { once: Once::new(), value: UnsafeCell::new(None) }
    }

    /// The value, if there is one.
    #[track_caller]
    pub fn get(&self) -> Option<&T> {
        let is_done = self.once.looks(Location::caller(), || self.reset());
        if is_done { self.value() } else { None }
    }

    /// Sets the value, or returns it if there is already one.
    #[track_caller]
    pub fn set(&self, value: T) -> Result<(), T> {
        let mut value = Some(value);
        self.initialise(Location::caller(), || value.take());
        value.map_or(Ok(()), Err)
    }

    /// The value, which is initialised if there is none.
    #[track_caller]
    pub fn get_or_init<F: FnOnce() -> T>(&self, f: F) -> &T {
        self.initialise(Location::caller(), || Some(f()));
        self.value().expect("it was initialised")
    }

    /// A mutable reference to the value, which needs exclusive access to the cell.
    pub fn get_mut(&mut self) -> Option<&mut T> {
        self.value.get_mut().as_mut()
    }

    /// Takes the value out.
    pub fn take(&mut self) -> Option<T> {
        self.once.set_new();
        self.value.get_mut().take()
    }

    /// Consumes the cell, returning its value.
    pub fn into_inner(self) -> Option<T> {
        self.value.into_inner()
    }

    fn value(&self) -> Option<&T> {
        // SAFETY: the value was written, and is not written again while the cell is shared.
        unsafe { (*self.value.get()).as_ref() }
    }

    fn initialise(&self, site: Site, make: impl FnOnce() -> Option<T>) {
        let set = |state: &super::OnceState| {
            let value = make();
            if value.is_none() {
                state.give_up();
            }
            // SAFETY: calls of `once` happen one at a time, and there are no reads before one is done.
            unsafe { *self.value.get() = value };
        };
        self.once.call(true, site, set, || self.reset());
    }

    fn reset(&self) {
        // SAFETY: the execution that wrote the value is over, and this one has not looked yet.
        let value = unsafe { (*self.value.get()).take() };
        Here::get().outside(|| drop(value));
    }
}

impl<T> Default for OnceLock<T> {
    #[track_caller]
    fn default() -> OnceLock<T> {
        OnceLock::new()
    }
}

impl<T> From<T> for OnceLock<T> {
    #[track_caller]
    fn from(value: T) -> OnceLock<T> {
        let once = Once::new();
        once.set_done();
        OnceLock { once, value: UnsafeCell::new(Some(value)) }
    }
}

impl<T> fmt::Debug for OnceLock<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OnceLock")
            .field("initialised", &self.once.is_done())
            .finish_non_exhaustive()
    }
}
