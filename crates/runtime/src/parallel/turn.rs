//! Atomic operations of threads at once: one at a time per address (P3).

use core::sync::atomic::Ordering;

use raddle_wire::Record;

use super::{Lane, lane, number, spin};

/// The turn of a thread at an address, for one atomic operation.
pub struct Turn {
    lane: &'static Lane,
    address: u64,
}

impl Turn {
    /// Waits for it; none if the caller is not recorded.
    #[inline]
    pub fn begin(address: u64) -> Option<Turn> {
        let lane = lane()?;
        if lane.is_busy.replace(true) {
            return None;
        }
        spin::lock_address(address);
        Some(Turn { lane, address })
    }

    /// Records what was done, and lets others do something there.
    #[inline]
    pub fn end(self, record: Record) {
        let n = self.lane.n_atomics.load(Ordering::Relaxed);
        self.lane.n_atomics.store(n + 1, Ordering::Relaxed);
        self.lane.put_numbered(number(), &[record]);
        spin::unlock_address(self.address);
        self.lane.is_busy.set(false);
    }
}
