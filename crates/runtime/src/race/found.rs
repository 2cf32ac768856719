//! The races that were found in an execution, each pair of program counters once.

use raddle_happens::{Ordered, Touch, View, conflict};
use raddle_wire::RaceRecord;

use super::access::Access;

/// How many races are kept.
pub(super) const N_RACES: usize = 256;

/// More than races, so that there is always a free one.
const N_SLOTS: usize = 1024;

/// All races of an execution.
pub(super) struct Found {
    execution: u64,
    /// Whether what is found may be ordered by something that is not seen.
    doubts: bool,
    n: u32,
    records: [RaceRecord; N_RACES],
    /// Where the pairs are, by their hash.
    slots: [Slot; N_SLOTS],
}

/// Free unless it is of this execution.
#[derive(Clone, Copy)]
struct Slot {
    execution: u64,
    index: u32,
}

impl Found {
    /// Nothing was found.
    pub(super) fn reset(&mut self, execution: u64) {
        self.execution = execution;
        self.n = 0;
    }

    /// Whether what is found from now on may be ordered by something that is not seen.
    pub(super) fn doubts(&mut self, doubts: bool) {
        self.doubts = doubts;
    }

    /// Whether it may.
    pub(super) fn is_in_doubt(&self) -> bool {
        self.doubts
    }

    /// Two threads are about to do something: if that is a race, it is beyond doubt.
    pub(super) fn meet(&mut self, one: Approach, other: Approach, point: u32) {
        let both = if other.pc < one.pc { [other, one] } else { [one, other] };
        let address = one.bytes.0.max(other.bytes.0);
        let end = one.bytes.1.min(other.bytes.1);
        if one.overlaps(&other) && conflict(one.touch as u8, other.touch as u8) {
            self.add(RaceRecord {
                pcs: both.map(|side| side.pc),
                address,
                threads: both.map(|side| side.thread),
                point,
                n_bytes: (end - address).min(512) as u16,
                touches: both.map(|side| side.touch as u8),
                doubt: 0,
                ordered_by_c11: 0,
            });
        }
    }

    /// What was found, in this order.
    pub(super) fn records(&self) -> &[RaceRecord] {
        &self.records[..self.n as usize]
    }

    fn add(&mut self, race: RaceRecord) {
        let mut at = home(race.pcs);
        while self.slots[at].execution == self.execution {
            let known = &mut self.records[self.slots[at].index as usize];
            if known.pcs == race.pcs {
                // What is beyond doubt, or a race by both rules, is worth more.
                let weakness = |race: &RaceRecord| (race.doubt, race.ordered_by_c11);
                if weakness(&race) < weakness(known) {
                    *known = race;
                }
                return;
            }
            at = (at + 1) % N_SLOTS;
        }
        if let Some(place) = self.records.get_mut(self.n as usize) {
            *place = race;
            self.slots[at] = Slot { execution: self.execution, index: self.n };
            self.n += 1;
        }
    }
}

fn home(pcs: [u64; 2]) -> usize {
    let hash = (pcs[0] ^ pcs[1].rotate_left(23)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (hash >> 40) as usize % N_SLOTS
}

/// What a thread is about to do to memory.
#[derive(Clone, Copy, Debug)]
pub struct Approach {
    /// Who.
    pub thread: u32,
    /// From where.
    pub pc: u64,
    /// The first byte, and the one behind the last.
    pub bytes: (u64, u64),
    /// What.
    pub touch: Touch,
}

impl Approach {
    /// Whether both are about some byte.
    pub fn overlaps(&self, other: &Approach) -> bool {
        self.bytes.0.max(other.bytes.0) < self.bytes.1.min(other.bytes.1)
    }
}

/// What is known where an access happens.
pub(super) struct Judge<'a> {
    /// What its thread knows.
    pub(super) view: View<'a>,
    pub(super) found: &'a mut Found,
    /// The scheduling point that led to it.
    pub(super) point: u32,
}

impl Judge<'_> {
    /// Compares an access with an earlier one to the eight bytes from `base` on, or to the 512 if
    /// both are wide; whether it is after that one.
    #[inline]
    pub(super) fn compare(&mut self, old: Access, new: Access, base: u64) -> bool {
        if old.thread() == new.thread() || self.view.knows(old.thread(), old.time()) {
            return true;
        }
        let common = old.mask() & new.mask();
        if common != 0 && conflict(old.touch(), new.touch()) {
            self.report(old, new, base, common);
        }
        false
    }

    #[cold]
    fn report(&mut self, old: Access, new: Access, base: u64, common: u8) {
        let both = if new.pc() < old.pc() { [new, old] } else { [old, new] };
        let is_wide = old.is_wide() && new.is_wide();
        let ordered = self.view.order(old.thread(), old.time());
        self.found.add(RaceRecord {
            pcs: both.map(Access::pc),
            address: base + u64::from(common.trailing_zeros()),
            threads: both.map(Access::thread),
            point: self.point,
            n_bytes: if is_wide { 512 } else { common.count_ones() as u16 },
            touches: both.map(Access::touch),
            doubt: self.found.doubts.into(),
            ordered_by_c11: (ordered == Ordered::ByC11).into(),
        });
    }
}
