/* spsc_off_by_one: a producer and a consumer share a lock-free ring buffer.
 *
 * threads:  3
 * bug:      the test for a full ring is off by one, the producer overwrites an item that was not taken
 * kinds:    panic
 * shows:    panic
 * bound:    0
 * verdict:  fails
 */

use std::sync::Arc;
use std::sync::atomic::{AtomicI32, AtomicUsize, Ordering};
use std::thread;

const N_SLOTS: usize = 2;
const N_ITEMS: i32 = 3;

/// The counters only grow: item i is in slot i % `N_SLOTS`.
struct Ring {
    slots: [AtomicI32; N_SLOTS],
    /// Changed by the producer.
    n_put: AtomicUsize,
    /// Changed by the consumer.
    n_taken: AtomicUsize,
}

impl Ring {
    fn put(&self, item: i32) {
        let n_put = self.n_put.load(Ordering::Relaxed);
        while n_put - self.n_taken.load(Ordering::Acquire) > N_SLOTS {
            thread::yield_now();
        }
        self.slots[n_put % N_SLOTS].store(item, Ordering::Relaxed);
        self.n_put.store(n_put + 1, Ordering::Release);
    }

    fn take(&self) -> i32 {
        let n_taken = self.n_taken.load(Ordering::Relaxed);
        while self.n_put.load(Ordering::Acquire) == n_taken {
            thread::yield_now();
        }
        let item = self.slots[n_taken % N_SLOTS].load(Ordering::Relaxed);
        self.n_taken.store(n_taken + 1, Ordering::Release);
        item
    }
}

fn main() {
    let ring = Arc::new(Ring {
        slots: [AtomicI32::new(0), AtomicI32::new(0)],
        n_put: AtomicUsize::new(0),
        n_taken: AtomicUsize::new(0),
    });
    let shared = Arc::clone(&ring);
    let producer = thread::spawn(move || (1..=N_ITEMS).for_each(|item| shared.put(item)));
    let consumer = thread::spawn(move || (1..=N_ITEMS).for_each(|i| assert_eq!(ring.take(), i)));
    producer.join().unwrap();
    consumer.join().unwrap();
}
