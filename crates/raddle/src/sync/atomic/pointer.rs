//! Atomic pointers.

use std::panic::Location;
use std::sync::atomic as std_atomic;

use super::{Ordering, common};
use crate::world::{Came, Here, Kind, Pending, Site, Slot, What};

/// As [`std::sync::atomic::AtomicPtr`].
pub struct AtomicPtr<T> {
    slot: Slot,
    value: std_atomic::AtomicPtr<T>,
    /// What executions begin with.
    first: std_atomic::AtomicPtr<T>,
}

common!([<T>] AtomicPtr<T>, std_atomic::AtomicPtr<T>, *mut T);

impl<T> Default for AtomicPtr<T> {
    #[track_caller]
    fn default() -> AtomicPtr<T> {
        AtomicPtr::new(std::ptr::null_mut())
    }
}
