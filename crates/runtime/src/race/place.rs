//! Places of synchronisation: what one learns at a lock, a semaphore, an atomic location, ….

use raddle_happens::{Location, Lock};

use super::order::Orders;

const N_SLOTS: usize = 1 << 18;
/// So that looking for a place is short.
const N_PLACES: u32 = (N_SLOTS / 4 * 3) as u32;

/// What is known at an address. Free unless it is of this execution.
#[derive(Clone, Copy)]
pub(super) struct Place {
    address: u64,
    execution: u64,
    /// At a lock, or to those who posted, arrived, ….
    pub(super) lock: Lock,
    /// At an atomic location.
    pub(super) location: Location,
    /// How many a barrier waits for, 0 if that is not known, and how many have arrived.
    pub(super) n_parties: u32,
    pub(super) n_arrived: u32,
    /// Whether its granule says that it has places.
    pub(super) is_noted: bool,
}

/// All places of an execution.
pub(super) struct Places {
    /// Whether a place was not kept: nothing is known to be unordered any more.
    pub(super) is_full: bool,
    execution: u64,
    n: u32,
    slots: [Place; N_SLOTS],
}

impl Places {
    /// There are no places.
    pub(super) fn reset(&mut self, execution: u64) {
        self.is_full = false;
        self.execution = execution;
        self.n = 0;
    }

    /// The place at an address, if anybody was there before.
    pub(super) fn find(&mut self, address: u64) -> Option<&mut Place> {
        let slot = self.slot(address);
        let place = &mut self.slots[slot];
        (place.execution == self.execution).then_some(place)
    }

    /// The place at an address, new if there was none; none if there is no room.
    pub(super) fn find_or_make(&mut self, address: u64) -> Option<&mut Place> {
        let slot = self.slot(address);
        if self.slots[slot].execution != self.execution {
            self.is_full |= self.n >= N_PLACES;
            if self.is_full {
                return None;
            }
            self.n += 1;
            self.slots[slot] = Place {
                address,
                execution: self.execution,
                lock: Lock::default(),
                location: Location::default(),
                n_parties: 0,
                n_arrived: 0,
                is_noted: false,
            };
        }
        Some(&mut self.slots[slot])
    }

    /// What is at an address from now on is something else.
    pub(super) fn forget(&mut self, orders: &mut Orders, address: u64) {
        if let Some(place) = self.find(address) {
            orders.discard_location(&mut place.location);
            orders.discard(&mut place.lock.given);
            orders.discard(&mut place.lock.readers);
            (place.n_parties, place.n_arrived) = (0, 0);
            place.is_noted = false;
        }
    }

    /// The slot of an address, or the free one where it would be; there always is one.
    fn slot(&self, address: u64) -> usize {
        let mut slot = (address.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40) as usize % N_SLOTS;
        while self.slots[slot].execution == self.execution && self.slots[slot].address != address {
            slot = (slot + 1) % N_SLOTS;
        }
        slot
    }
}
