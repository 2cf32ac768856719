//! Atomics, with `std`'s interface.
//!
//! Every operation is a point and is executed in one total order: sequential consistency, whatever
//! order was written. What was written counts for data races: a relaxed operation synchronises
//! nothing, an acquire load synchronises with the release store that it reads from, and so on. So a
//! missing `Acquire` or `Release` shows as a race of the cells that it should protect, but values
//! that only weak memory lets an atomic load return are not tried.
//!
//! Outside of executions these are the atomics of `std`. What an execution does to an atomic that
//! outlives it (a static) is forgotten in the next.

mod integer;
mod pointer;

pub use std::sync::atomic::Ordering;
use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};

use crate::world::{Here, World};
pub use integer::{
    AtomicBool, AtomicI8, AtomicI16, AtomicI32, AtomicI64, AtomicIsize, AtomicU8, AtomicU16,
    AtomicU32, AtomicU64, AtomicUsize,
};
pub use pointer::AtomicPtr;

/// A fence, as [`std::sync::atomic::fence`]: it orders what happens before races, and is no point.
#[track_caller]
pub fn fence(order: Ordering) {
    assert!(order != Relaxed, "there is no such thing as a relaxed fence");
    match Here::find() {
        Some(here) => here.with(|world| world.fence(order)),
        None => std::sync::atomic::fence(order),
    }
}

/// As [`std::sync::atomic::compiler_fence`]; nothing is reordered here.
pub fn compiler_fence(order: Ordering) {
    std::sync::atomic::compiler_fence(order);
}

#[track_caller]
fn check_load(order: Ordering) {
    assert!(
        !matches!(order, Release | AcqRel),
        "there is no such thing as a release or an acquire-release load"
    );
}

#[track_caller]
fn check_store(order: Ordering) {
    assert!(
        !matches!(order, Acquire | AcqRel),
        "there is no such thing as an acquire or an acquire-release store"
    );
}

/// Values of atomics, as far as threads see them (`world::local`).
trait Value: Copy {
    /// What one sees who reads it.
    fn bits(self, world: &World, object: u32) -> u64;

    /// The current thread has written it.
    fn wrote(self, world: &mut World, object: u32);
}

