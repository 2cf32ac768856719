//! What `std::hint` has, under control.

use std::panic::Location;

pub use std::hint::{black_box, unreachable_unchecked};

use crate::world::{Here, NONE, Pending, What};

/// Says that the thread spins: other threads run, and it is not scheduled again until something changes.
#[track_caller]
pub fn spin_loop() {
    match Here::find() {
        Some(here) => here.reach(Pending::open(What::SpinHint, NONE, Location::caller())),
        None => std::hint::spin_loop(),
    }
}
