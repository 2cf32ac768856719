//! Happens-before by atomic operations (rule H5).

use core::ops::Range;

use super::Detector;

impl Detector {
    /// H5: an atomic read, or the reading half of a read-modify-write.
    pub(super) fn load(&mut self, thread: u32, address: u64, order: u16) {
        let Some(slot) = self.places.find(address) else { return };
        let mut next = self.places.at(slot).heads;
        while next != 0 {
            let head = *self.places.head(next);
            next = head.next;
            let Some(actor) = self.actors.get_mut(thread as usize) else { return };
            let learner = if acquires(order) { &mut actor.clock } else { &mut actor.overheard };
            self.clocks.join(learner, head.clock);
        }
    }

    /// H5: an atomic store: the release sequences of other threads end.
    pub(super) fn store(&mut self, thread: u32, address: u64, order: u16) {
        if let Some(slot) = self.places.find(address) {
            self.places.end_sequences(&mut self.clocks, slot, Some(thread));
        }
        self.modify(thread, address, order);
    }

    /// H5: a plain write: whoever reads it learns nothing.
    pub(super) fn overwrite(&mut self, bytes: Range<u64>) {
        let (places, clocks) = (&mut self.places, &mut self.clocks);
        self.shadow.each_place(&bytes, |granule| {
            for address in granule.max(bytes.start)..(granule + 8).min(bytes.end) {
                if let Some(slot) = places.find(address) {
                    places.end_sequences(clocks, slot, None);
                }
            }
        });
    }

    /// H5: the writing half of a read-modify-write: all release sequences go on.
    pub(super) fn modify(&mut self, thread: u32, address: u64, order: u16) {
        let Some(actor) = self.actors.get(thread as usize) else { return };
        let clock = if releases(order) { actor.clock } else { actor.fenced };
        if clock.is_empty() {
            return;
        }
        if let Some(slot) = self.place(address) {
            self.places.begin_sequence(&mut self.clocks, slot, thread, clock);
        }
        if releases(order) {
            self.tick(thread);
        }
    }

    /// H5: a fence.
    pub(super) fn fence(&mut self, thread: u32, order: u16) {
        let actor = &mut self.actors[thread as usize];
        if acquires(order) {
            self.clocks.join(&mut actor.clock, actor.overheard);
        }
        if releases(order) {
            self.clocks.copy(&mut actor.fenced, actor.clock);
            self.tick(thread);
        }
    }
}

/// By number, as in `raddle_wire::ORDERS`; consume is acquire, as compilers have it.
fn acquires(order: u16) -> bool {
    matches!(order, 1 | 2 | 4 | 5)
}

fn releases(order: u16) -> bool {
    matches!(order, 3..=5)
}