/// What all atomics have: the value lives in an atomic of `std`, so nothing here is unsafe.
macro_rules! common {
    ([$($generics:tt)*] $name:ty, $std:ty, $value:ty) => {
        impl $($generics)* $name {
            /// An atomic with a value.
            #[track_caller]
            pub const fn new(value: $value) -> $name {
                Self { slot: Slot::new(), value: <$std>::new(value), first: <$std>::new(value) }
            }

            /// A mutable reference to the value, which needs exclusive access to the atomic.
            pub fn get_mut(&mut self) -> &mut $value {
                self.value.get_mut()
            }

            /// Consumes the atomic, returning its value.
            pub fn into_inner(self) -> $value {
                self.value.into_inner()
            }

            /// A pointer to the value; the call counts as a non-atomic write at that moment.
            #[track_caller]
            pub fn as_ptr(&self) -> *mut $value {
                if let Some(here) = Here::find() {
                    let (object, site) = (self.object(here), Location::caller());
                    here.watch(Watched::Pointers);
                    here.with(|world| {
                        world.gave_pointer(site);
                        world.touch_bare(object, site);
                        world.changed();
                    });
                }
                self.value.as_ptr()
            }

            /// Reads the value.
            #[track_caller]
            #[inline]
            pub fn load(&self, order: Ordering) -> $value {
                super::check_load(order);
                let Some(here) = Here::find() else { return self.value.load(order) };
                let object = self.object(here);
                here.reach(Pending::open(What::Load, object, Location::caller()));
                here.with(|world| {
                    world.load(object, order);
                    world.tell_order(order);
                    let value = self.value.load(Ordering::Relaxed);
                    world.see(value.bits(world, object));
                    world.tell_value(|| format!("{value:?}"));
                    value
                })
            }

            /// Writes a value.
            #[track_caller]
            #[inline]
            pub fn store(&self, value: $value, order: Ordering) {
                super::check_store(order);
                let Some(here) = Here::find() else { return self.set(value) };
                let object = self.object(here);
                here.reach(Pending::open(What::Store, object, Location::caller()));
                here.with(|world| {
                    world.store(object, order, false);
                    world.tell_order(order);
                    let old = self.value.load(Ordering::Relaxed);
                    if old != value {
                        self.value.store(value, Ordering::Relaxed);
                        world.changed();
                    }
                    value.wrote(world, object);
                    world.tell_value(|| format!("{value:?}"));
                });
            }

            /// Writes a value and returns the previous one.
            #[track_caller]
            #[inline]
            pub fn swap(&self, value: $value, order: Ordering) -> $value {
                self.modify(order, Location::caller(), |_| value)
            }

            /// Writes a value if the current one is the expected one; returns the current one.
            #[track_caller]
            #[inline]
            pub fn compare_exchange(
                &self,
                expected: $value,
                new: $value,
                success: Ordering,
                failure: Ordering,
            ) -> Result<$value, $value> {
                super::check_load(failure);
                let Some(here) = Here::find() else {
                    let result = self.value.compare_exchange(expected, new, success, failure);
                    return result.inspect(|_| self.set(new));
                };
                let object = self.object(here);
                here.reach(Pending::open(What::Modify, object, Location::caller()));
                here.with(|world| {
                    let old = self.value.load(Ordering::Relaxed);
                    world.see(u64::from(old == expected));
                    world.see(old.bits(world, object));
                    if old != expected {
                        world.load(object, failure);
                        world.tell_order(failure);
                        world.tell_came(Came::Failed);
                        world.tell_value(|| format!("{old:?}"));
                        return Err(old);
                    }
                    world.load(object, success);
                    world.store(object, success, true);
                    world.tell_order(success);
                    if old != new {
                        self.value.store(new, Ordering::Relaxed);
                        world.changed();
                    }
                    new.wrote(world, object);
                    world.tell_change(&old, &new);
                    Ok(old)
                })
            }

            /// Like [`Self::compare_exchange`]; it does not fail spuriously.
            #[track_caller]
            #[inline]
            pub fn compare_exchange_weak(
                &self,
                expected: $value,
                new: $value,
                success: Ordering,
                failure: Ordering,
            ) -> Result<$value, $value> {
                self.compare_exchange(expected, new, success, failure)
            }

            /// Writes the result of a function of the value, and repeats that until no other thread intervenes.
            #[track_caller]
            pub fn fetch_update<F: FnMut($value) -> Option<$value>>(
                &self,
                set_order: Ordering,
                fetch_order: Ordering,
                mut f: F,
            ) -> Result<$value, $value> {
                let mut old = self.load(fetch_order);
                while let Some(new) = f(old) {
                    match self.compare_exchange(old, new, set_order, fetch_order) {
                        Ok(old) => return Ok(old),
                        Err(other) => old = other,
                    }
                }
                Err(old)
            }

            /// Changes the value; returns the previous one.
            #[inline]
            fn modify(
                &self,
                order: Ordering,
                site: Site,
                f: impl Fn($value) -> $value,
            ) -> $value {
                let Some(here) = Here::find() else { return self.modify_outside(f) };
                let object = self.object(here);
                here.reach(Pending::open(What::Modify, object, site));
                here.with(|world| {
                    world.load(object, order);
                    world.store(object, order, true);
                    world.tell_order(order);
                    let old = self.value.load(Ordering::Relaxed);
                    let new = f(old);
                    world.see(old.bits(world, object));
                    if old != new {
                        self.value.store(new, Ordering::Relaxed);
                        world.changed();
                    }
                    new.wrote(world, object);
                    world.tell_change(&old, &new);
                    old
                })
            }

            #[inline]
            fn object(&self, here: Here) -> u32 {
                self.slot.object(here, Kind::Atomic, || {
                    self.value.store(self.first.load(Ordering::Relaxed), Ordering::Relaxed);
                })
            }

            /// Outside of executions: the next ones begin with this.
            fn set(&self, value: $value) {
                self.value.store(value, Ordering::SeqCst);
                self.first.store(value, Ordering::SeqCst);
            }

            /// Outside of executions, where others may do the same.
            fn modify_outside(&self, f: impl Fn($value) -> $value) -> $value {
                let order = Ordering::SeqCst;
                let old = self.value.fetch_update(order, order, |old| Some(f(old)));
                let old = old.unwrap_or_else(|old| old);
                self.first.store(f(old), order);
                old
            }
        }

        impl $($generics)* std::fmt::Debug for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                self.value.load(Ordering::Relaxed).fmt(f)
            }
        }

        impl $($generics)* From<$value> for $name {
            #[track_caller]
            fn from(value: $value) -> Self {
                Self::new(value)
            }
        }
    };
}

use common;
