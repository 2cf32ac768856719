//! Cells whose accesses are checked for data races.
//!
//! An access is no point: that would be needed only where it races, and a race is found in any
//! execution that has the two accesses, whatever their order.

use std::fmt;
use std::panic::Location;

use crate::world::{Here, Site, Slot};

/// Shared memory without a lock, as [`std::cell::UnsafeCell`].
///
/// Accesses by [`with`](UnsafeCell::with) and [`with_mut`](UnsafeCell::with_mut) are checked
/// exactly: an access lasts as long as the closure. Accesses through the pointer of
/// [`get`](UnsafeCell::get) cannot be seen: the call counts as a write, and results say so.
pub struct UnsafeCell<T: ?Sized> {
    slot: Slot,
    value: std::cell::UnsafeCell<T>,
}

impl<T> UnsafeCell<T> {
    /// A cell with a value.
    #[track_caller]
    pub const fn new(value: T) -> UnsafeCell<T> {
        UnsafeCell { slot: Slot::new(), value: std::cell::UnsafeCell::new(value) }
    }

    /// Consumes the cell, returning its value.
    pub fn into_inner(self) -> T {
        self.value.into_inner()
    }
}

impl<T: ?Sized> UnsafeCell<T> {
    /// A pointer to the value; the call counts as a write at that moment.
    #[track_caller]
    pub fn get(&self) -> *mut T {
        self.touch(true);
        if let Some(here) = Here::find() {
            here.with(|world| world.gave_pointer(Location::caller()));
        }
        self.value.get()
    }

    /// A mutable reference to the value, which needs exclusive access to the cell.
    pub fn get_mut(&mut self) -> &mut T {
        self.value.get_mut()
    }

    /// Reads.
    #[track_caller]
    pub fn with<R>(&self, f: impl FnOnce(*const T) -> R) -> R {
        let begun = self.begin(false);
        let result = f(self.value.get());
        self.end(begun, false, Location::caller());
        result
    }

    /// Writes.
    #[track_caller]
    pub fn with_mut<R>(&self, f: impl FnOnce(*mut T) -> R) -> R {
        let begun = self.begin(true);
        let told = begun.and_then(|(here, _)| Some((here, here.last_told()?)));
        let result = f(self.value.get());
        if let Some((here, step)) = told {
            // SAFETY: as in `touch`; it is what was written, or what was there before.
            unsafe { here.tell_cell(step, self.value.get()) };
        }
        self.end(begun, true, Location::caller());
        result
    }

    /// An access begins: where, and how many points there were.
    #[track_caller]
    fn begin(&self, writes: bool) -> Option<(Here, usize)> {
        self.touch(writes);
        Here::find().map(|here| (here, here.n_points()))
    }

    /// It ends. If other threads could go on during it, it lasts until here.
    fn end(&self, begun: Option<(Here, usize)>, writes: bool, site: Site) {
        if let Some((here, _)) = begun.filter(|(here, n_points)| here.n_points() != *n_points) {
            here.access_ends(&self.slot, writes, site);
        }
    }

    /// An access; the step that shows it, if steps are recorded.
    #[track_caller]
    fn touch(&self, writes: bool) -> Option<(Here, usize)> {
        let here = Here::find()?;
        here.access(&self.slot, writes, Location::caller());
        let step = here.last_told()?;
        if !writes {
            // SAFETY: no other thread runs, and a value that owns nothing is there as long as its cell.
            unsafe { here.tell_cell(step, self.value.get()) };
        }
        Some((here, step))
    }
}

impl<T: Default> Default for UnsafeCell<T> {
    #[track_caller]
    fn default() -> UnsafeCell<T> {
        UnsafeCell::new(T::default())
    }
}

impl<T> From<T> for UnsafeCell<T> {
    #[track_caller]
    fn from(value: T) -> UnsafeCell<T> {
        UnsafeCell::new(value)
    }
}

impl<T: ?Sized> fmt::Debug for UnsafeCell<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("UnsafeCell").finish_non_exhaustive()
    }
}

/// A value that is changed through shared references, as [`std::cell::Cell`].
pub struct Cell<T: ?Sized> {
    value: UnsafeCell<T>,
}

// SAFETY: a cell that is sent goes with its value, and no other thread has it.
unsafe impl<T: ?Sized + Send> Send for Cell<T> {}

impl<T> Cell<T> {
    /// A cell with a value.
    #[track_caller]
    pub const fn new(value: T) -> Cell<T> {
        Cell { value: UnsafeCell::new(value) }
    }

    /// Writes a value.
    #[track_caller]
    pub fn set(&self, value: T) {
        drop(self.replace(value));
    }

    /// Writes a value and returns the previous one.
    #[track_caller]
    pub fn replace(&self, value: T) -> T {
        // SAFETY: the cell is not shared between threads, or the code that said it may be has to see to
        // it that accesses are ordered; no reference to the value is ever given out.
        self.value.with_mut(|old| unsafe { std::mem::replace(&mut *old, value) })
    }

    /// Swaps two values.
    #[track_caller]
    pub fn swap(&self, other: &Cell<T>) {
        if !std::ptr::eq(self, other) {
            self.value.with_mut(|one| {
                // SAFETY: as in `replace`; they are two cells.
                other.value.with_mut(|other| unsafe { std::ptr::swap(one, other) });
            });
        }
    }

    /// Consumes the cell, returning its value.
    pub fn into_inner(self) -> T {
        self.value.into_inner()
    }

    /// Takes the value, leaving the default one.
    #[track_caller]
    pub fn take(&self) -> T
    where
        T: Default,
    {
        self.replace(T::default())
    }

    /// Reads the value.
    #[track_caller]
    pub fn get(&self) -> T
    where
        T: Copy,
    {
        // SAFETY: as in `replace`.
        self.value.with(|value| unsafe { *value })
    }
}

impl<T: ?Sized> Cell<T> {
    /// A mutable reference to the value, which needs exclusive access to the cell.
    pub fn get_mut(&mut self) -> &mut T {
        self.value.get_mut()
    }
}

impl<T: Default> Default for Cell<T> {
    #[track_caller]
    fn default() -> Cell<T> {
        Cell::new(T::default())
    }
}

impl<T> From<T> for Cell<T> {
    #[track_caller]
    fn from(value: T) -> Cell<T> {
        Cell::new(value)
    }
}

impl<T: ?Sized> fmt::Debug for Cell<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cell").finish_non_exhaustive()
    }
}
