//! What orders threads, as the events of the machine say it.

use raddle_cfront::ir;
use raddle_happens::{Known, Order};
use raddle_trace::WakeReason;

use super::shadow::Place;
use super::{Detector, Orders};
use crate::observe::{Event, What};

impl Detector {
    /// Everything but accesses and frees.
    pub(super) fn synchronise(&mut self, event: &Event<'_>) {
        let (thread, orders) = (event.thread, &mut self.orders);
        match event.what {
            What::Begin { function } => {
                self.starts.extend_to(thread + 1, 0);
                self.starts.set(thread, function.0);
            }
            What::Fork { child } => orders.fork(thread, child),
            What::Join { child } => orders.join(thread, child),
            What::Acquire { address, shared } => {
                if let Some(place) = self.place(event, address) {
                    self.orders.acquire(thread, &place.lock, shared);
                }
            }
            What::Release { address, shared } => {
                self.change(event, address, |orders, place| {
                    orders.release(thread, &mut place.lock, shared);
                });
            }
            What::OnceBegin { address } | What::OncePassed { address } | What::Take { address } => {
                if let Some(place) = self.place(event, address) {
                    self.orders.take(thread, place.lock.given);
                }
            }
            What::OnceEnd { address } | What::Post { address } => {
                self.change(event, address, |orders, place| {
                    orders.give(thread, &mut place.lock.given);
                });
            }
            What::SemaphoreInit { address, .. } | What::BarrierInit { address, .. } => {
                if let Some(place) = self.place(event, address) {
                    self.orders.forget(place.lock.given);
                }
            }
            What::Arrive { address } => {
                self.change(event, address, |orders, place| {
                    orders.arrive(thread, address, &mut place.lock.given);
                });
            }
            // The first to leave a barrier is the last that arrived.
            What::Leave { address } => {
                if let Some(place) = self.place(event, address)
                    && self.orders.is_at(thread, address)
                {
                    self.orders.depart(address, place.lock.given);
                }
            }
            What::AtomicBegin | What::AtomicEnd => self.section(event),
            What::Fence { order } => orders.fence(thread, self::order(order)),
            What::Wait { cond, .. } => orders.wait(thread, cond),
            What::Wake { reason, .. } => orders.wake(thread, reason == WakeReason::Notified),
            What::Signal { woken, .. } => orders.notify(thread, woken),
            What::Broadcast { cond } => orders.notify_all(thread, cond),
            _ => {}
        }
    }

    /// An atomic read, or the reading half of a read-modify-write.
    pub(super) fn load(&mut self, event: &Event<'_>, object: u32, offset: u32, order: ir::Order) {
        let shadow = self.shadows.of(event.view.memory, object);
        if let Some(place) = self.shadows.find(shadow, offset) {
            let location = &self.shadows.places.get(place).location;
            self.orders.load(event.thread, location, self::order(order));
        }
    }

    /// An atomic store, or the writing half of a read-modify-write.
    pub(super) fn store(
        &mut self,
        event: &Event<'_>,
        (object, offset): (u32, u32),
        order: ir::Order,
        modifies: bool,
    ) {
        let (thread, order) = (event.thread, self::order(order));
        let shadow = self.shadows.of(event.view.memory, object);
        let place = match self.orders.says_something(thread, order) {
            true => Some(self.shadows.find_or_make(shadow, offset)),
            false => self.shadows.find(shadow, offset),
        };
        if let Some(place) = place {
            let location = &mut self.shadows.places.change(place).location;
            match modifies {
                true => self.orders.modify(thread, location, order),
                false => self.orders.store(thread, location, order),
            }
        }
    }

    /// A plain write: whoever reads it learns nothing.
    pub(super) fn overwrite(&mut self, event: &Event<'_>, object: u32, offset: u32, size: u32) {
        let shadow = self.shadows.of(event.view.memory, object);
        let mut next = self.shadows.shadows.get(shadow).places;
        while next != super::shadow::NONE {
            let Place { offset: at, location, next: behind, .. } = *self.shadows.places.get(next);
            if (offset..offset + size).contains(&at) && !location.is_silent() {
                self.orders.overwrite(&mut self.shadows.places.change(next).location);
            }
            next = behind;
        }
    }

    fn section(&mut self, event: &Event<'_>) {
        self.sections.extend_to(1, Known::default());
        match event.what {
            What::AtomicBegin => self.orders.take(event.thread, *self.sections.get(0)),
            _ => self.orders.give(event.thread, self.sections.change(0)),
        }
    }

    /// The lock or the like at an address, if anybody was there before.
    fn place(&mut self, event: &Event<'_>, address: u64) -> Option<Place> {
        let (object, offset) = event.view.resolve(address)?;
        let shadow = self.shadows.of(event.view.memory, object);
        self.shadows.find(shadow, offset).map(|place| *self.shadows.places.get(place))
    }

    /// Changes the lock or the like at an address.
    fn change(
        &mut self,
        event: &Event<'_>,
        address: u64,
        act: impl FnOnce(&mut Orders, &mut Place),
    ) {
        if let Some((object, offset)) = event.view.resolve(address) {
            let shadow = self.shadows.of(event.view.memory, object);
            let place = self.shadows.find_or_make(shadow, offset);
            act(&mut self.orders, self.shadows.places.change(place));
        }
    }
}

/// What an order of the machine means; a plain access has none.
fn order(order: ir::Order) -> Order {
    match order {
        ir::Order::Plain | ir::Order::Relaxed => Order::Relaxed,
        ir::Order::Acquire => Order::Acquire,
        ir::Order::Release => Order::Release,
        ir::Order::AcqRel => Order::AcqRel,
        ir::Order::SeqCst => Order::SeqCst,
    }
}
