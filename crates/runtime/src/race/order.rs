//! What orders threads, as the records of a program say it (rules H1 to H6).

use core::ops::Range;

use raddle_happens::{Happens, Head, Order, Thread};
use raddle_wire::{Code, Record};

use super::fixed::Fixed;
use super::place::Place;
use super::{Detector, N_THREADS};

/// Enough for 8192 threads that all know each other.
const N_TIMES: usize = 1 << 26;
const N_HEADS: usize = 1 << 18;

/// What orders the threads of an execution.
pub(super) type Orders =
    Happens<Fixed<u32, N_TIMES>, Fixed<Thread, N_THREADS>, Fixed<Head, N_HEADS>>;

/// An execution begins.
pub(super) fn begin(orders: &mut Orders) {
    let (times, threads, heads) = orders.tables_mut();
    times.clear();
    threads.clear();
    heads.clear();
    orders.begin();
}

impl Detector {
    /// Whether an order between threads was lost.
    #[inline]
    pub(super) fn is_blind(&self) -> bool {
        self.orders.is_full() || self.places.is_full
    }

    /// Everything but accesses and memory that comes and goes.
    pub(super) fn synchronise(&mut self, thread: u32, code: Code, record: Record) {
        let object = record.object();
        match (code, record.extra()) {
            (Code::Fork, _) => self.orders.fork(thread, number(object)),
            (Code::Join, _) if number(object) != thread => {
                self.orders.join(thread, number(object));
                self.orders.bury(number(object));
            }
            (Code::Lock, shared) => {
                if let Some(place) = self.places.find(object) {
                    self.orders.acquire(thread, &place.lock, shared != 0);
                }
            }
            (Code::Unlock, shared) => {
                self.change(object, |orders, place| {
                    orders.release(thread, &mut place.lock, shared != 0);
                });
            }
            (Code::OnceEnter | Code::OncePass | Code::Take, _) | (Code::Order, 1) => {
                if let Some(place) = self.places.find(object) {
                    self.orders.take(thread, place.lock.given);
                }
            }
            (Code::OnceDone | Code::Post, _) | (Code::Order, _) => {
                self.change(object, |orders, place| orders.give(thread, &mut place.lock.given));
            }
            (Code::SemaphoreInit, _) => {
                if let Some(place) = self.places.find(object) {
                    self.orders.forget(place.lock.given);
                }
            }
            (Code::BarrierInit, _) => self.change(object, |orders, place| {
                orders.forget(place.lock.given);
                (place.n_parties, place.n_arrived) = (record.count(), 0);
            }),
            (Code::Arrive, _) => self.change(object, |orders, place| {
                orders.arrive(thread, object, &mut place.lock.given);
                place.n_arrived += 1;
                if place.n_arrived == place.n_parties {
                    place.n_arrived = 0;
                    orders.depart(object, place.lock.given);
                }
            }),
            // Unless it is known how many a barrier waits for.
            (Code::Leave, _) if self.orders.is_at(thread, object) => {
                self.change(object, |orders, place| {
                    place.n_arrived = 0;
                    orders.depart(object, place.lock.given);
                });
            }
            (Code::Fence, order) => self.orders.fence(thread, self::order(order)),
            (Code::Wait, _) => self.orders.wait(thread, object),
            (Code::Wake, reason) => self.orders.wake(thread, reason == 0),
            (Code::Notify, woken) => {
                self.orders.notify(thread, woken.checked_sub(1).map(u32::from));
            }
            (Code::NotifyAll, _) => self.orders.notify_all(thread, object),
            _ => {}
        }
    }

    /// An atomic read, or the reading half of a read-modify-write.
    pub(super) fn load(&mut self, thread: u32, address: u64, order: u16) {
        if let Some(place) = self.places.find(address) {
            self.orders.load(thread, &place.location, self::order(order));
        }
    }

    /// An atomic store, or the writing half of a read-modify-write.
    pub(super) fn store(&mut self, thread: u32, address: u64, order: u16, modifies: bool) {
        let order = self::order(order);
        let act = |orders: &mut Orders, place: &mut Place| match modifies {
            true => orders.modify(thread, &mut place.location, order),
            false => orders.store(thread, &mut place.location, order),
        };
        if self.orders.says_something(thread, order) {
            self.change(address, act);
        } else if let Some(place) = self.places.find(address) {
            act(&mut self.orders, place);
        }
    }

    /// A plain write: whoever reads it learns nothing.
    pub(super) fn overwrite(&mut self, bytes: Range<u64>) {
        let (places, orders) = (&mut self.places, &mut self.orders);
        self.shadow.each_place(&bytes, |granule| {
            for address in granule.max(bytes.start)..(granule + 8).min(bytes.end) {
                if let Some(place) = places.find(address) {
                    orders.overwrite(&mut place.location);
                }
            }
        });
    }

    /// Changes the place of synchronisation at an address, new if there was none.
    fn change(&mut self, address: u64, act: impl FnOnce(&mut Orders, &mut Place)) {
        if let Some(place) = self.places.find_or_make(address) {
            if !core::mem::replace(&mut place.is_noted, true) {
                self.shadow.note_place(address);
            }
            act(&mut self.orders, place);
        }
    }
}

/// The number of a thread; one that there is no room for, if it is none.
fn number(thread: u64) -> u32 {
    u32::try_from(thread).unwrap_or(N_THREADS as u32)
}

/// An order by its number, as in `raddle_wire::ORDERS`; consume is acquire, as compilers have it.
fn order(number: u16) -> Order {
    match number {
        1 | 2 => Order::Acquire,
        3 => Order::Release,
        4 => Order::AcqRel,
        5 => Order::SeqCst,
        _ => Order::Relaxed,
    }
}
