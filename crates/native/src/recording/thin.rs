//! Thinning: reads that say nothing new are left out.
//!
//! In: the reads of one thread between two other events that matter (a write, an atomic, a
//! synchronisation, a switch: all of them end the stretch). Out: those that are kept, in order.
//! Of *equal* reads (address, size and program counter) the first two and the last are.
//!
//! Why nothing is lost. In a stretch a thread only reads, so no other thread can depend on anything in it,
//! and all equal reads have the same writer.
//!
//! - T1: a race, or another writer, of any of them is one of the first: stop the thread there, and
//!   what was left out of the witness was not needed by any thread.
//! - T2: if another thread's write comes between two of them, it can come between the first two:
//!   in the witness all but the one whose writer is free are on the same side of the write.
//! - T3: a write between one of them and a later access can come after the last of them, since
//!   they all have the same writer.
//!
//! Why nothing is added. Whenever a read that is new is kept, the last of all others become final
//! where they stand. So up to a read that is a first or a second of its kind, and up to the end of
//! a stretch, whatever was left out lies between two reads of the same bytes that were kept: no
//! write comes between those in a reordering, and what was left out can be put back there. A
//! reordering that ends at the last of some equal reads may have no room for others; but then the
//! one that ends at the first of them is one, by T1, and shows the same pair of places.

/// A read, as the one who keeps it knows it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Read<T> {
    pub(super) address: u64,
    pub(super) size: u32,
    pub(super) pc: u64,
    /// Whatever goes with it.
    pub(super) with: T,
}

/// Stretches are ended after so many reads, to bound what is held back.
const MAX_HELD: usize = 1 << 16;
const SLOTS: usize = 1 << 12;

/// Reads that are held back until their stretch ends.
pub(super) struct Thinner<T> {
    held: Vec<Option<Read<T>>>,
    /// The last kinds of reads, by hash; one that is pushed out begins anew, and more is kept.
    slots: Vec<Slot>,
    stretch: u32,
    /// Counts the reads that are new.
    epoch: u64,
}

#[derive(Clone, Copy, Default)]
struct Slot {
    address: u64,
    pc: u64,
    size: u32,
    stretch: u32,
    n_seen: u32,
    /// The last one, which is dropped when there is another in the same epoch.
    last: u32,
    epoch: u64,
}

impl<T: Copy> Thinner<T> {
    pub(super) fn new() -> Thinner<T> {
        Thinner { held: Vec::new(), slots: vec![Slot::default(); SLOTS], stretch: 1, epoch: 1 }
    }

    /// Takes a read, of which there are not too many yet.
    #[inline]
    pub(super) fn push(&mut self, read: Read<T>) {
        let at = self.held.len() as u32;
        let slot = &mut self.slots[hash(read.address, read.pc)];
        let same = slot.stretch == self.stretch
            && (slot.address, slot.pc, slot.size) == (read.address, read.pc, read.size);
        if !same {
            let Read { address, size, pc, .. } = read;
            let stretch = self.stretch;
            *slot = Slot { address, pc, size, stretch, n_seen: 1, last: 0, epoch: 0 };
            self.epoch += 1;
        } else if slot.n_seen == 1 {
            slot.n_seen = 2;
            self.epoch += 1;
        } else {
            if slot.epoch == self.epoch {
                self.held[slot.last as usize] = None;
            }
            (slot.last, slot.epoch) = (at, self.epoch);
        }
        self.held.push(Some(read));
    }

    /// Whether the stretch has to end before the next read.
    #[inline]
    pub(super) fn is_full(&self) -> bool {
        self.held.len() >= MAX_HELD
    }

    /// The last read that was taken, if it is held back.
    pub(super) fn last(&mut self) -> Option<&mut Read<T>> {
        self.held.last_mut()?.as_mut()
    }

    /// Whether nothing is held back.
    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        self.held.is_empty()
    }

    /// Ends the stretch: what is kept of it goes into `kept`.
    pub(super) fn finish(&mut self, kept: &mut Vec<Read<T>>) {
        kept.extend(self.held.drain(..).flatten());
        self.stretch = self.stretch.wrapping_add(1);
        if self.stretch == 0 {
            self.slots.fill(Slot::default());
            self.stretch = 1;
        }
    }
}

#[inline]
fn hash(address: u64, pc: u64) -> usize {
    let product = (address ^ pc.rotate_left(24)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (product >> 52) as usize % SLOTS
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Letters are kinds of reads; what is kept is shown with its position.
    #[track_caller]
    fn check(reads: &str, expected: &[usize]) {
        let mut thinner = Thinner::new();
        for (at, kind) in reads.bytes().enumerate() {
            let read = Read { address: u64::from(kind) * 8, size: 4, pc: 7, with: at };
            thinner.push(read);
            assert!(!thinner.is_full());
        }
        let mut kept = Vec::new();
        thinner.finish(&mut kept);
        assert_eq!(kept.iter().map(|read| read.with).collect::<Vec<_>>(), expected);
        assert!(thinner.is_empty());
    }

    #[test]
    fn the_first_two_and_the_last_are_kept() {
        check("a", &[0]);
        check("aaa", &[0, 1, 2]);
        check("aaaaaa", &[0, 1, 5]);
    }

    #[test]
    fn loops_keep_two_rounds_and_the_last() {
        check("abababababab", &[0, 1, 2, 3, 10, 11]);
    }

    #[test]
    fn a_new_read_makes_the_last_ones_final() {
        check("aaaabaaa", &[0, 1, 3, 4, 7]);
        check("aaaabbaaa", &[0, 1, 3, 4, 5, 8]);
    }

    #[test]
    fn other_sizes_and_places_are_other_reads() {
        let mut thinner = Thinner::new();
        for (size, pc) in [(4, 1), (4, 1), (8, 1), (4, 2), (4, 1)] {
            thinner.push(Read { address: 64, size, pc, with: () });
        }
        let mut kept = Vec::new();
        thinner.finish(&mut kept);
        assert_eq!(kept.len(), 5);
    }

    #[test]
    fn a_stretch_knows_nothing_of_the_one_before() {
        let mut thinner = Thinner::new();
        let mut kept = Vec::new();
        for _ in 0..3 {
            (0..2).for_each(|_| thinner.push(Read { address: 8, size: 1, pc: 0, with: () }));
            thinner.finish(&mut kept);
        }
        assert_eq!(kept.len(), 6);
    }

    #[test]
    fn a_long_stretch_asks_to_end() {
        let mut thinner = Thinner::new();
        let read = Read { address: 8, size: 1, pc: 0, with: () };
        let mut fills = || {
            thinner.push(read);
            thinner.is_full()
        };
        assert_eq!((0..).position(|_| fills()), Some(MAX_HELD - 1));
    }
}
