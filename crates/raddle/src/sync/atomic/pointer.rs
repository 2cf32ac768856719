//! Atomic pointers.

use std::panic::Location;
use std::sync::atomic as std_atomic;

use super::{Ordering, Value, common};
use crate::world::{Came, Here, Kind, Pending, Site, Slot, Watched, What, World};

/// As [`std::sync::atomic::AtomicPtr`].
pub struct AtomicPtr<T> {
    slot: Slot,
    value: std_atomic::AtomicPtr<T>,
    /// What executions begin with.
    first: std_atomic::AtomicPtr<T>,
}

common!([<T>] AtomicPtr<T>, std_atomic::AtomicPtr<T>, *mut T);

/// What a pointer points to is seen with it, and addresses are used again: it is known by who wrote it.
impl<T> Value for *mut T {
    #[inline]
    fn bits(self, world: &World, object: u32) -> u64 {
        match world.objects[object as usize].data {
            0 => self.addr() as u64,
            data => data ^ u64::from(self.is_null()),
        }
    }

    #[inline]
    fn wrote(self, world: &mut World, object: u32) {
        world.wrote_data(object);
    }
}

impl<T> Default for AtomicPtr<T> {
    #[track_caller]
    fn default() -> AtomicPtr<T> {
        AtomicPtr::new(std::ptr::null_mut())
    }
}
