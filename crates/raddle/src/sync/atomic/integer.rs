//! Atomic numbers and truth values.

use std::panic::Location;
use std::sync::atomic as std_atomic;

use super::{Ordering, Value, common};
use crate::world::{Came, Here, Kind, Pending, Site, Slot, Watched, What, World};

macro_rules! atomic {
    ($($name:ident $value:ty,)*) => {$(
        #[doc = concat!("As [`std::sync::atomic::", stringify!($name), "`].")]
        #[derive(Default)]
        pub struct $name {
            slot: Slot,
            value: std_atomic::$name,
            /// What executions begin with.
            first: std_atomic::$name,
        }

        common!([] $name, std_atomic::$name, $value);

        impl Value for $value {
            #[inline]
            fn bits(self, _: &World, _: u32) -> u64 {
                self as u64
            }

            #[inline]
            fn wrote(self, _: &mut World, _: u32) {}
        }
    )*};
}

macro_rules! arithmetic {
    ($($name:ident $value:ty,)*) => {$(
        impl $name {
            /// Adds, wrapping around; answers with the value before.
            #[track_caller]
            pub fn fetch_add(&self, value: $value, order: Ordering) -> $value {
                self.modify(order, Location::caller(), |old| old.wrapping_add(value))
            }

            /// Subtracts, wrapping around; answers with the value before.
            #[track_caller]
            pub fn fetch_sub(&self, value: $value, order: Ordering) -> $value {
                self.modify(order, Location::caller(), |old| old.wrapping_sub(value))
            }

            /// Takes the larger one; answers with the value before.
            #[track_caller]
            pub fn fetch_max(&self, value: $value, order: Ordering) -> $value {
                self.modify(order, Location::caller(), |old| old.max(value))
            }

            /// Takes the smaller one; answers with the value before.
            #[track_caller]
            pub fn fetch_min(&self, value: $value, order: Ordering) -> $value {
                self.modify(order, Location::caller(), |old| old.min(value))
            }
        }
    )*};
}

macro_rules! bitwise {
    ($($name:ident $value:ty,)*) => {$(
        impl $name {
            /// Bitwise and; answers with the value before.
            #[track_caller]
            pub fn fetch_and(&self, value: $value, order: Ordering) -> $value {
                self.modify(order, Location::caller(), |old| old & value)
            }

            /// Bitwise and, negated; answers with the value before.
            #[track_caller]
            pub fn fetch_nand(&self, value: $value, order: Ordering) -> $value {
                self.modify(order, Location::caller(), |old| !(old & value))
            }

            /// Bitwise or; answers with the value before.
            #[track_caller]
            pub fn fetch_or(&self, value: $value, order: Ordering) -> $value {
                self.modify(order, Location::caller(), |old| old | value)
            }

            /// Bitwise exclusive or; answers with the value before.
            #[track_caller]
            pub fn fetch_xor(&self, value: $value, order: Ordering) -> $value {
                self.modify(order, Location::caller(), |old| old ^ value)
            }
        }
    )*};
}

macro_rules! all {
    ($then:ident $($more:tt)*) => {
        $then! {
            AtomicI8 i8, AtomicI16 i16, AtomicI32 i32, AtomicI64 i64, AtomicIsize isize,
            AtomicU8 u8, AtomicU16 u16, AtomicU32 u32, AtomicU64 u64, AtomicUsize usize,
            $($more)*
        }
    };
}

all!(atomic AtomicBool bool,);
all!(arithmetic);
all!(bitwise AtomicBool bool,);

impl AtomicBool {
    /// Negates; answers with the value before.
    #[track_caller]
    pub fn fetch_not(&self, order: Ordering) -> bool {
        self.modify(order, Location::caller(), |old| !old)
    }
}
