//! The hash of all events of a run.
//!
//! Two runs with the same hash did the same, in the same order, at the same places, to the same
//! objects. It is part of every event, so it is cheap rather than strong: it must distinguish runs that differ
//! by accident, not by intent.

use raddle_wire::Record;

const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;

/// Adds an event.
#[inline(always)]
pub const fn add(hash: u64, record: Record) -> u64 {
    let mixed = (record.head ^ record.tail.rotate_left(17)).wrapping_mul(FACTOR);
    hash.rotate_left(9).wrapping_add(mixed ^ mixed >> 32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use raddle_wire::Code;

    #[test]
    fn order_object_place_and_detail_matter() {
        let a = Record::new(Code::Read, 0x1000, 4, 0x4000, 0);
        let others = [
            Record::new(Code::Write, 0x1000, 4, 0x4000, 0),
            Record::new(Code::Read, 0x1008, 4, 0x4000, 0),
            Record::new(Code::Read, 0x1000, 8, 0x4000, 0),
            Record::new(Code::Read, 0x1000, 4, 0x4001, 0),
            Record::new(Code::Read, 0x1000, 4, 0x4000, 1),
        ];
        for b in others {
            assert_ne!(add(0, a), add(0, b), "{b:?}");
            assert_ne!(add(add(0, a), b), add(add(0, b), a), "{b:?}");
        }
    }
}
