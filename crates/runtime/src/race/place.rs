//! Places of synchronisation: what one learns at a lock, a semaphore, an atomic location, ….

use super::clock::{Clock, Clocks};

const N_SLOTS: usize = 1 << 18;
/// So that looking for a place is short.
const N_PLACES: u32 = (N_SLOTS / 4 * 3) as u32;
const N_HEADS: usize = 1 << 18;

/// What is known at an address. Free unless it is of this execution.
#[derive(Clone, Copy)]
pub(super) struct Place {
    address: u64,
    execution: u64,
    /// To those who gave it back, posted, arrived, ….
    pub(super) lock: Clock,
    /// To those who read under it.
    pub(super) readers: Clock,
    /// How many a barrier waits for, 0 if that is not known, and how many have arrived.
    pub(super) n_parties: u32,
    pub(super) n_arrived: u32,
    /// The first of its release sequences.
    pub(super) heads: u32,
    /// Whether its granule says that it has places.
    pub(super) is_noted: bool,
}

/// The release sequences at a location that one thread heads and that have not ended.
#[derive(Clone, Copy)]
pub(super) struct Head {
    thread: u32,
    /// The next one there; 0: none.
    pub(super) next: u32,
    pub(super) clock: Clock,
}

/// All places of an execution.
pub(super) struct Places {
    /// Whether a place was not kept: nothing is known to be unordered any more.
    pub(super) is_full: bool,
    execution: u64,
    n: u32,
    n_heads: u32,
    /// The first head that can be used again.
    spare: u32,
    slots: [Place; N_SLOTS],
    /// The first one is not used.
    heads: [Head; N_HEADS],
}

impl Places {
    /// There are no places.
    pub(super) fn reset(&mut self, execution: u64) {
        self.is_full = false;
        self.execution = execution;
        self.n = 0;
        self.n_heads = 1;
        self.spare = 0;
    }

    /// The place at an address, if anybody was there before.
    pub(super) fn find(&self, address: u64) -> Option<usize> {
        let slot = self.slot(address);
        (self.slots[slot].execution == self.execution).then_some(slot)
    }

    /// A new place at an address where there is none.
    pub(super) fn make(&mut self, address: u64) -> Option<usize> {
        if self.n >= N_PLACES {
            self.is_full = true;
            return None;
        }
        self.n += 1;
        let slot = self.slot(address);
        self.slots[slot] = Place {
            address,
            execution: self.execution,
            lock: Clock::default(),
            readers: Clock::default(),
            n_parties: 0,
            n_arrived: 0,
            heads: 0,
            is_noted: false,
        };
        Some(slot)
    }

    /// A place that was found.
    pub(super) fn at(&mut self, slot: usize) -> &mut Place {
        &mut self.slots[slot]
    }

    /// A head that is not 0.
    pub(super) fn head(&self, index: u32) -> &Head {
        &self.heads[index as usize]
    }

    /// What is at an address from now on is something else.
    pub(super) fn forget(&mut self, clocks: &mut Clocks, address: u64) {
        let Some(slot) = self.find(address) else { return };
        self.end_sequences(clocks, slot, None);
        let place = &mut self.slots[slot];
        clocks.discard(&mut place.lock);
        clocks.discard(&mut place.readers);
        (place.n_parties, place.n_arrived) = (0, 0);
        place.is_noted = false;
    }

    /// Ends the release sequences at a place, but not those of one thread.
    pub(super) fn end_sequences(&mut self, clocks: &mut Clocks, slot: usize, but: Option<u32>) {
        let mut next = core::mem::take(&mut self.slots[slot].heads);
        while next != 0 {
            let index = next;
            let head = &mut self.heads[index as usize];
            next = head.next;
            if Some(head.thread) == but {
                head.next = 0;
                self.slots[slot].heads = index;
            } else {
                clocks.discard(&mut head.clock);
                head.next = self.spare;
                self.spare = index;
            }
        }
    }

    /// A thread heads a release sequence at a place.
    pub(super) fn begin_sequence(
        &mut self,
        clocks: &mut Clocks,
        slot: usize,
        thread: u32,
        clock: Clock,
    ) {
        let mut index = self.slots[slot].heads;
        while index != 0 && self.heads[index as usize].thread != thread {
            index = self.heads[index as usize].next;
        }
        if index == 0 {
            let Some(new) = self.new_head() else {
                self.is_full = true;
                return;
            };
            let next = self.slots[slot].heads;
            self.heads[new as usize] = Head { thread, next, clock: Clock::default() };
            self.slots[slot].heads = new;
            index = new;
        }
        clocks.join(&mut self.heads[index as usize].clock, clock);
    }

    fn new_head(&mut self) -> Option<u32> {
        if self.spare != 0 {
            let new = self.spare;
            self.spare = self.heads[new as usize].next;
            return Some(new);
        }
        let new = self.n_heads;
        (new < N_HEADS as u32).then(|| {
            self.n_heads += 1;
            new
        })
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
